"""What is said before lines that may not answer a question."""

from dynagrag.core.schema import Answer
from dynagrag.generation.lines.answerable import NOTHING_FITS


def doubts_text(answer: Answer) -> str:
    """The names that no document has, who of several says nothing near it, and that nothing fits;
    empty where there is no doubt.
    """
    told = [
        f"The name {name} occurs nowhere in these documents, and nobody who speaks in them has it."
        + (f" The nearest: {', '.join(nearest)}." if nearest else "")
        for name, nearest in answer.unknown_names.items()
    ]
    if answer.quiet_speakers:
        told.append(
            f"Nothing that {' or '.join(answer.quiet_speakers)} says comes near this question."
        )
    return " ".join([*told, *([NOTHING_FITS] if answer.is_nothing_fitting else [])])
