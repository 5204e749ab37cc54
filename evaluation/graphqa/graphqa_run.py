"""Answers a method's questions over graphs and scores them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.extras import check_extras
from dynagrag.evaluation.bootstrap_intervals import share_intervals
from dynagrag.evaluation.frame.experiment import ItemTrial, Keep, TrialExperiment, Watch
from dynagrag.evaluation.frame.experiment_run import ONE_ARM
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.graphqa.graph_methods import MAJORITY, method_of, text_form, variant_name
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part
from dynagrag.evaluation.graphqa.graph_scorers import Scorer, score
from dynagrag.evaluation.graphqa.graph_sets import (
    ALL,
    GraphSet,
    digest_of_rows,
    load_graph_set,
    row_hash,
)
from dynagrag.evaluation.graphqa.graphqa_report import (
    GraphAnswerLine,
    GraphQaResult,
    GraphQaRun,
)
from dynagrag.evaluation.graphqa.hallucination import (
    NamedSupport,
    asking_support,
    checked_support,
    hallucination_figures,
    prompt_digest,
    with_long_replies,
)
from dynagrag.evaluation.graphqa.published_figures import published_beside
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.ingest.pipeline import Progress

if TYPE_CHECKING:
    from dynagrag.evaluation.graphqa.opened_method import OpenedMethod

_BATCH, _DIGITS = 8, 6
_MAX_LEARNED = 0.1
"""Of the rows that are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQaOptions:
    """Which method on which rows. `lm`: the language model, None for majority; `checkpoint`: the
    folder of what was trained. `part`: the rows of that split, None: all; `scorer`: whose figures
    stand first; all are kept. `precision`: of the language model; AUTO: that of the checkpoint, if
    there is one. `max_description`: tokens of a graph's text at most; a checkpoint has its own.
    `hallucination`: each question is asked again, for what supports the answer. `without`: parts of
    an untrained method that are left out; `retrieval`: how much of a graph it is given.
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
    retrieval: RetrievalOptions = field(default_factory=RetrievalOptions)

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
        if self.retrieval.changed and (is_trained or self.method == MAJORITY):
            raise UsageError(
                f"--{next(iter(self.retrieval.changed)).replace('_', '-')} is for methods that are"
                f" not trained here; what {self.method} retrieves was told as it was made"
            )
        if self.method != MAJORITY:
            method_of(self.method, self.without, options=self.retrieval)
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
) -> tuple[GraphQaRun, GraphQaResult]:
    """The run and its result. Errors as in GraphQaOptions.check, and those of files and models that
    aren't there.
    """
    options.check()
    watch = Watch(progress)
    watch.tell("load", 0, 2)
    graph_set = load_graph_set(options.dataset, options.data)
    watch.tell("load", 1, 2)
    experiment = GraphQaExperiment(settings, options, graph_set)
    watch.tell("load", 2, 2)
    return run_experiment(experiment, settings.home, options.out, watch)


class GraphQaExperiment(TrialExperiment[GraphQuestion, GraphAnswerLine, GraphQaResult, GraphQaRun]):
    """One method, and the questions of a set. Several are put before the model at once."""

    run_kind = GraphQaRun
    arms = (ONE_ARM,)

    def __init__(self, settings: Settings, options: GraphQaOptions, graph_set: GraphSet) -> None:
        self.name = f"graphqa-{graph_set.name}-{options.method}"
        self.items = graph_set.of(options.part)[: options.limit]
        self._options, self._set = options, graph_set
        self._answerer = _Answerer(settings, options, graph_set)
        if options.part is None and any(
            file.sha256 in self._answerer.learned_files for file in graph_set.files
        ):
            raise UsageError(
                f"{options.checkpoint} was trained on rows of these files; measure it on --split"
                " validation or test"
            )
        self._num_learned = sum(
            row_hash(question) in self._answerer.learned for question in self.items
        )
        # a few doubles are told; more would flatter it, unless the training rows are asked for
        if self._num_learned > _MAX_LEARNED * len(self.items) and options.part is not Part.TRAIN:
            raise UsageError(
                f"{options.checkpoint} learned {self._num_learned} of these {len(self.items)} rows;"
                " measure it on rows that it has not seen: --split validation or test of the files"
                " that it was trained with"
            )

    def made_with(self) -> Mapping[str, JsonValue]:
        """The rows, the method and its model."""
        from dynagrag.checkpoints.checkpoints import digest_of

        options = self._options
        return {
            "dataset": self._set.name,
            "split": options.part.value if options.part else ALL,
            "files": {file.name: file.sha256 for file in self._set.files},
            "asked": digest_of_rows(self.items),
            "questions": len(self.items),
            "method": options.method,
            "lm": options.lm,
            "checkpoint": digest_of(options.checkpoint) if options.checkpoint else None,
            **({"without": list(options.without)} if options.without else {}),
            **({"retrieval": options.retrieval.changed} if options.retrieval.changed else {}),
            **({"hallucination": prompt_digest()} if options.hallucination else {}),
            **self._answerer.made_with,
        }

    def stage(self, trial: ItemTrial[GraphQuestion]) -> str:
        """All questions are followed together."""
        return "answer"

    def measure_all(
        self,
        left: Sequence[ItemTrial[GraphQuestion]],
        keep: Keep[GraphAnswerLine],
        watch: Watch,
    ) -> None:
        """As many questions at once as a batch holds."""
        questions = [trial.item for trial in left]
        for start in range(0, len(questions), _BATCH):
            batch = questions[start : start + _BATCH]
            supports = (
                self._answerer.support_of(batch)
                if self._options.hallucination
                else [None] * len(batch)
            )
            answers = self._answerer.answers(batch)
            keep([_line(*own) for own in zip(batch, answers, supports, strict=True)])
        self._answerer.tell_cut(len(questions))

    def summarize(self, lines: Sequence[GraphAnswerLine], path: Path) -> GraphQaResult:
        """The measures by each scorer, and what was published for the same."""
        options, answerer = self._options, self._answerer
        supports = [line.support for line in lines if line.support is not None]
        most = max(_answer_counts(self.items).values())
        measures = {}
        for scorer in Scorer:
            columns = {
                name: [line.scores[scorer][name] for line in lines]
                for name in lines[0].scores[scorer]
            }
            found = share_intervals(columns)
            measures[scorer.value] = {name: own.rounded(_DIGITS) for name, own in found.items()}
        return GraphQaResult(
            dataset=self._set.name,
            method=options.method,
            variant=answerer.variant,
            split=options.part.value if options.part else ALL,
            lm=options.lm,
            trained_on=answerer.trained_on,
            learned=self._num_learned,
            form=self.items[0].form.value,
            scorer=options.scorer.value,
            n=len(lines),
            left_out=dict(self._set.left_out),
            measures=measures,
            embedder=answerer.made_with.get("embedder"),
            majority=round(most / len(self.items), _DIGITS),
            published=list(
                published_beside(self._set.name, answerer.variant, options.lm, answerer.trained_on)
            ),
            hallucination=hallucination_figures(supports) if supports else None,
            run=str(path),
        )


class _Answerer:
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
            check_retrieves(
                method_of(options.method, options.without, options=options.retrieval),
                graph_set.of(options.part),
            )
            self._opened = untrained(
                load_language_model(options.lm, settings, *how),
                options.method,
                options.max_description,
                options.without,
                options.retrieval,
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
            options.method,
            self._opened.without,
            self._opened.method.parts.layer,
            self._opened.method.options,
        )
        layout = self._opened.model.options.layout
        self.made_with = {
            "precision": self._opened.model.lm.precision.value,
            "max_description": layout.max_description,
        }
        self.made_with |= {"embedder": embedder.identity.name}

    def answers(self, questions: Sequence[GraphQuestion]) -> list[str]:
        """The answer to each."""
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
        """The support that is named for each answer."""
        from dynagrag.evaluation.graphqa.soft_examples import shown_text, soft_examples

        assert self._opened is not None  # majority was refused
        model, method = (
            with_long_replies(self._opened.model),
            replace(self._opened.method, after_text="", after_question=""),
        )
        asked = [asking_support(question, text_form(method)) for question in questions]
        examples = soft_examples(asked, self._vectors, method)
        replies = self._halving.do(
            examples, lambda parts: [reply for part in parts for reply in model.answers(part)]
        )
        shown = [shown_text(question, self._vectors, method) for question in questions]
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
