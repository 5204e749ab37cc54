"""A quote is found in spite of its typography, and the span is the source's own."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Chunk, Document, Passage
from dynagrag.ingest.extract.quotes import find_quote, mention_passages

TEXT = (
    "CDR: Okay, Houston, we’ve had a problem here.\n"
    "We've had a Main B Bus Undervolt — at 55:55.  Say again, “please”."
)


def found(quote: str, text: str = TEXT) -> str | None:
    span = find_quote(text, quote)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("we've had a problem here", "we’ve had a problem here"),
        (
            "“We’ve had a main b bus undervolt - at 55:55”",
            "We've had a Main B Bus Undervolt — at 55:55",
        ),
        ("...had a problem here. We've had...", "had a problem here.\nWe've had"),
        ("problem   here.\n\nwe've had", "problem here.\nWe've had"),
        ("CAPCOM: Say again, 'please'", "Say again, “please"),
        ("[55 55 20] CDR: Okay, Houston", "Okay, Houston"),
        ("at 55:55. say AGAIN.", "at 55:55.  Say again"),
        ("main b bus undervolt.", "Main B Bus Undervolt"),
        ("we\u200b've had a problem", "we’ve had a problem"),
    ],
)
def test_a_quote_is_found(quote: str, expected: str) -> None:
    assert found(quote) == expected


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "  ",
        "...",
        "“”",
        "a",
        "...a...",
        "we have had a problem",
        "problem here. Say again",
        "Hous.",
    ],
)
def test_a_quote_is_not_found(quote: str) -> None:
    assert find_quote(TEXT, quote) is None


def test_the_leftmost_match_counts() -> None:
    assert find_quote("go go go", "GO") == (0, 2)


def test_expanded_and_composed_characters_map_back_to_the_source() -> None:
    text = "Straße ﬁne cafe\u0301 Ⅷ end"
    assert found("STRASSE FINE", text) == "Straße ﬁne"
    assert found("caf\u00e9 viii", text) == "cafe\u0301 Ⅷ"
    assert found("ine caf", text) is None


def _curly(text: str) -> str:
    return text.replace("'", "’").replace('"', "”").replace(" ", "  ").upper()


def _plain(text: str) -> str:
    folded = unicodedata.normalize(
        "NFKD",
        unicodedata.normalize(
            "NFKD", text.replace("’", "'").replace("”", "'").replace('"', "'")
        ).casefold(),
    )
    return " ".join(folded.split())


_OUTER = "'.,;: "
"""Outer marks that a quote may be found without."""
letters = st.text(alphabet=st.sampled_from("abcXYZ éßﬁ½ \n\t'\",-—.:;19漢"), max_size=30)


@settings(max_examples=300, deadline=None)
@given(letters, letters, letters, letters)
def test_any_part_of_a_text_is_found_in_capitals_with_curly_quotes_and_double_spaces(
    before: str, left: str, right: str, after: str
) -> None:
    part = left + "aX" + right
    text = before + part + after
    span = find_quote(text, _curly(part))
    assert span is not None
    source = text[span[0] : span[1]]
    assert source == source.strip() != ""
    assert _plain(source).replace("—", "-").strip(_OUTER) == _plain(part).replace("—", "-").strip(
        _OUTER
    )


def _chunk(*texts: str) -> tuple[Document, Chunk]:
    text = "\n".join(texts)
    passages, start = [], 0
    for i, part in enumerate(texts):
        passages.append(Passage(f"p{i}", "d", i, start, start + len(part), i, i))
        start += len(part) + 1
    return Document("d", "w", "t", "u", "s", text), Chunk("d", 0, len(text), tuple(passages))


def test_a_mention_belongs_where_its_name_stands_as_whole_words() -> None:
    document, chunk = _chunk("The tankers left.", "O2 Tank 2 is empty.", "That tank’s gone.")
    assert mention_passages(document, chunk, "tank", ()) == ("p1", "p2")
    assert mention_passages(document, chunk, "the TANK", ()) == ("p1", "p2")
    assert mention_passages(document, chunk, "C++", ()) == ("p0", "p1", "p2")


def test_a_name_that_is_nowhere_belongs_to_its_quotes_else_to_the_whole_chunk() -> None:
    document, chunk = _chunk("One here.", "Two here.", "Three here.")
    second = chunk.passages[1]
    assert mention_passages(document, chunk, "Oxygen", [(second.start, second.end)]) == ("p1",)
    assert mention_passages(document, chunk, "Oxygen", ()) == ("p0", "p1", "p2")
    half = Chunk("d", second.start, chunk.end, chunk.passages[1:])
    assert mention_passages(document, half, "Oxygen", ()) == ("p1", "p2")


def test_a_hostile_quote_takes_no_time() -> None:
    start = time.process_time()
    for unit in (".", "' ", "…", "a.", "A: ", "[", " "):
        assert find_quote(TEXT, unit * 20_000 + "x") is None
    assert time.process_time() - start < 3
