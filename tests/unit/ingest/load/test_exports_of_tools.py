"""What editors, chats and mail write: shapes of public documentation, words of our own."""

from pathlib import Path
from typing import Any

import pytest
from loaded import Row, load, rows


def words(text: str, first: float, unit: float = 1.0, **more: Any) -> list[dict[str, Any]]:
    """Single words, half a second each."""
    return [
        {"text": word, "start": (first + at / 2) * unit, "end": (first + at / 2 + 0.5) * unit}
        | more
        for at, word in enumerate(text.split())
    ]


GATE: list[Row] = [("Ida", 1.0, 2.5, "The gate sticks."), ("Per", 3.0, 4.0, "Since when?")]
ALL = [*words("The gate sticks.", 1.0), *words("Since when?", 3.0)]
ALL_MS = [*words("The gate sticks.", 1.0, 1000), *words("Since when?", 3.0, 1000)]
NAMES = [{"id": "9c1", "name": "Ida"}, {"id": "7d2", "name": "Per"}]


def spans(unit: float = 1.0, **more: Any) -> list[dict[str, Any]]:
    return [
        {"speaker": "Ida", "start": 1 * unit, "end": 2.5 * unit, **more},
        {"speaker": "Per", "start": 3 * unit, "end": 4 * unit, **more},
    ]


EDITORS = {
    "words beside paragraphs that name the speakers": {"words": ALL, "paragraphs": spans()},
    "the same in milliseconds, a level down": {
        "transcript": {"words": ALL_MS, "paragraphs": spans(1000)}
    },
    "speakers with a time and a duration": {
        "words": [{"text": w["text"], "time": w["start"] * 1000, "duration": 500} for w in ALL],
        "speakers": [
            {"name": "Ida", "time": 1000, "duration": 1500},
            {"name": "Per", "time": 3000, "duration": 1000},
        ],
    },
    "blocks of an editor with their data inside": {
        "blocks": [
            {
                "text": text,
                "type": "paragraph",
                "inlineStyleRanges": [],
                "entityRanges": [],
                "data": {"speaker": speaker, "start": start, "end": end, "words": []},
            }
            for speaker, start, end, text in GATE
        ],
        "entityMap": {},
    },
    "segments with words and ids of speakers": {
        "language": "en-us",
        "segments": [
            {
                "speaker": "9c1",
                "start": 1.0,
                "duration": 1.5,
                "words": [{**w, "type": "word"} for w in words("The gate sticks.", 1.0)],
            },
            {
                "speaker": "7d2",
                "start": 3.0,
                "duration": 1.0,
                "words": [{**w, "type": "word"} for w in words("Since when?", 3.0)],
            },
        ],
        "speakers": NAMES,
    },
    "words with data_start, blanks between": [
        {
            "speaker": speaker,
            "speaker_number": 1,
            "words": [
                own
                for w in words(text, start)
                for own in (
                    {
                        "text": w["text"],
                        "type": "text",
                        "data_start": w["start"],
                        "data_end": w["end"],
                    },
                    {"text": " ", "type": "space"},
                )
            ],
        }
        for speaker, start, _, text in GATE
    ],
    "speech within each part": {
        "data": {
            "transcript": {
                "content": [
                    {"speakerName": speaker, "speech": {"start": start, "end": end, "text": text}}
                    for speaker, start, end, text in GATE
                ]
            }
        }
    },
    "formatted words of a phone": {
        "transcription": [
            {
                "words": [
                    {
                        "word": w["text"].lower().strip(".?"),
                        "formattedWord": w["text"],
                        "startMs": str(int(w["start"] * 1000)),
                        "endMs": str(int(w["end"] * 1000)),
                        "speakerTag": speaker,
                    }
                    for w in words(text, start)
                ]
            }
            for speaker, start, _, text in GATE
        ]
    },
}


@pytest.mark.parametrize("shape", EDITORS)
def test_a_tools_json_is_read_with_its_speakers_and_times(tmp_path: Path, shape: str) -> None:
    assert rows(load(tmp_path, "a.json", EDITORS[shape])) == GATE


