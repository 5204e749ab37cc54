"""GraphQA from its files to trained soft prompts and their figures."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag.checkpoints.checkpoints import read_tensors
from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, LoadError, UsageError
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.graphqa.expla_graphs import load_expla_graphs
from dynagrag.evaluation.graphqa.graph_methods import METHODS, TRAINED
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.evaluation.graphqa.graphqa_run import GraphQaOptions, evaluate_graphqa
from dynagrag.evaluation.graphqa.hallucination import checked_support
from dynagrag.evaluation.graphqa.named_parts import ShownText
from dynagrag.evaluation.graphqa.soft_examples import shown_text
from dynagrag.evaluation.graphqa.text_tables import text_tables
from dynagrag.fakes import FakeEmbedder
from dynagrag.ui.evaluate.kept_runs import kept_runs

pytestmark = pytest.mark.slow

Train = Callable[..., Path]


def shown_of(question: GraphQuestion) -> ShownText:
    """What its tables show: ExplaGraphs' graphs stay whole."""
    return shown_text(question, TextVectors(FakeEmbedder()), METHODS["g-retriever"])


HEAD = "index\tsplit\targ1\targ2\tlabel\tgraph\n"


def test_rows_become_questions_with_graphs_in_the_order_of_their_triples(data: Path) -> None:
    questions, (file,) = load_expla_graphs(data)
    assert file.name == "expla_graphs_own.tsv"
    assert [sum(q.part is part for q in questions) for part in Part] == [22, 8, 0]
    first = questions[0]
    assert first.graph == TextGraph(("dog", "fly", "animal"), ((0, "not", 1), (0, "is a", 2)))
    assert first.question.startswith(
        "Argument 1: the dog\n"
        "Argument 2: bird 0 can fly\n"
        "Question: Do argument 1 and argument 2 support or"
    )
    assert first.question.endswith("'counter'.\n\nAnswer:")
    assert (first.query, first.label, first.answers) == (
        "Argument 1: the dog\nArgument 2: bird 0 can fly",
        "counter",
        ("counter",),
    )


def test_a_graph_is_two_tables_quoted_only_where_it_must_be() -> None:
    graph = TextGraph.of_triples([("a, b", "nan", "None"), ("None", "is", "a, b")])
    assert (
        text_tables(graph)
        == 'node_id,node_attr\n0,"a, b"\n1,None\n\nsrc,edge_attr,dst\n0,nan,1\n1,is,0\n'
    )


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("1\ttrain\ta\tb\tmaybe\t(a; b; c)", "line 2: the label is 'maybe'"),
        ("1\tlater\ta\tb\tsupport\t(a; b; c)", "line 2: the split is 'later'"),
        ("1\ttrain\ta\tb\tsupport\t(a; b)", "line 2: the graph must be"),
        ("1\ttrain\ta\tb\tsupport\t", "line 2: the graph must be"),
        ("1\ttrain\ta\tb\tsupport", "line 2: it has 5 columns, the header 6"),
        ("1\ttrain\ta\tb\tsupport\t(a; b; c)\tmore", "line 2: it has 7 columns, the header 6"),
        (
            "1\ttrain\ta\tb\tsupport\t(a; b; c) and (d; e; f)",
            "line 2: the graph must be .* and nothing else",
        ),
        ("1\ttrain\ta\tb\tsupport\tso: (a; b; c)", "line 2: the graph must be"),
        ("1\ttrain\ta\tb\tsupport\t(a; b; c)(d; e", "line 2: the graph must be"),
        ("1\ttrain\ta\tb\tsupport\t(a (x; b; c)", "line 2: the graph must be"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, broken: str, said: str) -> None:
    (tmp_path / "expla_graphs_own.tsv").write_text(f"{HEAD}{broken}\n", encoding="utf-8")
    with pytest.raises(LoadError, match=said):
        load_expla_graphs(tmp_path)


