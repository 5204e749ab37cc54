"""`evaluate retrieval` and `evaluate compare` from files to folder: tiny sets of each form, with
the fakes in place of models.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dynagrag import wiring
from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.errors import EmbedderMismatchError, LoadError, UsageError, WorkspaceError
from dynagrag.evaluation.frame.kept_run import StoppedRunError
from dynagrag.evaluation.question_sets.question_set import Half, Scope
from dynagrag.evaluation.retrieval.retrieval_compare import compare
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun
from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
from dynagrag.evaluation.retrieval.retriever_arms import CONTROLS
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.workspace.ingest_job import IngestOptions

MEASURES = {"recall@2", "recall@5", "recall@10", "all@5", "hit@1", "mrr", "p@5", "ms"}
PEOPLE = ("Ada Byron", "Grace Hopper", "Edith Clarke", "Lise Keller", "Mary Ross", "Emmy Noether")
FIRMS = (
    "Acme Works",
    "Borealis Labs",
    "Corvus Partners",
    "Delta Works",
    "Ember Labs",
    "Fathom Partners",
)
PLACES = ("Delft", "Port Arthur", "Cape Town", "New Bergen", "Old Ghent", "North Holt")
MADE_WITH = (
    "dataset half scopes questions measure arms baseline extractor embedder workspace passages"
    " entities relations graph files asked depth seed profiles resamples dynagrag"
).split()
"""What run.json has of a run without a model, as those of before have it: else none is resumed."""
Result = tuple[RetrievalRun, dict[str, Any]]
Evaluate = Callable[..., Result]


def write(path: Path, rows: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six people, their firms and the firms' places: each question needs a person's passage and a
    firm's.
    """
    folder = tmp_path / "data"
    passages = [
        {"title": p, "text": f"{p} founded {f} after a long career."}
        for p, f in zip(PEOPLE, FIRMS, strict=True)
    ]
    passages += [
        {"title": f, "text": f"{f} is a company that lies in {p}."}
        for f, p in zip(FIRMS, PLACES, strict=True)
    ]
    triples = [
        row
        | {
            "extracted_entities": [row["title"]],
            "extracted_triples": [[row["title"], "is near", FIRMS[0]]],
        }
        for row in passages
    ]
    triples[0]["extracted_triples"].append(["two", "parts"])
    triples.append(
        {
            "title": "Elsewhere",
            "text": "Not of this corpus.",
            "extracted_entities": ["Elsewhere"],
            "extracted_triples": [],
        }
    )
    write(folder / "multihop/musique_corpus.jsonl", passages)
    write(folder / "multihop/musique_openie_reference.jsonl", triples)
    questions = [
        {
            "id": f"q{i}",
            "question": f"Where lies the company that {p} founded?",
            "supporting_titles": [p, f],
        }
        for i, (p, f) in enumerate(zip(PEOPLE, FIRMS, strict=True))
    ]
    write(folder / "multihop/musique_questions.jsonl", questions)
    return folder


@pytest.fixture
def evaluate(home: Path, data: Path, fake_embedder: FakeEmbedder) -> Evaluate:
    def call(embedder: FakeEmbedder | None = None, progress: Any = None, **options: Any) -> Result:
        wanted = (
            options if "questions" in options else {"dataset": "musique", "data": data} | options
        )
        run, result = evaluate_retrieval(
            load_settings(home=home), EvaluateOptions(**wanted), progress, embedder or fake_embedder
        )
        assert run.result() == result
        return run, result.as_json()

    return call


