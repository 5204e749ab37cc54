"""Embedders compared on a workspace's own recordings: questions made of it, what is counted and
said, and that the workspace stays as it was.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.errors import SettingsError, UsageError, WorkspaceError
from dynagrag.core.schema import Vector, Vectors
from dynagrag.evaluation.embedders.embedder_figures import (
    EmbedderDifference,
    EmbedderFigures,
    EmbeddersResult,
    sentence,
)
from dynagrag.evaluation.embedders.embedder_measures import EmbedderOptions, evaluate_embedders
from dynagrag.evaluation.embedders.embedder_report import EmbeddersRun
from dynagrag.evaluation.embedders.made_lookups import LOOKUP, REPLY, made_lookups
from dynagrag.evaluation.evidence.evidence_measures import NothingFits
from dynagrag.evaluation.frame.experiment import Watch
from dynagrag.fakes import FakeEmbedder
from dynagrag.upkeep.embedder_switch import estimate_switch, give_up_switch, switch_embedder
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

LONG = " ".join(f"We talked about the weather of day {i} and went home late." for i in range(9))
TALK = [
    ("Ann", f"{LONG} Who repaired the broken pump last winter?"),
    ("Ben", "My brother Otto fixed it with a new valve from the harbour shop in spring."),
    ("Ann", "The engine of the old bridge garden tractor leaks oil near the front wheel."),
    ("Ben", f"{LONG} Where do you keep the spare keys of the boat?"),
    ("Ann", "They hang behind the kitchen door beside the blue lantern and the rope."),
]


def silent(*_: object) -> None:
    return None


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class Blind(FakeEmbedder):
    """Everything is alike to it."""

    def embed_documents(self, texts: Any) -> Vectors:
        """The same vector for each."""
        return np.ones((len(texts), self.identity.dimension), np.float32) / np.float32(
            np.sqrt(self.identity.dimension)
        )

    def embed_query(self, text: str) -> Vector:
        """That vector."""
        vector: Vector = self.embed_documents([text])[0]
        return vector


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A workspace `talks` of one talk."""
    path = tmp_path / "talk.txt"
    path.write_text("".join(f"{who}: {said}\n" for who, said in TALK), encoding="utf-8")
    made = load_settings()
    with open_workspace("talks", settings=made, embedder=FakeEmbedder()) as space:
        space.ingest([path], IngestOptions(extractor="fast"))
    return made


def opened(settings: Settings) -> Workspace:
    return open_workspace("talks", settings=settings, embedder=FakeEmbedder())


def compared(
    settings: Settings, file: Path | None = None, watch: Watch | None = None, **more: Any
) -> tuple[EmbeddersRun, EmbeddersResult]:
    candidates = {"next": FakeEmbedder(48, "next"), "blind": Blind(16, "blind")}
    options = EmbedderOptions(tuple(candidates), "talks", file, **more)
    return evaluate_embedders(settings, options, watch, candidates, FakeEmbedder())


def test_questions_are_those_that_are_asked_in_the_talk_and_half_of_a_lines_words(
    settings: Settings,
) -> None:
    with opened(settings) as space:
        made = made_lookups(space.current_graph.snapshot(), 50, seed=0)
    replies = {own.text: own for own in made if own.kind == REPLY}
    assert set(replies) == {
        "Who repaired the broken pump last winter?",
        "Where do you keep the spare keys of the boat?",
    }
    pump = replies["Who repaired the broken pump last winter?"]
    assert (pump.speaker, pump.turns[0].first, pump.turns[0].last) == ("Ben", 1, 1)
    lookups = [own for own in made if own.kind == LOOKUP]
    assert lookups
    lines = [said.casefold() for _, said in TALK]
    for own in lookups:
        line = lines[own.turns[0].first]
        words = own.text.casefold().split()
        assert len(words) >= 4
        assert all(word in line for word in words)
        assert own.text.casefold() not in line
    assert made == made_lookups_again(settings)


def made_lookups_again(settings: Settings) -> Any:
    with opened(settings) as space:
        return made_lookups(space.current_graph.snapshot(), 50, seed=0)


