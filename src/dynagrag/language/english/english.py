"""English, as the product asks for it."""

from collections.abc import Iterable, Mapping

from dynagrag.language.english.data import groups_of, values_of, words_of
from dynagrag.language.english.first_names import are_first_names_alike
from dynagrag.language.english.names import names_in
from dynagrag.language.english.negation import NEGATION
from dynagrag.language.english.stems import stem
from dynagrag.language.english.verbs import BASES, base_of_past, base_of_third
from dynagrag.language.sentences import Span, sentence_spans
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass


class English:
    """A `Language`."""

    code = "en"

    def words(self, *classes: WordClass) -> frozenset[str]:
        """The words of these classes."""
        return words_of(*classes)

    def values(self, word_class: WordClass) -> Mapping[str, int]:
        """The words of a class with their values, by value."""
        return values_of(word_class)

    def groups(self, kind: GroupKind) -> tuple[tuple[str, ...], ...]:
        """Groups of words that belong together."""
        return groups_of(kind)

    def stem(self, word: str) -> str:
        """Porter2's stem."""
        return stem(word)

    def base(self, verb: str) -> str | None:
        """The verb that a form is of; None of an unknown one."""
        return base_of_past(verb) or base_of_third(verb) or (verb if verb in BASES else None)

    def sentence_spans(self, text: str, max_words: int) -> list[Span]:
        """Sentences by marks, abbreviations and blank lines."""
        return sentence_spans(text, max_words)

    def names(self, text: str, known: Iterable[str] = ()) -> list[Span]:
        """By capitals."""
        return [found.span() for found in names_in(text, known)]

    def are_first_names_alike(self, a: str, b: str) -> bool:
        """By initials, beginnings and nicknames."""
        return are_first_names_alike(a, b)

    def is_negated(self, text: str) -> bool:
        """By a word or ending: not, never, n't."""
        return bool(NEGATION.search(text))

    def number(self, word: str) -> int | None:
        """The value of a cardinal or ordinal in words."""
        value = values_of(WordClass.CARDINAL).get(word)
        return values_of(WordClass.ORDINAL).get(word) if value is None else value
