"""Runs the demo live with Qwen and keeps its replies in the package: what `dynagrag demo` shows by default. Half an hour on 2 cores.

Usage: python benchmarks/record_demo.py [FOLDER] (default: the package's own folder).
"""

import sys
import tempfile
from pathlib import Path

from dynagrag import demo
from dynagrag.settings import load_settings


def main() -> None:
    """Records into a home of its own, with the models of the user's."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(demo.__file__).parent
    settings = load_settings()
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / "models"
        models.symlink_to(settings.models_dir)
        demo.run_demo(settings.model_copy(update={"home": Path(home)}), True, print, lambda *_: None, record=folder)


if __name__ == "__main__":
    main()