def without_times(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary without what differs from run to run: milliseconds and the folder."""
    text = json.loads(json.dumps(summary))
    for arms in (text["arms"], *(scope["arms"] for scope in text["scopes"].values())):
        for own in arms.values():
            del own["ms"]
    del text["run"]
    return dict(text)


# ------------------------------------------------------------------------------------ what it makes


def test_a_run_holds_the_arms_the_controls_and_all_that_was_promised(
    evaluate: Evaluate, home: Path
) -> None:
    run, summary = evaluate(arms=("default", "paper"))
    assert (summary["dataset"], summary["questions"], summary["passages"]) == ("musique", 6, 12)
    assert list(summary["arms"]) == ["default", "paper", *CONTROLS]
    assert all(set(own) >= MEASURES for own in summary["arms"].values())
    assert all(
        0 <= own[name] <= 1 for own in summary["arms"].values() for name in MEASURES - {"ms"}
    )
    assert set(summary["intervals"]) == {"default", "paper", "bm25", "rrf", "hybrid"}
    assert run.path.parent == home / "evaluation" / "runs"
    assert {p.name for p in run.path.iterdir()} == {
        "run.json",
        "questions.jsonl",
        "passages.jsonl",
        "summary.json",
        "report.html",
    }
    assert len(run.lines()) == 6 * 6
    assert list(run.settings) == MADE_WITH
    assert set(run.settings["files"]) == {"musique_corpus.jsonl", "musique_questions.jsonl"}
    assert {len(digest) for digest in run.settings["files"].values()} == {64}


def test_means_are_those_of_the_lines(evaluate: Evaluate) -> None:
    run, summary = evaluate()
    own = [line for line in run.lines() if line.arm == "hybrid"]
    assert summary["arms"]["hybrid"]["recall@5"] == pytest.approx(
        sum(line.measures["recall@5"] for line in own) / len(own), abs=1e-6
    )
    known = set(run.passages())
    assert all(p.id in known for line in run.lines() for p in line.passages)


def test_a_second_run_embeds_no_passage_again(
    evaluate: Evaluate, fake_embedder: FakeEmbedder, home: Path
) -> None:
    evaluate()
    before = fake_embedder.num_texts
    evaluate()
    assert fake_embedder.num_texts - before == 6, "the questions alone"
    assert len(list((home / "evaluation" / "workspaces").iterdir())) == 1
    evaluate(embedder=FakeEmbedder(16, "other"))
    assert len(list((home / "evaluation" / "workspaces").iterdir())) == 2, (
        "each embedder has its own"
    )


def test_halves_share_no_question_and_make_the_whole(evaluate: Evaluate) -> None:
    asked = {half: {line.question for line in evaluate(half=half)[0].lines()} for half in Half}
    assert asked[Half.TUNING] == {"q0", "q2", "q4"}
    assert asked[Half.TUNING] | asked[Half.REPORTING] == asked[Half.ALL]
    assert not asked[Half.TUNING] & asked[Half.REPORTING]


def test_given_extractions_make_the_graph_and_what_is_broken_is_counted(evaluate: Evaluate) -> None:
    run, summary = evaluate(extractor="file")
    assert summary["passages"] == 12
    assert sum(summary["notes"].values()) == 2, summary["notes"]
    assert "musique_openie_reference.jsonl" in run.settings["files"]


def test_gold_that_names_no_passage_counts_as_not_found_and_is_named(
    evaluate: Evaluate, data: Path
) -> None:
    row = {
        "id": "q",
        "question": "Where lies Acme Works?",
        "supporting_titles": ["Acme Works", "Atlantis"],
    }
    write(data / "multihop/musique_questions.jsonl", [row])
    _, summary = evaluate()
    assert summary["missing_gold"] == ["Atlantis"]
    assert (summary["arms"]["naive"]["recall@10"], summary["arms"]["naive"]["all@5"]) == (0.5, 0)


def test_where_no_gold_is_in_the_corpus_nothing_is_measured(
    evaluate: Evaluate, data: Path, home: Path
) -> None:
    write(
        data / "multihop/musique_questions.jsonl",
        [{"id": "q", "question": "Where?", "supporting_titles": ["Atlantis"]}],
    )
    with pytest.raises(UsageError, match=r"nothing of what should be found .* 'Atlantis'"):
        evaluate()
    assert not (home / "evaluation" / "runs").exists()


@pytest.mark.parametrize("text", ["Ada Byron founded Acme Works.", "so it goes on and on"])
def test_a_corpus_of_one_passage_can_be_measured_with_and_without_a_graph(
    text: str, evaluate: Evaluate, data: Path
) -> None:
    write(data / "multihop/musique_corpus.jsonl", [{"title": "t", "text": text}])
    write(
        data / "multihop/musique_questions.jsonl",
        [{"id": "q", "question": "what??", "supporting_titles": ["t"]}],
    )
    _, summary = evaluate()
    assert (summary["passages"], summary["arms"]["naive"]["hit@1"]) == (1, 1)


# ----------------------------------------------------------------------------------------- meetings


@pytest.fixture
def meetings(data: Path) -> Path:
    """Two meetings with the same words in other places, so that a question of one is misled by the
    other.
    """
    rows = []
    for number in range(2):
        order = range(6) if number else range(5, -1, -1)
        turns = [
            {
                "speaker": PEOPLE[i],
                "content": (
                    f"{'We looked at the numbers {vocalsound} again . ' * 12}{FIRMS[i]} lies in"
                    f" {PLACES[i]} ."
                ),
            }
            for i in order
        ]
        query = {
            "query": f"What was said of {FIRMS[1]}?",
            "answer": "",
            "relevant_text_span": [["1" if number else "4"] * 2],
        }
        rows.append({"meeting_transcripts": turns, "specific_query_list": [query]})
    write(data / "transcript_qa/qmsum_val.jsonl", rows)
    return data


def test_meetings_are_asked_each_alone_and_all_together(evaluate: Evaluate, meetings: Path) -> None:
    run, summary = evaluate(dataset="qmsum")
    assert list(summary["scopes"]) == ["document", "corpus"]
    assert summary["arms"] == summary["scopes"]["document"]["arms"]
    assert all("r@10" in own for own in summary["arms"].values())
    assert summary["measure"] == "p@5"
    documents = {p.id: p.title for p in run.passages().values()}
    for line in run.lines():
        brought = {documents[p.id] for p in line.passages}
        wanted = {documents[id_] for id_ in line.gold}
        if line.scope == "document":
            assert brought <= wanted, "a meeting is asked alone"
    assert summary["scopes"]["document"]["arms"]["bm25"]["hit@1"] == 1
    assert not any("{" in p.words for p in run.passages().values())


def test_sessions_of_a_conversation_are_asked_together_and_their_turns_counted(
    evaluate: Evaluate, meetings: Path
) -> None:
    def session(number: int, firm: str) -> list[dict[str, str]]:
        texts = ("Good to see you.", f"{firm} hired me today.", "How nice for you!")
        return [
            {"speaker": PEOPLE[i % 2], "dia_id": f"D{number}:{i + 1}", "text": text}
            for i, text in enumerate(texts)
        ]

    def talk(name: str, firms: Sequence[str]) -> dict[str, object]:
        sessions = {f"session_{n}": session(n, firm) for n, firm in enumerate(firms, start=1)}
        questions = [
            {
                "question": f"Who hired {PEOPLE[1]}: {firms[0]}?",
                "evidence": ["D1:2"],
                "category": 4,
            },
            {"question": f"Did {firms[1]} hire {PEOPLE[0]}?", "evidence": ["D2:2"], "category": 5},
        ]
        return {"sample_id": name, "conversation": sessions, "qa": questions}

    path = meetings / "talk/locomo/some.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([talk("one", FIRMS[:2]), talk("two", FIRMS[2:4])]))
    run, summary = evaluate(dataset="locomo")
    assert list(summary["scopes"]) == ["conversation", "corpus"]
    assert summary["questions"] == 2, "those asked of the wrong person are apart"
    kinds = summary["scopes"]["conversation"]["kinds"]
    assert {kind: own["questions"] for kind, own in kinds.items()} == {
        "single": 2,
        "adversarial": 2,
    }
    own = summary["arms"]["bm25"]
    assert (own["hit@1"], own["turn_hit@1"], own["turn_hit@3"]) == (1, 0, 1)
    assert kinds["adversarial"]["arms"]["bm25"]["turn_hit@10"] == 1
    asked_alone = [line for line in run.lines() if line.scope == "conversation"]
    assert all(len(line.passages) <= 2 for line in asked_alone)
    assert "turn_hit@k" in run.report().words
    told = summary["scopes"]["conversation"]["other_person"]
    assert (told["arm"], told["false_alarms"]["mean"]) == ("default", 0)
    heads = [table.heads for part in run.report().results for table in part.tables]
    assert ("arm", "right", "false alarms") in heads


def test_one_scope_can_be_asked_alone_and_a_set_without_it_says_so(
    evaluate: Evaluate, meetings: Path
) -> None:
    assert list(evaluate(dataset="qmsum", scope=Scope.CORPUS)[1]["scopes"]) == ["corpus"]
    with pytest.raises(UsageError, match="musique has no scope document"):
        evaluate(scope=Scope.DOCUMENT)


# ------------------------------------------------------------------------ stopped, resumed, refused


def interrupt_after(num_questions: int) -> Callable[[str, int, int], None]:
    def progress(stage: str, done: int, total: int) -> None:
        if stage.startswith("ask") and done == num_questions * len(("default", *CONTROLS)):
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("is_torn", [False, True])
def test_a_stopped_run_goes_on_to_the_same_summary(
    is_torn: bool, evaluate: Evaluate, tmp_path: Path, fake_embedder: FakeEmbedder
) -> None:
    _, whole = evaluate(out=tmp_path / "whole")
    with pytest.raises(StoppedRunError, match=r"resume with the same command and --out .*stopped"):
        evaluate(out=tmp_path / "stopped", progress=interrupt_after(4))
    path = tmp_path / "stopped" / "questions.jsonl"
    if is_torn:
        path.write_bytes(path.read_bytes()[:-50])
    before = fake_embedder.num_texts
    run, summary = evaluate(out=tmp_path / "stopped")
    assert without_times(summary) == without_times(whole)
    assert fake_embedder.num_texts - before == 2 + is_torn, "only what was left"
    assert (
        len(run.lines())
        == len({(line.scope, line.question, line.arm) for line in run.lines()})
        == 6 * 5
    )


def test_without_out_a_stopped_run_of_the_same_settings_is_gone_on_with(
    evaluate: Evaluate, home: Path
) -> None:
    with pytest.raises(StoppedRunError):
        evaluate(progress=interrupt_after(2))
    with pytest.raises(StoppedRunError):
        evaluate(progress=interrupt_after(1), half=Half.TUNING)
    run, _ = evaluate()
    assert run.path.name.endswith("-musique-1")
    assert evaluate()[0].path.name.endswith("-musique-3"), "a run that is done stays as it is"


def test_a_folder_of_other_settings_or_other_data_is_refused(
    evaluate: Evaluate, data: Path, tmp_path: Path
) -> None:
    evaluate(out=tmp_path / "run")
    with pytest.raises(UsageError, match=r"arms was \[\"default\".* is \[\"paper\""):
        evaluate(out=tmp_path / "run", arms=("paper",))
    rows = [
        json.loads(line)
        for line in (data / "multihop/musique_questions.jsonl").read_text().splitlines()
    ]
    write(data / "multihop/musique_questions.jsonl", rows[::-1])
    with pytest.raises(UsageError, match=r"files: musique_questions\.jsonl changed"):
        evaluate(out=tmp_path / "run")


def test_a_second_evaluation_leaves_a_run_alone_that_is_being_asked(
    evaluate: Evaluate, home: Path
) -> None:
    others: list[str] = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        if stage.startswith("ask") and done == 2 * 5:
            others.append(evaluate()[0].path.name)
            with pytest.raises(UsageError, match="another process is at work"):
                evaluate(out=next(home.rglob("*-musique-1")))

    run, _ = evaluate(progress=meanwhile)
    assert (run.path.name[10:], others[0][10:]) == ("-musique-1", "-musique-2")
    assert len(run.lines()) == len({(line.question, line.arm) for line in run.lines()}) == 6 * 5


def test_a_run_that_lost_a_line_is_mended_by_the_same_command(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    run, whole = evaluate(out=tmp_path / "run")
    path = run.path / "questions.jsonl"
    path.write_text(
        "".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8"
    )
    again, summary = evaluate(out=tmp_path / "run")
    assert len(again.lines()) == 6 * 5
    assert without_times(summary) == without_times(whole)


def test_an_out_that_is_a_file_is_refused_before_anything_is_embedded(
    evaluate: Evaluate, tmp_path: Path, fake_embedder: FakeEmbedder
) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(UsageError, match=r"file is a file.*--out"):
            evaluate(out=path)
    assert fake_embedder.num_texts == 0


def test_runs_with_other_extractors_are_compared_on_the_same_questions(evaluate: Evaluate) -> None:
    found = compare(evaluate()[0], evaluate(extractor="file")[0]).as_json()
    assert found["differing"]["extractor"] == ["fast", "file"]
    assert set(found["scopes"]["corpus"]["intervals"]) == {"default", *CONTROLS}
    assert found["scopes"]["corpus"]["intervals"]["naive"]["recall@5"] == {
        "difference": 0,
        "low": 0,
        "high": 0,
    }


@pytest.mark.parametrize(
    ("options", "error", "wanted"),
    [
        ({"arms": ("best",)}, UsageError, "unknown arm 'best'; known: default, paper"),
        ({"arms": ("dynagrag",)}, UsageError, "dynagrag is no arm.*default, paper"),
        (
            {"arms": ("dynagrag-cosine",)},
            UsageError,
            "dynagrag-cosine is no arm.*default, paper-cosine",
        ),
        ({"baseline": "paper"}, UsageError, "the baseline 'paper' is not among the arms"),
        ({"extractor": "llm"}, UsageError, "unknown extractor 'llm'; known: fast, spacy, file"),
        ({"given": Path("given.jsonl")}, UsageError, "--given is for --extractor file"),
        ({"data": None}, UsageError, "say where musique lies"),
        ({"data": Path("nowhere")}, LoadError, "there is no folder nowhere"),
        ({"dataset": None}, UsageError, "name what to evaluate"),
        ({"dataset": "hotpotqa"}, LoadError, "there is no hotpotqa_questions"),
        ({"questions": Path("nowhere.jsonl")}, LoadError, "there is no file nowhere"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_embedded(
    options: dict[str, Any],
    error: type[Exception],
    wanted: str,
    evaluate: Evaluate,
    fake_embedder: FakeEmbedder,
) -> None:
    with pytest.raises(error, match=wanted):
        evaluate(**options)
    assert fake_embedder.num_texts == 0


# ------------------------------------------------------------------------------------ own questions


def test_an_arm_asks_with_each_question_split_by_a_model(
    cli: Any, server: Any, data: Path, tmp_path: Path
) -> None:
    args = (
        "evaluate",
        "retrieval",
        "--dataset",
        "musique",
        "--data",
        data,
        "--arms",
        "default,split",
        "--out",
        tmp_path / "run",
        "--json",
    )
    found = cli(*args).json
    assert list(found["arms"])[:2] == ["default", "split"]
    assert server.counts.chat_calls == 6
    again = cli(*args[:-3], "--out", tmp_path / "again", "--json").json
    assert server.counts.chat_calls == 6, "replies are kept"
    assert again["arms"]["split"]["recall@5"] == found["arms"]["split"]["recall@5"]
    assert RetrievalRun.read(tmp_path / "run").settings["llm"].startswith("openai:")


def test_the_model_that_splits_is_that_of_the_user_s_home(
    evaluate: Evaluate, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes: list[Path] = []

    def make(settings: Settings) -> FakeChat:
        homes.append(settings.home)
        return FakeChat()

    monkeypatch.setattr(wiring, "make_chat_model", make)
    monkeypatch.setenv("DYNAGRAG_LLM", "qwen")
    _, summary = evaluate(arms=("split",))
    assert "split" in summary["arms"]
    assert homes == [home]


@pytest.fixture
def own(open_space: Any, corpus: Any, tmp_path: Path) -> Callable[..., Path]:
    """A workspace with two transcripts, and a file of questions for it."""
    turns = [
        (person, f"{firm} lies in {place}.")
        for person, firm, place in zip(PEOPLE, FIRMS, PLACES, strict=True)
    ]
    paths = [corpus.write("kickoff.vtt", turns), corpus.write("review.vtt", corpus.meeting(4))]
    open_space("mine").ingest(paths, IngestOptions(extractor="fast"))

    def make(*rows: Any) -> Path:
        return write(tmp_path / "own.jsonl", rows)

    return make


def test_own_questions_are_asked_of_the_workspace(
    own: Callable[..., Path], evaluate: Evaluate
) -> None:
    file = own(
        {"question": "Where does Acme Works lie?", "documents": ["kickoff.vtt"]},
        {
            "question": "Where is Delta Works?",
            "turns": [{"document": "kickoff", "first": 3, "last": 3}],
        },
    )
    run, summary = evaluate(questions=file, workspace="mine")
    assert (summary["dataset"], summary["questions"], summary["measure"]) == ("own", 2, "r@10")
    assert summary["arms"]["naive"]["recall@10"] == 1, (
        "there are but two documents and a few passages"
    )
    assert run.settings["workspace"] == "mine"


def test_a_name_that_the_workspace_lacks_and_an_embedder_that_is_not_its_own_are_told(
    own: Callable[..., Path], evaluate: Evaluate
) -> None:
    file = own({"question": "Where?", "documents": ["nowhere.vtt"]})
    with pytest.raises(
        UsageError,
        match=r"nothing of what should be found is in workspace 'mine', e.g. 'nowhere.vtt'",
    ):
        evaluate(questions=file, workspace="mine")
    with pytest.raises(WorkspaceError, match="there is no workspace 'yours'"):
        evaluate(questions=file, workspace="yours")
    with pytest.raises(EmbedderMismatchError, match="use --embedder fake"):
        evaluate(
            FakeEmbedder(8, "other"),
            questions=own({"question": "Where?", "documents": ["kickoff"]}),
            workspace="mine",
        )


# ------------------------------------------------------------------------------------- command line


def test_the_command_prints_json_with_the_documented_fields(
    cli: Any, server: Any, data: Path, tmp_path: Path
) -> None:
    shown = cli(
        "evaluate",
        "retrieval",
        "--dataset",
        "musique",
        "--data",
        data,
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert (shown.code, shown.err, len(shown.out.splitlines())) == (0, "", 1)
    assert set(shown.json) >= {"dataset", "questions", "passages", "arms"}
    assert all(set(own) >= MEASURES for own in shown.json["arms"].values())
    assert (tmp_path / "run" / "report.html").is_file()


def test_the_commands_print_tables_for_people(
    cli: Any, server: Any, data: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        shown = cli(
            "evaluate",
            "retrieval",
            "--dataset",
            "musique",
            "--data",
            data,
            "--out",
            tmp_path / name,
            "--limit",
            3,
        )
        assert shown.code == 0, shown
    assert "musique: which passages are brought\n3 questions were asked over 12 pass" in shown.out
    assert "Fewer than 30 questions" in shown.out
    assert "Fewer than 30 questions" in (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert [line.split()[0] for line in shown.out.splitlines()[4:9]] == ["default", *CONTROLS]
    compared = cli("evaluate", "compare", tmp_path / "a", tmp_path / "b")
    assert compared.code == 0
    assert "3 questions; second minus first" in compared.out
    assert set(cli("evaluate", "compare", tmp_path / "a", tmp_path / "b", "--json").json) == {
        "runs", "questions", "differing", "left_out", "scopes",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "code", "wanted"),
    [
        (
            ("retrieval", "--dataset", "musique", "--data", ".", "--arms", "split"),
            1,
            "name one with --llm",
        ),
        (("retrieval", "--dataset", "musique"), 2, "say where musique lies"),
        (
            ("retrieval", "--dataset", "musique", "--data", "nowhere"),
            1,
            "there is no folder nowhere",
        ),
        (
            ("retrieval", "--dataset", "musique", "--data", ".", "--half", "third"),
            2,
            "known: tuning, reporting, all",
        ),
        (("compare", "nowhere", "nowhere"), 1, "nowhere is no run's folder"),
    ],
)
def test_wrong_commands_end_with_one_line(
    args: Sequence[str], code: int, wanted: str, cli: Any
) -> None:
    assert wanted in cli("evaluate", *args).complaint(code)
