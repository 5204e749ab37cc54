"""Real examples of every format: how each is read, or why it is refused; and the same 120 turns in
eleven forms.

Only the names and counts of these files are here. They lie beside a development checkout; where
they are absent the tests skip.
"""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import find_sources, inspect_row, load_source

DATA = Path(__file__).parents[3].parent / "shared" / "data" / "transcripts"
DERIVED = DATA / "formats" / "derived_cc0_apollo13"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no example transcripts in {DATA}")

READ = {
    "apollo13_two_loops/README.md": ("markdown", 31),
    "apollo13_two_loops/air-ground-loop.json": ("mission-json", 1119),
    "apollo13_two_loops/air-ground-loop.txt": ("mission-clock", 1119),
    "apollo13_two_loops/exhibits_introduction.md": ("markdown", 12),
    "apollo13_two_loops/exhibits_overview-personnel.md": ("markdown", 32),
    "apollo13_two_loops/exhibits_overview-power.md": ("markdown", 28),
    "apollo13_two_loops/exhibits_overview-propulsion.md": ("markdown", 19),
    "apollo13_two_loops/exhibits_postscript.md": ("markdown", 7),
    "apollo13_two_loops/exhibits_primer-accident.md": ("markdown", 7),
    "apollo13_two_loops/exhibits_primer-apollo.md": ("markdown", 24),
    "apollo13_two_loops/exhibits_primer-spaceflight.md": ("markdown", 39),
    "apollo13_two_loops/flight-director-loop.json": ("mission-json", 4267),
    "apollo13_two_loops/flight-director-loop.txt": ("mission-clock", 4268),
    "apollo13_two_loops/glossary.txt": ("text", 176),
    "apollo13_two_loops/guide_script.txt": ("mission-clock", 74),
    "formats/derived_cc0_apollo13/assemblyai.json": ("assemblyai-json", 120),
    "formats/derived_cc0_apollo13/bold_markdown.md": ("markdown", 120),
    "formats/derived_cc0_apollo13/otter.txt": ("otter-text", 120),
    "formats/derived_cc0_apollo13/podcast_namespace.json": ("podcast-json", 120),
    "formats/derived_cc0_apollo13/speaker_colon.txt": ("speaker-text", 120),
    "formats/derived_cc0_apollo13/speaker_prefix.srt": ("srt", 120),
    "formats/derived_cc0_apollo13/turns.csv": ("csv", 120),
    "formats/derived_cc0_apollo13/turns.json": ("turns-json", 120),
    "formats/derived_cc0_apollo13/voice_tags.vtt": ("vtt", 120),
    "formats/derived_cc0_apollo13/whisperx.json": ("whisperx-json", 120),
    "formats/derived_cc0_apollo13/youtube_copy.txt": ("youtube-text", 120),
    "formats/json/real_oyez_2020.19-783-t01.json": ("oyez-json", 166),
    "formats/sbv/webvtt_py_sample.sbv": ("sbv", 5),
    "formats/srt/pysrt_bom-utf-16-le.srt": ("srt", 7),
    "formats/srt/pysrt_no-indexes.srt": ("srt", 7),
    "formats/srt/real_virtualcoffee_1_4.srt": ("srt", 1256),
    "formats/srt/real_virtualcoffee_5_8.srt": ("srt", 1738),
    "formats/srt/webvtt_py_missing_caption_text.srt": ("srt", 4),
    "formats/srt/webvtt_py_sample.srt": ("srt", 5),
    "formats/srt/webvtt_py_styles_colours.srt": ("srt", 6),
    "formats/vtt/real_talkpython_001_whisper.vtt": ("vtt", 468),
    "formats/vtt/webvtt_py_captions_with_bom.vtt": ("vtt", 4),
    "formats/vtt/webvtt_py_comments.vtt": ("vtt", 3),
    "formats/vtt/webvtt_py_cue_tags.vtt": ("vtt", 3),
    "formats/vtt/webvtt_py_invalid.vtt": ("vtt", 7),
    "formats/vtt/webvtt_py_metadata_headers.vtt": ("vtt", 2),
    "formats/vtt/webvtt_py_metadata_headers_multiline.vtt": ("vtt", 2),
    "formats/vtt/webvtt_py_missing_caption_text.vtt": ("vtt", 4),
    "formats/vtt/webvtt_py_non_padded_timestamps.vtt": ("vtt", 3),
    "formats/vtt/webvtt_py_using_identifiers.vtt": ("vtt", 6),
    "formats/vtt/webvtt_py_youtube_dl.vtt": ("vtt", 4),
    "formats/youtube_txt/real_talkpython_001.txt": ("youtube-text", 460),
    "formats/youtube_xml/youtube_transcript_api_transcript.xml": ("youtube-xml", 3),
    "scotus_oyez/1971.70-18-t01.json": ("oyez-json", 232),
    "scotus_oyez/1971.70-18-t02.json": ("oyez-json", 301),
    "scotus_oyez/2014.14-556-t01.json": ("oyez-json", 368),
    "scotus_oyez/2014.14-556-t02.json": ("oyez-json", 207),
    "scotus_oyez/2017.16-402-t01.json": ("oyez-json", 339),
    "scotus_oyez/2020.19-783-t01.json": ("oyez-json", 166),
    "scotus_oyez/2022.21-1333-t01.json": ("oyez-json", 543),
    "scotus_oyez/2023.22-277-t01.json": ("oyez-json", 499),
    "scotus_oyez/2023.23-411-t01.json": ("oyez-json", 418),
    "spacelog_nasa/a11_CM.txt": ("spacelog", 4929),
    "spacelog_nasa/a11_TEC.txt": ("spacelog", 8482),
    "spacelog_nasa/a13_TEC.txt": ("spacelog", 11264),
    "spacelog_nasa/ma6_TEC.txt": ("spacelog", 1749),
    "spacelog_nasa/mr3_ATG.txt": ("spacelog", 115),
    "spacelog_nasa/mr3_PAO.txt": ("spacelog", 66),
}
REFUSED = {
    "apollo13_two_loops/glossary.json": "not a transcript: its keys are 210",
    "formats/srt/webvtt_py_invalid_timeframe.srt": "line 6: malformed cue timing",
    "formats/vtt/webvtt_py_empty.vtt": "is empty",
    "formats/vtt/webvtt_py_invalid_timeframe.vtt": "line 6: malformed cue timing",
    "spacelog_nasa/a11__meta.json": "not a transcript: its keys are name",
    "spacelog_nasa/a13__meta.json": "not a transcript",
    "spacelog_nasa/ma6__meta.json": "not a transcript",
    "spacelog_nasa/mr3__meta.json": "not a transcript",
}
NO_SPEAKERS = {"youtube_copy.txt"}
NO_TIMES = {"speaker_colon.txt"}


