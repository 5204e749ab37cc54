"""Headings of a file's sections are no speakers; who speaks once is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import LabelFate
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.speakers import find_labels
from dynagrag.ingest.load.spoken_text import filled_lines

TALK = [
    "Anna: Welcome back to the show.",
    "Leo: It is good to be here.",
    "Anna: So what happened?",
    "Leo: A lot did.",
]
HEADINGS = [
    "News, Events, Resources:",
    "News, Events, and Resources: none this week",
    "Links & Resources:",
    "Q&A:",
    "Summary:",
    "Note:",
    "Key Takeaways:",
    "What We Learned: a lot of things",
    "Action Items:",
    "Where To Find Us: on the web",
]
ONE_OFF = [
    "Maria:",
    "Dr. Smith:",
    "Mary Todd Lincoln:",
    "SPEAKER_09:",
    "Audience Member:",
    "Jim Webb:",
    "Hope Solo:",
    "Smith, John:",
    "Host:",
]


def turns(tmp_path: Path, blocks: list[str], between: str = "\n\n") -> list[tuple[str | None, str]]:
    path = tmp_path / "talk.txt"
    path.write_text(between.join(blocks))
    return [(turn.speaker, turn.text) for turn in load_source(path).turns]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_and_its_list_are_nobodys_and_stay(tmp_path: Path, heading: str) -> None:
    made = turns(tmp_path, [*TALK, heading, "- A phone came out\n- A meetup", *TALK])
    assert {speaker for speaker, _ in made} <= {"Anna", "Leo", None}
    assert heading in "\n".join(text for _, text in made)
    if heading != "Note:":
        assert (None, heading) in made


@pytest.mark.parametrize("label", [label for label in ONE_OFF if label != "Smith, John:"])
def test_who_speaks_once_is_a_speaker(tmp_path: Path, label: str) -> None:
    assert (label.rstrip(":"), "I have one question.") in turns(
        tmp_path, [*TALK, f"{label} I have one question.", *TALK]
    )


def test_headings_inside_a_block_of_lines_end_what_was_said(tmp_path: Path) -> None:
    lines = [
        "Chair: Good morning.",
        "Dr. Smith: The budget is done.",
        "Chair: Fine.",
        "Action Items:",
        "- Smith sends it",
        "Chair: Bye.",
    ]
    made = turns(tmp_path, lines, "\n")
    assert [speaker for speaker, _ in made] == ["Chair", "Dr. Smith", "Chair", None, "Chair"]
    assert made[3][1] == "Action Items: - Smith sends it"


@pytest.mark.parametrize("rest", ["https://github.com/x/y", "@acme", "www.example.org"])
def test_a_label_of_an_address_is_no_speaker(tmp_path: Path, rest: str) -> None:
    assert "Blogsite" not in {
        speaker for speaker, _ in turns(tmp_path, [*TALK, f"Blogsite: {rest}", *TALK])
    }


def test_show_notes_alone_have_no_speaker(tmp_path: Path) -> None:
    made = turns(
        tmp_path,
        [
            "Summary: A talk on ships.",
            "Links:\n- https://a.b",
            "Sponsors: Acme",
            "Topics: ships, boats",
        ],
    )
    assert {speaker for speaker, _ in made} == {None}


@given(
    st.lists(
        st.sampled_from(
            [
                *TALK,
                *HEADINGS,
                *[f"{label} Hello." for label in ONE_OFF],
                "- an item",
                "Plain words.",
            ]
        ),
        max_size=20,
    )
)
def test_no_heading_is_ever_a_speaker(lines: list[str]) -> None:
    labels = find_labels(filled_lines("\n\n".join(lines).split("\n")))
    speakers = {label for label, v in labels.verdicts.items() if v.fate is LabelFate.SPEAKER}
    assert not speakers & {heading.partition(":")[0] for heading in HEADINGS}