CHAT: list[Row] = [("Ida", 0.0, None, "The gate sticks."), ("Per", 8.0, None, "Since when?")]
NINE, LATER = "2024-04-25T09:00:01", "2024-04-25T09:00:09"
MS = 1714035601000
CHATS = {
    "discord": {
        "guild": {"name": "Yard"},
        "messages": [
            {
                "id": "1",
                "timestamp": f"{when}+00:00",
                "content": text,
                "attachments": [],
                "author": {"id": "9", "name": f"{name.lower()}_l", "nickname": name},
            }
            for when, name, text in (
                (NINE, "Ida", "The gate sticks."),
                (LATER, "Per", "Since when?"),
            )
        ],
    },
    "telegram": {
        "name": "Yard",
        "messages": [
            {
                "id": 1,
                "type": "message",
                "date": NINE,
                "date_unixtime": "1714035601",
                "from": "Ida",
                "from_id": "user1",
                "text": ["The gate ", {"type": "bold", "text": "sticks"}, "."],
            },
            {
                "id": 2,
                "type": "message",
                "date": LATER,
                "date_unixtime": "1714035609",
                "from": "Per",
                "from_id": "user2",
                "text": "Since when?",
            },
        ],
    },
    "matrix": {
        "messages": [
            {"sender": name, "origin_server_ts": ms, "content": {"msgtype": "m.text", "body": text}}
            for name, ms, text in (
                ("Ida", MS, "The gate sticks."),
                ("Per", MS + 8000, "Since when?"),
            )
        ]
    },
    "google chat": {
        "messages": [
            {
                "creator": {"name": "Ida", "user_type": "Human"},
                "text": "The gate sticks.",
                "created_date": "Thursday, 25 April 2024 at 09:00:01 UTC",
                "topic_id": "a",
            },
            {
                "creator": {"name": "Per", "user_type": "Human"},
                "text": "Since when?",
                "created_date": "Thursday, 25 April 2024 at 09:00:09 UTC",
                "topic_id": "a",
            },
        ]
    },
    "teams": {
        "value": [
            {
                "createdDateTime": f"{NINE}Z",
                "from": {"user": {"displayName": "Ida"}},
                "body": {"contentType": "html", "content": "<div>The gate <b>sticks</b>.</div>"},
            },
            {
                "createdDateTime": f"{LATER}Z",
                "from": {"user": {"displayName": "Per"}},
                "body": {"contentType": "text", "content": "Since when?"},
            },
        ]
    },
    "signal": [
        {"date": NINE, "sender": "Ida", "body": "The gate sticks."},
        {"date": LATER, "sender": "Per", "body": "Since when?"},
    ],
    "messenger, the newest first": {
        "participants": [{"name": "Ida"}, {"name": "Per"}],
        "messages": [
            {"sender_name": "Per", "timestamp_ms": MS + 8000, "content": "Since when?"},
            {"sender_name": "Ida", "timestamp_ms": MS, "content": "The gate sticks."},
        ],
    },
    "slack": [
        {
            "type": "message",
            "user": "U1",
            "ts": "1714035601.0",
            "text": "The <https://x.org|gate> sticks.",
            "user_profile": {"real_name": "Ida"},
        },
        {
            "type": "message",
            "user": "U2",
            "ts": "1714035609.0",
            "text": "Since when?",
            "user_profile": {"real_name": "Per"},
        },
    ],
}


@pytest.mark.parametrize("tool", CHATS)
def test_a_chats_json_is_read_with_its_senders_and_times(tmp_path: Path, tool: str) -> None:
    source = load(tmp_path, "result.json", CHATS[tool])
    assert rows(source) == CHAT
    assert "times count from the first turn's date, 2024-04-25 09:00:01 UTC" in source.notes


def test_times_of_records_that_are_not_taken_are_noted(tmp_path: Path) -> None:
    data = [{"speaker": "Ida", "clocked": "at 09:12 h", "text": "The gate sticks."}] * 3
    assert load(tmp_path, "a.json", data).notes == (
        "not read: clocked",
        "no time taken, though its records have clocked (at 09:12 h)",
    )