def test_all_broken_rows_are_counted_and_named(tmp_path: Path) -> None:
    rows = [
        "1\ttrain\ta\tb\tsupport\t(a; b; c) (d; e; f)",
        "2\ttrain\ta\tb\tmaybe\t(a; b; c)",
        *["3\tlater\ta\tb\tsupport\t(a; b; c)"] * 2,
    ]
    (tmp_path / "expla_graphs_own.tsv").write_text(HEAD + "\n".join(rows), encoding="utf-8")
    with pytest.raises(
        LoadError, match=r"line 3: the label is 'maybe'.*; 3 rows are broken, the others in: 4, 5$"
    ):
        load_expla_graphs(tmp_path)
    (tmp_path / "expla_graphs_own.tsv").write_text(HEAD + rows[0], encoding="utf-8")
    (question,), _ = load_expla_graphs(tmp_path)
    assert len(question.graph.edges) == 2, "white space may stand between triples"


def test_files_that_are_missing_or_lack_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"no expla_graphs\*\.tsv"):
        load_expla_graphs(tmp_path)
    (tmp_path / "expla_graphs_own.tsv").write_text("index\targ1\n", encoding="utf-8")
    with pytest.raises(LoadError, match="the header lacks split, arg2, label, graph"):
        load_expla_graphs(tmp_path)


def test_the_majority_is_that_of_the_training_rows(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    run, result = evaluate_graphqa(
        settings, GraphQaOptions(dataset="explagraphs", data=data, method="majority")
    )
    assert [line.answer for line in run.lines()] == ["support"] * 8
    assert result.n == 8
    assert result.measures["strict"]["accuracy"].mean == result.majority == 0.75
    (printed,) = result.published
    assert (printed.value, printed.metric) == (58.84, "accuracy")
    assert printed.source == "326 of the 554 test rows"
    assert (printed.model, printed.split, printed.scorer) == ("", "test", "paper_compat")
    shown = result.as_json()
    assert {"accuracy", "hit", "hits@1", "f1", "majority"} <= set(shown)
    assert (shown["accuracy"], shown["hit"]) == (0.75, None)
    assert shown["verdict"] == result.verdict
    assert "hallucination" not in shown
    assert run.result() == result
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert "majority: 75.0 % right (" in page
    assert "always the answer that most of these rows share." in page
    assert "58.84" in page
    assert "Elsewhere, in percent: Llama 2 13B chat, test rows, paper_compat" in page
    (kept,) = kept_runs(settings)[0]
    assert (kept.what, kept.asked_of) == ("questions over graphs", "explagraphs")
    report = run.report()
    assert report.conclusion.startswith("majority: 75.0 % right")
    table = report.results[0].tables[0]
    assert (table.heads, len(table.rows)) == (("scorer", "accuracy", "unparsable"), 2)
    said = "\n".join(report_lines(report))
    assert "published: accuracy 58.84 (326 of the 554 test rows: no model" in said
    assert "here 75.00 (no model, validation rows, paper_compat, n 8)" in said


def test_a_summary_of_before_is_read(data: Path, settings: Settings) -> None:
    run, result = evaluate_graphqa(
        settings, GraphQaOptions(dataset="explagraphs", data=data, method="majority")
    )
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    assert old["accuracy"] == 0.75
    for name in ("format", "learned", "left_out", "trained_on"):
        old.pop(name)
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    assert run.result().measures == result.measures
    assert run.report().conclusion == result.verdict


def test_two_trainings_in_one_folder_are_refused(train: Train, tmp_path: Path) -> None:
    from dynagrag.checkpoints.checkpoints import hold_folder

    with (
        hold_folder(tmp_path / "own"),
        pytest.raises(UsageError, match="another training is at work"),
    ):
        train("prompt-tuning", "own")


@pytest.mark.parametrize("method", TRAINED)
def test_each_method_is_trained_kept_opened_and_measured(
    train: Train, data: Path, settings: Settings, tmp_path: Path, method: str
) -> None:
    folder = train(method, "own")
    made = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert (made["network"]["method"], made["network"]["lm"], made["network"]["lm_width"]) == (
        method,
        "tiny",
        128,
    )
    assert made["made_with"]["train"] == 20
    encoder, is_grag = made["network"]["options"]["encoder"], method.startswith("grag")
    assert (encoder is not None) is METHODS[method].parts.has_graph
    assert encoder is None or (encoder["is_pruned"], encoder["is_two_way"]) == (is_grag, is_grag)
    kept_weights = read_tensors(folder / "model.safetensors")[0]
    learned = ("encoder.", "projector.", "virtual", "adapters.")
    assert all(name.startswith(learned) for name in kept_weights), "the language model isn't kept"
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method=method,
        lm="tiny",
        checkpoint=folder,
        out=tmp_path / "run",
    )
    run, result = evaluate_graphqa(settings, asked)
    assert result.n == len(run.lines()) == 8
    (run.path / "summary.json").unlink()
    kept = run.file.path.read_text(encoding="utf-8").splitlines(keepends=True)
    run.file.path.write_text("".join(kept[:3]), encoding="utf-8")
    again, resumed = evaluate_graphqa(settings, asked)
    assert sorted(again.file.path.read_text(encoding="utf-8").splitlines()) == sorted(
        line.strip() for line in kept
    )
    assert resumed.measures == result.measures


