"""Lines of sources on a page: the question's words marked, by document, numbered."""

from dataclasses import replace

from dynagrag.core.schema import Citation, Clip, EvidenceLine
from dynagrag.generation.support import content_stems
from dynagrag.ui.ask.evidence_view import (
    EvidenceRow,
    by_document,
    clip_markdown,
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
    row = evidence_row("w", 3, LINE, {"p": "d"}, QUESTION).markdown()
    assert row.startswith(r"- [\[3\]](source?workspace=w&document=d&start=20&end=57 ")
    assert row.endswith(r" **ANN 1\:01**: “:gray[It is \*here\*\.] The **mill** is near Delft\.”")


def test_a_clip_shows_who_says_what_with_its_hits_in_bold_and_opens_the_best_of_them() -> None:
    turns = (
        Citation("p", "Talk *1*", 0, 12, "BOB", None, "Where is it?"),
        Citation("p", "Talk *1*", 20, 57, "ANN", 61.0, LINE.quote),
    )
    clip = Clip("p", "Talk *1*", 0, 57, turns, ((34, 57),), (34, 57))
    head, asked, reply = clip_markdown("w", 2, clip, {"p": "d"}).splitlines()
    assert head.startswith(r"[\[2\]](source?workspace=w&document=d&start=34&end=57 ")
    assert head.endswith(r" **Talk \*1\***")
    assert asked == "- *BOB*: Where is it?"
    assert reply == r"- *ANN 1\:01*: It is \*here\*\. **The mill is near Delft\.**"
    head, *_ = clip_markdown("w", 2, replace(clip, side="*Ann*"), {"p": "d"}).splitlines()
    assert head.endswith(r" \*Ann\*: **Talk \*1\***")
    assert "speakers doubtful" in clip_markdown("w", 2, clip, {}, ["Talk *1*"])


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
