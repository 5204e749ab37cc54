"""The interface of a language: its words, stems, sentences, names, negation and numbers."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from dynagrag.language.sentences import Span
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass


class Language(Protocol):
    """A language. Words are given and returned in lower case, with plain apostrophes."""

    @property
    def code(self) -> str:
        """Of ISO 639-1: en."""

    def words(self, *classes: WordClass) -> frozenset[str]:
        """The words of these classes; none where the language has no such class."""

    def values(self, word_class: WordClass) -> Mapping[str, int]:
        """The words of a class with their values there, by value: months, numbers in words."""

    def groups(self, kind: GroupKind) -> tuple[tuple[str, ...], ...]:
        """Groups of words that belong together in a way."""

    def stem(self, word: str) -> str:
        """The part that a word's forms have in common; it need not be a word."""

    def base(self, verb: str) -> str | None:
        """The verb that a form is of: went, goes -> go. None where the form is of none that is
        known.
        """

    def sentence_spans(self, text: str, max_words: int) -> list[Span]:
        """Spans of the sentences in order, without blank space at their ends; longer ones than
        `max_words` are cut.
        """

    def names(self, text: str, known: Iterable[str] = ()) -> list[Span]:
        """Spans of the names in a sentence, in order. What could be a word too is one only where it
        is `known`.
        """

    def are_first_names_alike(self, a: str, b: str) -> bool:
        """Whether two first names may be one person's: one begins the other, is its initial or
        what it is shortened to.
        """

    def is_negated(self, text: str) -> bool:
        """Whether a word of the text says that something isn't so."""

    def number(self, word: str) -> int | None:
        """The value of a number in words, a cardinal or an ordinal; None of another word."""