def test_times_that_most_texts_begin_with_are_theirs(tmp_path: Path) -> None:
    texts = [f"[0:0{at}] {text}" for at, text in enumerate(["Tar it.", "Oh.", "So we wait."], 1)]
    expected = [("Ida", 1.0, None, "Tar it."), ("Ida", 2.0, None, "Oh.")]
    cells = "\n".join(["speaker,text", *(f"Ida,{text}" for text in texts)])
    assert rows(load(tmp_path, "a.csv", cells))[:2] == expected
    records = [{"speaker": "Ida", "text": text} for text in texts]
    assert rows(load(tmp_path, "a.json", records))[:2] == expected


def test_times_that_some_texts_begin_with_are_noted(tmp_path: Path) -> None:
    texts = ["[0:01] Tar it.", "[0:09] Oh.", "[0:05] Wait.", "Yes."]
    records = [{"speaker": "Ida", "text": text} for text in texts]
    assert load(tmp_path, "a.json", records).notes == (
        "no time taken, though 3 texts begin with one, first '[0:01] Tar it.'",
    )


def test_times_in_the_html_of_segments_are_theirs(tmp_path: Path) -> None:
    texts = [f'<p><span data-timestamp="{at}">0:0{at}</span> Tar it.</p>' for at in (2, 5)]
    assert rows(load(tmp_path, "a.json", [{"speaker": "Ida", "text": own} for own in texts])) == [
        ("Ida", 2.0, None, "Tar it."),
        ("Ida", 5.0, None, "Tar it."),
    ]


LINES_OF_TALK = ["Ida: The gate sticks.", "Per: Since when?", "Ida: Since noon.", "Per: Oh."]


def test_a_field_that_holds_a_whole_transcript_is_read_as_one(tmp_path: Path) -> None:
    speakers = ["Ida", "Per", "Ida", "Per"]
    notes = {"notes": [{"created_at": NINE, "title": "1", "text": "\n".join(LINES_OF_TALK)}]}
    source = load(tmp_path, "a.json", notes)
    assert [turn.speaker for turn in source.turns] == speakers
    html = "".join(f"<p>{line}</p>" for line in LINES_OF_TALK)
    source = load(tmp_path, "a.csv", f'Title,Content\n1,"{html}"\n')
    assert [turn.speaker for turn in source.turns] == speakers
    assert source.notes[-1] == "each of its texts is read as a transcript"


def test_names_in_the_texts_of_a_form_without_speakers_are_speakers(tmp_path: Path) -> None:
    expected = [("Ida", 0.0), ("Per", 4.0), ("Ida", 8.0), ("Per", 12.0)]
    cells = [f"0:{4 * at:02},{line}" for at, line in enumerate(LINES_OF_TALK)]
    source = load(tmp_path, "a.csv", "\n".join(["Timestamp,Transcript", *cells]))
    assert [row[:2] for row in rows(source)] == expected
    segments = [{"start": 4 * at, "text": line} for at, line in enumerate(LINES_OF_TALK)]
    source = load(tmp_path, "a.json", {"segments": segments})
    assert [row[:2] for row in rows(source)] == expected
    assert [row[3] for row in rows(source)][1] == "Since when?"
    assert {label.text for label in source.labels} == {"Ida", "Per"}


def test_ranges_of_timecodes_with_frames_are_times(tmp_path: Path) -> None:
    text = "".join(
        f"[01:00:0{at}:05 - 01:00:0{at + 1}:20]\n{line.replace(': ', chr(10))}\n\n"
        for at, line in enumerate(LINES_OF_TALK, 1)
    )
    source = load(tmp_path, "a.txt", text)
    assert rows(source)[0] == ("Ida", 3601.2, 3602.8, "The gate sticks.")
    assert source.notes[0] == "frames counted as 25 a second (the file doesn't say)"


