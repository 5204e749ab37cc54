"""The words of a transcript that are marked."""

import pytest

from dynagrag.ui.ask.source_view import marked


@pytest.mark.parametrize(
    ("text", "spans", "shown"),
    [
        ("one two three", [(4, 7)], "one :orange-background[two] three"),
        ("one two three", [(0, 3)], ":orange-background[one] two three"),
        ("one two three", [(8, 13)], "one two :orange-background[three]"),
        (
            "one two three",
            [(0, 3), (8, 13)],
            ":orange-background[one] two :orange-background[three]",
        ),
        ("one two", [], "one two"),
        ("one two", [(3, 3)], "one two"),
        ("one two", [(0, 5), (2, 7)], ":orange-background[one t]wo"),
        ("a\nb", [(0, 3)], ":orange-background[a]  \n:orange-background[b]"),
        ("*a* [b](http://c.example)", [(0, 3)], ":orange-background[\\*a\\*] \\[b\\]"),
    ],
)
def test_spans_are_marked_and_text_stays_text(
    text: str, spans: list[tuple[int, int]], shown: str
) -> None:
    assert marked(text, spans).startswith(shown)
