"""What a transcript's own words make impossible about its speakers, and what is left alone.

The audit's rules and bounds were set on the gold of tests/gold_speakers and on QMSum, LoCoMo and
court transcripts; tests/named_talks was written afterwards, and nothing was changed for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.speakers.speaker_gold import load_gold_files
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.speaker_audit import AuditKind, are_doubtful, audit_speakers

TESTS = Path(__file__).parents[3]


def talk(*lines: str) -> list[SourceTurn]:
    """Turns of `Name: words`, ten seconds each."""
    parts = [line.partition(": ") for line in lines]
    return [
        SourceTurn(text, speaker or None, 10.0 * number)
        for number, (speaker, _, text) in enumerate(parts)
    ]


def found(*lines: str) -> list[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    return [
        (finding.kind.value, finding.labels, tuple(line.turn for line in finding.lines))
        for finding in audit_speakers(talk(*lines))
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Thank you, Ben.",
        "Good morning, Mr. Orr.",
        "Ben, what do you think?",
        "We should wait, Ben.",
        "Vielen Dank, Herr Orr.",
        "Merci beaucoup, Ben.",
    ],
)
def test_who_speaks_to_themselves_by_name_is_found(words: str) -> None:
    assert found("Anna: It rains.", f"Ben Orr: {words}") == [("addresses_self", ("Ben Orr",), (2,))]


@pytest.mark.parametrize(
    "words",
    [
        "My name is Ben Orr, and I came by train.",
        "Hello, Ben here.",
        "It was the three of us: Anna, Tom and Ben.",
        'She said: "Thank you, Ben."',
        "He told me to go home, Ben.",
        "Ben's car broke down.",
        "Good evening, Ben Miller.",
        "Ben. Ben Orr.",
        "Ben, Anna and I went by train.",
    ],
)
def test_a_name_that_is_no_address_is_left_alone(words: str) -> None:
    assert found("Anna: It rains.", f"Ben Orr: {words}", "Anna: Yes.") == []


def test_a_caller_on_the_radio_names_themselves_last() -> None:
    assert found("GNC: FLIGHT, GNC.", "FLIGHT: GO, GNC.", "HORNET: 11, HORNET.") == []


def test_who_says_to_be_somebody_else_is_found() -> None:
    lines = ["Ben: Hello, I'm Anna Lee, from the mill.", "Anna Lee: I am Ben.", "Ben: I'm cold."]
    assert found(*lines) == [
        ("introduced_as_other", ("Ben", "Anna Lee"), (1,)),
        ("introduced_as_other", ("Anna Lee", "Ben"), (2,)),
    ]


def test_who_never_speaks_when_asked_by_name_is_found() -> None:
    lines = [
        "Host: Ben, are you there?",
        "Carl: I am.",
        "Host: Good.",
        "Ben: So am I.",
        "Carl: Ah.",
    ]
    assert found(*lines) == [("other_speaks", ("Ben", "Carl"), (1,))]
    assert found(*lines[:1], "Ben: Yes.", *lines) == []


def test_two_labels_that_answer_for_each_other_are_found_as_one_thing() -> None:
    lines = ["Host: Ben, is it on?", "Carl: Yes.", "Host: Carl, is it off?", "Ben: No."]
    assert found(*lines) == [("other_speaks", ("Ben", "Carl"), (1, 3))]


def test_thanks_are_for_one_of_the_last_turns() -> None:
    told = ["Ben: It was built in 1911.", "Carl: In spring.", "Host: Thank you, Ben."]
    assert found(*told) == []
    other = ["Ben: Hello.", "Host: Hm.", "Carl: Yes.", "Host: So.", "Carl: It leaks."]
    assert found(*other, "Host: Thank you, Ben. And who mends it?", "Carl: I do.") == [
        ("other_speaks", ("Ben", "Carl"), (6,))
    ]


def test_a_name_of_two_speakers_tells_nothing() -> None:
    assert found("Ben Orr: Thanks, Ben.", "Ben Lee: Thanks, Ben.") == []


def test_labels_of_one_person_answer_for_each_other() -> None:
    lines = ["Host: Good evening, Emil!", "KRASNY: Good evening.", "EMIL KRASNY: Hello."]
    assert found(*lines, "Host: Hm.", "KRASNY: Well.") == []


def test_labels_alike_that_never_meet_are_named_without_making_a_file_doubtful() -> None:
    findings = audit_speakers(talk("Vic: One.", "Ann: Two.", "Vic Vale: Three.", "Ann: Four."))
    assert [(own.kind, own.labels) for own in findings] == [
        (AuditKind.NEVER_MEET, ("Vic", "Vic Vale"))
    ]
    assert not are_doubtful(findings * 2)
    assert audit_speakers(talk("Vic: One.", "Vic Vale: Two.")) == ()


def test_codes_of_which_one_begins_where_the_other_ends_may_be_one_person() -> None:
    first = ["Speaker 1: Ah.", "Ann: Oh."] * 5
    second = ["Speaker 4: Ah.", "Ann: Oh."] * 5
    findings = audit_speakers(talk(*first, *second))
    assert [own.labels for own in findings] == [("Speaker 1", "Speaker 4")]
    assert audit_speakers(talk(*first, *second, *first)) == ()


def test_a_finding_shows_its_turns_and_two_make_a_file_doubtful() -> None:
    findings = audit_speakers(talk("Ann: Hm.", "Ben: Thank you, Ben.", "Ben: Hello, Ben."))
    assert findings[0].text() == "Ben speaks to Ben: turn 2 (0:10), Ben: Thank you, Ben."
    assert are_doubtful(findings)
    assert not are_doubtful(findings[:1])


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "turns",
    [
        [SourceTurn("Ann" + " " * 500_000 + ", x", "Ann")],
        [SourceTurn("Thanks" + " " * 500_000 + "x", "Ann")],
        [SourceTurn("I'm Ben, " * 20_000, "Ann"), SourceTurn("x", "Ben")],
        [SourceTurn("x", "A" * 100_000), SourceTurn("x", "Ben Orr " * 5_000)],
    ],
    ids=["blanks", "thanks", "introductions", "labels"],
)
def test_hostile_turns_take_seconds_at_most(turns: list[SourceTurn]) -> None:
    assert len(audit_speakers(turns)) <= 1


def clean_talks() -> dict[str, Sequence[SourceTurn]]:
    talks: dict[str, Sequence[SourceTurn]] = {
        file.id: [
            SourceTurn(turn.text, turn.names[0] if turn.names else None) for turn in file.turns
        ]
        for file in load_gold_files(TESTS / "gold_speakers")
    }
    return talks | named_talks()


def named_talks() -> dict[str, Sequence[SourceTurn]]:
    """Talks in which people call each other by their names, as people do."""
    paths = sorted((TESTS / "named_talks").glob("*.txt"))
    return {path.name: load_source(path).turns for path in paths}


def swapped(turns: Sequence[SourceTurn]) -> Iterator[tuple[str, str, list[SourceTurn]]]:
    """The talk with the labels of two people in each other's place: every two who speak at least
    twice.
    """
    spoken = [turn.speaker for turn in turns]
    labels = [label for label in dict.fromkeys(spoken) if label and spoken.count(label) > 1]
    for first, second in combinations(labels, 2):
        other = {first: second, second: first}
        made = [
            replace(turn, speaker=other.get(turn.speaker or "", turn.speaker)) for turn in turns
        ]
        yield first, second, made


def test_nine_of_ten_planted_swaps_are_found_in_talks_that_the_rules_were_not_made_on() -> None:
    talks = named_talks()
    assert len(talks) >= 10
    results = {
        (name, first, second): bool(audit_speakers(made))
        for name, turns in talks.items()
        for first, second, made in swapped(turns)
    }
    missed = [swap for swap, is_found in results.items() if not is_found]
    assert len(missed) <= 0.1 * len(results), missed


def test_clean_talks_have_at_most_one_false_finding_in_twenty() -> None:
    talks = clean_talks()
    findings = [finding.text() for turns in talks.values() for finding in audit_speakers(turns)]
    assert len(talks) > 50
    assert len(findings) <= len(talks) / 20, findings
