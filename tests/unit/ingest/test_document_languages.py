"""Documents are read by the rules of their language: found at ingest, or named by a person."""

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.schema import LoadedSource, SourceTurn
from dynagrag.ingest.kept_language import kept_language
from dynagrag.ingest.split import make_document, split_passages

GERMAN = (
    "Wir haben am 3. Oktober mit dem Dach angefangen und waren z. B. wegen des Regens erst kurz vor"
    " Weihnachten fertig. Danach kam am 12. März die Kommission und lobte alles. "
)


def source(*texts: str, form: str = "text") -> LoadedSource:
    turns = [SourceTurn(text, None, float(i), i + 1.0) for i, text in enumerate(texts)]
    return LoadedSource("talk", form, tuple(turns), "s")


def test_a_document_keeps_the_language_of_its_words() -> None:
    document, _ = make_document(source(GERMAN), "w", "talk.txt")
    assert (document.language, kept_language(document.meta)) == ("de", "")


def test_a_document_keeps_the_language_that_a_person_named() -> None:
    document, _ = make_document(source(GERMAN), "w", "talk.txt", "nl")
    assert (document.language, kept_language(document.meta)) == ("nl", "nl")


def test_long_turns_are_cut_where_sentences_of_their_language_end() -> None:
    document, turns = make_document(source(GERMAN * 12), "w", "talk.txt")
    passages = split_passages(document, turns, CHUNK_PROFILES["default"])
    assert len(passages) > 1
    for passage in passages:
        text = document.text[passage.start : passage.end]
        assert text.startswith(("Wir haben", "Danach")), text
        assert text.endswith(("fertig.", "alles.")), text


def test_captions_are_joined_to_sentences_of_their_language() -> None:
    cues = ["Wir haben erst am 3.", "Oktober mit dem Dach", "angefangen. Der Regen", "war stark."]
    _, turns = make_document(source(*cues, form="vtt"), "w", "talk.vtt")
    document, turns = make_document(source(*cues * 3, form="vtt"), "w", "talk.vtt")
    texts = [document.text[turn.start : turn.end] for turn in turns]
    assert "Wir haben erst am 3. Oktober mit dem Dach angefangen." in texts
