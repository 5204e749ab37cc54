"""Forms of English verbs, and plurals, from lemminflect's dictionary.

Its data are of the NIH's SPECIALIST lexicon, 1.1 MB in the wheel. Loading them takes a quarter of a
second and some 40 MB, so it is imported at the first question. What it would guess of verbs that
it lacks is not asked for. (Where spaCy is installed, lemminflect imports it too.)
"""

from functools import cache

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
def verb_forms(word: str) -> frozenset[str]:
    """All forms of the verbs of which a word is a form: break, breaks, broke of "broke". Empty
    where the dictionary has no such verb. Lower case.
    """
    from lemminflect import getAllInflections, getAllLemmas

    return frozenset(
        form
        for verb in getAllLemmas(word, "VERB").get("VERB", ())
        for forms in getAllInflections(verb, "VERB").values()
        for form in forms
    )


@cache
def is_known(word: str) -> bool:
    """Whether the dictionary has a word, in any form. Lower case."""
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))


@cache
def is_plural_of(word: str, noun: str) -> bool:
    """Whether the dictionary has a word as the plural of a noun: valves of valve, not https of
    http. Lower case.
    """
    from lemminflect import getAllLemmas

    return word != noun and noun in getAllLemmas(word, "NOUN").get("NOUN", ())


@cache
def _forms(verb: str, tag: str) -> tuple[str, ...]:
    """`tag`: of the Penn Treebank. Empty where the dictionary lacks the verb."""
    from lemminflect import getAllInflections

    return tuple(getAllInflections(verb, "VERB").get(tag, ()))


@cache
def is_base(word: str) -> bool:
    """Whether a word may stand behind `to` as a verb. Lower case."""
    from lemminflect import getAllLemmas

    return word in getAllLemmas(word, "VERB").get("VERB", ())
