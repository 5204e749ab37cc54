"""The verb of a German or Dutch participle, so that "geheiratet" meets "heiratet" and "heiraten",
"aufgemacht" meets "aufmachen".

A participle has ge- before its stem, behind a separable prefix if there is one. Snowball leaves it
there in German, and keeps the ending of "sagt" in both. What is found is added to the participle's
own stem, never put in its place: many a word begins with ge- that is none ("gestern").
"""

import re

from dynagrag.language.stemming import stem_of

_PREFIXES = (
    "ab|an|auf|aus|bei|da|dar|durch|ein|fest|fort|her|heraus|herum|hin|hinaus|hinzu|los|mit|nach|"
    "statt|teil|um|unter|vor|voran|vorbei|weg|weiter|wieder|zu|zurück|zusammen"
)
_PARTICIPLES = {
    "de": re.compile(rf"((?:{_PREFIXES})?)ge(\w{{3,}}?)(et|t|en)(?:e[mnrs]?)?"),
    "nl": re.compile(r"()ge(\w{3,}?)([dt]|en)e?"),
}
"""By language: a prefix, a stem and an ending; Snowball knows those of Dutch with a prefix."""


def verb_stems(word: str, code: str) -> tuple[str, ...]:
    """The stems of the infinitive and of the third person of the verb that a lower-case word may be
    a participle of, in a language (ISO 639-1); none of other words and in other languages.
    """
    pattern = _PARTICIPLES.get(code)
    found = pattern.fullmatch(word) if pattern else None
    if not found:
        return ()
    prefix, base, ending = found.groups()
    finite = base + ("t" if ending == "d" else ending)
    return tuple({stem_of(prefix + form, code): None for form in (base + "en", finite)})
