"""G-Retriever and GRAG trained on a workspace of one's own, and asked through `ask --soft`."""

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, SettingsError, UsageError, WorkspaceError
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.judge.judge_options import JudgeOptions
from dynagrag.evaluation.judge.judge_run import JudgeModels, evaluate_judge
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.qa.qa_options import QaOptions
from dynagrag.evaluation.qa.qa_run import evaluate_qa
from dynagrag.fakes import FakeChat
from dynagrag.generation import subgraph_prompts
from dynagrag.generation.soft_prompt.soft_answers import text_budget
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftModelReply, SoftPromptModel
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
from dynagrag.generation.soft_prompt.soft_text import TokenBudget
from dynagrag.generation.stored_answer import answer_json, answer_of
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.training.soft_prompt import soft_prompt_training
from dynagrag.training.soft_prompt.soft_prompt_examples import WorkspaceSoftExamples
from dynagrag.training.soft_prompt.soft_prompt_training import (
    SoftTraining,
    WorkspaceSoftOptions,
    train_soft_on_workspace,
)
from dynagrag.workspace.asking import AnswerOverrides
from dynagrag.workspace.facade import AskOptions, open_workspace
from dynagrag.workspace.text_reports import trace_lines
from dynagrag.workspace.workspace_soft_prompt import soft_prompt_folder

pytestmark = pytest.mark.slow