def test_what_an_answer_rests_on_is_asked_for_and_looked_up(
    data: Path, settings: Settings, tiny: None, tmp_path: Path
) -> None:
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method="zero-shot",
        lm="tiny",
        limit=3,
        hallucination=True,
        out=tmp_path / "run",
    )
    run, result = evaluate_graphqa(settings, asked)
    for line, question in zip(run.lines(), load_expla_graphs(data)[0][22:], strict=False):
        assert line.support == checked_support(
            line.support.text if line.support else "", question.graph, shown_of(question)
        )
    measures = ["valid_nodes", "valid_edges", "fully_valid", "naming"]
    assert list(result.hallucination or ()) == measures
    assert run.result() == result
    assert "looked up in the graph" in (run.path / "report.html").read_text(encoding="utf-8")
    plain = replace(asked, hallucination=False, out=tmp_path / "plain")
    assert evaluate_graphqa(settings, plain)[1].hallucination is None
    with pytest.raises(UsageError, match="other settings"):
        evaluate_graphqa(settings, replace(asked, hallucination=False))


def test_none_right_of_a_few_is_not_told_apart_from_chance(
    data: Path,
    home: Path,
    tiny: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from dynagrag.cli.main import run
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel

    monkeypatch.setattr(
        SoftPromptModel, "answers", lambda self, examples: ["nothing"] * len(examples)
    )
    given = [
        "--dataset",
        "explagraphs",
        "--data",
        str(data),
        "--method",
        "zero-shot",
        "--lm",
        "tiny",
        "--limit",
        "3",
    ]
    assert run(["evaluate", "graphqa", *given, "--out", str(tmp_path / "run")]) == 0
    shown = capsys.readouterr().out
    assert "0.0 % right (0.0 to 70.8) by paper_compat, not told apart from the 66.7 %" in shown
    assert "Fewer than 30 questions: the intervals say little.\n" in shown


def test_sizes_that_were_given_are_those_of_the_network(
    train: Train, data: Path, settings: Settings, tmp_path: Path
) -> None:
    sizes = {
        "width": 8,
        "num_layers": 2,
        "projection": 24,
        "batch_size": 4,
        "patience": 1,
        "num_virtual": 3,
    }
    kept = json.loads(
        (train("g-retriever", "own", sizes=sizes) / "model.json").read_text(encoding="utf-8")
    )
    network = kept["network"]["options"]
    assert (
        network["encoder"]["width"],
        network["encoder"]["num_layers"],
        network["projection"],
    ) == (8, 2, 24)
    assert (
        kept["made_with"]["options"]["batch_size"],
        kept["made_with"]["options"]["patience"],
    ) == (4, 1)
    virtual = json.loads(
        (train("prompt-tuning", "virtual", sizes=sizes) / "model.json").read_text(encoding="utf-8")
    )
    assert virtual["network"]["options"]["num_virtual"] == 3
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method="g-retriever",
        lm="tiny",
        checkpoint=tmp_path / "own",
        out=tmp_path / "run",
    )
    assert evaluate_graphqa(settings, asked)[1].n == 8
    with pytest.raises(UsageError, match="can't be shared by 4 heads"):
        train("g-retriever", "odd", sizes={"width": 10})


