"""Words of warning before lines that may not answer a question."""

from dynagrag.core.schema import Answer, OtherPerson
from dynagrag.core.text import clock, collapse, cut
from dynagrag.generation.evidence import as_json
from dynagrag.generation.evidence_sentences.answerable import NOTHING_FITS, not_judged_line
from dynagrag.generation.evidence_sentences.best_lines import BestLines
from dynagrag.generation.evidence_sentences.quote_cuts import first_words

_MAX_QUOTE, _MAX_TITLE = 240, 60


def doubts_text(answer: Answer | BestLines) -> str:
    """The names that no document has, the sides of which nothing near it was found, of whom
    else lines say it, and that nothing fits; empty where there is no doubt.
    """
    doubts = []
    are_named = any(turn.speaker for clip in answer.clips for turn in clip.turns)
    nobody = (
        "and nobody who speaks in them has it"
        if are_named or not answer.clips
        else ("which don't name who speaks")
    )
    for name, nearest in answer.unknown_names.items():
        doubts.append(
            f"Nothing in these documents names {name}."
            if name.islower()
            else f"The name {name} occurs nowhere in these documents, {nobody}."
        )
        if nearest:
            doubts.append(f"The nearest: {', '.join(nearest)}.")
    if answer.quiet_speakers:
        sides = " or ".join(answer.quiet_speakers)
        doubts.append(f"Nothing that comes near this question was found for {sides}.")
    if answer.other_person:
        doubts.append(_of_other(answer.other_person))
    if answer.is_nothing_fitting:
        doubts.append(NOTHING_FITS)
    return " ".join(doubts)


def evidence_note(answer: Answer | BestLines) -> str:
    """What is said before lines that stand in place of an answer: the doubts, and that none can be
    told of in this language.
    """
    return " ".join(filter(None, (doubts_text(answer), not_judged_line(answer.unjudged_language))))


def prompt_note(lines: BestLines) -> str:
    """What a model is told before it answers; empty where there is nothing to tell. Names are
    labels of documents, and so JSON strings.
    """
    found = lines.other_person
    if found is None:
        return ""
    asked, other = as_json(found.asked), as_json(found.other)
    return (
        f"lines that fit the question are about {other}, and none was found that says it of"
        f" {asked}. Never give what is said of one as the other's: if no line says it of {asked},"
        f" answer that, and what the lines say of {other}."
    )


def _of_other(found: OtherPerson) -> str:
    line = found.line
    speaker = line.speaker if line.speaker and line.speaker != found.other else ""
    time = "" if line.start_s is None else clock(line.start_s)
    where = ", ".join(filter(None, (speaker, cut(line.document, _MAX_TITLE), time)))
    return (
        f"Nobody seems to say that of {found.asked}; of {found.other}:"
        f' "{first_words(collapse(line.quote), _MAX_QUOTE)}" ({where}).'
    )
