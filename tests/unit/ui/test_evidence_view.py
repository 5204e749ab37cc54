"""Lines of sources on a page: the question's words marked, by document, numbered."""

from dynagrag.core.schema import Citation, EvidenceLine
from dynagrag.generation.support import content_stems
from dynagrag.ui.ask.evidence_view import (
    EvidenceRow,
    by_document,
    evidence_row,
    grouped,
    links_of,
    with_words_marked,
)

SAID = "It is *here*. The mill is near Delft."
BEFORE = Citation("p", "Talk", 0, 12, "BOB", None, "Where is it?")
LINE = EvidenceLine(
    "p", "Talk", 20, 20 + len(SAID), "ANN", 61.0, SAID, 34, 20 + len(SAID), 1.0, BEFORE, None
)
QUESTION = "Which mills are there?"


def test_a_line_shows_its_number_who_said_it_when_and_the_questions_words() -> None:
    first, second = evidence_row("w", 3, LINE, {"p": "d"}, QUESTION).markdown().splitlines()
    assert first.startswith(r"- [\[3\]](source?workspace=w&document=d&start=20&end=57 ")
    assert first.endswith(r" **ANN 1\:01**: “:gray[It is \*here\*\.] The **mill** is near Delft\.”")
    assert second == r"    - :gray[before · BOB: “Where is it?”]"


def test_what_another_line_shows_is_not_shown_beside_it() -> None:
    assert evidence_row("w", 1, LINE, {}, QUESTION, [LINE]).around != ()
    assert evidence_row("w", 1, LINE, {}, QUESTION, [LINE, BEFORE]).around == ()
    elsewhere = Citation("q", "Other talk", 0, 12, None, None, "Where is it?")
    assert evidence_row("w", 1, LINE, {}, QUESTION, [elsewhere]).around != ()


def test_a_line_that_an_earlier_version_kept_is_shown_whole() -> None:
    kept = EvidenceLine("p", "Talk", 20, 29, None, None, "The mill.")
    assert evidence_row("w", 1, kept, {}, QUESTION).words == r"The **mill\.**"


def test_rows_stand_under_their_documents_in_the_order_of_the_best() -> None:
    rows = [
        EvidenceRow("B", "[1]", "", "one"),
        EvidenceRow("A", "[2]", "Ann", "two"),
        EvidenceRow("B", "[3]", "", "three"),
    ]
    assert by_document(rows) == "**B**\n- [1]: “one”\n- [3]: “three”\n\n**A**\n- [2] **Ann**: “two”"


def test_a_document_with_doubtful_speakers_is_marked_beside_its_title() -> None:
    rows = [EvidenceRow("B", "[1]", "", "one"), EvidenceRow("A", "[2]", "Ann", "two")]
    first, second = by_document(rows, ["A"]).split("\n\n")
    assert "speakers doubtful" not in first
    assert second.startswith("**A** :orange-badge[")
    assert "speakers doubtful]" in second.split("\n")[0]


def test_lines_of_one_document_stand_together_in_the_order_of_its_best() -> None:
    lines = [
        EvidenceLine(str(row), title, row, row + 1, None, None, "x")
        for row, title in enumerate("ABACB")
    ]
    assert [(line.document, line.start) for line in grouped(lines)] == [
        ("A", 0),
        ("A", 2),
        ("B", 1),
        ("B", 4),
        ("C", 3),
    ]


def test_marks_are_numbered_in_the_order_given_or_keep_their_labels() -> None:
    lines = [("E7", LINE), ("E2", BEFORE), ("E7", LINE)]
    made = links_of("w", lines, {"p": "d"})
    assert {label: link.name for label, link in made.items()} == {"E7": "1", "E2": "2"}
    assert made["E2"].tip == "BOB · Talk: “Where is it?”"
    assert [link.name for link in links_of("w", lines, {}, is_numbered=False).values()] == [
        "E7",
        "E2",
    ]


def test_words_are_marked_by_their_stems_and_text_stays_text() -> None:
    assert with_words_marked(
        "Two mills, [x](http://e.example) *mill*", content_stems(QUESTION)
    ).startswith(r"Two **mills,** \[x\]\(http")
    assert with_words_marked("No such word", frozenset()) == "No such word"
