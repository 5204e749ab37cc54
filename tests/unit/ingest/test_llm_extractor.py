"""The extractor's way with a chunk: what the model reads, repairs, halves, gleaning, and what makes
its name.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import CHUNK_PROFILES, ChunkProfile
from dynagrag.core.errors import BudgetError, ModelRefusedError, ModelUnavailableError
from dynagrag.core.protocols import Extraction, Prompt
from dynagrag.core.schema import ChunkWork, LoadedSource, SourceTurn
from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions, LLMExtractor, chunk_text
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import Budget, MeteredChat

DEFAULT, SMALL = CHUNK_PROFILES["default"], CHUNK_PROFILES["small"]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite")
    yield made
    made.close()


def _work(*turns: tuple[str | None, str], profile: ChunkProfile = DEFAULT) -> list[ChunkWork]:
    source = LoadedSource(
        "a.txt",
        "text",
        tuple(SourceTurn(text, speaker) for speaker, text in turns),
        sha256="f" * 64,
    )
    document, made = make_document(source, "w", "/a.txt")
    return [
        ChunkWork(document, made, chunk)
        for chunk in chunk_passages(document, split_passages(document, made, profile), profile)
    ]


def _extractor(
    chat: FakeChat,
    journal: Journal,
    profile: ChunkProfile = DEFAULT,
    budget: Budget | None = None,
    **options: Any,
) -> LLMExtractor:
    metered = MeteredChat(chat, journal, workspace="w", budget=budget)
    return LLMExtractor(
        metered, chat.identity, profile, ExtractionOptions(**options), max_concurrency=1
    )


def _many(num_chunks: int) -> list[ChunkWork]:
    """Chunks of one passage each."""
    work = _work(
        *(
            ("Leo", f"Person Number{i} founded Company Number{i}. " + "and so on " * 30)
            for i in range(num_chunks)
        ),
        profile=SMALL,
    )
    assert len(work) == num_chunks
    return work


def test_the_model_reads_who_said_what_and_no_times() -> None:
    (work,) = _work(("Leo", "Hello."), (None, "Nobody's words."), ("Ines", "Bye now, all."))
    assert (
        chunk_text(work.document, work.turns, work.chunk)
        == "Leo: Hello.\nNobody's words.\nInes: Bye now, all."
    )
    assert chunk_text(work.document, work.turns, work.chunk, is_small=True) == "- Bye now, all."


def test_each_chunk_has_what_was_dropped_of_it_and_together_they_are_all(journal: Journal) -> None:
    def reply(prompt: Prompt, schema: object) -> str:
        names = ["it"] * prompt.user.count("Ada Byron")
        return json.dumps({"entities": [{"name": name} for name in names], "relations": []})

    sizes = (1, 0, 3, 2)
    work = [
        item
        for n, size in enumerate(sizes)
        for item in _work((None, f"Row {n}. {'Ada Byron left. ' * size}"))
    ]
    done: list[Extraction] = []
    extractor = _extractor(FakeChat(reply), journal)
    extractor.extract(work, done.append)
    assert sorted(e.dropped.get("entity: no name", 0) for e in done) == sorted(sizes)
    assert extractor.dropped == {"entity: no name": sum(sizes)}


def test_a_chunk_without_words_costs_no_call(journal: Journal) -> None:
    chat = FakeChat()
    done: list[Extraction] = []
    assert (
        _extractor(chat, journal, SMALL).extract(_work(("Leo", "Go."), profile=SMALL), done.append)
        == []
    )
    assert (chat.num_calls, [e.mentions for e in done]) == (0, [()])


def test_of_two_bad_quotes_between_the_same_ends_the_one_not_mended_is_counted(
    journal: Journal,
) -> None:
    ends = {"source": "Ada Byron", "target": "Acme Works"}
    first = [
        ends | {"label": "founded", "quote": "Ada made Acme"},
        ends | {"label": "left", "quote": "Ada went away"},
    ]
    mended = [ends | {"label": "left", "quote": "Ada Byron left Acme Works."}]
    chat = FakeChat(
        script=[
            json.dumps({"entities": [], "relations": first}),
            json.dumps({"entities": [], "relations": mended}),
        ]
    )
    done: list[Extraction] = []
    extractor = _extractor(chat, journal)
    extractor.extract(_work(("Leo", "Ada Byron left Acme Works.")), done.append)
    assert [r.label for r in done[0].relations] == ["left"]
    assert extractor.dropped == {"relation: its quote is not in the source": 1}
    assert extractor.mended == {"quotes repaired": 1}


def test_bad_quotes_are_asked_for_once_more_all_together(journal: Journal) -> None:
    fact = {"source": "Ada Byron", "label": "founded", "target": "Acme Works"}
    other = {"source": "Acme Works", "label": "left", "target": "Delft"}
    first = {
        "entities": [],
        "relations": [fact | {"quote": "Ada made Acme"}, other | {"quote": "gone from Delft"}],
    }
    second = {
        "entities": [],
        "relations": [
            fact | {"quote": "Ada Byron founded Acme Works"},
            other | {"quote": "still not there"},
        ],
    }
    chat = FakeChat(script=[json.dumps(first), json.dumps(second)])
    extractor = _extractor(chat, journal)
    done: list[Extraction] = []
    extractor.extract(
        _work(("Leo", "Ada Byron founded Acme Works. Acme Works left old Delft.")), done.append
    )
    assert [r.label for r in done[0].relations] == ["founded"]
    assert dict(extractor.dropped) == {"relation: its quote is not in the source": 1}
    assert (chat.num_calls, extractor.counts.num_repaired_quotes) == (2, 1)
    assert '"Ada made Acme"' in chat.prompts[1].user


def test_gleaning_asks_for_what_was_missed_until_there_is_nothing(journal: Journal) -> None:
    one = {"entities": [{"name": "Ada Byron"}], "relations": []}
    two = {"entities": [{"name": "Acme Works"}], "relations": []}
    chat = FakeChat(
        script=[
            json.dumps(one),
            json.dumps(two),
            '{"entities": [], "relations": []}',
            RuntimeError("asked once too often"),
        ]
    )
    done: list[Extraction] = []
    _extractor(chat, journal, num_gleanings=5).extract(
        _work(("Leo", "Ada Byron founded Acme Works.")), done.append
    )
    assert {m.key for m in done[0].mentions} == {"ada byron", "acme works"}
    assert chat.num_calls == 3
    assert "Found already: Ada Byron; Acme Works" in chat.prompts[2].user


def test_a_users_types_and_focus_are_in_the_prompt(journal: Journal) -> None:
    chat = FakeChat()
    _extractor(chat, journal, entity_types=("valve", "pump"), focus="what broke").extract(
        _work(("Leo", "A pump broke.")), lambda _: None
    )
    assert "Only these entity types: valve, pump." in chat.prompts[0].system
    assert "Focus on: what broke" in chat.prompts[0].system


def test_the_name_changes_with_whatever_changes_the_records(journal: Journal) -> None:
    chat = FakeChat()
    names = [
        _extractor(chat, journal).name,
        _extractor(chat, journal, SMALL).name,
        _extractor(FakeChat(name="other"), journal).name,
        _extractor(chat, journal, focus="what broke").name,
        _extractor(chat, journal, num_gleanings=1).name,
        _extractor(chat, journal, entity_types=("valve",)).name,
        _extractor(chat, journal, ChunkProfile("default", max_entities=3)).name,
    ]
    assert len(set(names)) == len(names)
    assert all(name.startswith("llm-") for name in names)
    assert _extractor(FakeChat(), journal).name == names[0]


def test_halving_ends_where_nothing_can_be_cut_any_further(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: "{" * 20_000)
    (work,) = _work(("Leo", "One"), ("Ines", "Two"))
    set_aside = _extractor(chat, journal).extract([work], lambda _: None)
    assert [(chunk, "even on a part" in reason) for chunk, reason in set_aside] == [
        (work.chunk, True)
    ]
    assert chat.num_calls <= 3


@pytest.mark.parametrize("error", [ModelRefusedError("no such model"), BudgetError("spent")])
def test_what_makes_going_on_senseless_is_raised_after_the_rest_was_handed_on(
    journal: Journal, error: Exception
) -> None:
    good = [simple_reply] * 2

    def rule(prompt: Any, schema: Any) -> str:
        if not good:
            raise error
        return good.pop()(prompt, schema)

    done: list[Extraction] = []
    with pytest.raises(type(error)):
        _extractor(FakeChat(rule), journal, SMALL).extract(_many(5), done.append)
    assert len(done) == 2


def test_a_model_that_never_answered_is_given_up_after_three_chunks(journal: Journal) -> None:
    chat = FakeChat(script=[ModelUnavailableError("gone")] * 50)
    with pytest.raises(ModelUnavailableError):
        _extractor(chat, journal, SMALL).extract(_many(10), lambda _: None)
    assert chat.num_calls <= 4


def test_failures_far_apart_set_their_chunks_aside(journal: Journal) -> None:
    numbers = iter(range(1000))

    def rule(prompt: Any, schema: Any) -> str:
        if next(numbers) % 2:
            raise ModelUnavailableError("a hiccup")
        return simple_reply(prompt, schema)

    done: list[Extraction] = []
    set_aside = _extractor(FakeChat(rule), journal, SMALL).extract(_many(24), done.append)
    assert (len(done), len(set_aside)) == (12, 12)
    assert {reason for _, reason in set_aside} == {"a hiccup"}


def test_no_two_chunks_are_handed_on_at_once(journal: Journal) -> None:
    import threading

    inside = threading.Lock()

    def on_chunk(_: Extraction) -> None:
        assert inside.acquire(blocking=False)
        inside.release()

    chat = FakeChat(delay_s=0.002)
    extractor = LLMExtractor(
        MeteredChat(chat, journal, workspace="w"), chat.identity, SMALL, max_concurrency=8
    )
    assert extractor.extract(_many(20), on_chunk) == []
    assert chat.num_calls == 20
