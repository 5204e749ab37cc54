"""An answer into claims: its sentences, and in them the clauses that state something of their own.
Each keeps its place in the answer.

These claim nothing by themselves: questions (but for what they state first), headings, "Here is
what I found:", words on what the evidence lacks, and names, dates and the like, which are short
answers to the question. The items of a list are claims of their own, read with the line that leads
them in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.claims.answer_sentences import answer_sentences
from dynagrag.generation.claims.claim_lexicon import ASKING, AUXILIARIES, SAYING, THINKING
from dynagrag.generation.claims.clauses import clauses, has_verb, states_something
from dynagrag.generation.claims.short_answers import framed_answer, is_short_answer
from dynagrag.generation.claims.word_senses import told_forms
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_of
from dynagrag.language.sentences import num_words, strip_span

_AUXILIARY = "|".join(sorted(AUXILIARIES))
_OPENS_QUESTION = re.compile(
    rf"\s*(?:who|whose|whom|which|what|when|where|why|how|{_AUXILIARY})\b", re.IGNORECASE
)
_ASKED = re.compile(
    rf"(?:[;:]|\s[–—-]|,?\s+(?:and|but|so|yet)\b){_OPENS_QUESTION.pattern}|"
    rf",\s+(?:what|why|how|{_AUXILIARY})\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"(?:who|which|whose)\b", re.IGNORECASE)
_SAID = told_forms((*SAYING, *ASKING, *THINKING))
_MAX_SHORT = 3
"""Words of an answer to a question in a language whose verbs aren't known."""
_MAX_CHARACTERS, _MAX_TAIL = 6_000, 400
"""Of an answer, more than it may have tokens for; of a sentence's marks at its end."""
_BEFORE_FIRST = " \n-*•–>#"
"""What may stand before an answer's first sentence: a list's mark."""
_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+")
_HEADING = re.compile(r"(?P<hashes>#+\s+).*|\*\*[^*]+\*\*:?|__[^_]+__:?")
_SOURCE = (
    r"(?:the |this |these |my )?(?:provided |given"
    r" )?(?:evidence|excerpts?|transcripts?|lines?|sources?|documents?|context|information)"
)
_TELLS = (
    "find|say|state|tell|see|show|know|determine|answer|confirm|identify|verify|locate|establish|"
    "mention|specify|give|include|contain|provide|name|indicate|reveal|describe|explain|address|"
    "discuss|list|record|report|clarify|help|make clear"
)
_NOT = r"(?:\s?not|n['’]t)"
_LACKING = re.compile(
    rf"(?:i (?:could|can|did|do){_NOT} (?:{_TELLS})\b|i (?:have )?found (?:nothing|no"
    r" (?:evidence|mention|lines?|information|answer))\b|"
    rf"{_SOURCE}\b[^.,;:]{{0,40}}(?:(?:does|do|did){_NOT} (?:{_TELLS})|(?:is|are){_NOT}"
    r" (?:clear|specific|sufficient|enough|conclusive))\b|"
    rf"(?:it is not|it's not|it isn['’]t) (?:clear|stated|mentioned|specified) (?:from|in)\b|i"
    rf" (?:can|could) help\b|"
    r"let me know\b)"
    r"(?P<what>(?:[^,;:–—]|,(?=\s+(?:what|when|where|why|how|whether|if|and|or|nor)\b))*?)"
    r"(?:[.!]?\s*$|\s*[,;:–—]\s*(?:but\s|yet\s|though\s|although\s|however,?\s|and\s)?\s*|"
    r"\s+(?:but|yet|though|although|while|whereas)\s+)",
    re.IGNORECASE,
)
"""Words that say only that something isn't there, up to where something else may be said."""
_BARE = (
    r"(?:(?:here (?:is|are)|here['’]s|below (?:is|are)|i found|these are) )?"
    rf"(?:(?:what (?:i (?:found|know|can say|can tell)|{_SOURCE}"
    r" (?:says?|states?|shows?|tells?|mentions?))|"
    r"(?:the |a |my |your |some )?(?:short |brief |main |key |relevant |following"
    r" )*(?:truth|answer|summary|list|details?|findings|facts?|"
    r"points?|results?|overview|evidence|excerpts?|lines?|following))(?: (?:in|from) the"
    r" (?:evidence|excerpts?|transcripts?|lines?|"
    r"sources?|documents?))?(?: as follows)?|as follows|in (?:summary|conclusion|short))"
)
_BARE_LEAD = re.compile(rf"{_BARE}[\s:.]*$", re.IGNORECASE)
_TOPIC_LEAD = re.compile(
    rf"{_BARE} (?:about|of|on|for|regarding|concerning) (?P<topic>[^,;:.()]{{1,60}}?)\s*:$",
    re.IGNORECASE,
)
"""A lead that names only what its list is about."""
_OPENING = re.compile(
    rf"(?:(?:sure|certainly|absolutely|of course)\b[\s,.:!–—-]*|let me (?:be"
    rf" (?:clear|frank|honest|plain|precise)|explain|summari[sz]e"
    r"|answer|start|say(?: this)?|list"
    rf" (?:them|these))\b(?:\s*[,:.;!–—-]\s*|\s+that\s+|$)|{_BARE}\s*(?::\s*|[,.]\s+|[.!]?$)"
    rf"|(?:it is|it['’]s) (?:clear|stated|mentioned|specified) (?:from|in) {_SOURCE},?(?:"
    r" that\b)?\s*)",
    re.IGNORECASE,
)
_I_FOUND = re.compile(
    r"i (?:have |can |could |did )*(?:also )?(?:found|find|confirm|say|see|tell"
    r" you|report|state|verify)(?: out)?(?P<that>,? that)?\s+",
    re.IGNORECASE,
)
_SAID_BY_SOURCE = re.compile(
    rf"(?:(?:according to|based on|per) {_SOURCE}\s*[,:]\s*|{_SOURCE}"
    r" (?:says?|states?|shows?|mentions?)(?: that\b|:)?\s*)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_CALLED_UNTRUE = re.compile(
    r"[\"“](?P<said>[^\"“”]+?)[,.]?[\"”],?\s+(?:is|was)\s+"
    r"(?:(?:a|an|just|simply|plainly)\s+)*(?:lie|myth|false|untrue|wrong|falsehood)\b",
    re.IGNORECASE,
)
_UNTRUE_LEAD = re.compile(
    r"\b(?:lies?|lied|lying|liars?|untrue|untruths?|false(?:hoods?|ly)?|wrong(?:ly)?|myths?|"
    r"fabricat\w+)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s:]*(?:(?:the|as) (?:follow\w+|\w+ following)(?: \w+)?)?[\s:]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """A claim from `start` to `end` of an answer; its `text` stands alone and has no marks;
    `labels` are cited for it, in order. `question`: that with which the text of a short answer
    begins; else empty.
    """

    start: int
    end: int
    text: str
    labels: tuple[str, ...]
    question: str = ""


@dataclass(frozen=True, slots=True)
class SplitSentence:
    """A sentence of an answer, or a list's item, with what it claims. `lead`: where the line that
    leads its list in stands, if one does.
    """

    start: int
    end: int
    claims: tuple[SplitClaim, ...]
    lead: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that an answer answers, if it is known, and the answer's language."""

    question: str
    language: str


def split_claims(text: str, question: str = "") -> tuple[SplitClaim, ...]:
    """The claims of an answer in their order."""
    return tuple(c for sentence in split_sentences(text, question) for c in sentence.claims)


def language_of_answer(text: str, question: str) -> str:
    """That of a text as a whole, with its question where it is too short to tell; empty where that
    can't be told either.
    """
    found = language_of(without_marks(text), language_of(question) if question else UNKNOWN)
    return "" if found == UNKNOWN else found


def split_sentences(text: str, question: str = "") -> list[SplitSentence]:
    """The sentences of an answer that claim something, alone or as short answers to the `question`:
    "Bob Hill.", "In 1974.". What goes on beyond all measure is one claim, unsplit.
    """
    asked = _Asked(" ".join(question.split()), language_of_answer(text, question))
    read, rest = text[:_MAX_CHARACTERS], text[_MAX_CHARACTERS:].strip()
    made: list[SplitSentence] = []
    lead: tuple[int, int] | None = None
    is_held = False
    for start, end in [*_blocks(read), (len(read), len(read))]:
        item = _ITEM.match(read, start, end)
        if not item:
            if lead and is_held:  # no item followed: it leads nothing in
                made += _of_block(read, *lead, None, asked)
            lead = None
        if item or not without_marks(read[start:end]).strip().endswith(":"):
            made += _of_block(read, item.end() if item else start, end, lead, asked)
            is_held = False
            continue
        *before, lead = _sentences(read, start, end, asked.language)
        for span in before:
            made += _of_block(read, *span, None, asked)
        is_held = True
    if rest:
        start, end = strip_span(text, _MAX_CHARACTERS, len(text))
        made.append(SplitSentence(start, end, (SplitClaim(start, end, rest[:_MAX_TAIL], ()),)))
    return made


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, items and leading lines; a line that goes on in the next one is joined with
    it.
    """
    start = end = -1
    for line in _LINE.finditer(text):
        first, last = strip_span(text, *line.span())
        if first < last and _goes_on(text, start, end, first):
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = (first, last) if first < last else (-1, -1)
    if start >= 0:
        yield start, end


def _goes_on(text: str, start: int, end: int, line: int) -> bool:
    """Whether a line that begins in lower case goes on with the block right above it."""
    return (
        start >= 0
        and text[line].islower()
        and text[end:line].count("\n") <= 1
        and without_marks(text[start:end]).rstrip()[-1:].isalnum()
    )


def _sentences(text: str, start: int, end: int, language: str) -> list[tuple[int, int]]:
    """Where the sentences of a block stand."""
    found, at = [], start
    for sentence in answer_sentences([text[start:end]], language):
        found.append(strip_span(text, at, at + len(sentence)))
        at += len(sentence)
    return found


def _of_block(
    text: str,
    start: int,
    end: int,
    lead: tuple[int, int] | None,
    asked: _Asked,
) -> Iterator[SplitSentence]:
    """The sentences of a block that claim something; of a heading, only where it states something.

    A lead that tells what its items are about isn't shown beside them, since no claim says it.
    """
    if heading := _HEADING.fullmatch(text, start, end):
        if not _is_statement(_EMPHASIS.sub("", text[start:end]).lstrip("# ")):
            return
        start = heading.end("hashes") if heading["hashes"] else start
    shown = lead
    if lead and _is_topic(without_marks(text[slice(*lead)]).strip()):
        shown = (lead[0], lead[0])
    for first, last in _sentences(text, start, end, asked.language):
        is_first = not without_marks(text[:first]).strip(_BEFORE_FIRST)
        is_framed = bool(is_first and asked.question and framed_answer(_bare(text[first:last])))
        claims = () if is_framed else tuple(_claims(text, first, last, lead, asked))
        if not claims and asked.question and (lead or is_first or cited_labels(text[first:last])):
            claims = tuple(_short_answers(text, first, last, asked.question))
        if claims:
            yield SplitSentence(first, last, claims, shown)


def _short_answers(text: str, start: int, end: int, question: str) -> Iterator[SplitClaim]:
    """A sentence that claims something with the question alone; none where it asks, or says only
    that something is found.
    """
    words = _bare(text[start:end])
    words = framed_answer(words) or words
    if not words.endswith("?") and words.strip(" .!") and is_short_answer(words):
        labels = cited_labels(text[start:end])
        yield SplitClaim(start, end, f"{question} {words}", labels, question)


def _bare(sentence: str) -> str:
    """A sentence without marks, and without what says only that something is found."""
    words = _EMPHASIS.sub("", without_marks(sentence)).strip(" ,;:")
    return _without_source(_stated(words)).strip()


def _is_topic(lead: str) -> bool:
    """Whether a lead names only what its list is about."""
    named = _TOPIC_LEAD.fullmatch(_stated(lead)) or _TOPIC_LEAD.fullmatch(lead)
    return bool(named and not _is_statement(named["topic"]))


def _is_statement(words: str) -> bool:
    """Whether a heading says something of something, or ends as a sentence does: "Loss of MAIN B"
    doesn't.
    """
    words = without_marks(words).strip()
    if words.endswith("?") or _OPENS_QUESTION.match(words):
        return False
    return words.endswith((".", "!")) or has_verb(words.lower())


def _stated(words: str) -> str:
    """Words without what opens them and states nothing: "I found that", "The evidence isn't clear,
    but"; empty where that is all.
    """
    while words:
        if lacking := _LACKING.match(words):
            words = words[lacking.end() :]
            if not has_verb(words) and not _WHO.match(words):
                return ""
        elif opening := _OPENING.match(words):
            words = words[opening.end() :]
        elif (found := _I_FOUND.match(words)) and (found["that"] or has_verb(words[found.end() :])):
            words = words[found.end() :]
        else:
            break
    return words


def _claims(
    text: str, start: int, end: int, lead: tuple[int, int] | None, asked: _Asked
) -> Iterator[SplitClaim]:
    """The claims of a sentence; the marks at its end, else its lead's, are those of each clause
    that has none.
    """
    sentence = text[start:end]
    shared = cited_labels(sentence[_last_word(sentence) :])
    sentence = sentence[: _question_start(sentence)]
    led = _led(text[slice(*lead)]) if lead else ""
    if lead and not cited_labels(text[start:end]):
        shared = cited_labels(text[slice(*lead)])
    start += len(sentence) - len(sentence := _stated(sentence))
    for clause in clauses(sentence) if sentence else ():
        words = _EMPHASIS.sub("", without_marks(clause.text)).strip(" ,;")
        words = _without_source(_stated(words))
        words = _CALLED_UNTRUE.sub(lambda called: f"It is untrue that {called['said']}", words)
        if led:
            words = f"{led} {words}"
        if words and (states_something(words) or _may_state(words, asked)):
            first, last = strip_span(text, start + clause.start, start + clause.end)
            yield SplitClaim(first, last, words, cited_labels(text[first:last]) or shared)


def _may_state(words: str, asked: _Asked) -> bool:
    """Whether words are in a language in which nobody could tell whether they state something, and
    too long for a short answer.
    """
    if asked.question and num_words(words) <= _MAX_SHORT:
        return False
    own = asked.language if asked.language not in ("", ENGLISH) else language_of(words)
    return own not in (ENGLISH, UNKNOWN)


def _question_start(sentence: str) -> int:
    """Where a sentence begins to ask: at its end if it doesn't, behind what it states first, at 0
    if it only asks.
    """
    if not without_marks(sentence).rstrip().endswith("?"):
        return len(sentence)
    asked = next(reversed([*_ASKED.finditer(sentence)]), None)
    stated = sentence[: asked.start()] if asked else ""
    is_asking = _OPENS_QUESTION.match(stated) or stated.rpartition(" ")[2].casefold() in _SAID
    return 0 if is_asking else len(stated)


def _last_word(sentence: str) -> int:
    """Where the marks at a sentence's end begin."""
    tail = max(0, len(sentence) - _MAX_TAIL)
    match = re.search(r"(?:[\s.!?\"'”’)]|\[E\d+\])*$", sentence[tail:])
    return tail + match.start() if match else len(sentence)


def _led(lead: str) -> str:
    """The words of a list's lead that hold for each of its items; empty where it says nothing, or
    only what they are about.
    """
    lead = _stated(_EMPHASIS.sub("", without_marks(lead)).strip())
    if _BARE_LEAD.fullmatch(lead) or _is_topic(lead):
        return ""
    led = _TAIL.sub("", _without_source(lead))
    return f"{led}: it is untrue that" if _UNTRUE_LEAD.search(led) else led


def _without_source(words: str) -> str:
    """Words without "the transcript says that" before them."""
    source = _SAID_BY_SOURCE.match(words)
    if not source:
        return words
    words = words[source.end() :]
    return words[:1].upper() + words[1:]
