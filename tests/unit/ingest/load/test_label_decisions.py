"""A file's labels are data: what became of each, and why."""

from pathlib import Path

from dynagrag.core.schema import LabelDecision, LabelFate
from dynagrag.ingest.load import load_source


def test_speakers_of_a_field_have_their_turns_words_and_first_times(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ["0,Ann,one two", "3,Bob,three", "5,Ann,four", "7,Ann,five", "9,Ann,six", "11,,seven"]
    path.write_text("\n".join(["start,speaker,text", *rows]), encoding="utf-8")
    why = "the file's form has it as its speaker"
    assert load_source(path).labels == (
        LabelDecision("Ann", LabelFate.SPEAKER, why, 4, 5, (0.0, 5.0, 7.0)),
        LabelDecision("Bob", LabelFate.SPEAKER, why, 1, 1, (3.0,)),
    )
