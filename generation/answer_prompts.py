"""The prompts of intermediate answers: one hard prompt a subgraph for graph arms, one prompt of
passages for plain arms, several prompts of passages from all over for questions about a whole
(docs/papers.md, Answers).

Evidence labels run through all prompts of a question, so that the merged answer can cite any of
them by its label alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from dynagrag.config.settings import Profile
from dynagrag.core.protocols import Prompt, Pruner, Traversal
from dynagrag.core.schema import Clip, Question, Retrieval, ScoredPassage, Snapshot
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.evidence import (
    CHARS_PER_TOKEN,
    QuestionEvidence,
    Span,
    evidence_that_fits,
    in_windows,
    line_of,
    passage_evidence,
)
from dynagrag.generation.evidence_sentences.best_lines import BestLines
from dynagrag.generation.evidence_sentences.line_fit import NUM_PASSAGES
from dynagrag.generation.hard_prompt import LEFT_OUT_CHARS, write_evidence_prompt
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.generation.subgraph_prompts import SubgraphWriter, takes_union, union_prompts
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.retrieval.passages import PassageScores

POOL_PER_PROMPT = 30
"""Ranked passages that a prompt of passages from all over is chosen from: about three times those
that fit, so that passages far from the question stay out.
"""
_PASSAGES_PER_PROMPT = 10
"""Enough for passages alone to fill the budget that the prompts of a profile have together."""
_SECTION = 4
"""Passages of a section, some three minutes of talk: each brings its best before any brings its
second.
"""
_LABEL_CHARS = 6
"""Room for a label and a line's end beyond those of the first label."""


def num_ranked(profile: Profile) -> int:
    """How many passages the retriever is asked for; those at least whose lines are read."""
    per_prompt = POOL_PER_PROMPT if profile.num_spread else _PASSAGES_PER_PROMPT
    return max(NUM_PASSAGES, per_prompt * profile.num_prompts)


def intermediate_prompt(profile: Profile) -> str:
    """The name of the prompt that asks for an intermediate answer: to the whole question, or from
    one part of the passages.
    """
    return "partial" if profile.num_spread else "intermediate"


def merges_all(profile: Profile, prompts: Iterable[AnswerPrompt]) -> bool:
    """Whether every intermediate answer is merged: the profile's ego-graphs answer; a plain search
    is asked once.
    """
    return profile.merges_all and any(prompt.drawn for prompt in prompts)


def takes_clips(profile: Profile, retrieval: Retrieval) -> bool:
    """Whether the clips that are shown go before the passages: where one prompt of passages is all,
    from a retriever that ranks turns, or the first beside those of ego-graphs. What other systems
    would be asked stays as it is: the paper's ego-graphs, passages of a plain search, parts of the
    whole.
    """
    is_one_prompt = not (profile.num_spread or profile.num_dealt or retrieval.subgraphs)
    return (is_one_prompt and bool(retrieval.turns)) or takes_union(profile, retrieval)


def rows_read(
    profile: Profile,
    retrieval: Retrieval,
    prompts: Iterable[AnswerPrompt],
    passages: PassageScores,
) -> list[int]:
    """Rows of the passages whose lines are evidence: the best ranked ones, then those that prompts
    hold besides. Where passages are spread over many prompts, the ranked ones alone, since
    sentences are embedded for it.
    """
    ids = [scored.passage.id for scored in retrieval.passages[:NUM_PASSAGES]]
    ids += [] if profile.num_spread else [e.id for c in prompts for e in c.hard.evidence]
    return [passages.row_of[id_] for id_ in dict.fromkeys(ids) if id_ in passages.row_of]


def prompts_and_lines(
    write: Callable[[Sequence[Clip]], Sequence[AnswerPrompt]],
    find_lines: Callable[[Sequence[int]], BestLines],
    profile: Profile,
    retrieval: Retrieval,
    passages: PassageScores,
) -> tuple[Sequence[AnswerPrompt], BestLines]:
    """The prompts of a question, and the lines of the passages that are read. Where a prompt takes
    clips it is written twice: the clips come from lines of passages that the first one holds too.

    `find_lines`: gets rows of passages, best first.
    """
    prompts = write(())
    lines = find_lines(rows_read(profile, retrieval, prompts, passages))
    if takes_clips(profile, retrieval):
        prompts = write(lines.clips)
    return prompts, lines