@pytest.mark.parametrize("method", ["grag", "g-retriever-lora"])
def test_a_training_that_was_stopped_goes_on_with_the_same_numbers(
    train: Train, method: str
) -> None:
    whole = json.loads((train(method, "whole", 3) / "model.json").read_text(encoding="utf-8"))
    with pytest.raises(KeyboardInterrupt):
        train(method, "stopped", 3, stop_after=1)
    resumed = json.loads((train(method, "stopped", 3) / "model.json").read_text(encoding="utf-8"))
    assert [(e["loss"], e["validation"]) for e in resumed["figures"]["epochs"]] == [
        (e["loss"], e["validation"]) for e in whole["figures"]["epochs"]
    ]


def test_what_does_not_fit_is_refused_in_a_line(
    train: Train, data: Path, settings: Settings, tmp_path: Path
) -> None:
    folder = train("g-retriever", "own", 1)

    def ask(
        method: str = "g-retriever",
        lm: str | None = "tiny",
        checkpoint: Path | None = folder,
        **more: Any,
    ) -> None:
        given: dict[str, Any] = {"dataset": "explagraphs", "data": data} | more
        evaluate_graphqa(
            settings,
            GraphQaOptions(
                method=method, lm=lm, checkpoint=checkpoint, out=tmp_path / "run", **given
            ),
        )

    refused: list[tuple[dict[str, Any], str]] = [
        ({"method": "grag"}, "holds a trained g-retriever"),
        ({"lm": "other"}, "was trained before tiny; give --lm tiny"),
        ({"lm": None}, "name the language model with --lm"),
        ({"checkpoint": None}, "is trained first: dynagrag train g-retriever"),
        ({"method": "zero-shot"}, "has nothing that was trained"),
        ({"method": "magic"}, "there is no method 'magic'"),
        (
            {"method": "majority", "lm": None, "checkpoint": None, "hallucination": True},
            "majority names no support",
        ),
        ({"dataset": "nothing"}, "there is no set 'nothing'"),
        ({"part": Part.TEST}, "has no rows of the split 'test'"),
        ({"checkpoint": tmp_path}, "holds no model.json"),
        ({"device": "cuda:77"}, "the device 'cuda:77' can't be used here"),
    ]
    for given, said in refused:
        with pytest.raises(DynaGragError, match=said):
            ask(**given)
    with pytest.raises(UsageError, match="too few to learn from"):
        train("g-retriever", "few", max_rows=3)
    with pytest.raises(UsageError, match="there is nothing to train in 'zero-shot'"):
        train("zero-shot", "none")
    with pytest.raises(UsageError, match="begun with other settings"):
        train("g-retriever", "own", 1, seed=5)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in TRAINED])
def test_a_model_as_it_is_is_measured(
    data: Path, settings: Settings, tmp_path: Path, tiny: None, method: str
) -> None:
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method=method,
        lm="tiny",
        limit=3,
        out=tmp_path / "run",
        max_description=60,
    )
    run, result = evaluate_graphqa(settings, asked)
    assert (result.n, result.variant, len(run.lines())) == (3, method, 3)
    assert json.loads((run.path / "run.json").read_text(encoding="utf-8"))["settings"][
        "precision"
    ] in ("float32", "bfloat16")


@pytest.mark.parametrize(
    ("method", "how", "variant"),
    [
        ("grag", {"without": ("pruning",)}, "grag without pruning"),
        ("g-retriever", {"without": ("projector", "text")}, "g-retriever without projector, text"),
        ("g-retriever", {"without": ("encoder",)}, "g-retriever without encoder"),
        ("g-retriever", {"encoder": "gat"}, "g-retriever with gat"),
        ("grag", {"encoder": "gcn", "description": "tables"}, "grag with gcn"),
        ("grag-lora", {"without": ("retrieval",)}, "grag-lora without retrieval"),
        ("grag-lora", {"without": ("encoder",)}, "grag-lora without encoder"),
        ("lora", {"without": ("text",)}, "lora without text"),
    ],
)
def test_what_was_left_out_is_known_to_the_checkpoint(
    train: Train,
    data: Path,
    settings: Settings,
    tmp_path: Path,
    method: str,
    how: dict[str, Any],
    variant: str,
) -> None:
    from dynagrag.evaluation.graphqa.graph_methods import Description

    how = how | ({"description": Description(how["description"])} if "description" in how else {})
    folder = train(method, "own", 1, **how)
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method=method,
        lm="tiny",
        checkpoint=folder,
        out=tmp_path / "run",
    )
    run, result = evaluate_graphqa(settings, asked)
    assert result.variant == variant
    assert result.verdict.startswith(f"{variant}: ")
    if "encoder" in how and method == "g-retriever":
        assert [own.source for own in result.published] == ["G-Retriever, table 7"]
    assert variant in (run.path / "report.html").read_text(encoding="utf-8")


