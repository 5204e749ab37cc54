"""Prompts for questions about a whole (`What were the main disagreements?`): the best passages of
many documents and stretches, put into several prompts in the order of the text, each of which is
answered for itself (docs/papers.md, Answers, Themes).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from dynagrag.config.settings import Profile
from dynagrag.core.schema import ScoredPassage, Snapshot
from dynagrag.generation.evidence import line_of, passage_evidence
from dynagrag.generation.hard_prompt import LEFT_OUT_CHARS

POOL_PER_PROMPT = 30
"""Ranked passages that a prompt is chosen from: about three times those that fit, so that what is
far from the question stays out.
"""
_STRETCH = 4
"""Passages of a stretch, some three minutes of talk: each brings its best before any brings its
second.
"""
_LABEL_CHARS = 6
_Sized = tuple[ScoredPassage, int]
"""A passage and its characters in a prompt."""


def with_calls(profile: Profile, calls_left: int | None, num_others: int) -> Profile:
    """The profile with as many prompts as there are calls for; `num_others` are for what follows
    them. At least one.
    """
    if not profile.num_spread or calls_left is None:
        return profile
    return replace(profile, num_spread=max(1, min(profile.num_spread, calls_left - num_others)))


def spread_passages(
    snapshot: Snapshot, ranked: Sequence[ScoredPassage], num_prompts: int, token_budget: int
) -> list[tuple[ScoredPassage, ...]]:
    """The passages of each prompt, at most `num_prompts` of `token_budget` tokens each; none for no
    passages.

    Documents take turns, the best first; of each the stretches take turns, each with its best
    passage. What was chosen stands in the order of the text, a document after the other.
    """
    documents = _grouped((scored.passage.document_id, scored) for scored in ranked)
    queues = [
        _in_turn(_grouped((s.passage.index // _STRETCH, s) for s in own).values())
        for own in documents.values()
    ]
    room, chosen = max(1, 4 * token_budget - LEFT_OUT_CHARS), list[_Sized]()
    left = num_prompts * room
    for scored in _in_turn(queues):
        own = (scored, _size(snapshot, scored))
        left -= own[1]
        if chosen and left < 0:
            break
        chosen.append(own)
    places = {id_: place for place, id_ in enumerate(documents)}
    while (
        len(
            prompts := list(
                _cut(sorted(chosen, key=lambda own: _in_text(places, own[0])), num_prompts, room)
            )
        )
        > num_prompts
    ):
        # passages are not cut, so what was chosen may need more: the last choice goes, wherever it
        # stands
        chosen.pop()
    return prompts


def _in_text(places: Mapping[object, int], scored: ScoredPassage) -> tuple[int, int]:
    return places[scored.passage.document_id], scored.passage.index


def _cut(
    chosen: Sequence[_Sized], num_prompts: int, room: int
) -> Iterator[tuple[ScoredPassage, ...]]:
    """Prompts of about the same size, none over its room; as many as it takes, which may be more
    than are wanted.
    """
    left = sum(size for _, size in chosen)
    wanted = min(num_prompts, -(-left // room))
    own, used, num_made = list[ScoredPassage](), 0, 0
    for scored, size in chosen:
        share = left / max(1, wanted - num_made)
        if own and (used + size > room or used + size / 2 > share):
            yield tuple(own)
            left, own, used, num_made = left - used, [], 0, num_made + 1
        own.append(scored)
        used += size
    if own:
        yield tuple(own)


def _grouped(pairs: Iterable[tuple[object, ScoredPassage]]) -> dict[object, list[ScoredPassage]]:
    found: dict[object, list[ScoredPassage]] = {}
    for key, scored in pairs:
        found.setdefault(key, []).append(scored)
    return found


def _in_turn(queues: Iterable[Sequence[ScoredPassage]]) -> list[ScoredPassage]:
    """The first of each, then the second of each, and so on."""
    return [scored for scored in chain.from_iterable(zip_longest(*queues)) if scored is not None]


def _size(snapshot: Snapshot, scored: ScoredPassage) -> int:
    return sum(
        len(line_of(evidence)) + _LABEL_CHARS for evidence in passage_evidence(snapshot, [scored])
    )
