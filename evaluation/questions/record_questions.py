"""Questions without a model, of the records of a workspace: as many of each kind as there are,
spread over documents and speakers.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from dynagrag.evaluation.questions.cloze_drafts import cloze_drafts, has_words, two_hop_drafts
from dynagrag.evaluation.questions.diverse_order import diverse_order
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import MadeQuestion, QuestionKind
from dynagrag.evaluation.questions.sayings import wording
from dynagrag.evaluation.questions.speaker_drafts import (
    comparison_drafts,
    specific_drafts,
    thematic_drafts,
    unanswerable_drafts,
)

DRAFTERS: Mapping[QuestionKind, Callable[[SplitSayings], Iterable[Draft]]] = {
    QuestionKind.SPECIFIC: specific_drafts,
    QuestionKind.TWO_HOP: two_hop_drafts,
    QuestionKind.COMPARISON: comparison_drafts,
    QuestionKind.THEMATIC: thematic_drafts,
    QuestionKind.UNANSWERABLE: unanswerable_drafts,
    QuestionKind.CLOZE: cloze_drafts,
}
DOUBLE, GIVEN_AWAY, AMBIGUOUS = (
    "asks the same as another",
    "holds its answer",
    "has another answer in another line",
)


def record_questions(
    evidence: SplitSayings, kinds: Sequence[QuestionKind], num: int, seed: int
) -> tuple[list[MadeQuestion], Counter[str]]:
    """At most `num` questions, the kinds in turn as long as they last; and what was left out, by
    reason.

    What nobody can answer is no more than its share: there would be no end of it.
    """
    drops: Counter[str] = Counter()
    seen: set[str] = set()
    queues: dict[QuestionKind, Iterator[Draft]] = {}
    by = (lambda d: d.document, lambda d: d.speaker, lambda d: d.asked[0].id if d.asked else "")
    for kind in kinds:
        drafts = diverse_order(DRAFTERS[kind](evidence), by, random.Random(f"{seed} {kind}"))
        queues[kind] = checked(drafts, seen, drops)
    if len(kinds) > 1 and QuestionKind.UNANSWERABLE in queues:
        queues[QuestionKind.UNANSWERABLE] = islice(
            queues[QuestionKind.UNANSWERABLE], -(-num // len(kinds))
        )
    chosen: list[MadeQuestion] = []
    while queues and len(chosen) < num:
        for kind in [*queues][: num - len(chosen)]:
            draft = next(queues[kind], None)
            if draft is None:
                del queues[kind]
            else:
                chosen.append(evidence.made(draft))
    return chosen, drops


def checked(drafts: Sequence[Draft], seen: set[str], drops: Counter[str]) -> Iterator[Draft]:
    """Those that pass, as they are wanted: what is left out of no more than those that were looked
    at.
    """
    forms: dict[str, list[set[str]]] = {}
    for draft in drafts:
        forms.setdefault(wording(draft.question), []).append(
            {wording(form) for form in (draft.answer, *draft.answers)}
        )
    ambiguous = {words for words, own in forms.items() if not set.intersection(*own)}
    for draft in drafts:
        if (words := wording(draft.question)) in ambiguous:
            drops[AMBIGUOUS] += 1
        elif words in seen:
            drops[DOUBLE] += 1
        elif draft.kind is not QuestionKind.UNANSWERABLE and has_words(
            draft.question, draft.answer
        ):
            drops[GIVEN_AWAY] += 1
        else:
            seen.add(words)
            yield draft