def test_words_that_many_lines_have_are_not_what_half_remembers_one(tmp_path: Path) -> None:
    rows = (
        "Die Mühle am Fluss hat bis zum Winter Roggen und Gerste gemahlen",
        "Der Müller hat die alte Pumpe mit einem neuen Ventil aus Messing repariert",
        "Die Brücke über den Bach war nach dem Hochwasser und dem Sturm gesperrt",
        "Der Lehrer hat die Kinder mit der Kutsche in die Stadt zum Jahrmarkt gefahren",
    )
    lines = [f"Ann: {rows[i % 4]} im Jahr {1900 + i}." for i in range(4)]
    lines += [f"Ben: Der Markt und die Messe von {i} war mit dem Wagen gut." for i in range(60)]
    path = tmp_path / "deutsch.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open_workspace("deutsch", settings=load_settings(), embedder=FakeEmbedder()) as space:
        space.ingest([path], IngestOptions(extractor="fast"))
        made = made_lookups(space.current_graph.snapshot(), 50, seed=0)
    asked = {word.casefold() for own in made if own.kind == LOOKUP for word in own.text.split()}
    assert asked & {"pumpe", "roggen", "gerste", "messing", "hochwasser", "jahrmarkt", "kutsche"}
    assert not asked & {"der", "die", "und", "mit", "dem", "jahr", "ann"}


def test_a_question_whose_reply_is_in_the_same_passage_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text(
        "Ann: Who repaired the broken pump last winter?\n"
        "Ben: My brother Otto fixed it with a new valve from the harbour shop.\n",
        encoding="utf-8",
    )
    with open_workspace("short", settings=load_settings(), embedder=FakeEmbedder()) as space:
        space.ingest([path], IngestOptions(extractor="fast"))
        made = made_lookups(space.current_graph.snapshot(), 50, seed=0)
    assert {own.kind for own in made} == {LOOKUP}


def test_each_embedder_is_asked_the_same_and_compared_with_the_workspaces_own(
    settings: Settings, tmp_path: Path
) -> None:
    file = write(
        tmp_path / "q.jsonl",
        {"question": "Who fixed the pump with a new valve?", "decisive": ["brother Otto"]},
        {"question": "Where do the spare keys hang?", "decisive": ["behind the kitchen door"]},
        {"question": "Who sings in the choir?", "unanswerable": True},
    )
    with opened(settings) as space:
        before = (space.store.version(), space.store.digest())
    run, result = compared(settings, file)
    assert (result.n, result.num_answerable, result.is_made) == (3, 2, False)
    assert list(result.embedders) == ["fake", "next", "blind"]
    assert result.baseline == "fake"
    assert set(result.differences) == {"next", "blind"}
    assert result.embedders["next"].vector_bytes == result.embedders["next"].num_vectors * 48 * 4
    assert result.embedders["next"].num_vectors == result.embedders["fake"].num_vectors > 0
    lines = {line.key: line for line in run.lines()}
    assert len(lines) == 9
    mine = [line.place is not None and line.place <= 3 for line in run.lines()[:2]]
    assert result.embedders["fake"].intervals["first_3"].mean == sum(mine) / 2
    assert all("too few questions to tell" in own or "the same" in own for own in result.sentences)
    with opened(settings) as space:
        assert (space.store.version(), space.store.digest()) == before
        assert space.store.embedder() == FakeEmbedder().identity


def test_made_questions_say_so_and_a_second_run_embeds_nothing(settings: Settings) -> None:
    run, result = compared(settings, num_made=12)
    assert result.is_made
    assert 0 < result.n <= 12
    text = " ".join(run.whole_report().notes)
    assert "made of the recordings' own words" in text
    stages = set()
    watch = Watch(lambda stage, done, total: stages.add(stage))
    compared(settings, watch=watch, num_made=12)
    assert stages == {"measure (fake)", "measure (next)", "measure (blind)"}


