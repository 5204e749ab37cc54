"""Answers a method's questions over graphs and scores them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.extras import check_extras
from dynagrag.evaluation.bootstrap_intervals import Interval, share_intervals
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.graphqa.graph_methods import MAJORITY, method_of, variant_name
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part
from dynagrag.evaluation.graphqa.graph_scorers import Scorer, score
from dynagrag.evaluation.graphqa.graph_sets import (
    ALL,
    GraphSet,
    digest_of_rows,
    load_graph_set,
    row_hash,
)
from dynagrag.evaluation.graphqa.graphqa_folder import GraphAnswerLine, GraphQaRun
from dynagrag.evaluation.graphqa.graphqa_report import conclusion, render_graphqa_report
from dynagrag.evaluation.graphqa.hallucination import (
    NamedSupport,
    asking_support,
    checked_support,
    hallucination_summary,
    prompt_digest,
    with_long_replies,
)
from dynagrag.evaluation.graphqa.published_figures import published_beside
from dynagrag.evaluation.results.run_summary import DIGITS
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.ingest.pipeline import Progress

if TYPE_CHECKING:
    from dynagrag.evaluation.graphqa.opened_method import OpenedMethod

_BATCH = 8
_MAX_LEARNED = 0.1
"""Of the rows that are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQaOptions:
    """Which method on which rows. `lm`: the language model, None for majority; `checkpoint`: the
    folder of what was trained. `part`: the rows of that split, None: all; `scorer`: whose figures
    stand first; all are kept. `precision`: of the language model; AUTO: that of the checkpoint, if
    there is one. `max_description`: tokens of a graph's text at most; a checkpoint has its own.
    `hallucination`: each question is asked again, for what supports the answer. `without`: parts of
    an untrained method that are left out.
    """

    dataset: str
    data: Path
    method: str
    part: Part | None = Part.VALIDATION
    lm: str | None = None
    checkpoint: Path | None = None
    limit: int | None = None
    scorer: Scorer = Scorer.PAPER_COMPAT
    precision: Precision = Precision.AUTO
    device: str | None = None
    max_description: int = 512
    out: Path | None = None
    hallucination: bool = False
    without: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UsageError for what was given wrong, SettingsError without the libraries that
        answer.
        """
        is_trained = self.method != MAJORITY and method_of(self.method).parts.is_trained
        if self.without and (is_trained or self.method == MAJORITY):
            raise UsageError(
                f"--without is for methods that are not trained here; what {self.method} goes"
                " without was told as it was made"
            )
        if self.without:
            method_of(self.method, self.without)
        if is_trained and self.checkpoint is None:
            raise UsageError(
                f"{self.method} is trained first: dynagrag train {self.method} --out FOLDER, then"
                " give --checkpoint FOLDER"
            )
        if not is_trained and self.checkpoint is not None:
            raise UsageError(f"{self.method} has nothing that was trained; leave out --checkpoint")
        if self.method == MAJORITY and self.hallucination:
            raise UsageError("majority names no support for its answers; leave out --hallucination")
        if self.method != MAJORITY and self.lm is None:
            raise UsageError(
                "name the language model with --lm, such as smollm2 or a folder of a transformers"
                " model"
            )
        if self.method != MAJORITY:
            check_extras(
                "answering questions about graphs",
                {"torch_geometric": "train", "transformers": "local"},
            )
        if self.device is not None:
            from dynagrag.checkpoints.devices import choose_device

            choose_device(self.device)
        if self.out is not None:
            check_folder(self.out)


def evaluate_graphqa(
    settings: Settings, options: GraphQaOptions, progress: Progress | None = None
) -> tuple[GraphQaRun, dict[str, Any]]:
    """The run and its summary. Errors as in GraphQaOptions.check, and those of files and models
    that aren't there.
    """
    options.check()
    tell = progress or (lambda *_: None)
    tell("load", 0, 2)
    graph_set = load_graph_set(options.dataset, options.data)
    questions = graph_set.of(options.part)[: options.limit]
    tell("load", 1, 2)
    answers = _Answers(settings, options, graph_set)  # first: what doesn't fit leaves no folder
    if options.part is None and any(
        file.sha256 in answers.learned_files for file in graph_set.files
    ):
        raise UsageError(
            f"{options.checkpoint} was trained on rows of these files; measure it on --split"
            " validation or test"
        )
    num_learned = _num_learned(options, answers.learned, questions)
    name, made_with = (
        f"graphqa-{options.dataset}-{options.method}",
        _made_with(graph_set, questions, options) | answers.made_with,
    )
    run = GraphQaRun.begin(settings.home, name, made_with, options.out)
    tell("load", 2, 2)
    done = {line.question for line in run.lines()}
    missing = [question for question in questions if question.id not in done]
    with run.asking(len(done)):
        for start in range(0, len(missing), _BATCH):
            tell("answer", len(questions) - len(missing) + start, len(questions))
            batch = missing[start : start + _BATCH]
            supports = answers.support_of(batch) if options.hallucination else [None] * len(batch)
            run.append(_line(*own) for own in zip(batch, answers.of(batch), supports, strict=True))
        tell("answer", len(questions), len(questions))
        answers.tell_cut(len(missing))
        summary = _summary(
            options, answers, graph_set.left_out, questions, run.lines(), num_learned
        )
        summary |= {"run": str(run.path)}
        run.write_summary(summary)
        run.write_report(render_graphqa_report(run))
    return run, summary


class _Answers:
    """A method, ready to answer."""

    def __init__(self, settings: Settings, options: GraphQaOptions, graph_set: GraphSet) -> None:
        self._majority = _majority(graph_set, options.part) if options.method == MAJORITY else None
        self._opened: OpenedMethod | None = None
        self.made_with: dict[str, Any] = {}
        self.variant = options.method
        self.trained_on: str | None = None
        self.learned: frozenset[str] = frozenset()
        self.learned_files: frozenset[str] = frozenset()
        self._num_cut = 0
        if options.method == MAJORITY:
            return
        from dynagrag.checkpoints.checkpoints import read_description
        from dynagrag.checkpoints.memory import Halving
        from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
        from dynagrag.evaluation.graphqa.opened_method import (
            KIND,
            check_retrieves,
            open_soft_prompt,
            untrained,
        )
        from dynagrag.generation.soft_prompt.language_model import load_language_model

        assert options.lm is not None
        embedder = wiring.make_embedder(settings)
        self._vectors, self._halving = TextVectors(embedder), Halving()
        how = options.precision, options.device
        if options.checkpoint is None:
            check_retrieves(method_of(options.method, options.without), graph_set.of(options.part))
            self._opened = untrained(
                load_language_model(options.lm, settings, *how),
                options.method,
                options.max_description,
                options.without,
            )
        else:
            self._opened = open_soft_prompt(
                options.checkpoint, settings, options.lm, embedder.identity, options.method, *how
            )
            made = read_description(options.checkpoint, KIND).made_with
            self.trained_on, self.learned = made.get("dataset"), frozenset(made.get("learned", ()))
            if "learned" not in made:  # of before it was kept
                self.learned_files = frozenset(made.get("files", {}).values())
        self.variant = variant_name(
            options.method, self._opened.without, self._opened.method.parts.layer
        )
        layout = self._opened.model.options.layout
        self.made_with = {
            "precision": self._opened.model.lm.precision.value,
            "max_description": layout.max_description,
        }
        self.made_with |= {"embedder": embedder.identity.name}

    def of(self, questions: Sequence[GraphQuestion]) -> list[str]:
        """What is said to each."""
        if self._opened is None:
            return [str(self._majority)] * len(questions)
        from dynagrag.evaluation.graphqa.soft_examples import soft_examples
        from dynagrag.generation.soft_prompt.prompt_layout import PromptTooLongError
        from dynagrag.generation.soft_prompt.soft_task import num_cut

        model, examples = (
            self._opened.model,
            soft_examples(questions, self._vectors, self._opened.method),
        )
        if self._opened.method.parts.has_text:
            self._num_cut += num_cut(
                model.lm,
                (example.description for example in examples),
                model.options.layout.max_description,
            )
        try:
            return self._halving.do(
                examples, lambda parts: [answer for part in parts for answer in model.answers(part)]
            )
        except PromptTooLongError as err:
            if self.trained_on is None:
                raise
            raise UsageError(
                f"{err.what}, and the checkpoint keeps its own; train it again with fewer"
                " (--max-description)"
            ) from err

    def tell_cut(self, num_asked: int) -> None:
        """Logs how many of the texts that were put before the model in this run were cut."""
        if self._opened is not None:
            from dynagrag.evaluation.graphqa.opened_method import TEXTS, UNREAD
            from dynagrag.generation.soft_prompt.soft_task import tell_cut

            tell_cut(
                self._num_cut,
                num_asked,
                TEXTS,
                self._opened.model.options.layout.max_description,
                UNREAD,
            )

    def support_of(self, questions: Sequence[GraphQuestion]) -> list[NamedSupport]:
        """What is named as the support of each answer."""
        from dynagrag.evaluation.graphqa.soft_examples import shown_graph, soft_examples

        assert self._opened is not None  # majority was refused
        model, method = (
            with_long_replies(self._opened.model),
            replace(self._opened.method, after_text="", after_question=""),
        )
        examples = soft_examples(
            [asking_support(question) for question in questions], self._vectors, method
        )
        replies = self._halving.do(
            examples, lambda parts: [reply for part in parts for reply in model.answers(part)]
        )
        shown = [shown_graph(question, self._vectors, method) for question in questions]
        return [
            checked_support(reply, q.graph, seen)
            for reply, q, seen in zip(replies, questions, shown, strict=True)
        ]


def _majority(graph_set: GraphSet, part: Part | None) -> str:
    """The answer that most training rows share, or the measured ones where there are none to train
    on; of equals the first by name.
    """
    rows = [
        question for question in graph_set.questions if question.part is Part.TRAIN
    ] or graph_set.of(part)
    counts = _answer_counts(rows)
    return min(counts, key=lambda answer: (-counts[answer], answer))


def _answer_counts(questions: Iterable[GraphQuestion]) -> Counter[str]:
    """How many of the questions each answer is right for."""
    return Counter(answer for question in questions for answer in dict.fromkeys(question.answers))


def _line(question: GraphQuestion, answer: str, support: NamedSupport | None) -> GraphAnswerLine:
    scores = {
        own.value: score(question.form, answer, question.answers, own, question.graph.nodes)
        for own in Scorer
    }
    return GraphAnswerLine(
        question=question.id,
        text=question.question,
        answer=answer,
        gold=question.answers,
        scores=scores,
        support=support,
    )


def _summary(
    options: GraphQaOptions,
    answers: _Answers,
    left_out: Mapping[str, int],
    questions: Sequence[GraphQuestion],
    lines: Sequence[GraphAnswerLine],
    num_learned: int,
) -> dict[str, Any]:
    published = published_beside(options.dataset, answers.variant, options.lm, answers.trained_on)
    measures = {own.value: _measures(lines, own) for own in Scorer}
    first = {name: own["mean"] for name, own in measures[options.scorer].items()}
    summary = {
        "dataset": options.dataset,
        "method": options.method,
        "variant": answers.variant,
        "split": options.part.value if options.part else ALL,
        "lm": options.lm,
        "trained_on": answers.trained_on,
        "learned": num_learned,
        "form": questions[0].form.value,
        "scorer": options.scorer.value,
        "n": len(lines),
        "left_out": dict(left_out),
        **dict.fromkeys(("accuracy", "hit", "hits@1", "f1")),
        **first,
        "measures": measures,
        **({"embedder": answers.made_with["embedder"]} if "embedder" in answers.made_with else {}),
        "majority": round(max(_answer_counts(questions).values()) / len(questions), DIGITS),
        "published": [asdict(own) for own in published],
    }
    if supports := [line.support for line in lines if line.support is not None]:
        summary["hallucination"] = hallucination_summary(supports)
    return summary | {"verdict": conclusion(summary)}


def _measures(lines: Sequence[GraphAnswerLine], scorer: Scorer) -> dict[str, dict[str, float]]:
    """`mean`, `low` and `high` of each measure."""
    names = lines[0].scores[scorer]
    found: dict[str, Interval] = share_intervals(
        {name: [line.scores[scorer][name] for line in lines] for name in names}
    )
    return {
        name: {key: round(value, DIGITS) for key, value in asdict(own).items()}
        for name, own in found.items()
    }


def _made_with(
    graph_set: GraphSet, questions: Sequence[GraphQuestion], options: GraphQaOptions
) -> dict[str, Any]:
    from dynagrag.checkpoints.checkpoints import digest_of

    return {
        "dataset": graph_set.name,
        "split": options.part.value if options.part else ALL,
        "files": {file.name: file.sha256 for file in graph_set.files},
        "asked": digest_of_rows(questions),
        "questions": len(questions),
        "method": options.method,
        "lm": options.lm,
        "checkpoint": digest_of(options.checkpoint) if options.checkpoint else None,
        **({"without": list(options.without)} if options.without else {}),
        **({"hallucination": prompt_digest()} if options.hallucination else {}),
    }


def _num_learned(
    options: GraphQaOptions, learned: Collection[str], questions: Sequence[GraphQuestion]
) -> int:
    """How many of the rows a checkpoint learned, which is told. UsageError where they are more than
    a few doubles, unless the training rows were asked for: figures would flatter it.
    """
    num = sum(row_hash(question) in learned for question in questions)
    if num > _MAX_LEARNED * len(questions) and options.part is not Part.TRAIN:
        raise UsageError(
            f"{options.checkpoint} learned {num} of these {len(questions)} rows; measure it on rows"
            " that it has not seen: --split validation or test of the files that it was trained"
            " with"
        )
    return num
