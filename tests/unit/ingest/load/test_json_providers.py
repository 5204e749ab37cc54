"""The JSON of recognisers and meeting tools, in the shapes that their public documentation shows.

The words and values are our own.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.json_forms import parse_json
from dynagrag.ingest.load.whole_turns import turns_of

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, data: Any) -> LoadedSource:
    path = folder / "a.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


def words(text: str, key: str = "word", first: float = 1.0, **more: Any) -> list[dict[str, Any]]:
    """Single words, half a second each."""
    return [
        {key: word, "start": first + at / 2, "end": first + at / 2 + 0.5, **more}
        for at, word in enumerate(text.split())
    ]


GATE = [("A", 1.0, 2.5, "The gate sticks."), ("B", 3.0, 4.0, "Since when?")]
"""What each case with speakers A and B says."""
NOBODY: list[Row] = [(None, start, end, text) for _, start, end, text in GATE]


def as_speakers(first: str | None, second: str | None, rows: list[Any] = GATE) -> list[Row]:
    return [(speaker, *row[1:]) for speaker, row in zip((first, second), rows, strict=True)]


def aws_item(word: str, start: str | None, end: str | None = None, **more: Any) -> dict[str, Any]:
    timed = {"type": "pronunciation", "start_time": start, "end_time": end}
    return {
        **(timed if start else {"type": "punctuation"}),
        "alternatives": [{"confidence": "0.9", "content": word}],
        **more,
    }


AWS_ITEMS = [
    aws_item("The", "1.0", "1.5"),
    aws_item("gate", "1.5", "2.0"),
    aws_item("sticks", "2.0", "2.5"),
    aws_item(".", None),
    aws_item("Since", "3.0", "3.5"),
    aws_item("when", "3.5", "4.0"),
    aws_item("?", None),
]
AWS_TEXT = [{"transcript": "The gate sticks. Since when?"}]
AWS_LABELS = {
    "speakers": 2,
    "segments": [
        {
            "start_time": "1.0",
            "end_time": "2.5",
            "speaker_label": "spk_0",
            "items": [
                {"speaker_label": "spk_0", "start_time": start, "end_time": end}
                for start, end in (("1.0", "1.5"), ("1.5", "2.0"), ("2.0", "2.5"))
            ],
        },
        {
            "start_time": "3.0",
            "end_time": "4.0",
            "speaker_label": "spk_1",
            "items": [
                {"speaker_label": "spk_1", "start_time": start, "end_time": end}
                for start, end in (("3.0", "3.5"), ("3.5", "4.0"))
            ],
        },
    ],
}
DEEPGRAM_WORDS = [
    {
        "word": word.strip(".?").lower(),
        "start": start,
        "end": start + 0.5,
        "speaker": speaker,
        "punctuated_word": word,
    }
    for word, start, speaker in (
        ("The", 1.0, 0),
        ("gate", 1.5, 0),
        ("sticks.", 2.0, 0),
        ("Since", 3.0, 1),
        ("when?", 3.5, 1),
    )
]
GOOGLE_WORDS = [
    ("the", 1.0, 1),
    ("gate", 1.5, 1),
    ("sticks", 2.0, 1),
    ("since", 3.0, 2),
    ("when", 3.5, 2),
]


def google_words(as_time: Any, *keys: str, is_told: bool = True) -> list[dict[str, Any]]:
    start, end, speaker = keys
    return [
        {
            start: as_time(at),
            end: as_time(at + 0.5),
            "word": word,
            **({speaker: tag} if is_told else {}),
        }
        for word, at, tag in GOOGLE_WORDS
    ]


def google_seconds(at: float) -> str:
    return f"{at:.3f}s"


def proto(at: float) -> dict[str, int]:
    return {"seconds": int(at), "nanos": int(at % 1 * 1e9)}


GOOGLE_ROWS: list[Row] = [("1", 1.0, 2.5, "the gate sticks"), ("2", 3.0, 4.0, "since when")]
AZURE_BEST = [
    {
        "confidence": 0.9,
        "lexical": "the gate sticks",
        "itn": "the gate sticks",
        "maskedITN": "the gate sticks",
        "display": "The gate sticks.",
    }
]
AZURE_BATCH = {
    "source": "https://example.org/a.wav",
    "durationInTicks": 50000000,
    "combinedRecognizedPhrases": [{"channel": 0, "display": "The gate sticks. Since when?"}],
    "recognizedPhrases": [
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": 1,
            "offset": "PT1S",
            "duration": "PT1.5S",
            "offsetInTicks": 10000000.0,
            "durationInTicks": 15000000.0,
            "nBest": AZURE_BEST,
        },
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": 2,
            "offset": "PT3S",
            "duration": "PT1S",
            "offsetInTicks": 30000000.0,
            "durationInTicks": 10000000.0,
            "nBest": [{"lexical": "since when", "display": "Since when?"}],
        },
    ],
}
AZURE_LIVE = [
    {
        "Id": "a",
        "RecognitionStatus": "Success",
        "DisplayText": "The gate sticks.",
        "Offset": 10000000,
        "Duration": 15000000,
        "Channel": 0,
        "Type": "ConversationTranscription",
        "SpeakerId": "Guest-1",
    },
    {
        "Id": "b",
        "RecognitionStatus": "Success",
        "DisplayText": "Since when?",
        "Offset": 30000000,
        "Duration": 10000000,
        "Channel": 0,
        "Type": "ConversationTranscription",
        "SpeakerId": "Guest-2",
    },
]


def rev_elements(text: str, first: float, is_person: bool = False) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for at, word in enumerate(text.split()):
        start, end = first + at / 2, first + at / 2 + 0.5
        times = (
            {
                "timestamp": f"00:00:{start:06.3f}".replace(".", ","),
                "end_timestamp": f"00:00:{end:06.3f}".replace(".", ","),
            }
            if is_person
            else {"ts": start, "end_ts": end}
        )
        made += [{"type": "punct", "value": " "}] if made else []
        made.append({"type": "text", "value": word.rstrip(".?"), **times})
        made += [{"type": "punct", "value": word[-1]}] if word[-1] in ".?" else []
    return made


SENTENCES = [
    {
        "index": 0,
        "speaker_name": "A",
        "speaker_id": 0,
        "text": "The gate sticks.",
        "raw_text": "the gate sticks",
        "start_time": 1.0,
        "end_time": 2.5,
    },
    {
        "index": 1,
        "speaker_name": "B",
        "speaker_id": 1,
        "text": "Since when?",
        "raw_text": "since when",
        "start_time": 3.0,
        "end_time": 4.0,
    },
]
UTTERANCES = [
    {"speaker": speaker, "start": start, "end": end, "text": text, "confidence": 0.9, "words": []}
    for speaker, start, end, text in GATE
]
UTTERANCES_MS = [
    own | {"start": own["start"] * 1000, "end": own["end"] * 1000} for own in UTTERANCES
]
SEGMENTS = [
    {"speaker": speaker, "start": start, "end": end, "text": text}
    for speaker, start, end, text in GATE
]
ELEVEN = [
    word
    for own, speaker in (
        (words("The gate sticks.", "text"), "A"),
        (words("Since when?", "text", 3.0), "B"),
    )
    for one in own
    for word in (
        {**one, "type": "word", "speaker_id": speaker},
        {
            "text": " ",
            "start": one["end"],
            "end": one["end"] + 0.4,
            "type": "spacing",
            "speaker_id": speaker,
        },
    )
]


def speechmatics(speakers: bool = True) -> list[dict[str, Any]]:
    return [
        {
            "type": kind,
            "start_time": start,
            "end_time": end,
            "alternatives": [
                {"content": text, "confidence": 1.0} | ({"speaker": speaker} if speakers else {})
            ],
            **({"attaches_to": "previous", "is_eos": True} if kind == "punctuation" else {}),
        }
        for kind, text, start, end, speaker in (
            ("word", "The", 1.0, 1.5, "S1"),
            ("word", "gate", 1.5, 2.0, "S1"),
            ("word", "sticks", 2.0, 2.5, "S1"),
            ("punctuation", ".", 2.5, 2.5, "S1"),
            ("word", "Since", 3.0, 3.5, "UU"),
            ("word", "when", 3.5, 4.0, "UU"),
            ("punctuation", "?", 4.0, 4.0, "UU"),
        )
    ]


WATSON = {
    "result_index": 0,
    "results": [
        {
            "final": True,
            "alternatives": [
                {
                    "transcript": "the gate sticks since when ",
                    "confidence": 0.9,
                    "timestamps": [[word, at, at + 0.5] for word, at, _ in GOOGLE_WORDS],
                }
            ],
        }
    ],
    "speaker_labels": [
        {"from": at, "to": at + 0.5, "speaker": tag - 1, "confidence": 0.5, "final": False}
        for _, at, tag in GOOGLE_WORDS
    ],
}
BARE: list[Row] = [("0", 1.0, 2.5, "the gate sticks"), ("1", 3.0, 4.0, "since when")]

CASES: dict[str, tuple[Any, str, list[Row]]] = {
    "aws, words and spans of speakers": (
        {"results": {"transcripts": AWS_TEXT, "speaker_labels": AWS_LABELS, "items": AWS_ITEMS}},
        "aws-json",
        as_speakers("spk_0", "spk_1"),
    ),
    "aws, nobody told apart": (
        {"jobName": "x", "results": {"transcripts": AWS_TEXT, "items": AWS_ITEMS}},
        "aws-json",
        NOBODY,
    ),
    "aws, channels": (
        {
            "results": {
                "transcripts": AWS_TEXT,
                "channel_labels": {
                    "number_of_channels": 2,
                    "channels": [
                        {"channel_label": "ch_0", "items": AWS_ITEMS[:4]},
                        {"channel_label": "ch_1", "items": AWS_ITEMS[4:]},
                    ],
                },
                "items": AWS_ITEMS,
            }
        },
        "aws-json",
        as_speakers("ch_0", "ch_1"),
    ),
    "aws, calls": (
        {
            "Participants": [],
            "Transcript": [
                {
                    "Id": "1",
                    "ParticipantRole": "AGENT",
                    "Content": "The gate sticks.",
                    "BeginOffsetMillis": 1000,
                    "EndOffsetMillis": 2500,
                    "Items": [],
                },
                {
                    "Id": "2",
                    "ParticipantRole": "CUSTOMER",
                    "Content": "Since when?",
                    "BeginOffsetMillis": 3000,
                    "EndOffsetMillis": 4000,
                    "Items": [],
                },
            ],
        },
        "aws-json",
        as_speakers("AGENT", "CUSTOMER"),
    ),
    "deepgram, paragraphs": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {
                                "transcript": "The gate sticks. Since when?",
                                "words": DEEPGRAM_WORDS,
                                "paragraphs": {
                                    "transcript": "\nSpeaker 0: The gate ...",
                                    "paragraphs": [
                                        {
                                            "sentences": [
                                                {
                                                    "text": "The gate sticks.",
                                                    "start": 1.0,
                                                    "end": 2.5,
                                                }
                                            ],
                                            "speaker": 0,
                                            "start": 1.0,
                                            "end": 2.5,
                                        },
                                        {
                                            "sentences": [
                                                {"text": "Since when?", "start": 3.0, "end": 4.0}
                                            ],
                                            "speaker": 1,
                                            "start": 3.0,
                                            "end": 4.0,
                                        },
                                    ],
                                },
                            }
                        ]
                    }
                ]
            }
        },
        "deepgram-json",
        as_speakers("0", "1"),
    ),
    "deepgram, words": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {"transcript": "The gate sticks. Since when?", "words": DEEPGRAM_WORDS}
                        ]
                    }
                ]
            }
        },
        "deepgram-json",
        as_speakers("0", "1"),
    ),
    "deepgram, two channels": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {
                                "transcript": "The gate sticks.",
                                "words": [
                                    {k: v for k, v in word.items() if k != "speaker"}
                                    for word in DEEPGRAM_WORDS[:3]
                                ],
                            }
                        ]
                    },
                    {
                        "alternatives": [
                            {
                                "transcript": "Since when?",
                                "words": [
                                    {k: v for k, v in word.items() if k != "speaker"}
                                    for word in DEEPGRAM_WORDS[3:]
                                ],
                            }
                        ]
                    },
                ]
            }
        },
        "deepgram-json",
        as_speakers("channel 0", "channel 1"),
    ),
    "deepgram, speakers of two channels have the same numbers": (
        {
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {"transcript": "The gate sticks.", "words": DEEPGRAM_WORDS[:3]}
                        ]
                    },
                    {
                        "alternatives": [
                            {
                                "transcript": "Since when?",
                                "words": [{**word, "speaker": 0} for word in DEEPGRAM_WORDS[3:]],
                            }
                        ]
                    },
                ]
            }
        },
        "deepgram-json",
        as_speakers("0 (channel 0)", "0 (channel 1)"),
    ),
    "deepgram, stream": (
        "\n".join(
            json.dumps(row)
            for row in (
                {
                    "type": "Results",
                    "start": 0,
                    "duration": 2,
                    "is_final": False,
                    "channel_index": [0, 1],
                    "channel": {
                        "alternatives": [{"transcript": "The gay", "words": DEEPGRAM_WORDS[:2]}]
                    },
                },
                {
                    "type": "Results",
                    "start": 0,
                    "duration": 5,
                    "is_final": True,
                    "channel_index": [0, 1],
                    "channel": {
                        "alternatives": [
                            {"transcript": "The gate sticks. Since when?", "words": DEEPGRAM_WORDS}
                        ]
                    },
                },
            )
        ),
        "deepgram-json",
        as_speakers("0", "1"),
    ),
    "google, words again with speakers at the end": (
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "transcript": "the gate sticks",
                            "words": google_words(
                                google_seconds, "startTime", "endTime", "speakerTag", is_told=False
                            )[:3],
                        }
                    ],
                    "languageCode": "en-us",
                },
                {
                    "alternatives": [
                        {
                            "transcript": " since when",
                            "words": google_words(
                                google_seconds, "startTime", "endTime", "speakerTag", is_told=False
                            )[3:],
                        }
                    ]
                },
                {
                    "alternatives": [
                        {
                            "words": google_words(
                                google_seconds, "startTime", "endTime", "speakerTag"
                            )
                        }
                    ]
                },
            ]
        },
        "google-json",
        GOOGLE_ROWS,
    ),
    "google, second version": (
        {
            "results": {
                "gs://x/a.wav": {
                    "transcript": {
                        "results": [
                            {
                                "alternatives": [
                                    {
                                        "transcript": "the gate sticks since when",
                                        "words": google_words(
                                            google_seconds,
                                            "startOffset",
                                            "endOffset",
                                            "speakerLabel",
                                        ),
                                    }
                                ],
                                "resultEndOffset": "4.100s",
                            }
                        ]
                    }
                }
            }
        },
        "google-json",
        GOOGLE_ROWS,
    ),
    "google, protobuf as Python writes it": (
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "transcript": "the gate sticks since when",
                            "confidence": 0.9,
                            "words": google_words(proto, "start_time", "end_time", "speaker_tag"),
                        },
                        {"transcript": "the great sticks since when"},
                    ]
                }
            ]
        },
        "google-json",
        GOOGLE_ROWS,
    ),
    "google, channels": (
        {
            "response": {
                "results": [
                    {
                        "alternatives": [{"transcript": "the gate sticks"}],
                        "channelTag": 1,
                        "resultEndTime": "2.500s",
                    },
                    {
                        "alternatives": [{"transcript": "since when"}],
                        "channelTag": 2,
                        "resultEndTime": "4s",
                    },
                ]
            }
        },
        "google-json",
        [("channel 1", None, 2.5, "the gate sticks"), ("channel 2", None, 4.0, "since when")],
    ),
    "azure, batch": (AZURE_BATCH, "azure-json", as_speakers("1", "2")),
    "azure, batch in ticks alone": (
        {
            "recognizedPhrases": [
                {key: value for key, value in own.items() if key not in {"offset", "duration"}}
                for own in AZURE_BATCH["recognizedPhrases"]
            ]
        },  # type: ignore[attr-defined]
        "azure-json",
        as_speakers("1", "2"),
    ),
    "azure, fast": (
        {
            "durationMilliseconds": 5000,
            "combinedPhrases": [{"text": "The gate sticks. Since when?"}],
            "phrases": [
                {
                    "speaker": 0,
                    "offsetMilliseconds": 1000,
                    "durationMilliseconds": 1500,
                    "text": "The gate sticks.",
                    "words": [
                        {"text": "The", "offsetMilliseconds": 1000, "durationMilliseconds": 500}
                    ],
                },
                {
                    "speaker": 1,
                    "offsetMilliseconds": 3000,
                    "durationMilliseconds": 1000,
                    "text": "Since when?",
                },
            ],
        },
        "azure-json",
        as_speakers("0", "1"),
    ),
    "azure, conversation": (AZURE_LIVE, "azure-json", as_speakers("Guest-1", "Guest-2")),
    "azure, ticks beside durations that say their unit": (
        {
            "items": [
                {
                    "Speaker": speaker,
                    "Text": text,
                    "OffsetInTicks": start * 10_000_000,
                    "Duration": f"00:00:0{end - start:.7f}",
                }
                for speaker, start, end, text in GATE
            ]
        },
        "other-json",
        GATE,
    ),
    "azure, conversation as lines": (
        "\n".join(map(json.dumps, AZURE_LIVE)),
        "azure-json",
        as_speakers("Guest-1", "Guest-2"),
    ),
    "azure, video indexer": (
        {
            "videos": [
                {
                    "insights": {
                        "speakers": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Speaker #2"}],
                        "transcript": [
                            {
                                "id": 1,
                                "text": "The gate sticks.",
                                "speakerId": 1,
                                "instances": [
                                    {
                                        "adjustedStart": "0:00:01",
                                        "start": "0:00:01",
                                        "end": "0:00:02.5",
                                    }
                                ],
                            },
                            {
                                "id": 2,
                                "text": "Since when?",
                                "speakerId": 2,
                                "instances": [{"start": "0:00:03", "end": "0:00:04"}],
                            },
                        ],
                    }
                }
            ]
        },
        "azure-json",
        as_speakers("Ann", "Speaker #2"),
    ),
    "rev": (
        {
            "monologues": [
                {"speaker": 0, "elements": rev_elements("The gate sticks.", 1.0)},
                {"speaker": 1, "elements": rev_elements("Since when?", 3.0)},
            ]
        },
        "rev-json",
        as_speakers("0", "1"),
    ),
    "rev, of people, with names": (
        {
            "speakers": [{"id": 0, "name": "Ann"}, {"id": 1, "name": "Bo"}],
            "monologues": [
                {"speaker": 0, "elements": rev_elements("The gate sticks.", 1.0, is_person=True)},
                {"speaker": 1, "elements": rev_elements("Since when?", 3.0, is_person=True)},
            ],
        },
        "rev-json",
        as_speakers("Ann", "Bo"),
    ),
    "fireflies, answer of its API": (
        {"data": {"transcript": {"title": "Gate", "sentences": SENTENCES}}},
        "fireflies-json",
        GATE,
    ),
    "fireflies, several transcripts": (
        {"data": {"transcripts": [{"sentences": SENTENCES[:1]}, {"sentences": SENTENCES[1:]}]}},
        "fireflies-json",
        GATE,
    ),
    "fireflies, the transcript alone": ({"sentences": SENTENCES}, "fireflies-json", GATE),
    "fireflies, export": (
        [
            {
                "sentence": own["text"],
                "startTime": f"00:0{own['start_time']:.0f}",
                "endTime": f"00:0{own['end_time'] + 0.1:.0f}",
                "speaker_name": own["speaker_name"],
                "speaker_id": own["speaker_id"],
            }
            for own in SENTENCES
        ],
        "fireflies-json",
        [("A", 1.0, 3.0, "The gate sticks."), ("B", 3.0, 4.0, "Since when?")],
    ),
    "assemblyai, milliseconds": ({"utterances": UTTERANCES_MS}, "assemblyai-json", GATE),
    "utterances in seconds": ({"utterances": UTTERANCES}, "assemblyai-json", GATE),
    "assemblyai, words without utterances": (
        {
            "audio_url": "https://example.org/a.mp3",
            "text": "The gate sticks. Since when?",
            "utterances": None,
            "words": [
                {
                    "text": word,
                    "start": int(at * 1000),
                    "end": int(at * 1000) + 500,
                    "speaker": None,
                }
                for word, at in (
                    ("The", 1),
                    ("gate", 1.5),
                    ("sticks.", 2),
                    ("Since", 3),
                    ("when?", 3.5),
                )
            ],
        },
        "assemblyai-json",
        NOBODY,
    ),
    "openai, segments": (
        {
            "task": "transcribe",
            "language": "english",
            "duration": 4.2,
            "text": "The gate ...",
            "segments": [
                {
                    "id": 0,
                    "seek": 0,
                    "start": 1.0,
                    "end": 2.5,
                    "text": " The gate sticks.",
                    "tokens": [50364, 1],
                },
                {
                    "id": 1,
                    "seek": 0,
                    "start": 3.0,
                    "end": 4.0,
                    "text": " Since when?",
                    "tokens": [],
                },
            ],
        },
        "whisperx-json",
        NOBODY,
    ),
    "openai, words whose text has the punctuation": (
        {
            "task": "transcribe",
            "text": "The gate sticks. Since when?",
            "words": words("The gate sticks") + words("Since when", first=3.0),
        },
        "words-json",
        NOBODY,
    ),
    "openai, diarized": (
        {
            "task": "transcribe",
            "duration": 4.2,
            "text": "The gate sticks. Since when?",
            "segments": [
                {
                    "type": "transcript.text.segment",
                    "id": f"seg_{at}",
                    "start": start,
                    "end": end,
                    "text": text,
                    "speaker": speaker,
                }
                for at, (speaker, start, end, text) in enumerate(GATE)
            ],
            "usage": {"type": "duration", "seconds": 5},
        },
        "whisperx-json",
        GATE,
    ),
    "whisperx, speakers at the words alone": (
        {
            "segments": [
                {
                    "start": 1.0,
                    "end": 4.0,
                    "text": "The gate sticks. Since when?",
                    "words": [
                        *words("The gate sticks.", speaker="A"),
                        *words("Since when?", first=3.0, speaker="B"),
                    ],
                }
            ]
        },
        "whisperx-json",
        GATE,
    ),
    "transformers, chunks": (
        {
            "text": " The gate sticks. Since when?",
            "chunks": [
                {"timestamp": [1.0, 2.5], "text": " The gate sticks."},
                {"timestamp": [3.0, None], "text": " Since when?"},
            ],
        },
        "whisper-json",
        [NOBODY[0], (None, 3.0, None, "Since when?")],
    ),
    "elevenlabs": (
        {"language_code": "eng", "text": "The gate sticks. Since when?", "words": ELEVEN},
        "elevenlabs-json",
        GATE,
    ),
    "elevenlabs, channels": (
        {
            "transcripts": [
                {
                    "language_code": "eng",
                    "channel_index": 0,
                    "text": "The gate sticks.",
                    "words": [w | {"speaker_id": None} for w in ELEVEN[:6]],
                },
                {
                    "language_code": "eng",
                    "channel_index": 1,
                    "text": "Since when?",
                    "words": [w | {"speaker_id": None} for w in ELEVEN[6:]],
                },
            ]
        },
        "elevenlabs-json",
        as_speakers("channel 0", "channel 1"),
    ),
    "speechmatics, a speaker it couldn't tell": (
        {"format": "2.9", "metadata": {}, "results": speechmatics()},
        "speechmatics-json",
        as_speakers("S1", None),
    ),
    "speechmatics, nobody told apart": (
        {"results": speechmatics(speakers=False)},
        "speechmatics-json",
        NOBODY,
    ),
    "gladia": (
        {
            "id": "x",
            "status": "done",
            "result": {
                "metadata": {},
                "transcription": {
                    "full_transcript": "The gate sticks. Since when?",
                    "languages": ["en"],
                    "utterances": [
                        {**own, "speaker": at, "channel": 0} for at, own in enumerate(UTTERANCES)
                    ],
                },
            },
        },
        "gladia-json",
        as_speakers("0", "1"),
    ),
    "gladia, first version": (
        {
            "prediction": [
                {
                    "transcription": text,
                    "time_begin": start,
                    "time_end": end,
                    "speaker": at,
                    "channel": "channel_0",
                }
                for at, (_, start, end, text) in enumerate(GATE)
            ]
        },
        "gladia-json",
        as_speakers("0", "1"),
    ),
    "whisper.cpp": (
        {
            "systeminfo": "",
            "params": {},
            "transcription": [
                {
                    "offsets": {"from": 1000, "to": 2500},
                    "text": " The gate sticks.",
                    "speaker": "0",
                },
                {
                    "offsets": {"from": 3000, "to": 4000},
                    "text": " Since when?",
                    "speaker": "?",
                    "tokens": [{"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}}],
                },
            ],
        },
        "whispercpp-json",
        as_speakers("0", None),
    ),
    "youtube json3": (
        {
            "wireMagic": "pb3",
            "events": [
                {"tStartMs": 0, "dDurationMs": 900, "id": 1, "wpWinPosId": 1},
                {
                    "tStartMs": 1000,
                    "dDurationMs": 1500,
                    "segs": [
                        {"utf8": "the"},
                        {"utf8": " gate", "tOffsetMs": 400},
                        {"utf8": " isn&#39;t"},
                    ],
                },
                {"tStartMs": 2500, "aAppend": 1, "segs": [{"utf8": "\n"}]},
                {"tStartMs": 3000, "dDurationMs": 1000, "segs": [{"utf8": "since\nwhen"}]},
            ],
        },
        "youtube-json",
        [(None, 1.0, 2.5, "the gate isn't"), (None, 3.0, 4.0, "since when")],
    ),
    "youtube-transcript-api, with its head": (
        {
            "video_id": "x",
            "language_code": "en",
            "snippets": [
                {"text": "the gate", "start": 1.0, "duration": 1.5},
                {"text": "isn&#39;t stuck", "start": 2.5, "duration": 1.0},
            ],
        },
        "youtube-json",
        [(None, 1.0, 2.5, "the gate"), (None, 2.5, 3.5, "isn't stuck")],
    ),
    "caption scraper, durations as text": (
        [
            {"start": "1.0", "dur": "1.5", "text": "the gate"},
            {"start": "2.5", "dur": "1", "text": "sticks"},
        ],
        "youtube-json",
        [(None, 1.0, 2.5, "the gate"), (None, 2.5, 3.5, "sticks")],
    ),
    "watson": (WATSON, "watson-json", BARE),
    "teams": (
        {
            "version": "1.0.0",
            "type": "Transcript",
            "entries": [
                {
                    "id": "x/1",
                    "text": text,
                    "speakerId": "g",
                    "speakerDisplayName": speaker,
                    "startOffset": f"00:00:0{start:.7f}",
                    "endOffset": f"00:00:0{end:.7f}",
                }
                for speaker, start, end, text in GATE
            ],
            "events": [],
        },
        "teams-json",
        GATE,
    ),
    "vosk, a result a line": (
        "\n".join(
            json.dumps(row)
            for row in (
                {
                    "result": [{"conf": 1.0, **own} for own in words("the gate sticks")],
                    "text": "the gate sticks",
                },
                {
                    "result": [{"conf": 1.0, **own} for own in words("since when", first=3.0)],
                    "text": "since when",
                },
            )
        ),
        "turns-json",
        [(None, 1.0, 2.5, "the gate sticks"), (None, 3.0, 4.0, "since when")],
    ),
    "a list of words": (
        [
            {"w": at, "word": word, "start": start, "end": start + 0.5, "speaker": f"S{tag}"}
            for at, (word, start, tag) in enumerate(GOOGLE_WORDS)
        ],
        "turns-json",
        [("S1", 1.0, 2.5, "the gate sticks"), ("S2", 3.0, 4.0, "since when")],
    ),
    "gong": (
        {
            "requestId": "r",
            "callTranscripts": [
                {
                    "callId": "1",
                    "transcript": [
                        {
                            "speakerId": "77",
                            "topic": "x",
                            "sentences": [{"start": 1000, "end": 2500, "text": "The gate sticks."}],
                        },
                        {
                            "speakerId": "78",
                            "topic": "x",
                            "sentences": [{"start": 3000, "end": 4000, "text": "Since when?"}],
                        },
                    ],
                }
            ],
        },
        "other-json",
        as_speakers("77", "78"),
    ),
    "sonix": (
        {
            "name": "Gate",
            "transcript": [
                {
                    "speaker": speaker,
                    "start_time": start,
                    "end_time": end,
                    "text": text,
                    "words": [],
                }
                for speaker, start, end, text in GATE
            ],
        },
        "other-json",
        GATE,
    ),
    "a meeting bot": (
        [
            {
                "participant": {"id": 5, "name": speaker},
                "words": [
                    {
                        "text": word,
                        "start_timestamp": {"relative": start + at / 2},
                        "end_timestamp": {"relative": start + at / 2 + 0.5},
                    }
                    for at, word in enumerate(text.split())
                ],
            }
            for speaker, start, _, text in GATE
        ],
        "turns-json",
        GATE,
    ),
    "aws, spans of speakers without words": (
        {
            "results": {
                "transcripts": AWS_TEXT,
                "speaker_labels": {
                    "segments": [
                        {key: value for key, value in span.items() if key != "items"}
                        for span in AWS_LABELS["segments"]  # type: ignore[attr-defined]
                    ]
                },
                "items": AWS_ITEMS,
            }
        },
        "aws-json",
        as_speakers("spk_0", "spk_1"),
    ),
    "google, text and words again at the end": (
        {
            "results": [
                {"alternatives": [{"transcript": "the gate sticks"}]},
                {"alternatives": [{"transcript": " since when"}]},
                {
                    "alternatives": [
                        {
                            "transcript": "the gate sticks since when",
                            "words": google_words(
                                google_seconds, "startTime", "endTime", "speakerTag"
                            ),
                        }
                    ]
                },
            ]
        },
        "google-json",
        GOOGLE_ROWS,
    ),
    "a job's answer around a known form": (
        {"id": "x", "input": {"text": "no"}, "output": {"response": {"segments": SEGMENTS}}},
        "whisperx-json",
        GATE,
    ),
    "an answer's body around words": (
        {
            "body": {
                "results": {
                    "channels": [
                        {
                            "alternatives": [
                                {
                                    "transcript": "The gate sticks. Since when?",
                                    "words": DEEPGRAM_WORDS,
                                }
                            ]
                        }
                    ]
                }
            }
        },
        "deepgram-json",
        as_speakers("0", "1"),
    ),
    "assemblyai, sentences": ({"id": "x", "sentences": UTTERANCES_MS}, "assemblyai-json", GATE),
    "assemblyai, stream of growing turns": (
        "\n".join(
            json.dumps({"type": "Turn", "turn_order": 0, "end_of_turn": is_end, "transcript": text})
            for is_end, text in (
                (False, "the gate"),
                (True, "the gate sticks"),
                (True, "The gate sticks."),
            )
        ),
        "turns-json",
        [(None, None, None, "The gate sticks.")],
    ),
    "otter, samples of sound": (
        {
            "speech": {
                "speakers": [{"id": 5, "speaker_name": "A"}, {"id": 6, "speaker_name": "B"}],
                "transcripts": [
                    {
                        "transcript": text,
                        "start_offset": start * 16000,
                        "end_offset": end * 16000,
                        "speaker_id": 5 + at,
                    }
                    for at, (_, start, end, text) in enumerate(GATE)
                ],
            }
        },
        "otter-json",
        GATE,
    ),
    "a chat whose texts are in pieces": (
        {
            "messages": [
                {"from": "A", "text": ["The ", {"type": "bold", "text": "gate"}, " sticks."]},
                {"from": "B", "text": "Since when?"},
            ]
        },
        "other-json",
        [(who, None, None, text) for who, _, _, text in GATE],
    ),
    "speechmatics, streamed": (
        "\n".join(
            json.dumps(row)
            for row in (
                {"message": "RecognitionStarted", "id": "x"},
                {"message": "AddPartialTranscript", "results": speechmatics()[:2]},
                {"message": "AddTranscript", "results": speechmatics()[:4]},
                {"message": "AddTranscript", "results": speechmatics()[4:]},
            )
        ),
        "speechmatics-json",
        as_speakers("S1", None),
    ),
    "openai, streamed": (
        "\n".join(
            json.dumps(row)
            for row in (
                {"type": "transcript.text.delta", "delta": "The gate"},
                *({"type": "transcript.text.segment", "id": "s", **own} for own in SEGMENTS),
                {"type": "transcript.text.done", "text": "The gate sticks. Since when?"},
            )
        ),
        "turns-json",
        GATE,
    ),
    "aws, streamed": (
        "\n".join(
            json.dumps({"Transcript": {"Results": [own]}})
            for own in (
                {"IsPartial": True, "Alternatives": [{"Transcript": "The gay", "Items": []}]},
                *(
                    {
                        "IsPartial": False,
                        "StartTime": start,
                        "EndTime": end,
                        "Alternatives": [
                            {
                                "Transcript": text,
                                "Items": [
                                    {
                                        "Content": "The",
                                        "StartTime": start,
                                        "EndTime": end,
                                        "Type": "pronunciation",
                                        "Speaker": speaker,
                                    }
                                ],
                            }
                        ],
                    }
                    for speaker, start, end, text in GATE
                ),
            )
        ),
        "aws-json",
        GATE,
    ),
    "dates": (
        {
            "messages": [
                {
                    "from": {"name": speaker},
                    "text": text,
                    "startTime": f"2026-03-01T10:00:0{start:.3f}Z",
                    "endTime": f"2026-03-01T10:00:0{end:.3f}Z",
                }
                for speaker, start, end, text in GATE
            ]
        },
        "other-json",
        [("A", 0.0, 1.5, "The gate sticks."), ("B", 2.0, 3.0, "Since when?")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_tools_json_is_read_with_its_speakers_and_times(tmp_path: Path, name: str) -> None:
    data, form, expected = CASES[name]
    source = load(tmp_path, data)
    assert rows(source) == expected
    assert source.format == form


def test_interim_results_and_segments_whose_words_are_too_few_are_noted(tmp_path: Path) -> None:
    stream = load(tmp_path, CASES["deepgram, stream"][0])
    assert stream.notes == ("1 interim result left out",)
    partly = load(
        tmp_path,
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "transcript": "the gate sticks since when did it stick",
                            "words": google_words(
                                google_seconds, "startTime", "endTime", "speakerTag"
                            ),
                        }
                    ],
                    "resultEndTime": "6s",
                }
            ]
        },
    )
    assert rows(partly) == [(None, 1.0, 6.0, "the gate sticks since when did it stick")]
    assert partly.notes == (
        "speakers and times of 1 segment left out: its single words aren't those of its text",
    )


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        (1767312000000, "2026-01-02"),
        ("2026-01-02T10:00:00Z", "2026-01-02"),
        ("soon", None),
        (5, None),
    ],
)
def test_a_meetings_day_is_kept(tmp_path: Path, date: Any, kept: str | None) -> None:
    data = {"data": {"transcript": {"title": "Gate", "date": date, "sentences": SENTENCES}}}
    source = load(tmp_path, data)
    assert source.title == "Gate"
    assert source.meta.get("date") == kept


def test_a_text_that_has_more_words_than_the_segments_is_noted(tmp_path: Path) -> None:
    whole = "The gate sticks. Since when? Since it rained, and nobody oiled it."
    assert load(tmp_path, {"text": whole, "segments": SEGMENTS}).notes == (
        "its whole text has 12 words, its segments 5: only those are read",
    )


def test_a_speaker_of_the_whole_file_speaks_no_segment_of_it(tmp_path: Path) -> None:
    segments = [{key: own[key] for key in ("start", "end", "text")} for own in SEGMENTS]
    assert rows(load(tmp_path, {"speaker": "C", "segments": segments})) == NOBODY


def test_captions_in_json_are_turns_of_whole_sentences(tmp_path: Path) -> None:
    cues = ["the gate isn&#39;t", "stuck, it only", "sticks.", "[Music]"]
    source = load(
        tmp_path,
        [{"text": text, "start": 2.0 * at, "duration": 2.5} for at, text in enumerate(cues)],
    )
    assert [turn.text for turn in turns_of(source)] == [
        "the gate isn't stuck, it only sticks.",
        "[Music]",
    ]


def test_an_unknown_tools_json_says_where_it_was_read_from(tmp_path: Path) -> None:
    source = load(tmp_path, CASES["sonix"][0])
    assert source.notes == ("an unknown JSON form: read from transcript[]",)
    sessions = {
        "talk": {f"session_{at}": [{"speaker": "A", "text": f"Word {at}."}] for at in range(1, 12)},
        "aside": [{"speaker": "B", "text": "Unread."}],
    }
    source = load(tmp_path, sessions)
    assert [turn.text for turn in source.turns] == [f"Word {at}." for at in range(1, 12)]
    assert source.notes == (
        "an unknown JSON form: read from talk.session_N[]",
        "other lists with words are left out: aside[]",
    )
    of_calls = {
        "call": {
            "summary": [{"text": "They talk about a gate that sticks, at length.", "start": 0}],
            "log": [{"who": "Ann", "when": "x", "line": "Hi."}, {"who": "Bo", "line": "Yes."}],
        }
    }
    assert rows(load(tmp_path, of_calls)) == [
        ("Ann", None, None, "Hi."),
        ("Bo", None, None, "Yes."),
    ]


@pytest.mark.parametrize(
    "data",
    [
        {"version": 2, "items": [{"sku": "a", "price": 3}]},
        {"name": "x", "rows": [[1, 2], [3, 4]]},
        {"results": {"channels": [{"alternatives": [{"transcript": "", "words": []}]}]}},
    ],
)
def test_json_without_segments_is_refused_in_one_line(tmp_path: Path, data: Any) -> None:
    refused = load(tmp_path, data).refused
    assert refused is not None
    assert "not a transcript" in refused or "no words" in refused
    assert "\n" not in refused


# ------------------------------------------------------------------------------- No word is lost

Talk = list[tuple[str, str]]
_TALKS = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "C"]),
        st.lists(st.text("abcdeéßжの", min_size=1, max_size=6), min_size=1, max_size=90).map(
            " ".join
        ),
        st.sampled_from(["", ".", "?", "!"]),
    ).map(lambda own: (own[0], own[1] + own[2])),
    min_size=1,
    max_size=5,
)


def timed(talk: Talk) -> list[tuple[str, str, float]]:
    """(speaker, word, start) of each word, half a second each."""
    every = [(speaker, word) for speaker, text in talk for word in text.split()]
    return [(speaker, word, at / 2) for at, (speaker, word) in enumerate(every)]


def _google(talk: Talk) -> Any:
    told = [
        {
            "word": word,
            "startTime": f"{at}s",
            "endTime": f"{at + 0.4}s",
            "speakerTag": ord(who) - 64,
        }
        for who, word, at in timed(talk)
    ]
    heard = [{"alternatives": [{"transcript": text}]} for _, text in talk]
    return {"results": [*heard, {"alternatives": [{"words": told}]}]}


WRITERS: dict[str, Any] = {
    "segments": lambda talk: {
        "segments": [
            {"speaker": who, "text": text, "start": 9 * at, "end": 9 * at + 8}
            for at, (who, text) in enumerate(talk)
        ]
    },
    "utterances": lambda talk: {
        "utterances": [
            {"speaker": who, "text": text, "start": 9000 * at, "end": 9000 * at + 8000}
            for at, (who, text) in enumerate(talk)
        ]
    },
    "aws": lambda talk: {
        "results": {
            "transcripts": [{"transcript": " ".join(text for _, text in talk)}],
            "items": [
                aws_item(word, str(at), str(at + 0.4), speaker_label=who)
                for who, word, at in timed(talk)
            ],
        }
    },
    "deepgram": lambda talk: {
        "results": {
            "channels": [
                {
                    "alternatives": [
                        {
                            "transcript": " ".join(text for _, text in talk),
                            "words": [
                                {
                                    "word": "x",
                                    "punctuated_word": word,
                                    "start": at,
                                    "end": at + 0.4,
                                    "speaker": who,
                                }
                                for who, word, at in timed(talk)
                            ],
                        }
                    ]
                }
            ]
        }
    },
    "google": _google,
    "rev": lambda talk: {
        "monologues": [{"speaker": who, "elements": rev_elements(text, 1.0)} for who, text in talk]
    },
    "elevenlabs": lambda talk: {
        "language_code": "x",
        "text": " ".join(text for _, text in talk),
        "words": [
            own
            for who, word, at in timed(talk)
            for own in (
                {"text": word, "start": at, "end": at + 0.4, "type": "word", "speaker_id": who},
                {"text": " ", "start": at, "end": at, "type": "spacing", "speaker_id": who},
            )
        ],
    },
    "openai words": lambda talk: {
        "text": " ".join(text for _, text in talk),
        "words": [
            {"word": word.rstrip(".?!"), "start": at, "end": at + 0.4}
            for _, word, at in timed(talk)
        ],
    },
    "watson": lambda talk: {
        "results": [
            {
                "alternatives": [
                    {
                        "transcript": " ".join(text for _, text in talk),
                        "timestamps": [[word, at, at + 0.4] for _, word, at in timed(talk)],
                    }
                ]
            }
        ],
        "speaker_labels": [
            {"from": at, "to": at + 0.4, "speaker": ord(who)} for who, _, at in timed(talk)
        ],
    },
    "youtube": lambda talk: {
        "events": [
            {
                "tStartMs": 9000 * at,
                "dDurationMs": 8000,
                "segs": [{"utf8": f"{word} "} for word in text.split()],
            }
            for at, (_, text) in enumerate(talk)
        ]
    },
    "unknown": lambda talk: {
        "body": {
            "log": [
                {"who": who, "line": text, "begin_time": 9 * at}
                for at, (who, text) in enumerate(talk)
            ]
        }
    },
}
_HAS_SPEAKERS = WRITERS.keys() - {"openai words", "youtube"}


@pytest.mark.parametrize("tool", WRITERS)
@given(talk=_TALKS)
def test_the_turns_hold_the_words_of_the_file_under_their_speakers(tool: str, talk: Talk) -> None:
    turns = parse_json(json.dumps(WRITERS[tool](talk))).turns
    assert "".join(turn.text for turn in turns).replace(" ", "") == "".join(
        text for _, text in talk
    ).replace(" ", "")
    if tool in _HAS_SPEAKERS:
        heard: dict[str, list[str]] = {}
        for turn in turns:
            assert turn.speaker is not None
            heard.setdefault(turn.speaker, []).extend(turn.text.split())
        expected: dict[str, list[str]] = {}
        for who, text in talk:
            label = {"google": str(ord(who) - 64), "watson": str(ord(who))}.get(tool, who)
            expected.setdefault(label, []).extend(text.split())
        assert {who: "".join(words) for who, words in heard.items()} == {
            who: "".join(words) for who, words in expected.items()
        }
    starts = [turn.start_s for turn in turns if turn.start_s is not None]
    assert starts == sorted(starts) or tool == "rev"


def test_a_message_s_profile_names_who_its_id_stands_for(tmp_path: Path) -> None:
    day = [
        {
            "type": "message",
            "user": f"U0{number}",
            "ts": f"1715600{number}00.000100",
            "text": "The pump is dry.",
            "user_profile": {"name": name[:3].lower(), "real_name": name, "display_name": ""},
        }
        for number, name in enumerate(("Rina Kapoor", "Tom Hartog", "Rina Kapoor"))
    ]
    path = tmp_path / "day.json"
    path.write_text(json.dumps(day))
    turns = load_source(path).turns
    assert [turn.speaker for turn in turns] == ["Rina Kapoor", "Tom Hartog", "Rina Kapoor"]
