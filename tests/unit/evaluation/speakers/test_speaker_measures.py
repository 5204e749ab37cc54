"""Speakers and times: how words are counted, what gold must look like, what the command prints, and
what holds of the gold in tests/gold_speakers.
"""

import json
from pathlib import Path

import pytest
import typer

from dynagrag.cli.evaluate.kind_command import command_of
from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.kinds import KINDS
from dynagrag.evaluation.speakers.speaker_gold import TrueTurn, load_gold_files
from dynagrag.evaluation.speakers.speaker_measures import (
    Mistake,
    SpeakerCounts,
    SpeakerRun,
    compare,
    measure_file,
)

GOLD = Path(__file__).parents[3] / "gold_speakers"
TALK = "Anna: The kiln is hot.\nBen: Then wait.\nAnna: I do.\nBen: Good.\n"
RIGHT = [
    {"speaker": "Anna", "text": "The kiln is hot."},
    {"speaker": ["Ben", "Benjamin"], "text": "Then wait."},
    {"speaker": "Clara", "text": "I do."},
    {"speaker": "Ben", "text": "Good."},
]


def write(folder: Path, gold: object, talk: str = TALK, name: str = "talk.txt") -> Path:
    (folder / name).write_text(talk, encoding="utf-8")
    (folder / f"{name}.gold.json").write_text(json.dumps(gold), encoding="utf-8")
    return folder


def test_words_are_counted_by_whom_they_are_under() -> None:
    gold = [
        TrueTurn(speaker="Anna", text="One, two three!"),
        TrueTurn(speaker=("Dr. Ben Orr", "Ben Orr"), text="Four five."),
        TrueTurn(speaker=None, text="(applause)"),
        TrueTurn(speaker="Carl", text="Six seven eight."),
        TrueTurn(speaker=None, text="A heading"),
    ]
    found = [
        SourceTurn("One two", "anna", None, None),
        SourceTurn("three", None, None, None),
        SourceTurn("Four five. Applause. Six", "Ben  Orr", None, None),
        SourceTurn("Carl: eight", "Carl", None, None),
    ]
    counts, mistakes = compare(gold, found)
    # the heading is nobody's, so that it isn't there is right
    assert counts == SpeakerCounts(words=11, right=7, nobody=1, wrong=2, lost=1, added=1)
    assert mistakes == [
        Mistake("Anna", "", 1, "three"),
        Mistake("", "Ben  Orr", 1, "applause"),
        Mistake("Carl", "Ben  Orr", 1, "six"),
    ]


def test_times_are_right_to_half_a_second_and_only_where_the_gold_has_them() -> None:
    gold = [
        TrueTurn(speaker=None, text="one", start_s=1.0),
        TrueTurn(speaker=None, text="two", start_s=2.0),
        TrueTurn(speaker=None, text="three", start_s=None),
        TrueTurn(speaker=None, text="four", start_s=None),
        TrueTurn(speaker=None, text="five", start_s=5.0),
        TrueTurn(speaker=None, text="six"),
        TrueTurn(speaker=None, text="seven", start_s=7.0),
    ]
    starts = {"one": 1.5, "two": 2.6, "three": None, "four": 4.0, "five": None, "six": 6.0}
    found = [SourceTurn(word, None, start, None) for word, start in starts.items()]
    counts, _ = compare(gold, found)
    assert (counts.times, counts.times_right) == (6, 2)


def test_characters_count_where_a_script_has_no_spaces() -> None:
    gold = [TrueTurn(speaker="陈立远", text="二十八万。"), TrueTurn(speaker="周敏", text="可以。")]
    counts, _ = compare(gold, [SourceTurn("二十八万。可以。", "陈立远", None, None)])
    assert (counts.words, counts.right, counts.wrong) == (6, 4, 2)


def test_all_words_of_a_refused_file_are_lost(tmp_path: Path) -> None:
    gold = {"turns": [{"speaker": None, "text": "We grow rye."}]}
    write(tmp_path, gold, '{"foreign": 1}', "talk.json")
    line = measure_file(load_gold_files(tmp_path)[0])
    assert "not a transcript" in line.refused
    assert (line.counts.lost, line.counts.right) == (3, 0)


@pytest.mark.parametrize(
    ("gold", "place"),
    [
        ({}, "turns: Field required"),
        ({"turns": []}, "turns: "),
        ({"turns": [{"text": "no speaker"}]}, "turns.0.speaker: Field required"),
        ({"turns": [{"speaker": "Anna", "text": "x", "begin": 1}]}, "turns.0.begin: Extra"),
        ([], "the file: "),
    ],
)
def test_gold_that_is_wrong_is_refused_with_its_place(
    gold: object, place: str, tmp_path: Path
) -> None:
    with pytest.raises(LoadError, match=f"talk.txt.gold.json: {place}"):
        load_gold_files(write(tmp_path, gold))


def test_gold_needs_its_transcript_and_a_folder_needs_gold(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="there is no gold in"):
        load_gold_files(tmp_path)
    with pytest.raises(LoadError, match="is no folder"):
        load_gold_files(tmp_path / "missing")
    write(tmp_path, {"turns": RIGHT})
    (tmp_path / "talk.txt").unlink()
    with pytest.raises(LoadError, match=r"talk.txt cannot be read.*beside its transcript"):
        load_gold_files(tmp_path)


def test_the_command_prints_shares_and_names_the_worst_file_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    below = tmp_path / "talks" / "more"
    below.mkdir(parents=True)
    write(tmp_path / "talks", {"turns": RIGHT})
    write(below, {"turns": [{**turn, "speaker": None} for turn in RIGHT]}, name="all_wrong.txt")
    app = typer.Typer(rich_markup_mode=None)
    kind = next(kind for kind in KINDS if kind.command == "speakers")
    app.command()(command_of(kind))
    asked = ["--data", str(tmp_path / "talks"), "--out", str(tmp_path / "run")]
    assert app(args=[*asked, "--json"], standalone_mode=False) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result["per_file"]) == ["more/all_wrong.txt", "talk.txt"]
    assert (result["words"], result["right"], result["wrong"]) == (18, 7 / 18, 11 / 18)
    assert app(args=asked, standalone_mode=False) == 0
    printed = capsys.readouterr().out
    assert "38.9 % of the words are under the right speaker, 61.1 % under a wrong one" in printed
    first, second = SpeakerRun.read(tmp_path / "run").whole_report().cases[0].cases
    assert first.text == "more/all_wrong.txt"
    assert "nobody, read as Ben: then wait (2 words)" in [
        item.words for item in first.listings[0].items
    ]
    assert [item.words for item in second.listings[0].items] == [
        "Clara, read as Anna: i do (2 words)"
    ]


def test_the_gold_is_read_as_well_as_this() -> None:
    lines = [measure_file(file) for file in load_gold_files(GOLD)]
    assert len(lines) >= 40
    total = SpeakerCounts.total([line.counts for line in lines])
    assert total.share(total.right) >= 0.97
    assert total.wrong == 0
    assert total.times_right / total.times >= 0.97