def write_prompts(
    snapshot: Snapshot,
    question: Question,
    retrieval: Retrieval,
    passages: PassageScores,
    pruner: Pruner,
    traversal: Traversal,
    profile: Profile,
    clips: Sequence[Clip] = (),
) -> list[AnswerPrompt]:
    """The prompts of a question: that of the ranked passages where the profile has one, then the
    subgraphs', best first; a subgraph without any evidence has none. Budgets include the
    instructions.

    Without subgraphs one prompt of passages gets the tokens of all prompts, and begins with the
    clips, where there are any; under a profile that stops early a short one of its first lines
    comes before it. Under a profile without ego-graphs, passages get what the
    retriever's subgraphs leave.
    """
    template = intermediate_prompt(profile)
    instructions = Prompt(template, *render(template, question=question.text, note="", context=""))
    budget = profile.subgraph_token_budget - prompt_tokens(instructions, IntermediateReply)
    if profile.num_spread:
        return _spread_prompts(snapshot, retrieval, profile.num_spread, budget)
    write = SubgraphWriter(snapshot, question, profile, pruner, traversal, budget)
    if takes_union(profile, retrieval):
        return union_prompts(write, retrieval, _spans(clips, passages))
    if not retrieval.subgraphs and profile.num_dealt:
        return _dealt_prompts(snapshot, retrieval, profile.num_dealt, budget)
    if not retrieval.subgraphs:
        room = profile.num_prompts * budget
        shown = _spans(clips, passages)
        whole = _passage_prompt(snapshot, retrieval, retrieval.passages, room, shown)
        looks_first = profile.stops_early and retrieval.turns
        return _with_first_look(whole, budget) if looks_first else whole
    prompts: list[AnswerPrompt] = []
    evidence = QuestionEvidence(passages, question, retrieval.passages)
    if profile.passage_ranking == "bridge":
        # first, and under a budget of their own: no ego-graph displaces them
        own_budget = budget
        if not profile.has_ego_graphs:
            own_budget *= max(1, profile.num_prompts - len(retrieval.subgraphs))
        best = in_windows(passages_that_fit(snapshot, retrieval.passages, own_budget))
        prompts = _passage_prompt(snapshot, retrieval, best, own_budget)
        evidence.show(e for prompt in prompts for e in prompt.hard.evidence)
    for subgraph, scores in write.scored(retrieval.subgraphs):
        lines = evidence.of_subgraph(subgraph, range(len(subgraph.nodes)))
        if not lines:
            continue
        prompts.append(write.prompt(subgraph, scores, lines))
        evidence.show(prompts[-1].hard.evidence)
    return prompts


def _spans(clips: Sequence[Clip], passages: PassageScores) -> list[Span]:
    return [
        (turn.id, passages.document_id(turn.id), turn.start, turn.end)
        for clip in clips
        for turn in clip.turns
    ]


def passages_that_fit(
    snapshot: Snapshot, passages: Sequence[ScoredPassage], token_budget: int
) -> list[ScoredPassage]:
    """The best passages that fit the budget whole, in their order; at least one."""
    fitting: list[ScoredPassage] = []
    chars_left = CHARS_PER_TOKEN * token_budget - LEFT_OUT_CHARS
    for scored in passages:
        chars_left -= _passage_chars(snapshot, scored)
        if fitting and chars_left < 0:
            break
        fitting.append(scored)
    return fitting


def _passage_chars(snapshot: Snapshot, scored: ScoredPassage) -> int:
    """Characters of a passage's lines in a prompt, where labels may be longer than they are now."""
    return sum(len(line_of(e)) + _LABEL_CHARS for e in passage_evidence(snapshot, [scored]))


def _passage_prompt(
    snapshot: Snapshot,
    retrieval: Retrieval,
    passages: Sequence[ScoredPassage],
    token_budget: int,
    before: Sequence[Span] = (),
) -> list[AnswerPrompt]:
    """One prompt of the spans that come `before` and the passages, as far as they fit; none for no
    passages.
    """
    if not passages:
        return []
    lines = passage_evidence(snapshot, passages, before=before)
    prompt = write_evidence_prompt(lines, token_budget)
    return [AnswerPrompt(prompt, retrieval.retriever, passages[0].score)]


def _with_first_look(prompts: list[AnswerPrompt], token_budget: int) -> list[AnswerPrompt]:
    """Before the one prompt of passages a short one of its first lines, as many as fit; not where
    these are all.
    """
    if not prompts:
        return []
    (whole,) = prompts
    first = evidence_that_fits(whole.hard.evidence, CHARS_PER_TOKEN * token_budget)
    if len(first) == len(whole.hard.evidence):
        return [whole]
    look = replace(whole, hard=write_evidence_prompt(first), centre=f"{whole.centre}, first look")
    return [look, replace(whole, holds_all=True)]


