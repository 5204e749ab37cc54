"""A reasoning model's thoughts, taken off the head of its reply: here, and nowhere else.

Only what leads is taken: an answer or a source may speak of such marks itself. Most models write
both marks; with some the prompt's template holds the first, so that a reply begins amid thoughts.
"""

import re
from collections.abc import Iterable, Iterator

_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|channel|>final<|message|>", ""),
)
"""Before and after thoughts: DeepSeek-R1 and Qwen, Magistral, Kimi, gpt-oss and their like. gpt-oss
marks its answer too.
"""
THOUGHTS_FIELD = "reasoning_content"
"""Where LangChain's messages have thoughts that the server put beside the reply, in their
`additional_kwargs`.
"""
_UNOPENED_END = "</think>"
"""Of the templates that hold the first mark, all known ones use this pair."""
_THEN_JSON = re.compile(r"</(?:seed:)?(?:think|thinking|thought|reasoning)>\s*(?=\{|```)")


def begins_amid_thoughts(reply: str) -> bool:
    """Whether a reply that ought to be JSON begins with thoughts that no mark opened."""
    head = reply.lstrip()
    return not head.startswith(("{", "```", *(begin for begin, _ in _MARKS))) and bool(
        _THEN_JSON.search(head)
    )


def ends_as_json(text: str) -> bool:
    """Whether what a server took for thoughts is, or ends with, a JSON object."""
    return text.rstrip().endswith(("}", "```"))


def all_thoughts(where: str) -> str:
    """A message: a model thought, and gave no answer."""
    return (
        f"{where} gave thoughts alone (reasoning_content) and no answer; start its server without"
        " its reasoning parser, or with the model's own, or take another model"
    )


def json_answer(reply: str, *, is_cut_off: bool) -> str:
    """A JSON reply without the thoughts before it; empty where it was cut off amid them."""
    if begins_amid_thoughts(reply):
        # the first end with JSON behind it: thoughts may speak of the mark, and so may the JSON
        return _THEN_JSON.split(reply, maxsplit=1)[1]
    return _after_thoughts(reply, is_whole=not is_cut_off) or ""


def streamed_answer(pieces: Iterable[str], *, is_amid_thoughts: bool = False) -> Iterator[str]:
    """A stream without the thoughts before it, and without the blank space after those.

    `is_amid_thoughts`: the model's replies begin with thoughts that no mark opens. A stream that
    ends without closing its thoughts never had any: it is given as it is.
    """
    held, is_begun = "", False
    for piece in pieces:
        if is_begun:
            yield piece
            continue
        held += piece
        answer = _after_thoughts(held, is_amid_thoughts=is_amid_thoughts)
        if answer:
            is_begun = True
            yield answer
    if not is_begun and (answer := _after_thoughts(held, is_whole=True)):
        yield answer


def _after_thoughts(
    reply: str, *, is_amid_thoughts: bool = False, is_whole: bool = False
) -> str | None:
    """What follows the leading thoughts; None where they go on, or may be about to begin. In a
    whole reply an end that doesn't come was none.
    """
    rest = reply.lstrip()
    end = _UNOPENED_END if is_amid_thoughts else ""
    begin = ""
    while True:
        marks = next((pair for pair in _MARKS if rest.startswith(pair[0])), None)
        if marks is not None:
            begin, end = marks
        elif not end:
            is_beginning = any(mark.startswith(rest) for mark, _ in _MARKS)
            return None if is_beginning and not is_whole else rest
        at = rest.find(end, len(begin))
        if at < 0:
            return rest if is_whole else None
        rest, begin, end = rest[at + len(end) :].lstrip(), "", ""