@cache
def read(name: str) -> LoadedSource:
    return load_source(DATA / name)


@needs_data
@pytest.mark.parametrize(("name", "expected"), READ.items(), ids=list(READ))
def test_a_real_example_is_read_in_its_format(name: str, expected: tuple[str, int]) -> None:
    source = read(name)
    assert source.refused is None
    assert (source.format, len(source.turns)) == expected
    assert len(source.sha256) == 64


@needs_data
@pytest.mark.parametrize(("name", "reason"), REFUSED.items(), ids=list(REFUSED))
def test_a_real_example_that_is_no_transcript_is_refused_with_its_reason(
    name: str, reason: str
) -> None:
    assert reason in (read(name).refused or "")


@needs_data
def test_the_tables_name_every_example() -> None:
    found = {str(path.relative_to(DATA)) for path in find_sources([DATA]).files}
    assert found == READ.keys() | REFUSED.keys()


def _truth() -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = json.loads((DERIVED / "turns.json").read_text(encoding="utf-8"))
    return turns


@needs_data
@pytest.mark.parametrize(
    "name", [path.rpartition("/")[2] for path in READ if "derived_cc0" in path]
)
def test_the_eleven_forms_give_the_same_turns(name: str) -> None:
    truth = _truth()
    turns = inspect_row(read(f"formats/derived_cc0_apollo13/{name}"))["turns"]
    assert isinstance(turns, list)
    assert [turn["text"].split() for turn in turns] == [turn["text"].split() for turn in truth]
    if name in NO_TIMES:
        assert {turn["start_s"] for turn in turns} == {None}
    else:
        assert all(
            abs(turn["start_s"] - true["start"]) <= 1
            for turn, true in zip(turns, truth, strict=True)
        )
    if name in NO_SPEAKERS:
        assert {turn["speaker"] for turn in turns} == {None}
        return
    there, back = defaultdict(set), defaultdict(set)
    for turn, true in zip(turns, truth, strict=True):
        there[true["speaker"]].add(turn["speaker"])
        back[turn["speaker"]].add(true["speaker"])
    assert None not in back
    assert all(len(names) == 1 for names in (*there.values(), *back.values()))


@needs_data
def test_both_forms_of_the_mission_clock_agree_on_time_speaker_and_nearly_all_words() -> None:
    text, tree = (
        read(f"apollo13_two_loops/air-ground-loop.{ending}").turns for ending in ("txt", "json")
    )
    assert [(a.start_s, a.speaker) for a in text] == [(b.start_s, b.speaker) for b in tree]
    # The two were made from slightly different revisions of the transcript.
    assert sum(a.text == b.text for a, b in zip(text, tree, strict=True)) >= 1100
    assert not any(sign in turn.text for turn in text for sign in "{}")


@needs_data
def test_both_forms_of_an_oyez_argument_agree() -> None:
    nested, flat = (
        read("formats/json/real_oyez_2020.19-783-t01.json"),
        read("scotus_oyez/2020.19-783-t01.json"),
    )
    assert nested.turns == flat.turns
    assert nested.title == flat.title


@needs_data
def test_spacelog_keeps_every_word_but_its_editors_marks() -> None:
    lines = (DATA / "spacelog_nasa/mr3_ATG.txt").read_text(encoding="utf-8").splitlines()
    said = " ".join(line.partition(":")[2] for line in lines if line and line[0] not in "_[")
    turns = read("spacelog_nasa/mr3_ATG.txt").turns
    assert (
        " ".join(turn.text for turn in turns).split()
        == said.replace("[glossary:", "").replace("]", "").split()
    )
