"""One answer of the helpful ones: packed into a prompt with the lines that they cite, and streamed
(DynaGRAG, section 3.5; docs/papers.md, Answers).
"""

from collections.abc import Callable, Mapping, Sequence

from dynagrag.core.errors import ModelError
from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import Evidence, IntermediateAnswer, Question
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.citations import (
    bounded_stream,
    checked_stream,
    cited_labels,
    cited_stream,
)
from dynagrag.generation.evidence import line_of
from dynagrag.generation.intermediate_answers import MAX_ANSWER_CHARS
from dynagrag.generation.merge_input import merge_input
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render

_MAX_MERGED_TOKENS = 600
_BROKEN_OFF = (
    " …\n\nThe reply broke off here. The most helpful intermediate answer in its place:\n\n"
)


def merge_prompt(
    question: Question,
    useful: Sequence[tuple[AnswerPrompt, IntermediateAnswer]],
    evidence: Mapping[str, Evidence],
    token_budget: int,
) -> tuple[Prompt, dict[str, Evidence]]:
    """The best answers and the evidence they cite, as far as they fit the budget; an answer whose
    evidence doesn't fit is left out. With the evidence that is in it, by label.
    """

    def prompt_of(answers: Sequence[str], labels: Sequence[str]) -> Prompt:
        lines = [line_of(evidence[label]) for label in labels]
        system, user = render("merge", question=question.text, answers=answers, evidence=lines)
        return Prompt("merge", system, user)

    answers: list[str] = []
    labels: list[str] = []
    for prompt, answer in useful:
        text = merge_input(answer.answer, {e.label: e for e in prompt.hard.evidence})
        more = [label for label in cited_labels(text) if label not in labels]
        merged = prompt_of([*answers, text], [*labels, *more])
        if answers and prompt_tokens(merged) > token_budget:
            break
        answers.append(text)
        labels.extend(more)
    return prompt_of(answers, labels), {label: evidence[label] for label in labels}


def stream_merged(
    chat: Asker,
    prompt: Prompt,
    evidence: Mapping[str, Evidence],
    best: str,
    on_text: Callable[[str], None],
) -> tuple[str, str]:
    """The merged answer, as it was streamed, and how it came about.

    A merge that cites nothing, or breaks off, is replaced by the `best` intermediate answer: half a
    sentence may say the opposite of the whole one. What was streamed of it by then is followed by
    that answer.
    """
    pieces: list[str] = []
    how = "merged"
    try:
        reply = chat.stream(prompt, stage="merge", max_tokens=_MAX_MERGED_TOKENS)
        for piece in cited_stream(
            checked_stream(bounded_stream(reply, MAX_ANSWER_CHARS), evidence)
        ):
            pieces.append(piece)
            on_text(piece)
    except ModelError as err:
        how = f"the merge broke off ({err})"
        if pieces:
            on_text(_BROKEN_OFF)
            pieces.clear()
    if pieces:
        return "".join(pieces), how
    on_text(best)
    why = "the merged answer cited nothing" if how == "merged" else how
    return best, f"{why}; this is the most helpful intermediate answer"
