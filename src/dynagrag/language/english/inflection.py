"""Forms of English verbs, and plurals, from lemminflect's dictionary.

Its data are of the NIH's SPECIALIST lexicon, 1.1 MB in the wheel. Loading them takes a quarter of a
second and some 40 MB, so it is imported at the first question. What it would guess of verbs that
it lacks is not asked for.
"""

from functools import cache
from types import ModuleType

from dynagrag.core.unwanted_imports import without_module

_PARTICIPLES = {
    "burn": ("burnt", "burned"),
    "get": ("got", "gotten"),
    "light": ("lit", "lighted"),
    "wake": ("woken",),
}
"""Where the dictionary lacks one, or has a rare one first (burned, gotten, lighted, waked)."""


def pasts(verb: str) -> tuple[str, ...]:
    """went of go, was and were of be; the commonest first."""
    return _forms(verb, "VBD") or (f"{verb}ed",)


def participles(verb: str) -> tuple[str, ...]:
    """Past participles, the commonest first: gone of go; born and borne of bear."""
    return _PARTICIPLES.get(verb) or _forms(verb, "VBN") or pasts(verb)


def thirds(verb: str) -> tuple[str, ...]:
    """goes of go."""
    return _forms(verb, "VBZ") or (f"{verb}s",)


@cache
def verb_bases(word: str) -> frozenset[str]:
    """The verbs of which a word is a form, itself if it is one: break of "broke". Lower case."""
    return frozenset(_dictionary().getAllLemmas(word, "VERB").get("VERB", ()))


@cache
def verb_forms(word: str) -> frozenset[str]:
    """All forms of the verbs of which a word is a form: break, breaks, broke of "broke". Empty
    where the dictionary has no such verb. Lower case.
    """
    dictionary = _dictionary()
    return frozenset(
        form
        for verb in verb_bases(word)
        for forms in dictionary.getAllInflections(verb, "VERB").values()
        for form in forms
    )


@cache
def is_known(word: str) -> bool:
    """Whether the dictionary has a word, in any form. Lower case."""
    return bool(_dictionary().getAllLemmas(word))


@cache
def is_noun(word: str) -> bool:
    """Whether the dictionary has a word as a form of a noun. Lower case."""
    return bool(_dictionary().getAllLemmas(word, "NOUN"))


@cache
def noun_forms(word: str) -> frozenset[str]:
    """All forms of the nouns of which a word is a form: mouse, mice. Empty where the dictionary has
    no such noun. Lower case.
    """
    dictionary = _dictionary()
    return frozenset(
        form
        for lemma in dictionary.getAllLemmas(word, "NOUN").get("NOUN", ())
        for forms in dictionary.getAllInflections(lemma, "NOUN").values()
        for form in forms
    )


@cache
def is_plural_of(word: str, noun: str) -> bool:
    """Whether the dictionary has a word as the plural of a noun: valves of valve, not https of
    http. Lower case.
    """
    return word != noun and noun in _dictionary().getAllLemmas(word, "NOUN").get("NOUN", ())


@cache
def _forms(verb: str, tag: str) -> tuple[str, ...]:
    """`tag`: of the Penn Treebank. Empty where the dictionary lacks the verb."""
    return tuple(_dictionary().getAllInflections(verb, "VERB").get(tag, ()))


@cache
def is_base(word: str) -> bool:
    """Whether a word may stand behind `to` as a verb. Lower case."""
    return word in verb_bases(word)


@cache
def _dictionary() -> ModuleType:
    """lemminflect. Where spaCy is installed it would import that for methods that nobody asks for:
    a second, and 100 MB.
    """
    with without_module("spacy"):
        import lemminflect
    module: ModuleType = lemminflect
    return module
