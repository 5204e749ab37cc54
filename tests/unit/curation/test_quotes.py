"""Where a name is said."""

from dynagrag.core.schema import Document, Passage, Turn
from dynagrag.curation.quotes import quotes_of


def _spoken(*lines: str) -> tuple[Document, list[Turn]]:
    text, turns = "", []
    for index, line in enumerate(lines):
        turns.append(
            Turn(str(index), "d", index, len(text), len(text) + len(line), "Ann", float(index))
        )
        text += line + "\n"
    return Document("d", "w", "Talk", "talk.txt", "0", text, {}), turns


def test_a_turn_is_quoted_once_by_the_longest_name_as_whole_words() -> None:
    document, turns = _spoken("The iron bar is here.", "An environment.", "Iron\nbar, iron bar.")
    passages = [
        Passage("p", "d", 0, 0, len(document.text), 0, 2),
        Passage("q", "d", 1, turns[2].start, turns[2].end, 2, 2),
    ]
    found = quotes_of(["iron", "iron bar", ""], passages, {"d": document}, {"d": turns})
    assert [(q.start_s, q.words) for q in found] == [(0.0, "iron bar"), (2.0, "Iron\nbar")]
    assert found[0].before == "The "


def test_nothing_is_quoted_of_what_has_gone() -> None:
    document, turns = _spoken("The iron bar.")
    passages = [Passage("p", "d", 0, 0, len(document.text), 0, 0)]
    assert quotes_of(["iron"], passages, {}, {"d": turns}) == []
    assert quotes_of(["iron"], passages, {"d": document}, {}) == []
    assert quotes_of([" "], passages, {"d": document}, {"d": turns}) == []