def _dealt_prompts(
    snapshot: Snapshot, retrieval: Retrieval, num_prompts: int, token_budget: int
) -> list[AnswerPrompt]:
    """The best passages' lines in one prompt, as far as they fit it, of those that are left the
    best in another, and so on.
    """
    prompts: list[AnswerPrompt] = []
    scores = {scored.passage.id: scored.score for scored in retrieval.passages}
    lines = passage_evidence(snapshot, retrieval.passages)
    while lines and len(prompts) < num_prompts:
        # written again without a budget, so that the prompt tells of no line that another one has
        prompt = write_evidence_prompt(write_evidence_prompt(lines, token_budget).evidence)
        centre = f"{retrieval.retriever} {len(prompts) + 1}"
        prompts.append(AnswerPrompt(prompt, centre, scores[prompt.evidence[0].id]))
        taken = {e.label for e in prompt.evidence}
        lines = tuple(e for e in lines if e.label not in taken)
    return prompts


# --------------------------------------------------------------------------- passages from all over


def _spread_prompts(
    snapshot: Snapshot, retrieval: Retrieval, num_prompts: int, token_budget: int
) -> list[AnswerPrompt]:
    """A prompt for each part of the spread passages, in the order of the text."""
    prompts: list[AnswerPrompt] = []
    first_label = 1
    for passages in spread_passages(snapshot, retrieval.passages, num_prompts, token_budget):
        lines = passage_evidence(snapshot, passages, first_label)
        prompt = write_evidence_prompt(lines, token_budget)
        first_label += len(prompt.evidence)
        titles = dict.fromkeys(
            snapshot.documents[scored.passage.document_id].title for scored in passages
        )
        centre = f"part {len(prompts) + 1}: {', '.join(titles)}"
        prompts.append(AnswerPrompt(prompt, centre, max(scored.score for scored in passages)))
    return prompts


def spread_passages(
    snapshot: Snapshot, ranked: Sequence[ScoredPassage], num_prompts: int, token_budget: int
) -> list[tuple[ScoredPassage, ...]]:
    """The passages of each prompt, at most `num_prompts` of `token_budget` tokens each; none for no
    passages (docs/papers.md, Answers, Themes).

    Documents take turns, the best first; of each the sections take turns, each with its best
    passage. Chosen passages stand in the order of the text, a document after the other.
    """
    documents = _grouped((scored.passage.document_id, scored) for scored in ranked)
    queues = [
        _in_turn(_grouped((s.passage.index // _SECTION, s) for s in passages).values())
        for passages in documents.values()
    ]
    max_chars = max(1, CHARS_PER_TOKEN * token_budget - LEFT_OUT_CHARS)
    chars_left = num_prompts * max_chars
    chosen: list[tuple[ScoredPassage, int]] = []
    for scored in _in_turn(queues):
        num_chars = _passage_chars(snapshot, scored)
        chars_left -= num_chars
        if chosen and chars_left < 0:
            break
        chosen.append((scored, num_chars))
    place = {id_: i for i, id_ in enumerate(documents)}
    while True:
        in_order = sorted(
            chosen, key=lambda own: (place[own[0].passage.document_id], own[0].passage.index)
        )
        prompts = list(_even_parts(in_order, num_prompts, max_chars))
        if len(prompts) <= num_prompts:
            return prompts
        # passages are not cut, so what was chosen may need more: the last choice goes, wherever it
        # stands
        chosen.pop()


def _even_parts(
    sized: Sequence[tuple[ScoredPassage, int]], num_prompts: int, max_chars: int
) -> Iterator[tuple[ScoredPassage, ...]]:
    """Passages, each with its characters, in parts of about the same size, none over `max_chars`;
    as many as it takes, which may be more than are wanted.
    """
    chars_left = sum(num_chars for _, num_chars in sized)
    wanted = min(num_prompts, -(-chars_left // max_chars))
    part, part_chars, num_made = list[ScoredPassage](), 0, 0
    for scored, num_chars in sized:
        share = chars_left / max(1, wanted - num_made)
        if part and (part_chars + num_chars > max_chars or part_chars + num_chars / 2 > share):
            yield tuple(part)
            chars_left, part, part_chars, num_made = chars_left - part_chars, [], 0, num_made + 1
        part.append(scored)
        part_chars += num_chars
    if part:
        yield tuple(part)


def _grouped(pairs: Iterable[tuple[object, ScoredPassage]]) -> dict[object, list[ScoredPassage]]:
    found: dict[object, list[ScoredPassage]] = {}
    for key, scored in pairs:
        found.setdefault(key, []).append(scored)
    return found


def _in_turn(queues: Iterable[Sequence[ScoredPassage]]) -> list[ScoredPassage]:
    """The first of each, then the second of each, and so on."""
    return [scored for scored in chain.from_iterable(zip_longest(*queues)) if scored is not None]
