"""Thoughts are taken off the head of a reply, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.models.thoughts import begins_amid_thoughts, json_answer, streamed_answer

GOOD = '{"answer": "The tag </think> ends it. {\\"a\\": 1}"}'
HARMONY = (
    "<|channel|>analysis<|message|>{ stuff }<|end|><|start|>assistant<|channel|>final<|message|>"
)
LEADS = [
    "<think>maybe {not this}</think>\n",
    "\n<think>\n</think>\n\n",
    '<think>It may be {"a": 1}.</think> ',
    "<think>one</think><think>two</think>",
    "[THINK]so[/THINK]",
    "◁think▷ so {x} ◁/think▷ ",
    "<thinking>so</thinking>\n",
    HARMONY,
    "<|channel|>final<|message|>",
]


@pytest.mark.parametrize("lead", ["", *LEADS, "Okay, {maybe}\n</think>\n\n", "<s>, I see </think>"])
def test_a_json_reply_is_what_follows_its_thoughts(lead: str) -> None:
    assert json_answer(lead + GOOD, is_cut_off=False) == GOOD


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"Here it is: {GOOD}"])
def test_a_reply_that_speaks_of_a_mark_keeps_it(text: str) -> None:
    assert json_answer(text, is_cut_off=False) == text
    assert not begins_amid_thoughts(text)


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream_begins_after_its_thoughts(lead: str, size: int) -> None:
    answer = "The tag </think> ends <think>."
    text = lead + answer
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert "".join(streamed_answer(pieces)) == answer


def test_a_stream_whose_thoughts_no_mark_opens_begins_after_them_where_that_is_known() -> None:
    pieces = ["Okay, the user ", "asks [E1].\n</th", "ink>\n\nAcme", " [E1]. </think> stays."]
    assert "".join(streamed_answer(pieces, is_amid_thoughts=True)) == "Acme [E1]. </think> stays."
    assert "".join(streamed_answer(pieces)) == "".join(pieces)
    assert begins_amid_thoughts('Okay, {so} </think>\n{"a": 1}')


@pytest.mark.parametrize("text", ["<think> is a tag.", "<", "Acme"])
def test_thoughts_that_a_whole_reply_never_ends_were_none(text: str) -> None:
    assert "".join(streamed_answer(list(text))) == text
    assert "".join(streamed_answer(list(text), is_amid_thoughts=True)) == text


def test_a_reply_of_thoughts_alone_has_no_answer() -> None:
    assert json_answer("<think>hmm, {", is_cut_off=True) == ""
    assert json_answer("<thi", is_cut_off=True) == ""
    assert "".join(streamed_answer(["<think>hmm</think>", "\n"])) == ""


@given(st.text(alphabet="<think>/ ab{", max_size=40), st.integers(1, 9))
def test_a_stream_is_the_same_however_it_comes_in_pieces(text: str, size: int) -> None:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert "".join(streamed_answer(pieces)) == "".join(streamed_answer([text]))