def test_a_comparison_that_is_stopped_goes_on(settings: Settings) -> None:
    class StoppedError(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "measure (next)" and done == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        compared(settings, watch=Watch(stop), num_made=8)
    run, result = compared(settings, num_made=8)
    assert len(run.lines()) == 3 * result.n
    again = compared(settings, num_made=8)[1]
    assert {n: own.intervals for n, own in again.embedders.items()} == {
        n: own.intervals for n, own in result.embedders.items()
    }


def test_an_ingest_during_a_comparison_ends_it_and_the_next_one_goes_on(
    settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "more.txt"
    path.write_text("Cleo: The kiln of the old mill needs nine hours of fire.\n", encoding="utf-8")

    def ingest(stage: str, done: int, total: int) -> None:
        if stage == "measure (blind)" and done == 1:
            with opened(settings) as space:
                space.ingest([path], IngestOptions(extractor="fast"))

    with pytest.raises(WorkspaceError, match="was written to while embedders were compared"):
        compared(settings, watch=Watch(ingest), num_made=4)
    assert compared(settings, num_made=4)[1].embedders["next"].num_vectors > 0


def test_a_switch_begins_with_the_vectors_of_the_comparison(settings: Settings) -> None:
    compared(settings, num_made=4)
    wide = FakeEmbedder(48, "next")
    with opened(settings) as space:
        found = estimate_switch(space, wide)
        assert found.num_done == found.num_vectors
        wide.num_texts = 0
        switch_embedder(space, wide, silent)
        assert wide.num_texts == 0
        assert space.store.embedder() == wide.identity
        assert not give_up_switch(space), "nothing is left of the copies"


def test_copies_go_when_a_document_is_deleted_or_the_switch_is_given_up(
    settings: Settings, tmp_path: Path
) -> None:
    compared(settings, num_made=4)
    with opened(settings) as space:
        assert (space.folder / "embedder-trials").is_dir()
        assert give_up_switch(space)
        assert not (space.folder / "embedder-trials").exists()
    compared(settings, num_made=4)
    with opened(settings) as space:
        space.documents.delete(str(tmp_path / "talk.txt"))
        assert not (space.folder / "embedder-trials").exists()


def test_candidates_must_be_others_and_differ(settings: Settings) -> None:
    for names, message in (
        (("fake",), "has the embedder fake already"),
        (("a", "b"), "two of the candidates are called next"),
    ):
        made = {"fake": FakeEmbedder(), "a": FakeEmbedder(48, "next"), "b": Blind(48, "next")}
        with pytest.raises(UsageError, match=message):
            evaluate_embedders(
                settings, EmbedderOptions(names, "talks"), None, made, FakeEmbedder()
            )


def test_a_candidate_that_is_no_embedder_is_told_before_anything_is_copied(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "classifier"
    folder.mkdir()
    with pytest.raises(SettingsError, match=r"has no \.onnx file"):
        evaluate_embedders(settings, EmbedderOptions((str(folder),), "talks"), own=FakeEmbedder())
    with opened(settings) as space:
        assert not (space.folder / "embedder-trials").exists()


def test_a_candidate_of_4096_dimensions_is_compared_and_taken(settings: Settings) -> None:
    wide = FakeEmbedder(4096, "wide")
    options = EmbedderOptions(("wide",), "talks", num_made=4)
    result = evaluate_embedders(settings, options, None, {"wide": wide}, FakeEmbedder())[1]
    own, other = result.embedders["fake"], result.embedders["wide"]
    assert other.vector_bytes == 128 * own.vector_bytes
    with opened(settings) as space:
        switch_embedder(space, wide, silent)
        assert space.store.embedder() == wide.identity


def test_a_workspace_without_a_line_says_what_to_do() -> None:
    settings = load_settings()
    open_workspace("empty", settings=settings, embedder=FakeEmbedder()).close()
    with pytest.raises(WorkspaceError, match="no line to ask about"):
        evaluate_embedders(
            settings,
            EmbedderOptions(("next",), "empty"),
            None,
            {"next": FakeEmbedder(48, "next")},
            FakeEmbedder(),
        )


@pytest.mark.parametrize(
    ("num", "more", "fewer", "bounds", "holds", "words"),
    [
        (60, 6, 2, (-0.02, 0.15), False, "4 more of 60 than minilm in the first three clips"),
        (60, 6, 2, (-0.02, 0.15), False, "(95 % interval -1 to +9)"),
        (60, 2, 6, (-0.15, 0.02), False, "4 fewer of 60 than minilm"),
        (60, 3, 3, (-0.08, 0.08), False, "finds as many of 60 as minilm"),
        (60, 0, 0, (0.0, 0.0), False, "finds the same as minilm, of 60 questions"),
        (60, 12, 0, (0.1, 0.3), True, "by more than chance"),
        (6, 3, 0, (0.1, 0.9), False, "too few questions to tell"),
    ],
)
def test_what_it_comes_to_is_one_plain_sentence(
    num: int, more: int, fewer: int, bounds: tuple[float, float], holds: bool, words: str
) -> None:
    found = EmbedderDifference(
        difference=(more - fewer) / num,
        low=bounds[0],
        high=bounds[1],
        more=more,
        fewer=fewer,
        p_holm=0.5,
        holds=holds,
    )
    cost = EmbedderFigures(
        intervals={},
        kinds={},
        nothing_fits=NothingFits(None, None),
        ms=1.0,
        num_vectors=100,
        seconds=240.0,
        vector_bytes=12_000_000,
        model_bytes=34_000_000,
    )
    said = sentence("bge-small", "minilm", num, found, cost)
    assert words in said
    assert "a switch embeds for some 4 min and takes 12.0 MB" in said
    assert "beside 34 MB of the model" in said
    is_chance = "which may be chance" in said
    assert is_chance == (num == 60 and more != fewer and not holds)
