"""XML of tools that nobody knows, read by its structure and its values."""

from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load.read import load_source
from dynagrag.ingest.load.xml_speech import MAX_DEPTH

TALK = [
    ("A. Lee", "Morning, all. The kiln ran cold again.", 3.2, 6.1),
    ("Bo Strand", "Who saw it first?", 6.6, 8.0),
    ("A. Lee", "Nobody did, since the alarm was off.", 8.4, 11.3),
    ("Bo Strand", "Then we mend the alarm before anything else.", 11.9, 15.0),
    ("A. Lee", "The spare relay is in the shed.", 15.2, 17.0),
    ("Cy Park", "I can fetch it after lunch.", 17.4, 19.5),
]
ROWS = [(speaker, start, end, text) for speaker, text, start, end in TALK]
NUMBERS = {"A. Lee": 1, "Bo Strand": 2, "Cy Park": 3}


def load(tmp_path: Path, content: str, name: str = "talk.xml") -> LoadedSource:
    (tmp_path / name).write_text(content, encoding="utf-8")
    return load_source(tmp_path / name)


def rows(source: LoadedSource) -> list[tuple[str | None, float | None, float | None, str]]:
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


def written(pattern: str, root: str = "talk", head: str = "") -> str:
    body = "\n".join(
        pattern.format(who=who, text=text, a=a, b=b, n=NUMBERS[who], a_ms=round(a * 1000))
        for who, text, a, b in TALK
    )
    return f"<{root}>{head}{body}</{root}>"


PEOPLE = "<cast>" + "".join(f'<voice key="v{n}">{name}</voice>' for name, n in NUMBERS.items())
POINTS = "<axis>" + "".join(f'<pt n="T{t}" at="{t}"/>' for own in TALK for t in own[2:])


@pytest.mark.parametrize(
    "content",
    [
        written('<turn who="{who}" t0="{a}" t1="{b}">{text}</turn>'),
        written('<utt voice="{who}" at="00:00:{a:06.3f}" till="00:00:{b:06.3f}">{text}</utt>'),
        written("<row><wer>{who}</wer><ab>{a}s</ab><zu>{b}s</zu><was>{text}</was></row>"),
        written('<msg body="{text}" from="{who}" stamp="PT{a}S" close="PT{b}S"/>'),
        written('<b by="{who}"><s in="{a}" out="{b}">{text}</s></b>'),
        written('<b><who id="{n}">{who}</who><s in="{a}" out="{b}">{text}</s></b>'),
        written('<b ref="v{n}"><s in="{a}" out="{b}">{text}</s></b>', head=PEOPLE + "</cast>"),
        written("<who>{who}</who><in>{a}</in><out>{b}</out><say>{text}</say>"),
        written('<say v="#v{n}" x="#T{a}" y="#T{b}">{text}</say>', head=PEOPLE + "</cast>" + POINTS)
        .replace("</talk>", "</axis></talk>")
        .replace("<say", "</axis><say", 1)
        .replace("</axis></talk>", "</talk>"),
        written('<text start="{a}" end="{b}" who="{who}">{text}</text>', root="transcript"),
    ],
)
def test_unknown_elements_give_speakers_and_times_by_their_values(
    tmp_path: Path, content: str
) -> None:
    source = load(tmp_path, content)
    assert source.refused is None
    assert [(who, text) for who, _, _, text in rows(source)] == [(o[0], o[1]) for o in TALK]
    for turn, (_, _, start, end) in zip(source.turns, TALK, strict=True):
        assert turn.start_s == pytest.approx(start)
        assert turn.end_s == pytest.approx(end)
    assert source.notes[0].startswith("an unknown XML form: read from ")
    assert source.format == "other-xml"


def test_words_with_times_are_gathered_under_the_speaker_around_them(tmp_path: Path) -> None:
    blocks = []
    for who, text, a, b in TALK:
        words = text.split()
        step = (b - a) / len(words)
        spoken = "".join(
            f'<k a="{a + at * step:.3f}" z="{a + (at + 1) * step:.3f}">{word}</k>'
            for at, word in enumerate(words)
        )
        blocks.append(f'<say sp="{who}">{spoken}</say>')
    source = load(tmp_path, f"<rec>{''.join(blocks)}</rec>")
    for who in NUMBERS:
        own = " ".join(turn.text for turn in source.turns if turn.speaker == who)
        assert own == " ".join(text for name, text, _, _ in TALK if name == who)
    assert source.turns[0].start_s == 3.2
    assert source.turns[-1].end_s == 19.5


