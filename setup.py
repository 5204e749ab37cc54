"""Finds the packages: those of src, and the folders at the root as `dynagrag.<folder>`.

`packages.find` alone would need the links in src/dynagrag, which a checkout without symbolic links
doesn't have.
"""

from setuptools import find_packages, setup

FOLDERS = ("ingest", "graph_store", "retrieval", "generation", "evaluation", "prompts", "ui")

setup(
    packages=sorted(
        {
            *find_packages("src"),
            *(f"dynagrag.{folder}" for folder in FOLDERS),
            *(f"dynagrag.{folder}.{name}" for folder in FOLDERS for name in find_packages(folder)),
        }
    ),
    package_dir={"": "src", **{f"dynagrag.{folder}": folder for folder in FOLDERS}},
)
