"""Speakers that stand in fields of a log's lines or in a page's attributes, and witnesses' numbers
above what they state.
"""

from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load.read import load_source

TALK = [
    (0.0, "rosa", "The lamp was lit at dusk."),
    (3.1, "odd", 'And who, you "think", lit it?'),
    (6.5, "rosa", "My mother did, and I held the ladder."),
    (9.0, "odd", "Were you afraid of a=b?"),
]


def load(tmp_path: Path, text: str, name: str) -> LoadedSource:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_source(tmp_path / name)


def turns(source: LoadedSource) -> list[tuple[float | None, str | None, str]]:
    return [(turn.start_s, turn.speaker, turn.text) for turn in source.turns]


@pytest.mark.parametrize(
    "line",
    [
        '{start} spk={who} "{text}"',
        '2024-05-03 12:00:00.{n}20 INFO asr: seg={n} {start} speaker={who} text="{quoted}"',
        '[asr] speaker_id="{who}" {start} | msg="{quoted}"',
        "{start} spk={who}: {text}",
    ],
)
@pytest.mark.parametrize("name", ["asr.log", "asr.txt"])
def test_a_line_of_fields_with_a_speaker_is_a_turn(tmp_path: Path, line: str, name: str) -> None:
    lines = [
        line.format(
            n=n, start=f"start={start}", who=who, text=text, quoted=text.replace('"', '\\"')
        )
        for n, (start, who, text) in enumerate(TALK)
        if not ("{text}" in line and "=b" in text)
    ]
    expected = [own for own in TALK if not ("{text}" in line and "=b" in own[2])]
    source = load(tmp_path, "\n".join(lines) + "\n", name)
    assert turns(source) == expected


def test_lines_without_fields_are_counted_and_a_servers_log_is_no_talk(tmp_path: Path) -> None:
    lines = [f'start={start} spk={who} "{text}"' for start, who, text in TALK[::2] * 2]
    source = load(tmp_path, "\n".join(["model loaded", *lines]), "a.log")
    assert len(source.turns) == 4
    assert "1 line with other fields left out" in source.notes
    server = "\n".join(f'level=info user=rosa msg="logged in from desk {n}"' for n in range(4))
    assert {turn.speaker for turn in load(tmp_path, server, "b.log").turns} == {None}


@pytest.mark.parametrize(
    "element",
    [
        '<p data-speaker="{who}" data-start="{start}">{text}</p>',
        '<div class="s" data-speaker-name="{who}" data-start-ms="{ms}"><b>{text}</b></div>',
        '<p data-speaker="{who}" data-start="{start}"><i data-speaker="{who}">{text}</i></p>',
    ],
)
def test_attributes_of_a_pages_elements_say_who_speaks_and_when(
    tmp_path: Path, element: str
) -> None:
    said = [
        element.format(who=who, start=start, ms=round(start * 1000), text=text)
        for start, who, text in TALK
    ]
    page = f"<html><body><h1>Lamps</h1>{said[0]}<h2>Later</h2>{''.join(said[1:])}</body></html>"
    assert turns(load(tmp_path, page, "a.html")) == [
        (None, None, "Lamps"),
        TALK[0],
        (None, None, "Later"),
        *TALK[1:],
    ]


def test_attributes_that_are_not_read_are_noted(tmp_path: Path) -> None:
    words = "".join(f'<span data-speaker="Rosa">{word} </span>' for word in "It was lit".split())
    source = load(tmp_path, f"<html><body><p>{words}</p></body></html>", "a.html")
    assert [turn.text for turn in source.turns] == ["It was lit"]
    assert any("attributes that say who speaks" in note for note in source.notes)


@pytest.mark.parametrize(
    "heads",
    [
        ["P.W. 1 Rosa Lind", "P.W. 2 Odd Berg"],
        ["PW-3: Rosa Lind, keeper, aged 40", "PW-4: Odd Berg"],
        ["Witness No. 1: Rosa Lind", "Witness No. 2: Odd Berg"],
        ["Zeugin 1 - Rosa Lind", "Zeugin 2 - Ida Roth"],
    ],
)
def test_witnesses_above_what_they_state_are_noted(tmp_path: Path, heads: list[str]) -> None:
    stated = ["I lit the lamp at dusk. It burned all night.", "I saw it from the ship."]
    text = "\n\n".join(part for own in zip(heads, stated, strict=True) for part in own)
    source = load(tmp_path, text, "a.txt")
    assert {turn.speaker for turn in source.turns} == {None}
    assert any("put the name and a colon before what each says" in note for note in source.notes)


def test_numbered_chapters_are_no_witnesses(tmp_path: Path) -> None:
    text = "Part 1 The Lamp\n\nIt was lit.\n\nPart 2 The Ship\n\nIt came.\n"
    assert load(tmp_path, text, "a.txt").notes == ()


@pytest.mark.parametrize("suffix", [".html", ".txt"])
def test_a_piece_of_a_page_that_begins_and_ends_with_a_heading_is_a_page(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"talk{suffix}"
    path.write_text("<h3>Interview</h3><p>ANN: I see.</p><p>BO: Do you?</p><h3>The end</h3>")
    source = load_source(path)
    assert source.format == "html"
    assert [(turn.speaker, turn.text) for turn in source.turns] == [
        (None, "Interview"),
        ("ANN", "I see."),
        ("BO", "Do you?"),
        (None, "The end"),
    ]
