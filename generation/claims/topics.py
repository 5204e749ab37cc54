"""Claims about what somebody spoke of: "Ann mentioned the report", "Bob asked about the roof". A
turn of theirs that has it states them, whatever it says of it.
"""

import itertools
import re
from dataclasses import dataclass

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import WHO, Attributed, is_speaker
from dynagrag.generation.claims.claim_lexicon import AUXILIARIES, LEANING
from dynagrag.generation.claims.comparison import Comparison
from dynagrag.generation.claims.number_checks import number_gap
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.word_senses import PAST, senses
from dynagrag.language.sentences import sentence_spans
from dynagrag.language.words import DETERMINERS

_MATTER = "(?:concern|issue|matter|point|problem|question|topic)s?"
_ASKED = r"asks?(?: \w+)? about|asked(?: \w+)? about|(?:inquire|wonder)[sd]?(?:ed)? about"
_SPOKE = (
    r"mention(?:s|ed)|(?:talk(?:s|ed)|speaks|spoke) (?:about|of)|discuss(?:es|ed)"
    r"|br(?:ings|ought) up|refer(?:s|red) to|cite[sd]|allude[sd] to|touche[sd] (?:on|upon)"
    rf"|raise[sd](?= (?:the )?{_MATTER}\b)"
)
_TOPIC = re.compile(
    rf"^{WHO}(?:(?P<asked>{_ASKED})|(?P<spoke>{_SPOKE})|(?P<named>name[sd]))\s+"
    r"(?!(?:that|how|why|whether|what|when|where|who|if)\b)(?P<what>\S.*?)[.!]?$",
    re.DOTALL,
)
_ISSUE = re.compile(
    r"^(?:the )?(?:concern|issue|matter|point|problem|question|topic)s? (?:of|about) "
)
_ASKS = frozenset("whether wonder wondering ask asking".split())
_OPENING = 5
"""Words among which a question refers to the sentence before it."""
_APART = 2
"""Places between two words of the line that stand side by side in what is spoken of."""


@dataclass(frozen=True, slots=True)
class SpokenOf:
    """What somebody spoke of; `is_asked`: they asked about it."""

    who: str
    what: str
    is_asked: bool


def topic_of(text: str) -> SpokenOf | None:
    """What a claim says that somebody spoke of; None where it tells of no speaking, or of a whole
    statement ("mentioned the pump failed").
    """
    match = _TOPIC.match(text)
    if match is None:
        return None
    what = _ISSUE.sub("", match["what"])
    reading = read(what)
    names = [reading.word(start) for start, _ in reading.names]
    is_told = bool(reading.content() or names or quantities(what))
    is_name = len(names) == 1 and not reading.content()
    if not is_told or _has_verb(reading) or (match["named"] and not is_name):
        return None
    return SpokenOf(match["who"], what, match["asked"] is not None)


def _has_verb(reading: Reading) -> bool:
    """Whether something is stated in it: an auxiliary, or a past that no determiner governs."""
    return any(
        word.low in AUXILIARIES
        or (
            (word.low in PAST or word.low.endswith("ed"))
            and i > 0
            and reading.word(i - 1).low not in DETERMINERS
        )
        for i, word in reading.outside_names()
    )


def speaks_of_topic(topic: SpokenOf, line: Line) -> bool:
    """Whether a line is theirs who are said to have spoken, and a sentence of it has all words of
    what they spoke of; where they asked, one that asks, or before a question that refers to it.
    """
    if not is_speaker(topic.who, line):
        return False
    texts = [line.text[start:end] for start, end in sentence_spans(line.text)] or [line.text]
    return any(
        (not topic.is_asked or _is_asked(text, follows)) and _has_topic(topic, line, text)
        for text, follows in itertools.pairwise([*texts, ""])
    )


def _is_asked(text: str, follows: str) -> bool:
    own, later = read(text), read(follows)
    opening = {word.low for word in later.words[:_OPENING]}
    is_of_it = later.is_question and not LEANING.isdisjoint(opening)
    return own.is_question or not _ASKS.isdisjoint(own.lows) or is_of_it


def _has_topic(topic: SpokenOf, line: Line, text: str) -> bool:
    part = Line(text, line.speaker, line.title)
    comparison = Comparison(Attributed(topic.who, topic.what), part)
    what, sentence = comparison.claim, comparison.sentence
    if not all(comparison.has_name(span) for span in what.names) or number_gap(comparison):
        return False
    places = [_places(sentence, what.words[i].stem) for i in what.content()]
    if not all(places):
        return False
    return all(
        any(0 < j - i <= _APART for i in _places(sentence, one) for j in _places(sentence, other))
        for one, other in _side_by_side(what)
    )


def _places(sentence: Reading, stem: str) -> list[int]:
    wanted = senses(stem)
    return [i for i, word in enumerate(sentence.words) if word.stem in wanted]


def _side_by_side(what: Reading) -> list[tuple[str, str]]:
    """Stems of words next to each other of which one at least is of no name: Miller report."""
    telling = {*what.content(), *what.in_names}
    return [
        (what.words[i].stem, what.words[i + 1].stem)
        for i in sorted(telling)
        if i + 1 in telling and not {i, i + 1} <= what.in_names
    ]
