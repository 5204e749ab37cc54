"""What of a model's reply becomes a record, and under which reason the rest is dropped."""

import unicodedata

import pytest
from pydantic import ValidationError

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.schema import CO_OCCURRENCE, LoadedSource, MentionKind, SourceTurn
from dynagrag.ingest.extract.reply_records import (
    EntityReply,
    ExtractionReply,
    RecordBuilder,
    RelationReply,
    SmallExtractionReply,
)
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.models.reply_schema import strict_schema

TURNS = [
    ("Leo", "The Acme Works pump failed. Ada Byron repaired it."),
    ("SPEAKER_00", "Leo told Acme Works about the valve."),
    ("Zoë", "“Ada   Byron” left Acme Works, and Zoë stayed."),
]


def _builder(turns: list[tuple[str, str]] = TURNS, is_small: bool = False) -> RecordBuilder:
    source = LoadedSource(
        "a.txt",
        "text",
        tuple(SourceTurn(text, speaker) for speaker, text in turns),
        sha256="f" * 64,
    )
    document, made = make_document(source, "w", "/a.txt")
    profile = CHUNK_PROFILES["default"]
    (chunk,) = chunk_passages(document, split_passages(document, made, profile), profile)
    return RecordBuilder(document, made, chunk, "llm-x", is_small=is_small)


def _entity(name: str, summary: str = "", type_: str = "thing") -> ExtractionReply:
    return ExtractionReply(entities=[EntityReply(name=name, type=type_, summary=summary)])


def _relation(
    source: str, label: str, target: str, quote: str, summary: str = ""
) -> ExtractionReply:
    relation = RelationReply(
        source=source, label=label, target=target, quote=quote, summary=summary
    )
    return ExtractionReply(relations=[relation])


@pytest.mark.parametrize("schema", [ExtractionReply, SmallExtractionReply])
def test_an_object_with_neither_list_is_no_extraction(
    schema: type[ExtractionReply] | type[SmallExtractionReply],
) -> None:
    with pytest.raises(ValidationError, match="neither entities nor relations"):
        schema.model_validate_json('{"unexpected": true}')
    assert schema.model_validate_json('{"entities": [], "extra": 1}').relations == []
    assert set(strict_schema(schema)["required"]) == {"entities", "relations"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("it", "entity: no name"),
        ("?!", "entity: no name"),
        ("Xanadu", "entity: not in the source"),
        ("word " * 13, "entity: a sentence, not a name"),
        ("a" * 121, "entity: a sentence, not a name"),
        ("SPEAKER_00", "entity: only a speaker's label"),
    ],
)
def test_what_is_no_name_is_dropped_with_its_reason(name: str, reason: str) -> None:
    builder = _builder()
    builder.add(_entity(name))
    assert builder.mentions() == []
    assert dict(builder.dropped) == {reason: 1}


def test_names_are_found_whatever_their_form_of_unicode() -> None:
    full_width, apart = "Ａｃｍｅ Ｗｏｒｋｓ", unicodedata.normalize("NFD", "Café Noir")
    builder = _builder([("Leo", f"{full_width} and {apart} are here.")])
    for name in ("Acme Works", "Café Noir", full_width, apart):
        builder.add(_entity(name))
    assert {m.key for m in builder.mentions()} == {"acme works", "café noir"}
    assert not builder.dropped


def test_a_name_counts_once_a_chunk_and_keeps_each_true_summary() -> None:
    builder = _builder()
    for summary in (
        "",
        "the pump of Acme Works failed",
        "Ada left Acme Works",
        "a secret base on the dark side of Pluto",
    ):
        builder.add(_entity("Acme Works", summary))
    assert builder.dropped["summary: says what the source does not"] == 1
    assert all("Pluto" not in m.summary for m in builder.mentions())
    assert len({m.id for m in builder.mentions()}) == len(builder.mentions())
    assert {m.kind for m in builder.mentions()} == {MentionKind.SAID}


def test_a_mention_without_a_summary_has_the_source_s_sentence() -> None:
    builder = _builder()
    builder.add(_entity("Ada Byron"))
    assert [m.summary for m in builder.mentions()] == ["Ada Byron repaired it."]


