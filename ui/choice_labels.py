"""Labels of choices, each another: a box of choices gets back from the browser the words of what
was chosen, so that of two alike it would always take the first. And the names that several pages
have for one thing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from dynagrag.core.schema import Document
from dynagrag.ui.safe_markdown import clean

Key = TypeVar("Key")
SOFT = {
    "g-retriever": "G-Retriever, trained",
    "grag": "GRAG, trained",
    "graph-token": "Graph token alone, trained",
    "prompt-tuning": "Prompt tuning, trained",
}
"""Trained soft prompts as `--soft` has them, in words."""


def unique_labels(names: Mapping[Key, str]) -> dict[Key, str]:
    """Labels without duplicates, in order: the second of a name becomes "name (2)", and so on."""
    times: Counter[str] = Counter()
    taken = set(names.values())
    labels: dict[Key, str] = {}
    for key, name in names.items():
        label = name
        times[name] += 1
        while times[name] > 1 and label in taken:
            label = f"{name} ({times[name]})"
            times[name] += label in taken
        taken.add(label)
        labels[key] = label
    return labels


def document_labels(documents: Iterable[Document], max_chars: int = 120) -> dict[str, str]:
    """By id: the title, cut; with the name of its file where several have it."""
    titles = {
        d.id: (clean(d.title, max_chars), clean(Path(d.uri).name, max_chars)) for d in documents
    }
    times = Counter(title for title, _ in titles.values())
    return unique_labels(
        {
            id_: title if times[title] == 1 else f"{title} · {file}"
            for id_, (title, file) in titles.items()
        }
    )
