"""The words of a language, each once, with its classes: `<language>/lexicon.tsv`."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from dynagrag.language.word_class import WordClass


class Lexicon:
    """Words by class; the file is read at the first question.

    A line of the file is a word, a tab, and its classes with blanks between them; a line that
    begins with a tab goes on with the word above. `month=5` is a class in which the word has a
    value. Words are in lower case with plain apostrophes, but for signs and units.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def words(self, *classes: WordClass) -> frozenset[str]:
        """The words that are of one of the classes; none where the language has no such class."""
        return frozenset().union(*(self.values(word_class) for word_class in classes))

    def values(self, word_class: WordClass) -> Mapping[str, int]:
        """The words of a class with their values there (0 in a class without), by value, then
        alphabetically: months from January on.
        """
        return self._by_class.get(word_class, {})

    @cached_property
    def _by_class(self) -> Mapping[str, Mapping[str, int]]:
        """Raises ValueError: the file has a word twice, or names a class that there isn't."""
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        word, seen = "", set[str]()
        for line in self._path.read_text(encoding="utf-8").splitlines():
            own, _, classes = line.partition("\t")
            if own in seen:
                raise ValueError(f"{self._path.name} has {own!r} twice")
            if own:
                seen.add(own)
            word = own or word
            for entry in classes.split():
                name, _, value = entry.partition("=")
                found[name].append((int(value or 0), word))
        if unknown := found.keys() - set(WordClass):
            raise ValueError(f"{self._path.name} has classes that WordClass lacks: {unknown}")
        return {
            name: {word: value for value, word in sorted(pairs)} for name, pairs in found.items()
        }
