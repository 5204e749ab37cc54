"""The labels of a text, most of a file's reading, are found once."""

from pathlib import Path

import pytest

from dynagrag.ingest.load import load_source, sniff, spoken_text

_TALK = """Anna: Shall we meet at the weir at noon?
Ben: I can't, my ferry leaves at ten.
Anna: Then we meet at the mill, if you like.
Ben: Yes, I would like that. I will bring the map.
Anna: Good, I have lost mine.
Ben: You said so."""
_BOLD = "\n\n".join(f"**{line.replace(':', ':**', 1)}" for line in _TALK.splitlines())


@pytest.mark.parametrize("name", ["talk.txt", "talk", "talk.log", "talk.md"])
@pytest.mark.parametrize("text", [_TALK, _BOLD])
def test_labels_are_found_once(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    find = spoken_text.find_labels
    monkeypatch.setattr(spoken_text, "find_labels", lambda *a: calls.append(1) or find(*a))
    path = tmp_path / name
    path.write_text(text)
    source = load_source(path)
    assert {turn.speaker for turn in source.turns} == {"Anna", "Ben"}
    # Where marks of Markdown stand in a text of another name, its form is told by its labels.
    assert len(calls) == (2 if text is _BOLD and not name.endswith(".md") else 1)


@pytest.mark.parametrize("text", [_TALK, _BOLD, "# Ann\n\nYes.\n\n# Ben\n\nNo.", "Only words."])
def test_markdown_is_told_as_by_its_form(text: str) -> None:
    lines = text.split("\n")
    is_markdown = spoken_text.spoken_format(lines) == "markdown"
    assert spoken_text.is_spoken_markdown(lines) == is_markdown
    assert (sniff.line_format(lines, ".txt") == "markdown") == is_markdown
