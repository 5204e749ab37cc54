"""What a JSON transcript says beside its turns."""

import json

import pytest

from dynagrag.ingest.load.json_forms import parse_json


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"audio_url": "https://example.org/a.mp3"}, "https://example.org/a.mp3"),
        ({"webpage_url": "https://example.org/watch"}, "https://example.org/watch"),
        ({"audio_url": "javascript:alert(1)"}, None),
        ({"audio_url": ["https://example.org/a.mp3"]}, None),
        ({}, None),
    ],
)
def test_the_recordings_address_is_kept(given: dict[str, object], kept: str | None) -> None:
    found = parse_json(
        json.dumps(
            {"utterances": [{"speaker": "A", "text": "So it is.", "start": 0, "end": 900}], **given}
        )
    )
    assert found.meta.get("media_url") == kept