def test_words_in_spans_without_blanks_between_are_words(tmp_path: Path) -> None:
    spans = "".join(
        f'<span begin="{at}.0" end="{at}.5" podcasts:unit="word">{word}</span>'
        for at, word in enumerate("The gate sticks.".split(), 1)
    )
    text = (
        '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:podcasts="http://example.org/t"'
        ' xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><body><div>'
        f'<p begin="1.0" end="4.0" ttm:agent="SPEAKER_1"><span podcasts:unit="sentence">{spans}'
        "</span></p></div></body></tt>"
    )
    assert rows(load(tmp_path, "a.ttml", text)) == [("SPEAKER_1", 1.0, 4.0, "The gate sticks.")]


LINES = {
    "a.ctm": (
        ";; by hand\nyard 1 1.00 0.50 the 0.98\nyard 1 1.50 0.50 gate 0.91\n"
        "yard 1 2.00 0.50 sticks 0.9\nyard 1 6.00 0.50 since 0.9\nyard 1 6.50 0.50 when 0.9\n",
        [(None, 1.0, 2.5, "the gate sticks"), (None, 6.0, 7.0, "since when")],
    ),
    "a.stm": (
        ';; CATEGORY "0" "" ""\nyard 1 Ida 1.00 2.50 <o,f0,female> the gate sticks\n'
        "yard 1 Per 3.00 4.00 <o,f0,male> since when\n"
        "yard 1 inter_segment_gap 4.00 5.00 <o,,> ignore_time_segment_in_scoring\n",
        [("Ida", 1.0, 2.5, "the gate sticks"), ("Per", 3.0, 4.0, "since when")],
    ),
    "a.rttm": (
        "SPKR-INFO yard 1 <NA> <NA> <NA> unknown Ida <NA> <NA>\n"
        "LEXEME yard 1 1.00 0.50 the lex Ida 0.9 <NA>\n"
        "LEXEME yard 1 1.50 0.50 gate lex Ida 0.9 <NA>\n"
        "LEXEME yard 1 3.00 0.50 when lex Per 0.9 <NA>\n",
        [("Ida", 1.0, 2.0, "the gate"), ("Per", 3.0, 3.5, "when")],
    ),
}


@pytest.mark.parametrize("ending", ["own", ".txt"])
@pytest.mark.parametrize("name", LINES)
def test_lines_of_scoring_tools_are_read(tmp_path: Path, name: str, ending: str) -> None:
    content, expected = LINES[name]
    source = load(tmp_path, name if ending == "own" else f"a{ending}", content)
    assert rows(source) == expected
    assert source.format == name[2:]


def test_rttm_without_words_is_refused_with_what_to_give(tmp_path: Path) -> None:
    line = "SPEAKER yard 1 {} 1.50 <NA> <NA> Ida <NA> <NA>\n"
    refused = load(tmp_path, "a.rttm", line.format("1.00") + line.format("3.00")).refused
    assert refused is not None
    assert refused.startswith("is an RTTM file: it says who speaks when, without words; give ")


MAIL = (
    "From ida@x.org Thu Apr 25 09:00:01 2024\nFrom: Ida Lund <ida@x.org>\nSubject: The gate\n"
    "Date: Thu, 25 Apr 2024 09:00:01 +0000\nMessage-ID: <1@x.org>\n"
    "Content-Type: text/plain; charset=utf-8\n\nThe gate sticks.\n\n"
    "From per@x.org Thu Apr 25 09:10:01 2024\nFrom: Per Moe <per@x.org>\nSubject: Re: The gate\n"
    "Date: Thu, 25 Apr 2024 11:10:01 +0200\nMIME-Version: 1.0\n"
    'Content-Type: multipart/alternative; boundary="b1"\n\n'
    '--b1\nContent-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: base64\n\n'
    "U2luY2Ugd2hlbj8KPiBUaGUgZ2F0ZSBzdGlja3Mu\n--b1\nContent-Type: text/html\n\n<p>x</p>\n--b1--\n"
)


def test_a_box_of_mail_is_a_turn_a_message_without_what_it_quotes(tmp_path: Path) -> None:
    source = load(tmp_path, "a.mbox", MAIL)
    assert rows(source) == [
        ("Ida Lund", 0.0, None, "The gate sticks."),
        ("Per Moe", 600.0, None, "Since when?"),
    ]
    assert source.title == "The gate"
    assert "1 quoted line left out" in source.notes