def test_what_can_not_be_trained_is_refused_in_a_line(train: Train, tmp_path: Path) -> None:
    for how, said in (
        (
            {"without": ("retrieval",)},
            "these rows' graphs are put in whole: there is no retrieval to go without",
        ),
        (
            {"encoder": "magic"},
            "--encoder 'magic' is unknown; known: transformer, edge-gat, gat, gcn",
        ),
        (
            {"encoder": "gcn", "without": ("encoder",)},
            "g-retriever without encoder has no graph encoder; leave out --encoder",
        ),
        (
            {"device": "cuda:77"},
            "the device 'cuda:77' can't be used here: .*; leave out --device, or give cpu",
        ),
    ):
        with pytest.raises(UsageError, match=said):
            train("g-retriever", "own", **how)
        assert not (tmp_path / "own").exists()


def test_long_labels_and_texts_are_told_and_cut(
    train: Train, data: Path, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train("prompt-tuning", "own", 1, max_label=0, max_description=20)
    assert "22 of 22 labels are longer than 0 tokens and are cut there" in caplog.text
    assert (
        "22 of 22 graphs' texts are longer than 20 tokens and are cut there, so their ends aren't"
        " read" in caplog.text
    )
    folder = train("prompt-tuning", "cut", 1, max_description=20)
    caplog.clear()
    asked = {
        "dataset": "explagraphs",
        "data": data,
        "method": "prompt-tuning",
        "lm": "tiny",
        "checkpoint": folder,
    }
    evaluate_graphqa(settings, GraphQaOptions(**asked, out=tmp_path / "run"))
    assert [
        record.message.partition(" are cut")[0]
        for record in caplog.records
        if "cut" in record.message
    ] == ["8 of 8 graphs' texts are longer than 20 tokens and"]
    for wrong, said in (
        (
            GraphQaOptions(**asked, without=("retrieval",)),
            "--without is for methods that are not trained here",
        ),
        (
            GraphQaOptions(
                dataset="explagraphs",
                data=data,
                method="zero-shot",
                lm="tiny",
                without=("retrieval",),
            ),
            "put in whole",
        ),
        (
            GraphQaOptions(
                dataset="explagraphs", data=data, method="kaping", lm="tiny", without=("retrieval",)
            ),
            "kaping can't go without",
        ),
    ):
        with pytest.raises(UsageError, match=said):
            evaluate_graphqa(settings, wrong)


def test_a_checkpoint_that_is_no_checkpoint_of_this_is_refused(
    train: Train, data: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pickle

    from dynagrag import wiring

    folder = train("g-retriever", "own", 1)

    def refused(checkpoint: Path, said: str) -> None:
        asked = GraphQaOptions(
            dataset="explagraphs",
            data=data,
            method="g-retriever",
            lm="tiny",
            checkpoint=checkpoint,
            out=tmp_path / "run",
        )
        with pytest.raises(DynaGragError, match=said) as raised:
            evaluate_graphqa(settings, asked)
        assert "\n" not in str(raised.value)
        assert not (tmp_path / "run").exists()

    description = (folder / "model.json").read_text(encoding="utf-8")
    (folder / "model.json").write_text(
        description.replace('"lm_width": 128', '"lm_width": 64'), encoding="utf-8"
    )
    refused(folder, "was trained before a model of width 64, and tiny has 128; train it again")
    (folder / "model.json").write_text(
        description.replace('"width": 16', '"width": 32'), encoding="utf-8"
    )
    refused(folder, "the weights in .* are not those of its network")
    (folder / "model.json").write_text(description, encoding="utf-8")
    with monkeypatch.context() as other:
        other.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(dimension=8))
        refused(folder, r"was trained on vectors of .* \(32 numbers\); these are of .* \(8\)")
    (folder / "model.safetensors").write_bytes(pickle.dumps({"weights": [1]}))
    refused(folder, "is no whole safetensors file, and was not used")
    (tmp_path / "weights.pt").write_bytes(pickle.dumps({"weights": [1]}))
    refused(
        tmp_path / "weights.pt", "weights.pt is a pickle, which could run code, and was not opened"
    )
    refused(tmp_path / "none", "is no folder of a checkpoint")


def test_the_commands_train_and_measure_and_refuse_in_a_line(
    data: Path, home: Path, tmp_path: Path, tiny: None, capsys: pytest.CaptureFixture[str]
) -> None:
    from dynagrag.cli.main import run

    def said(*words: str) -> tuple[int, str, str]:
        code = run([*words, "--dataset", "explagraphs", "--data", str(data)])
        return code, *capsys.readouterr()

    out = str(tmp_path / "own")
    code, shown, _ = said(
        "train",
        "lora",
        "--lm",
        "tiny",
        "--out",
        out,
        "--max-epochs",
        "1",
        "--precision",
        "float32",
        "--device",
        "cpu",
    )
    assert (code, shown.startswith("epoch 1: loss ")) == (0, True)
    code, shown, _ = said(
        "evaluate",
        "graphqa",
        "--method",
        "lora",
        "--lm",
        "tiny",
        "--checkpoint",
        out,
        "--out",
        str(tmp_path / "run"),
    )
    assert code == 0
    assert (
        "published: accuracy 85.38 (G-Retriever, table 3: Llama 2 7B, test rows, paper_compat);"
        " here " in shown
    )
    assert "(tiny, validation rows, paper_compat, n 8)" in shown
    for words, named in (
        (
            ("train", "grag", "--out", str(tmp_path / "no"), "--without", "magic"),
            "grag can't go without 'magic'",
        ),
        (
            ("train", "lora", "--out", str(tmp_path / "no"), "--precision", "half"),
            "--precision 'half' is unknown",
        ),
        (
            ("train", "lora", "--out", str(tmp_path / "no"), "--width", "64"),
            "lora has no graph encoder; leave out --width",
        ),
        (
            ("train", "prompt-tuning", "--out", str(tmp_path / "no"), "--layers", "2"),
            "has no graph encoder; leave out --layers",
        ),
        (
            ("train", "grag", "--out", str(tmp_path / "no"), "--virtual-tokens", "2"),
            "no virtual tokens; leave out --virtual-tokens",
        ),
        (
            (
                "train",
                "grag",
                "--out",
                str(tmp_path / "no"),
                "--without",
                "projector",
                "--projector-width",
                "9",
            ),
            "grag without projector has no projector; leave out --projector-width",
        ),
        (
            ("evaluate", "graphqa", "--method", "g-retriever-lora", "--lm", "tiny"),
            "dynagrag train g-retriever-lora --out FOLDER",
        ),
        (
            ("evaluate", "graphqa", "--method", "g-retriever+lora", "--lm", "tiny"),
            "there is no method 'g-retriever+lora'; known: majority",
        ),
        (
            ("train", "grag", "--out", str(tmp_path / "no"), "--store", "sqlite"),
            "--store is for --workspace; leave it out with --dataset",
        ),
        (
            ("evaluate", "graphqa", "--method", "zero-shot", "--lm", "tiny", "--device", "warp"),
            "the device 'warp' can't be used here",
        ),
    ):
        code, _, complaint = said(*words)
        assert code in (1, 2)
        assert named in complaint
        assert complaint.count("\n") == 1
    for option, value in (
        ("--encoder", "gcn"),
        ("--max-description", "512"),
        ("--max-label", "32"),
        ("--without", ""),
    ):
        assert run(["train", "grag", "--workspace", "w", option, value]) in (1, 2)
        assert (
            f"{option} is for --dataset; leave it out with --workspace" in capsys.readouterr().err
        )
