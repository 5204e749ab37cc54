"""An answer on a page: what the app offers is what the command line does, and each verdict is shown
in words.
"""

import pytest

from dynagrag.core.schema import CheckedClaim, Verdict
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.ui.ask.answer_view import SOFT, claim_note, way_name
from dynagrag.ui.safe_markdown import MarkLink, answer_markdown


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
        (Verdict.STATED, ("E1",), ("E2",), r":gray[(found:] [\[2\]](source?2):gray[)]"),
        (
            Verdict.CONTRADICTED,
            ("E1",),
            ("E1", "E3"),
            r":red-badge[:material/block: contradicted by] [\[1\]](source?1)\[E3\]",
        ),
        (Verdict.NOT_FOUND, ("E1",), (), ":orange-badge[:material/help: not found in the sources]"),
    ],
)
def test_a_verdict_is_told_in_words_with_links_to_its_lines(
    verdict: Verdict, cited: tuple[str, ...], lines: tuple[str, ...], note: str
) -> None:
    claim = CheckedClaim(0, 4, "x", verdict, cited, lines)
    assert (
        claim_note(claim, {"E1": MarkLink("source?1", "1"), "E2": MarkLink("source?2", "2")})
        == note
    )


def test_notes_stand_behind_their_claims_and_change_no_words() -> None:
    text = "A leaked [E1]. *B*\n\nC"
    links = {"E1": MarkLink("s", "1", tip='Ann: "so"')}
    shown = answer_markdown(text, links, [(14, ":red[x]"), (len(text), ":red[y]")])
    assert (
        shown
        == answer_markdown(text[:14], links)
        + " :red[x]"
        + answer_markdown(text[14:], {})
        + " :red[y]"
    )
    assert (
        answer_markdown(text, links)
        == 'A leaked [\\[1\\]](s "Ann\\: \\"so\\"")\\. \\*B\\*  \n  \nC'
    )
