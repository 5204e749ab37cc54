"""Words of warning before lines that may not answer a question."""

from dynagrag.core.schema import Answer
from dynagrag.generation.evidence_sentences.answerable import NOTHING_FITS
from dynagrag.generation.evidence_sentences.best_lines import BestLines


def doubts_text(answer: Answer | BestLines) -> str:
    """The names that no document has, those of several speakers who say nothing near it, and that
    nothing fits; empty where there is no doubt.
    """
    doubts = []
    for name, nearest in answer.unknown_names.items():
        doubts.append(
            f"The name {name} occurs nowhere in these documents, and nobody who speaks in them has"
            " it."
        )
        if nearest:
            doubts.append(f"The nearest: {', '.join(nearest)}.")
    if answer.quiet_speakers:
        doubts.append(
            f"Nothing that {' or '.join(answer.quiet_speakers)} says comes near this question."
        )
    if answer.is_nothing_fitting:
        doubts.append(NOTHING_FITS)
    return " ".join(doubts)