THINGS = (
    "Delta Valve",
    "Odyssey",
    "Helium Tank",
    "Comet Bennett",
    "Main Bus",
    "Aquarius",
    "Port Arthur",
    "Fathom Labs",
)
Train = Callable[..., SoftTraining]
WIDE = TokenBudget(lambda text: len(text) // 4, 768)


@pytest.mark.parametrize("method", ["g-retriever", "grag", "graph-token", "prompt-tuning"])
def test_a_system_is_trained_kept_in_the_workspace_and_answers(
    train: Train, settings: Settings, method: str
) -> None:
    made = train(method)
    assert made.folder == soft_prompt_folder(settings, "w", method)
    assert all(made.questions[part] >= 3 for part in Part)
    assert made.figures.n == min(made.questions["test"], 40)
    assert bool(made.figures.with_line) is (method != "graph-token"), (
        "some texts that it reads hold the line that states the answer"
    )
    description = json.loads((made.folder / "model.json").read_text(encoding="utf-8"))
    assert (description["kind"], description["network"]["lm"]) == ("soft-answers", "tiny")
    encoder, is_grag = description["network"]["options"]["encoder"], method == "grag"
    assert (encoder is None) is (method == "prompt-tuning")
    assert encoder is None or (encoder["is_pruned"], encoder["is_two_way"]) == (is_grag, is_grag)
    with open_workspace("w", settings=settings) as space:
        answer = space.ask("What does the Odyssey feed?", AskOptions(soft=method))
        one_call = MeteredChat(FakeChat(), space.journal, workspace="w", budget=Budget(1))
        plan = space.questions.plan(AskOptions(soft=method, max_calls=1), one_call)
        assert plan.soft
        assert plan.profile == plan.soft.system.profile, "calls are the checker's alone"
        again = space.ask("What does the Odyssey feed?", AskOptions(soft=str(made.folder)))
    assert answer.is_answered_by_model
    assert answer.trace.retriever == ("grag" if method == "grag" else "pcst")
    assert f"answered by {method} with tiny, a trained soft prompt" in answer.trace.notes
    assert answer.text == again.text
    assert answer.usage.calls == 0, "no other model was asked"
    read = answer.trace.soft
    assert read is not None
    assert read.num_soft_tokens == (10 if method == "prompt-tuning" else 1)
    assert bool(read.text_tokens) == bool(read.labels) == (method != "graph-token")
    assert read.prompt_tokens > read.num_soft_tokens + read.text_tokens
    assert bool(read.num_lines_read) is (method != "graph-token")
    assert read.num_lines_read <= read.num_lines
    assert answer_of(json.loads(json.dumps(answer_json(answer)))).trace == answer.trace
    masks = [
        node.mask
        for prompt in answer.trace.prompts
        if prompt.subgraph
        for node in prompt.subgraph.nodes
    ]
    edges = [
        edge.mask
        for prompt in answer.trace.prompts
        if prompt.subgraph
        for edge in prompt.subgraph.edges
    ]
    assert masks
    assert edges
    if method == "grag":
        assert all(mask is not None and 0 < mask < 1 for mask in (*masks, *edges))
    else:
        assert set(masks) == {None}


def test_a_reply_is_checked_as_any_answer(
    train: Train, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    train()

    def replying(text: str) -> None:
        monkeypatch.setattr(
            SoftPromptModel, "replies", lambda self, examples: [SoftModelReply(text, 9, 5)]
        )

    with open_workspace("w", settings=settings) as space:
        replying("Nothing is known [E99].")
        prompt = space.ask(
            "What does the Odyssey feed?", AskOptions(soft="g-retriever")
        ).trace.prompts[0]
        line = next(row for row in prompt.text.splitlines() if row.startswith("[E1]"))
        said = line.partition('"')[2].rstrip('"')
        replying(f"{said} [E1][E99]")
        stated = space.ask("What does the Odyssey feed?", AskOptions(soft="g-retriever"))
        replying("The Odyssey feeds the Moon for 3 years [E1].")
        strict = space.ask(
            "What does the Odyssey feed?", AskOptions(soft="g-retriever", is_strict=True)
        )
        replying("")
        silent = space.ask("What does the Odyssey feed?", AskOptions(soft="g-retriever"))
    assert "E99" not in stated.text
    assert [citation.quote for citation in stated.citations] == [said]
    assert [claim.verdict.value for claim in stated.claims] == ["stated"]
    assert strict.is_abstained
    assert strict.left_out
    assert silent.is_abstained
    assert silent.text.startswith("The trained system said nothing."), (
        "the evidence may well answer the question"
    )
    assert silent.trace.reason == "the trained system said nothing"


def test_hard_prompts_soft_prompts_and_both_answer_from_the_same_model_at_equal_tokens(
    train: Train, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train()
    train("graph-token")
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text(
        "".join(
            json.dumps({"question": f"What does the {thing} feed?", "answer": "Kettle"}) + "\n"
            for thing in THINGS[:3]
        )
    )
    arms = ("hard:g-retriever", "soft:graph-token", "soft:g-retriever")
    chat = FakeChat()
    asked = QaOptions(questions=Path("mine.jsonl"), workspace="w", arms=arms, out=tmp_path / "qa")
    estimates: list[AnswersEstimate] = []
    run, result = evaluate_qa(settings, asked, on_estimate=estimates.append, chat_model=chat)
    assert result.arms.keys() == {*arms}
    assert {name: kept.partition(",")[0] for name, kept in run.settings["soft"].items()} == {
        "g-retriever": "g-retriever with tiny",
        "graph-token": "graph-token with tiny",
    }
    lines = {(line.question, line.arm): line for line in run.answers()}
    for question in {id_ for id_, _ in lines}:
        hard, soft, both = (lines[question, arm] for arm in arms)
        assert hard.context_tokens + 1 == both.context_tokens > soft.context_tokens == 1
        assert hard.shown == both.shown != ()
        assert soft.shown == ()
        assert not soft.citations, "what was not read is not cited"
    assert {prompt.name for prompt in chat.prompts} <= {"short_answer"}, "no other model answers"
    assert estimates[0].answers == 9
    judged = JudgeOptions(
        Path("mine.jsonl"), "w", arms, out=tmp_path / "judge", forms=("pointwise",), samples=1
    )
    own, graded = evaluate_judge(
        settings, judged, models=JudgeModels(answers=FakeChat(), judge=FakeChat())
    )
    assert graded.arms.keys() == {*arms}
    assert {key: line.plain for key, line in own.answers().items()} == {
        key: line.plain for key, line in lines.items()
    }
    assert own.settings["soft"] == run.settings["soft"]


def test_arms_with_models_of_their_own_need_no_other_but_a_judge(
    train: Train, settings: Settings, tmp_path: Path
) -> None:
    train()
    questions = tmp_path / "mine.jsonl"
    questions.write_text(
        "".join(
            json.dumps({"question": f"What does the {t} feed?", "answer": "Kettle"}) + "\n"
            for t in THINGS[:2]
        )
    )
    arms = ("hard:g-retriever", "soft:g-retriever")
    estimates: list[AnswersEstimate] = []
    run, result = evaluate_qa(
        settings,
        QaOptions(questions=questions, workspace="w", arms=arms),
        on_estimate=estimates.append,
    )
    assert run.settings["llm"] is None
    assert {(line.calls, line.short, line.error) for line in run.answers()} == {(0, None, "")}
    assert (estimates[-1].calls, estimates[-1].is_last) == (0, True)
    assert estimates[-1].seconds
    assert "f1" not in result.arms["soft:g-retriever"]
    assert result.measure == "answer_recall"
    assert [count for note, count in result.notes.items() if "exact and F1" in note] == [2]
    assert "answered by the arms' own models" in html.unescape(
        (run.path / "report.html").read_text(encoding="utf-8")
    )
    for arm in ("closed-book", "default"):
        with pytest.raises(SettingsError, match=f"gives the answers of {arm}: name one with --llm"):
            evaluate_qa(settings, QaOptions(questions=questions, workspace="w", arms=(*arms, arm)))
    judged = JudgeOptions(questions, "w", arms, forms=("pointwise",), samples=1)
    with pytest.raises(SettingsError, match="a language model judges: name one with --judge-llm"):
        evaluate_judge(settings, judged)
    own, graded = evaluate_judge(settings, judged, models=JudgeModels(judge=FakeChat()))
    assert own.settings["llm"] is None
    assert graded.arms.keys() == {*arms}


def test_hard_prompts_alone_are_those_of_the_system_and_of_its_training_without_its_soft_token(
    train: Train, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    train()
    seen: list[tuple[bool, str, str]] = []

    def replies(self: SoftPromptModel, examples: list[SoftExample]) -> list[SoftModelReply]:
        seen.append(
            (self.options.encoder is not None, examples[0].description, examples[0].question)
        )
        return [SoftModelReply("Kettle", 9, 1)]

    monkeypatch.setattr(SoftPromptModel, "replies", replies)
    with open_workspace("w", settings=settings) as space:
        chat = MeteredChat(FakeChat(), space.journal, workspace="w")
        soft = space.questions.plan(AskOptions(soft="g-retriever"), chat).soft
        assert soft
        asked = WorkspaceSoftExamples(space, "g-retriever", None)
        rows = asked.examples(text_budget(soft.model), lambda *_: None, max_rows=10)
        learned = rows[Part.TRAIN][0].example
        question = learned.question.removeprefix("Question: ").partition("\n")[0]
        both = space.questions.answer(question, AskOptions(soft="g-retriever"), chat)
        hard = space.questions.answer(
            question, AskOptions(soft="g-retriever"), chat, AnswerOverrides(is_hard_alone=True)
        )
        monkeypatch.setattr(subgraph_prompts, "LEAST_GATE", 2)
        alone = space.questions.answer(question, AskOptions(soft="g-retriever"), chat).trace
    assert any("no tree has lines in a prompt" in note for note in alone.notes)
    (prompt,) = alone.prompts
    assert (prompt.num_nodes_in, bool(prompt.subgraph)) == (0, True), "the token is made of it"
    assert [has_token for has_token, *_ in seen] == [True, False, True]
    assert seen[0][1:] == seen[1][1:] == (learned.description, learned.question)
    assert hard.trace.soft
    assert hard.trace.soft.num_soft_tokens == 0
    assert any(
        "answered by tiny as it is, without soft tokens" in note for note in hard.trace.notes
    )
    assert any(
        "answered by g-retriever with tiny, a trained soft prompt" in note
        for note in both.trace.notes
    )


def test_figures_are_shares_of_the_replies_that_hold_the_answer_and_progress_is_told_all_the_way(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[bool, list[SoftExample]] = {True: [], False: []}

    def answers(self: SoftPromptModel, examples: list[SoftExample]) -> list[str]:
        """The trained one knows all answers but each third, the untrained one the first alone."""
        own = asked[is_trained := self.options.encoder is not None]
        own += examples
        first = len(own) - len(examples)
        knows = [bool(place % 3) if is_trained else place == 0 for place in range(first, len(own))]
        return [
            f"I say {one.label}." if is_known else ""
            for one, is_known in zip(examples, knows, strict=True)
        ]

    monkeypatch.setattr(SoftPromptModel, "answers", answers)
    told: list[tuple[str, int, int]] = []
    options = WorkspaceSoftOptions(
        method="g-retriever",
        workspace="w",
        lm="tiny",
        max_rows=12,
        recipe=SoftRecipe(max_epochs=2, width=16),
    )
    made = train_soft_on_workspace(settings, options, lambda *step: told.append(step))
    n = made.questions["test"]
    assert [one.label for one in asked[True]] == [one.label for one in asked[False]]
    assert (made.figures.n, len(asked[True])) == (n, n)
    assert made.figures.right == (n - (n + 2) // 3) / n
    assert made.figures.untrained == 1 / n
    assert made.figures.with_line == sum(one.label.endswith("]") for one in asked[True]) / n
    assert list(dict.fromkeys(stage for stage, *_ in told)) == [
        "load",
        "retrieve",
        "epoch 1",
        "validate",
        "epoch 2",
        "measure",
    ]
    for epoch in ("epoch 1", "epoch 2"):
        steps = [(done, total) for stage, done, total in told if stage == epoch]
        assert (len(steps), steps[0], steps[-1]) == (
            3,
            (0, 12),
            (12, 12),
        ), "as it begins, and after each batch of 8"
    assert [done for stage, done, _ in told if stage == "measure"] == [
        *range(0, n, 8),
        *range(n, 2 * n, 8),
        2 * n,
    ]


def test_systems_before_one_language_model_share_it(
    train: Train, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.generation.soft_prompt import soft_checkpoint

    train()
    train("graph-token")
    loads: list[str] = []
    load = soft_checkpoint.load_language_model
    monkeypatch.setattr(
        soft_checkpoint,
        "load_language_model",
        lambda name, *more: (loads.append(name), load(name, *more))[1],
    )
    with open_workspace("w", settings=settings) as space:
        for soft in ("g-retriever", "graph-token", "g-retriever", "graph-token"):
            space.ask("What does the Odyssey feed?", AskOptions(soft=soft))
    assert loads == ["tiny"]


def test_the_same_training_goes_on_and_another_begins_anew_in_the_workspace_alone(
    train: Train, tmp_path: Path
) -> None:
    first = train(max_epochs=2)
    assert [epoch.loss for epoch in train(max_epochs=2).epochs] == [
        epoch.loss for epoch in first.epochs
    ]
    assert len(train(max_epochs=1, seed=1).epochs) == 1
    train(out=tmp_path / "own")
    with pytest.raises(UsageError, match="begun with other settings"):
        train(out=tmp_path / "own", seed=1)


def test_nothing_that_was_learned_of_a_deleted_document_stays(
    train: Train, settings: Settings
) -> None:
    def delete(number: int) -> None:
        with open_workspace("w", settings=settings) as space:
            space.documents.delete(f"Talk {number}")

    folder = train().folder
    delete(1)
    assert not folder.exists()
    with pytest.raises(WorkspaceError, match="was deleted while it was trained on"):
        train_soft_on_workspace(
            settings,
            WorkspaceSoftOptions(
                method="grag",
                workspace="w",
                lm="tiny",
                max_rows=12,
                recipe=SoftRecipe(max_epochs=1, width=16),
            ),
            on_epoch=lambda epoch: delete(2),
        )
    left = soft_prompt_folder(settings, "w", "grag")
    assert not any(path.name != "training.lock" for path in left.glob("*"))


def test_what_does_not_fit_is_refused_in_a_line(
    train: Train, settings: Settings, tmp_path: Path
) -> None:
    with open_workspace("w", settings=settings) as space:
        for soft, kind, said in (
            (
                "g-retriever",
                UsageError,
                (
                    "has no trained g-retriever; train one with `dynagrag train g-retriever"
                    " --workspace w`"
                ),
            ),
            ("nowhere", UsageError, "there is no folder 'nowhere'"),
            (str(tmp_path), LoadError, "holds no model.json"),
        ):
            with pytest.raises(kind, match=said):
                space.ask("Why?", AskOptions(soft=soft))
        with pytest.raises(UsageError, match="reads a question whole"):
            space.ask("Why?", AskOptions(soft="g-retriever", is_split=True))
    with pytest.raises(UsageError, match="can't be trained on a workspace"):
        train("lora")
    with pytest.raises(UsageError, match="--max-rows 9 is too few to learn from; give 10 or more"):
        train(max_rows=9)
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps({"question": "Who?", "answer": "Ada"}), encoding="utf-8")
    with pytest.raises(UsageError, match="too few questions with answers"):
        train(questions=few)


def test_the_commands_train_and_ask(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        app(
            [
                "train",
                "g-retriever",
                "-w",
                "w",
                "--lm",
                "tiny",
                "--max-epochs",
                "1",
                "--max-rows",
                "10",
            ],
            standalone_mode=False,
        )
        == 0
    )
    shown = capsys.readouterr().out
    assert "10 to train on" in shown
    assert "dynagrag ask -w w --soft g-retriever" in shown
    assert (
        app(
            ["ask", "What feeds the Main Bus?", "-w", "w", "--soft", "g-retriever", "--json"],
            standalone_mode=False,
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["trace"]["retriever"] == "pcst"
    for wrong in (
        ["-w", "w", "--dataset", "explagraphs"],
        ["--questions", "q"],
        ["--dataset", "explagraphs"],
    ):
        with pytest.raises(UsageError, match="give"):
            app(["train", "g-retriever", *wrong], standalone_mode=False)
    with pytest.raises(UsageError, match="answers no workspace's questions"):
        app(["train", "lora", "-w", "w"], standalone_mode=False)


def test_a_reply_rests_on_whole_lines_and_the_trace_tells_how_many_were_read(
    train: Train, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setattr(soft_prompt_training, "MAX_DESCRIPTION", 150)
    train()
    seen: list[SoftExample] = []
    reply = SoftModelReply("Kettle [E1][E2][E3][E4][E5][E6][E7][E8]", 9, 1)
    monkeypatch.setattr(
        SoftPromptModel, "replies", lambda self, examples: (seen.extend(examples), [reply])[1]
    )
    with open_workspace("w", settings=settings) as space:
        answer = space.ask("What does the Odyssey feed?", AskOptions(soft="g-retriever"))
    read, lines = (
        answer.trace.soft,
        [line for line in seen[0].description.splitlines() if line and "left out" not in line],
    )
    assert read is not None
    assert read.text_tokens <= 150
    assert (read.num_lines_read, set(read.labels)) == (
        len(lines),
        {line[1:].partition("]")[0] for line in lines if line.startswith("[E")},
    )
    assert read.num_lines > read.num_lines_read
    assert {line.partition("]")[0] for line in lines if line.startswith("[E")} == {
        f"[{label}" for label in answer.trace.labels
    }
    assert "".join(line for line in trace_lines(answer.trace) if "soft token" in line).count(
        f"({read.num_lines_read} of {read.num_lines} lines)"
    )


def test_a_system_learns_under_the_pruner_of_the_settings_and_tells_of_another(
    train: Train, settings: Settings
) -> None:
    made = json.loads((train().folder / "model.json").read_text(encoding="utf-8"))["made_with"]
    assert made["pruner"] == "prior"
    other = settings.model_copy(update={"pruner": "none"})
    with open_workspace("w", settings=other) as space:
        asked = {name: WorkspaceSoftExamples(space, name, None) for name in ("g-retriever", "grag")}
        notes = [
            space.ask("What feeds?", AskOptions(soft="g-retriever", pruner=name)).trace.notes
            for name in (None, "none", "prior")
        ]
        scores = {
            line.partition("(")[2].partition(")")[0]
            for row in asked["grag"].examples(WIDE, lambda *_: None, max_rows=8)[Part.TRAIN]
            for line in row.example.description.splitlines()
            if line.lstrip().startswith("[1")
        }
    assert {own.made_of["pruner"] for own in asked.values()} == {"none"}
    assert scores == {"0.50"}, "what is scored by nothing has one score"
    assert [any("another pruner scored" in note for note in own) for own in notes] == [
        True,
        True,
        False,
    ]
