"""Words of others as Markdown: nothing in them is markup, wherever they come from."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dynagrag.ui.safe_markdown import (
    MarkLink,
    answer_markdown,
    plain,
    plain_lines,
    source_link,
    speaker_and_time,
    speaker_choices,
    with_commands,
)

_JOINER = "\u2060"


def _tokens(markdown: str) -> list[str]:
    found = (
        MarkdownIt("commonmark", {"html": True})
        .enable(["table", "strikethrough"])
        .parse(f"x {markdown} y")
    )
    inline = [child for token in found for child in token.children or ()]
    return [token.type for token in found if not token.type.startswith("paragraph")] + [
        token.type for token in inline
    ]


def test_a_label_that_is_a_paragraph_is_cut_and_its_time_stays() -> None:
    assert speaker_and_time("Leo", 9.0).replace("\\", "") == "Leo 0:09"
    assert speaker_and_time("word " * 600, 9.0).replace("\\", "") == "word " * 11 + "word… 0:09"


def test_choices_of_speakers_are_cut_and_stay_apart() -> None:
    long = "The speaker before the committee, who had come from far away and said so, "
    shown = speaker_choices(["Ann", long + "first", long + "second", "Ann"])
    assert list(shown) == ["Ann", long + "first", long + "second"]
    assert shown["Ann"] == "Ann"
    assert len(set(shown.values())) == 3
    assert max(map(len, shown.values())) < len(long)


@given(st.text())
@example("![x](http://evil.example/p.png)")
@example("<script>alert(1)</script> <img src=http://evil.example/p.png>")
@example("[a](javascript:alert(1)) **b** `c` ~~d~~ $e$ :red[f] :material/hub: &lt;")
@example("| a | b |\n| - | - |\n| c | d |")
@example("\\![x](y) \\\\[a](b)")
def test_any_text_is_one_run_of_plain_text(text: str) -> None:
    assert set(_tokens(plain(text))) <= {"inline", "text", "text_special"}


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn"])))
def test_what_is_shown_is_what_was_written(text: str) -> None:
    inline = MarkdownIt("commonmark").parse(f"x {plain(text)} y")[1].children or ()
    shown = "".join(token.content for token in inline).replace(_JOINER, "")
    assert shown.split() == ["x", *text.split(), "y"]


@pytest.mark.parametrize(
    "text",
    [
        "http://evil.example/",
        "https://evil.example/",
        "www.evil.example",
        "a@evil.example",
        "HTTP://evil.example",
    ],
)
def test_an_address_is_no_link(text: str) -> None:
    assert _JOINER in plain(text)
    assert plain(text).replace(_JOINER, "").replace("\\", "") == text


@pytest.mark.parametrize(
    "text", ["Even -- even", "a -> b", "a <- b", "a >= b <= c", "a ~= b", "a --- b"]
)
def test_dashes_and_comparisons_become_no_other_signs(text: str) -> None:
    shown = plain(text).replace("\\", "")
    assert not any(sign in shown for sign in ("--", "->", "<-", ">=", "<=", "~="))
    assert shown.replace(_JOINER, "") == text


def test_directives_emojis_and_mathematics_of_streamlit_are_taken_apart() -> None:
    assert plain(":red[x] $y$ :smile:") == r"\:red\[x\] \$y\$ \:smile\:"


def test_control_and_direction_characters_are_shown_as_such() -> None:
    assert plain("a\x00b\u202ec\u200bd") == "a\ufffdb\ufffdc\ufffdd"


def test_lines_stay_lines_and_none_is_code() -> None:
    assert plain_lines("a\n# b") == "a  \n\\# b"
    assert plain_lines("    a\n\n    b ") == " a  \n  \n b "


def test_only_known_marks_of_an_answer_are_links() -> None:
    shown = answer_markdown(
        "Ada founded it. [E1] So [E9] said. [x](http://evil.example)",
        {"E1": MarkLink("source?start=1", "1")},
    )
    assert "[\\[1\\]](source?start=1)" in shown
    assert "\\[E9\\]" in shown
    assert shown.count("](") == 1


def test_a_link_to_the_source_holds_whatever_the_names_hold() -> None:
    link = source_link("a b", "d)](x", 3, 9)
    assert link == "source?workspace=a%20b&document=d%29%5D%28x&start=3&end=9"


def test_speaker_and_time_as_far_as_they_are_known() -> None:
    assert speaker_and_time("Ann *B*", 61.0) == r"Ann \*B\* 1\:01"
    assert speaker_and_time(None, None) == ""


@given(st.text(max_size=60))
@example("``x``")
@example("a\\`b`")
def test_a_message_is_plain_text_but_for_its_commands(text: str) -> None:
    assert set(_tokens(with_commands(text))) <= {"inline", "text", "text_special", "code_inline"}


def test_a_command_in_a_message_is_code() -> None:
    line = with_commands("*Odd*: `dynagrag embedder use bge-small -w talks` takes another")
    code = [token.content for token in MarkdownIt().parse(line)[1].children or () if token.markup]
    assert "dynagrag embedder use bge-small -w talks" in code
    assert line.startswith(r"\*Odd\*\: `dyna")
