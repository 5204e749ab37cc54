"""JSON of programs that nobody knows: who speaks and when, by their keys' names and values."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.json_forms import parse_json
from dynagrag.ingest.load.parsed import checked
from dynagrag.ingest.load.read import load_source

_TEXTS = (
    "The orchard gate stays shut until May.",
    "Then we bring the ladders on Monday, Petra.",
    "Who counts the crates this year?",
    "I count them, Lars.",
)
_PAIR = ("Petra Holm", "Lars Vik")


def _records(speaker: str, time: str, people: tuple[str, str] = _PAIR) -> list[dict[str, Any]]:
    return [
        {
            time: f"2023-03-04T08:0{at}:00Z",
            speaker: people[at % 2],
            "message": text,
            "status": ("Open", "Done")[at // 2],
        }
        for at, text in enumerate(_TEXTS)
    ]


def _speakers(data: Any) -> list[str | None]:
    return [turn.speaker for turn in parse_json(json.dumps(data)).turns]


@pytest.mark.parametrize(
    "key", "username user_name userId nickname nick handle sender_full_name".split()
)
@pytest.mark.parametrize("time", ["created", "posted"])
def test_names_of_users_and_days_of_posts_are_read(key: str, time: str) -> None:
    parsed = parse_json(json.dumps(_records(key, time)))
    assert [turn.speaker for turn in parsed.turns] == [*_PAIR] * 2
    assert [turn.start_s for turn in parsed.turns] == [0, 60, 120, 180]


def test_values_fill_the_roles_that_no_key_fills() -> None:
    parsed = parse_json(json.dumps(_records("whose", "moment")))
    assert [turn.speaker for turn in parsed.turns] == [*_PAIR] * 2
    assert parsed.turns[-1].start_s == 180
    assert {"start by its values: moment", "speaker by its values: whose"} <= {*parsed.notes}


def test_single_names_are_speakers_where_the_texts_address_them() -> None:
    assert _speakers(_records("whose", "moment", ("Petra", "Lars"))) == ["Petra", "Lars"] * 2
    parsed = parse_json(json.dumps(_records("whose", "moment", ("Green", "Yellow"))))
    assert {turn.speaker for turn in parsed.turns} == {None}
    assert "whose (Green, Yellow), status (Open, Done)" in " ".join(parsed.notes)


@pytest.mark.parametrize("key", ["status", "lang", "location", "reply_to_user", "user_country"])
def test_statuses_and_places_are_no_speakers(key: str) -> None:
    records = [
        {key: ("New York", "Very Old")[at % 2], "message": text} for at, text in enumerate(_TEXTS)
    ]
    if key == "user_country":
        records = [own | {key: ("US", "DE")[at % 2]} for at, own in enumerate(records)]
    parsed = parse_json(json.dumps(records))
    assert {turn.speaker for turn in parsed.turns} == {None}
    assert f"no speaker taken, though its records have {key}" in " ".join(parsed.notes)


@pytest.mark.parametrize("key", ["posted_by", "postedBy", "message_author_name", "chat_user_id"])
def test_a_keys_last_word_says_who_speaks(key: str) -> None:
    assert _speakers(_records(key, "moment", ("petra.h", "lars_v"))) == ["petra.h", "lars_v"] * 2


def test_a_name_goes_before_an_id() -> None:
    records = [
        own | {"poster_id": at % 2} for at, own in enumerate(_records("poster_name", "moment"))
    ]
    assert _speakers(records) == [*_PAIR] * 2


@pytest.mark.parametrize("key", ["assignee", "approved_by", "sorted_by", "is_user"])
def test_keys_of_other_persons_and_of_settings_are_no_speakers(key: str) -> None:
    values = ("name", "date") if key == "sorted_by" else ("Petra Holm", "Lars Vik")
    values = ("yes", "no") if key == "is_user" else values
    assert _speakers(_records(key, "moment", values)) == [None] * 4


def test_a_list_in_an_object_is_read_as_the_list_alone() -> None:
    for speaker, time in (("username", "created"), ("whose", "moment")):
        records = _records(speaker, time)
        for data in (
            {"posts": records},
            {"room": "orchard", "posts": records},
            {"room": {"log": {"posts": records}}},
        ):
            assert _speakers(data) == [*_PAIR] * 2
    other = [
        {"moment": own["moment"], "whose": own["whose"], "uttered": own["message"]}
        for own in _records("whose", "moment")
    ]
    assert _speakers({"room": "orchard", "posts": other}) == _speakers(other) == [*_PAIR] * 2


def test_posts_by_their_ids_are_in_order_of_time() -> None:
    posts = {
        f"k{at}": {"create_at": 1_690_000_000_000 + 30_000 * at, "user_id": f"u{at % 2}"}
        | {"message": _TEXTS[at]}
        for at in (2, 0, 3, 1)
    }
    parsed = parse_json(json.dumps({"order": ["k3", "k2", "k1", "k0"], "posts": posts}))
    assert [turn.text for turn in parsed.turns] == [*_TEXTS]
    assert [turn.start_s for turn in parsed.turns] == [0, 30, 60, 90]
    assert [turn.speaker for turn in parsed.turns] == ["u0", "u1"] * 2
    untimed = {key: {"username": "lars", "message": own["message"]} for key, own in posts.items()}
    parsed = parse_json(json.dumps({"order": ["k0", "k1", "k2", "k3"], "posts": untimed}))
    assert [turn.text for turn in parsed.turns] == [*_TEXTS]


def test_lines_name_the_object_that_they_hold() -> None:
    at = 1_690_000_000_000
    reply = {"user": "mia", "message": "So do I.", "create_at": at + 50_000}
    lines = [
        {"type": "version", "version": 1},
        {"type": "post", "post": {"user": "petra", "message": _TEXTS[0], "create_at": at}},
        {
            "type": "post",
            "post": {"user": "lars", "message": _TEXTS[1], "create_at": at + 40_000}
            | {"replies": [reply]},
        },
    ]
    parsed = parse_json("\n".join(map(json.dumps, lines)))
    found = [(turn.speaker, turn.start_s, turn.text) for turn in parsed.turns if turn.text]
    assert found == [("petra", 0, _TEXTS[0]), ("lars", 40, _TEXTS[1]), ("mia", 50, "So do I.")]


def test_a_refusal_names_the_longest_list_and_its_keys() -> None:
    posts = [{"size": at, "uttered": text} for at, text in enumerate(_TEXTS)]
    with pytest.raises(LoadError, match=r"longest list is posts\[\] with keys size, uttered: rena"):
        parse_json(json.dumps({"room": "orchard", "posts": posts}))


def test_columns_of_names_are_found_beside_a_known_text(tmp_path: Path) -> None:
    rows = [f'{_PAIR[at % 2]},Open,"{text}"' for at, text in enumerate(_TEXTS)]
    for head in ("username", "whose"):
        path = tmp_path / f"{head}.csv"
        path.write_text("\n".join((f"{head},status,text", *rows)), encoding="utf-8")
        assert [turn.speaker for turn in load_source(path).turns] == [*_PAIR] * 2


@pytest.mark.parametrize(
    "line",
    [
        "[Auto-generated transcript. It may hold errors.]",
        "Transcribed by Petra Holm",
        "Automatic captions by CaptionMill",
        "(Subtitles by the Orchard Club)",
        "Captions provided by CaptionMill",
    ],
)
@pytest.mark.parametrize("form", ["vtt", "txt", "json"])
def test_a_line_of_the_maker_is_nobodys_words(line: str, form: str, tmp_path: Path) -> None:
    texts = [line, *_TEXTS, line]
    path = tmp_path / f"orchard.{form}"
    if form == "vtt":
        cues = (f"00:00:0{at}.000 --> 00:00:0{at + 1}.000\n{own}\n" for at, own in enumerate(texts))
        path.write_text("\n".join(("WEBVTT\n", *cues)), encoding="utf-8")
    elif form == "txt":
        spoken = "\n".join(f"{_PAIR[at % 2]}: {own}" for at, own in enumerate(_TEXTS))
        path.write_text(f"{line}\n\n{spoken}\n{line}\n", encoding="utf-8")
    else:
        records = [{"start": at, "end": at + 1, "text": own} for at, own in enumerate(texts)]
        path.write_text(json.dumps(records), encoding="utf-8")
    source = load_source(path)
    assert [turn.text for turn in source.turns] == [*_TEXTS]
    assert source.notes.count(f"the line of its maker left out: {line}") == 2


@pytest.mark.parametrize(
    "line",
    ["Transcribed by hand, they were lost.", "Automatic captions are bad.", "Subtitles by then?"],
)
def test_words_on_transcribing_are_said(line: str, tmp_path: Path) -> None:
    path = tmp_path / "orchard.json"
    records = [{"start": at, "text": own} for at, own in enumerate((line, *_TEXTS))]
    path.write_text(json.dumps(records), encoding="utf-8")
    assert load_source(path).turns[0].text == line


def _said(data: Any) -> list[tuple[str | None, float | None, str]]:
    turns = parse_json(data if isinstance(data, str) else json.dumps(data)).turns
    return [(turn.speaker, turn.start_s, turn.text) for turn in turns]


@pytest.mark.parametrize(
    ("words", "word", "start", "end", "who"),
    [
        ("mots", "mot", "debut", "fin", "locuteur"),
        ("wörter", "wort", "anfang", "ende", "sprecherin"),
        ("tokens", "word", "start", "end", "who"),
    ],
)
def test_single_words_take_the_speaker_of_a_list_of_spans(
    words: str, word: str, start: str, end: str, who: str
) -> None:
    said = "Is it dry ? Since yesterday .".split()
    data = {
        "spans": [
            {who: "S0", start: 0.9, end: 2.4},
            {who: "S1", start: 2.5, end: 4.5},
        ],
        "asr": {
            words: [
                {word: own, start: 1 + at / 2, end: 1.4 + at / 2} for at, own in enumerate(said)
            ]
        },
    }
    assert {(speaker, text.strip(" .?")) for speaker, _, text in _said(data)} == {
        ("S0", "Is it dry"),
        ("S1", "Since yesterday"),
    }


def test_segments_take_the_speaker_of_a_span_that_they_lie_in() -> None:
    data = {
        "segments": [
            {"start": 0.0, "end": 2.0, "text": "Is the hull dry?"},
            {"start": 2.0, "end": 5.0, "text": "Since yesterday. And the mast?"},
            {"start": 5.0, "end": 7.0, "text": "Since this morning."},
        ],
        "turns_by_voice": [
            {"speaker": "A", "start": 0.0, "end": 2.1},
            {"speaker": "B", "start": 2.1, "end": 3.4},
            {"speaker": "A", "start": 3.4, "end": 4.9},
            {"speaker": "B", "start": 4.9, "end": 7.2},
        ],
    }
    assert [speaker for speaker, *_ in _said(data)] == ["A", None, "B"]


@pytest.mark.parametrize(
    "people",
    [
        [{"kennung": "p1", "anzeigename": "Ida Holm"}, {"kennung": "p2", "anzeigename": None}],
        {"p1": "Ida Holm"},
        {"p1": {"nom": "Ida Holm", "role": "host"}},
    ],
)
def test_ids_take_the_names_that_a_file_lists_elsewhere(people: Any) -> None:
    talk = [
        {"speaker": f"p{1 + at % 2}", "start": at, "text": text} for at, text in enumerate(_TEXTS)
    ]
    assert [own[0] for own in _said({"teilnehmende": people, "turns": talk})] == [
        "Ida Holm",
        "p2",
        "Ida Holm",
        "p2",
    ]


def test_numbers_of_speakers_take_no_names_of_chapters() -> None:
    talk = [{"speaker": at % 2, "start": at, "text": text} for at, text in enumerate(_TEXTS)]
    chapters = [{"id": 0, "name": "The Hull"}, {"id": 1, "name": "The Mast"}]
    assert {own[0] for own in _said({"chapters": chapters, "turns": talk})} == {"0", "1"}
    assert {own[0] for own in _said({"people": chapters, "turns": talk})} == {
        "The Hull",
        "The Mast",
    }


def test_a_log_of_captions_has_its_last_words_and_the_names_of_who_joined() -> None:
    log: list[dict[str, Any]] = [{"ev": "open", "room": "boats"}]
    log += [
        {"ev": "join", "t": at, "uid": f"u-{at}", "display": name} for at, name in enumerate(_PAIR)
    ]
    for at, text in enumerate(_TEXTS):
        own = {"ev": "caption", "uid": f"u-{at % 2}", "t": 4000 * at, "dur": 3000}
        log += [own | {"final": False, "txt": text[:9]}, own | {"final": True, "txt": text}]
    log.append({"ev": "leave", "t": 90, "uid": "u-1"})
    text = "\n".join(map(json.dumps, log))
    assert _said(text) == [(_PAIR[at % 2], 4.0 * at, said) for at, said in enumerate(_TEXTS)]
    notes = " ".join(parse_json(text).notes)
    assert "4 interim results left out" in notes
    assert "1 open, 2 join, 1 leave" in notes


def test_what_only_makes_sounds_is_nobody() -> None:
    talk = [
        {"speaker": who, "start": at, "text": text}
        for at, (who, text) in enumerate(
            [("Ida", "Is it dry?"), ("Noise", "[door]"), ("Per", "(laughs)"), ("Per", "It is.")]
        )
    ]
    source = parse_json(json.dumps({"turns": talk}))
    assert [turn.speaker for turn in checked(source).turns] == ["Ida", None, "Per", "Per"]


def test_lists_of_chapters_are_one() -> None:
    rows = [
        {"n": at, "aaa": _PAIR[at % 2], "bbb": f"00:00:0{at}", "ccc": text}
        for at, text in enumerate(_TEXTS)
    ]
    data = {"parts": [{"head": "One", "lines": rows[:1]}, {"head": "Two", "lines": rows[1:]}]}
    assert _said(data) == [(_PAIR[at % 2], float(at), text) for at, text in enumerate(_TEXTS)]


def test_an_id_with_two_names_keeps_its_own() -> None:
    talk = [{"speaker": f"p{at % 2}", "start": at, "text": text} for at, text in enumerate(_TEXTS)]
    people = [{"id": "p0", "name": "Ida"}, {"id": "p0", "name": "Ina"}, {"id": "p1", "name": "Per"}]
    assert {own[0] for own in _said({"people": people, "turns": talk})} == {"p0", "Per"}


def test_many_wrapped_talks_are_read_in_time_of_their_length() -> None:
    talk = [{"speaker": "Ida", "text": "It is."}, {"speaker": "Per", "text": "Is it?"}] * 5
    began = process_time()
    parse_json(json.dumps({f"k{at}": {"segments": talk} for at in range(400)}))
    assert process_time() - began < 10


def test_ids_under_keys_that_nobody_knows_take_names_or_are_noted() -> None:
    rows = [
        {"n": 7 * at, "aaa": f"p-{at % 2}", "bbb": f"00:00:0{at}", "ccc": text}
        for at, text in enumerate(_TEXTS)
    ]
    roster = [{"pid": f"p-{at}", "displayAs": name} for at, name in enumerate(_PAIR)]
    parsed = parse_json(json.dumps({"roster": roster, "exchange": rows}))
    speakers = [turn.speaker for turn in parsed.turns]
    is_noted = "no speaker taken, though its records have aaa (p-0, p-1)" in " ".join(parsed.notes)
    assert speakers == [*_PAIR] * 2 or (set(speakers) == {None} and is_noted)


_TALK = [
    ("Petra Holm", "The orchard gate stays shut.", 4.1, 6.0),
    ("Lars Vik", "Who has the key to it?", 6.4, 8.2),
    ("Petra Holm", "I left it at the mill.", 8.9, 11.3),
    ("Lars Vik", "Then we fetch it today.", 11.9, 14.0),
]


@pytest.mark.parametrize(
    "record",
    [
        lambda who, text, a, b: {"text": text, "teller": who, "sec0": a, "sec1": b},
        lambda who, text, a, b: {"speaker": who, "words_heard": text, "sec0": a, "sec1": b},
        lambda who, text, a, b: {"start": a, "halt_at": b, "actor": who, "heard": text},
        lambda who, text, a, b: {"when": {"at": a, "till": b}, "p": {"n": who}, "c": text},
        lambda who, text, a, b: {"text": text, "ms_in": a * 1000, "ms_out": b * 1000, "p": who},
        lambda who, text, a, b: [a, b, who, text],
    ],
)
@pytest.mark.parametrize("place", ["segments", "a.list", ""])
def test_one_known_key_doesn_t_keep_the_others_from_being_read(record: Any, place: str) -> None:
    data: Any = [record(*own) for own in _TALK]
    for key in reversed(place.split(".") if place and isinstance(data[0], dict) else []):
        data = {key: data}
    turns = parse_json(json.dumps(data)).turns
    assert [(t.speaker, t.text, t.start_s, t.end_s) for t in turns] == [
        (who, text, pytest.approx(a), pytest.approx(b)) for who, text, a, b in _TALK
    ]


def test_keys_that_are_not_read_are_named_beside_those_that_are() -> None:
    data = [
        {"text": text, "speaker": who, "start": a, "mood": "calm", "score": 0.9}
        for who, text, a, _ in _TALK
    ]
    assert parse_json(json.dumps(data)).notes == ("not read: mood, score",)


def test_places_of_signs_in_a_text_and_whole_running_numbers_are_no_times() -> None:
    at, data, counted = 0, [], []
    for who, text, _, _ in _TALK:
        data.append({"text": text, "teller": who, "from_sign": at, "to_sign": at + len(text)})
        counted.append({"text": text, "teller": who, "row": at})
        at += len(text) + 1
    for records, left in ((data, "from_sign, to_sign"), (counted, "row")):
        parsed = parse_json(json.dumps(records))
        assert {turn.start_s for turn in parsed.turns} == {None}
        assert f"not read: {left}" in parsed.notes
