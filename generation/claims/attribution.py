"""Claims about who said what: "EECOM said that the pressure was falling"."""

import re
from dataclasses import dataclass

from dynagrag.core.schema import Line
from dynagrag.generation.claims.claim_lexicon import (
    ASKING,
    NEGATIONS,
    OFFICES,
    SAYING,
    TELLS,
    THINKING,
    TITLES,
)
from dynagrag.generation.claims.reading import folded, read
from dynagrag.generation.claims.word_senses import lemma, told_forms

WHO = (
    r"(?P<who>(?:The\s+)?[A-Z][^\s,:]*(?:\s+(?:of|the|de|von|van|[A-Z0-9][^\s,:]*))*)"
    r"(?:\s*\([^)]*\))?\s+"
)
"""A pattern of who says something, at the beginning of a claim."""
_SPOKEN = "|".join(sorted(told_forms((*SAYING, *ASKING, *THINKING))))
_SAID = re.compile(
    rf"""^{WHO}
        (?P<verb>told\s+\S+|wanted\s+to\s+know|{_SPOKEN})
        ,?:?\s+(?!(?:with|for)\b)(?:that\s+)?(?P<if>whether\s+|if\s+)?["“']?(?P<what>\S.*?)["”']?$""",
    re.VERBOSE | re.DOTALL,
)
_WISHED = re.compile(
    rf"^{WHO}(?P<verb>wants?|wanted|proposed?s?|suggested|"
    r"recommended|hopes?|hoped|planned|plans|decided|offered|"
    r"(?:told|asked|instructed|ordered|urged|wanted|wants)\s+(?:\S+\s+){0,2}\S+)"
    r"\s+to\s+(?!know\b)(?P<what>\S.*)$",
    re.DOTALL,
)
_AFTERWARDS = re.compile(
    r"^[\"“]?(?P<what>.+?),?[\"”]?,?\s+(?P<who>[A-Z][^\s,:]*(?:\s+[A-Z][^\s,:]*)*)\s+"
    r"(?P<verb>said|says|asked|reported)\.?$",
    re.DOTALL,
)
_UNNAMED = re.compile(
    r"^It (?:was|is|has been)"
    r" (?P<verb>said|stated|reported|noted|suggested|thought|believed|asked|argued|claimed|"
    r"announced|explained) "
    r"(?:that |whether |if )(?P<what>.+)$",
    re.DOTALL,
)
_CALLED = re.compile(
    rf"^{WHO}"
    r"(?P<verb>called|calls|described|describes|characteri[sz]e[sd])\s+(?P<of>(?:\S+\s+){1,6}?)"
    r"(?:as\s+)?(?P<what>(?:an?|the)\s+\S.*)$",
    re.DOTALL,
)
_BY = re.compile(r'^According to (?P<who>[^,]+),\s*["“]?(?P<what>.+?)["”]?$', re.DOTALL)


_TITLES = TITLES | OFFICES


@dataclass(frozen=True, slots=True)
class Attributed:
    """A statement, the one who makes it (empty: nobody is named), and whether it is asked, only
    thought, or wished ("wanted to go").
    """

    who: str
    what: str
    is_asked: bool = False
    is_opinion: bool = False
    verb: str = ""
    is_wished: bool = False


def attributed(text: str) -> Attributed | None:
    """The statement that a claim says somebody made; None where it tells of no saying."""
    if by := _BY.match(text):
        return Attributed(by["who"], by["what"], verb="say")
    if called := _CALLED.match(text):
        what = f"{called['of'].strip()} is {called['what']}"
        return Attributed(called["who"], what, verb=called["verb"])
    wished = _WISHED.match(text)
    match = wished or _SAID.match(text) or _UNNAMED.match(text) or _AFTERWARDS.match(text)
    if not match or len(match["what"].split()) < 2:
        return None
    verb, what = match["verb"], match["what"]
    if match.re is not _UNNAMED and match["who"].split()[0].casefold() in NEGATIONS:
        return None  # "Nobody said that it rained"
    if wished:
        what = f"not {what}" if verb.endswith(" not") else what
        return Attributed(match["who"], what, is_opinion=True, verb=verb, is_wished=True)
    return Attributed(
        "" if match.re is _UNNAMED else match["who"],
        what,
        is_asked=verb.startswith(("ask", "wonder", "wanted")),
        is_opinion=verb.startswith(("th", "bel", "sugg", "arg", "claim")),
        verb=verb,
    )


def speaker_says(attribution: Attributed, line: Line) -> bool:
    """Whether a line is the speaker's, or tells itself that the speaker said it."""
    if is_speaker(attribution.who, line):
        return True
    names, words = _names(attribution.who), _names(line.text)
    return not attribution.who or (names <= words and not words.isdisjoint(TELLS))


def is_speaker(who: str, line: Line) -> bool:
    """Whether a name is that of a line's speaker, in full or in part."""
    names, speaker = _names(who), _names(line.speaker or "")
    return bool(speaker) and (names <= speaker or speaker <= names)


def names_who(attribution: Attributed, text: str) -> bool:
    """Whether a text tells itself that the one who is said to have said it did so, in the claim's
    own verb.
    """
    words, verb = [w.low for w in read(text).words], lemma(attribution.verb.split()[0])
    last = sorted(_names(attribution.who), key=attribution.who.casefold().find)[-1:]
    places = [i for i, low in enumerate(words) if [low] == last]
    return any(lemma(low) == verb for i in places for low in words[i + 1 : i + 4])


def _names(text: str) -> frozenset[str]:
    """The words of a name, without titles where something is left then."""
    words = frozenset(re.findall(r"[^\W_]+", folded(re.sub(r"\([^)]*\)", "", text))))
    return words - _TITLES or words