def test_words_in_inner_elements_stay_where_they_are_said(tmp_path: Path) -> None:
    marked = written('<u p="{who}" o="{a_ms}">{text}</u>').replace("alarm", '<em c="r">alarm</em>')
    source = load(tmp_path, marked.replace("shed", "<note>points</note>shed"))
    assert [turn.text for turn in source.turns] == [text for _, text, _, _ in TALK]
    assert [turn.start_s for turn in source.turns] == [a for _, _, a, _ in TALK]
    assert "remarks left out: 1 note" in source.notes
    assert "not read: what marks within words say (em)" in source.notes


def test_a_name_above_paragraphs_holds_for_each(tmp_path: Path) -> None:
    parts = "<who>A. Lee</who><p>One.</p><p>Two of them.</p><who>Bo Strand</who><p>Three, then.</p>"
    source = load(tmp_path, f"<doc><t>{parts * 3}</t></doc>")
    assert [turn.speaker for turn in source.turns[:3]] == ["A. Lee", "A. Lee", "Bo Strand"]


def test_what_is_left_unread_is_named(tmp_path: Path) -> None:
    head = "<about>A recording of a meeting that was held in the old kiln hall in May.</about>"
    source = load(tmp_path, written('<u w="{who}" q="x{n}" t="{a}">{text}</u>', head=head))
    assert any("not read: 'q'" in note for note in source.notes)
    assert any(note.startswith("not read: talk.about (15 words)") for note in source.notes)


def test_elements_named_after_what_is_done_are_nobodys_in_order(tmp_path: Path) -> None:
    pairs = "".join(
        f"<t>0:0{n}</t><ask>Is {n} dry?</ask><reply>It is.</reply>" for n in range(1, 5)
    )
    source = load(tmp_path, f"<doc>{pairs}</doc>")
    assert [turn.text for turn in source.turns[:4]] == ["Is 1 dry?", "It is."] * 1 + [
        "Is 2 dry?",
        "It is.",
    ]
    assert {turn.speaker for turn in source.turns} == {None}
    assert any("element" in note for note in source.notes)


@pytest.mark.parametrize(
    "content",
    [
        "<conf><key name='a'>one</key><key name='b'>two</key><key name='c'>three</key></conf>",
        "<shop>"
        + "".join(f"<i id='{n}'><n>Blue cup</n><p>{n}</p></i>" for n in range(9))
        + "</shop>",
        "<feed><entry><h>A bridge opens</h></entry><entry><h>A road closes</h></entry></feed>",
    ],
)
def test_what_nobody_says_is_refused(tmp_path: Path, content: str) -> None:
    refused = load(tmp_path, content).refused
    assert refused is not None
    assert "not a transcript: XML with the root" in refused


def test_a_path_of_unknown_elements_beyond_reason_is_refused(tmp_path: Path) -> None:
    deep = "<a>" * (MAX_DEPTH + 5) + "x" + "</a>" * (MAX_DEPTH + 5)
    assert "nested too deeply" in (load(tmp_path, f"<r>{deep}{deep}</r>").refused or "")


@pytest.mark.parametrize("name", ["talk.txt", "talk", "talk.sgml"])
def test_unknown_xml_is_told_by_its_first_and_last_element(tmp_path: Path, name: str) -> None:
    content = written('<turn who="{who}" t0="{a}" t1="{b}">{text}</turn>')
    assert rows(load(tmp_path, content, name)) == ROWS
    bare = content.removeprefix("<talk>").removesuffix("</talk>")
    assert rows(load(tmp_path, bare, name)) == ROWS


def test_text_that_begins_with_a_sign_is_no_xml(tmp_path: Path) -> None:
    source = load(tmp_path, "<laughs> Well, then.\n\nIDA: Yes?\n\nPER: No. I said so.\n", "a.txt")
    assert source.format == "text"


def test_whole_numbers_beside_a_rate_are_frames(tmp_path: Path) -> None:
    body = "".join(
        f"<marker><in>{round(a * 25)}</in><out>{round(b * 25)}</out>"
        f"<say>{who}: {text}</say></marker>"
        for who, text, a, b in TALK
    )
    source = load(tmp_path, f"<clip><rate>25</rate><name>kiln</name><marks>{body}</marks></clip>")
    assert [turn.start_s for turn in source.turns] == pytest.approx(
        [a for _, _, a, _ in TALK], abs=0.03
    )
    assert "times count frames, 25 a second as the file says" in source.notes


def test_times_in_milliseconds_say_so_themselves(tmp_path: Path) -> None:
    source = load(tmp_path, written('<v name="{who}"><mark at="{a_ms}ms"/><s>{text}</s></v>'))
    assert [turn.start_s for turn in source.turns] == [a for _, _, a, _ in TALK]
