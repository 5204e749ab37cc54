"""An answer on a page: what the app offers is what the command line does, and each verdict is shown in words."""

import pytest

from dynagrag import wiring
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.schema import CheckedClaim, Citation, EvidenceLine, Verdict
from dynagrag.ui.ask.answer_view import RETRIEVERS, SOFT, claim_note, evidence_row, way_name
from dynagrag.ui.safe_markdown import answer_markdown


def test_the_app_offers_every_retriever() -> None:
    assert sorted(RETRIEVERS) == sorted(wiring.RETRIEVERS)


def test_what_answered_is_named_in_words() -> None:
    assert sorted(SOFT) == sorted(SYSTEMS)
    assert way_name("soft:grag") == "GRAG, trained"
    assert way_name("soft:my/folder") == "my/folder"
    assert way_name("naive") == "Vectors"
    assert way_name("of another version") == "of another version"


@pytest.mark.parametrize(
    ("verdict", "cited", "lines", "note"),
    [
        (Verdict.STATED, ("E1",), ("E1",), ""),
        (Verdict.STATED, ("E1",), ("E2",), r":gray[(found:] [\[E2\]](source?2):gray[)]"),
        (Verdict.CONTRADICTED, ("E1",), ("E1", "E3"), r":red-badge[:material/block: contradicted by] [\[E1\]](source?1)\[E3\]"),
        (Verdict.NOT_FOUND, ("E1",), (), ":orange-badge[:material/help: not found in the sources]"),
    ],
)
def test_a_verdict_is_told_in_words_with_links_to_its_lines(
    verdict: Verdict, cited: tuple[str, ...], lines: tuple[str, ...], note: str
) -> None:
    claim = CheckedClaim(0, 4, "x", verdict, cited, lines)
    assert claim_note(claim, {"E1": "source?1", "E2": "source?2"}) == note


def test_notes_stand_behind_their_claims_and_change_no_words() -> None:
    text = "A leaked [E1]. *B*\n\nC"
    shown = answer_markdown(text, {"E1": "s"}, [(14, ":red[x]"), (len(text), ":red[y]")])
    assert shown == answer_markdown(text[:14], {"E1": "s"}) + " :red[x]" + answer_markdown(text[14:], {}) + " :red[y]"
    assert answer_markdown(text, {"E1": "s"}) == "A leaked [\\[E1\\]](s)\\. \\*B\\*  \n  \nC"


def test_a_line_of_evidence_shows_the_sentence_that_fits_and_what_stands_around_it() -> None:
    said = "It is *here*. The mill is near Delft."
    before = Citation("p", "Talk", 0, 12, "BOB", None, "Where is it?")
    line = EvidenceLine("p", "Talk", 20, 20 + len(said), "ANN", 61.0, said, 34, 20 + len(said), 1.0, before, None)
    first, second = evidence_row("w", line, {"p": "d"}).splitlines()
    assert first.startswith("- [Talk](source?workspace=w&document=d&start=20&end=57) · ANN 1:01".replace("1:01", "1\\:01"))
    assert first.endswith(": “It is \\*here\\*\\. **The mill is near Delft\\.**”")
    assert second == "    - :gray[before · BOB:] “Where is it?”"


def test_a_line_that_an_earlier_version_kept_is_shown_without_emphasis() -> None:
    kept = EvidenceLine("p", "Talk", 20, 29, None, None, "The mill.")
    assert evidence_row("w", kept, {}) == "- [Talk](source?workspace=w&document=&start=20&end=29): “The mill\\.”"