def test_a_relation_rests_on_the_source_s_own_words() -> None:
    builder = _builder()
    builder.add(
        _relation(
            "Ada Byron",
            "LEFT",
            "Acme Works",
            '"ada byron" left ACME works',
            "Ada Byron left Acme Works.",
        )
    )
    (record,) = builder.relations()
    text = "\n".join(words for _, words in TURNS)
    assert text[record.quote_start : record.quote_end] == "Ada   Byron” left Acme Works"
    assert (record.head, record.label, record.tail, record.turn_index) == (
        "ada byron",
        "left",
        "acme works",
        2,
    )
    assert {m.key for m in builder.mentions()} == {"ada byron", "acme works"}


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        (
            ("Ada Byron", "left", "Acme Works", "Ada Byron loved Acme Works"),
            "relation: its quote is not in the source",
        ),
        (("Ada Byron", "left", "Acme Works", ""), "relation: its quote is not in the source"),
        (("Ada Byron", "  ", "Acme Works", "Ada Byron repaired it."), "relation: no label"),
        (
            ("SPEAKER_00", "said", "Acme Works", "Leo told Acme Works about the valve."),
            "relation: only says who speaks",
        ),
    ],
)
def test_what_the_source_does_not_state_is_dropped_with_its_reason(
    relation: tuple[str, str, str, str], reason: str
) -> None:
    builder = _builder()
    builder.add(_relation(*relation))
    assert builder.relations() == []
    assert dict(builder.dropped) == {reason: 1}


def test_a_relation_to_what_is_not_there_is_dropped() -> None:
    builder = _builder()
    builder.add(_relation("Ada Byron", "left", "Xanadu", "Ada Byron repaired it."))
    assert builder.relations() == []
    assert sum(builder.dropped.values()) == 1


def test_an_invented_summary_of_a_relation_is_blanked_and_counted() -> None:
    builder = _builder()
    builder.add(
        _relation(
            "Ada Byron",
            "left",
            "Acme Works",
            "“Ada   Byron” left Acme Works",
            "The password is swordfish tango.",
        )
    )
    assert [r.summary for r in builder.relations()] == [""]
    assert builder.dropped["summary: says what the source does not"] == 1


def test_a_statement_twice_is_one_record() -> None:
    builder = _builder()
    for _ in range(3):
        builder.add(_relation("Ada Byron", "left", "Acme Works", "“Ada   Byron” left Acme Works"))
    assert len(builder.relations()) == 1


def test_a_generic_speaker_s_key_is_of_its_document_and_a_named_one_s_is_not() -> None:
    builder = _builder()
    assert builder.key("SPEAKER_00") != "speaker_00"
    assert builder.key("Leo") == "leo"
    assert builder.key("Ada Byron") == "ada byron"


def test_a_speaker_of_whom_others_speak_is_mentioned() -> None:
    builder = _builder()
    builder.add(_relation("Leo", "told", "Acme Works", "Leo told Acme Works about the valve."))
    assert {m.key for m in builder.mentions()} == {"leo", "acme works"}


def test_speech_between_things_means_that_they_were_named_together() -> None:
    builder = _builder()
    builder.add(_relation("Ada Byron", "said to", "Acme Works", "“Ada   Byron” left Acme Works"))
    assert [r.label for r in builder.relations()] == [CO_OCCURRENCE]


def test_a_relation_of_a_thing_with_itself_is_kept_for_its_notes_and_no_second_mention() -> None:
    builder = _builder()
    builder.add(_relation("Acme Works", "is", "the Acme Works", "The Acme Works pump failed."))
    assert [(r.head, r.tail) for r in builder.relations()] == [("acme works", "acme works")]
    assert len(builder.mentions()) == 1


def test_a_summary_takes_the_place_of_one_that_was_blanked() -> None:
    builder = _builder()
    builder.add(_entity("Acme Works", "A galaxy far beyond imagination."))
    builder.add(_entity("Acme Works", "The Acme Works pump failed."))
    assert [m.summary for m in builder.mentions()] == ["The Acme Works pump failed."]


def test_a_quote_over_two_speakers_is_no_quote_and_no_sentence() -> None:
    builder = _builder(
        [("CAPCOM", "we want the valve and"), ("LMP", "negative the hatch")], is_small=True
    )
    builder.add(_entity("valve"))
    builder.add(_entity("hatch"))
    builder.add(_relation("valve", "is", "hatch", "the valve and negative the hatch"))
    assert builder.relations() == []
    assert builder.dropped["relation: its quote is not in the source"] == 1
    assert {m.summary for m in builder.mentions()} == {
        "we want the valve and",
        "negative the hatch",
    }


def test_a_small_model_s_quote_must_name_both_ends() -> None:
    relation = _relation("Ada Byron", "repaired", "Acme Works", "Ada Byron repaired it.")
    large, small = _builder(), _builder(is_small=True)
    large.add(relation)
    small.add(relation)
    assert [r.label for r in large.relations()] == ["repaired"]
    assert "repaired" not in {r.label for r in small.relations()}
    assert sum(small.dropped.values()) == 1
