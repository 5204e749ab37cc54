"""Are the words that answer shown first, are they whole, and is it said where nothing answers? On
rows by hand and on QMSum meetings, measured as `dynagrag evaluate evidence` measures a file.

    python benchmarks/evidence_order.py --data FOLDER [--part test|tune|all]
    [--sets hand,natural,qmsum:val] [--fit] [--out FILE]

`--data` holds transcripts/ and transcript_qa/, talk/ for locomo, and multihop/ for the sets
multihop-rag, musique and hotpotqa (the last two: each set's passages, asked both sets' questions).
Rows by hand are those of data/evidence_order.jsonl (hand) and data/natural_questions.jsonl
(natural), each asked of its own file; those of data/nothing_fits.jsonl (tuning) name the text that
answers them or doesn't. QMSum's questions are asked of their meeting, and with them four of the
meeting seven places further on, which this one doesn't answer. Corpora are ingested without a
model into the settings' home, once.

`--fit` prints the weights of `answerable`, fitted on the sets but for what is asked of the wrong
person, with the false alarms of its threshold.
"""

import argparse
import gzip
import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from result_lines import ResultLines

from dynagrag import load_settings
from dynagrag.config.settings import Settings
from dynagrag.core.schema import Filters, Question
from dynagrag.evaluation.evidence.evidence_measures import (
    SAID_RIGHTLY,
    SAID_WRONGLY,
    EvidenceMeasurer,
    EvidenceOutcome,
    EvidenceShares,
)
from dynagrag.evaluation.evidence.evidence_questions import EvidenceQuestion
from dynagrag.evaluation.question_sets.locomo import ADVERSARIAL
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import Scope, TurnSpan
from dynagrag.evaluation.retrieval.evaluated_workspace import open_evaluated
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.generation.evidence_sentences.answerable import Signs, signs
from dynagrag.generation.evidence_sentences.line_fit import NUM_PASSAGES, fits
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

ROWS = Path(__file__).parent / "data"
NUM_FOREIGN, MEETINGS_APART = 4, 7
EVERY, NUM_TUNED = 6, 3
"""Of LoCoMo: of how many questions one is asked, and the conversations for tuning."""
L2 = 1.0
"""Of the fit, on standardised signs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question, and the signs of an answer, where they were asked for."""

    outcome: EvidenceOutcome
    signs: Signs | None


class Asking:
    """Questions of one workspace."""

    def __init__(self, space: Workspace, scope: Scope, has_signs: bool) -> None:
        self._space, self._has_signs = space, has_signs
        self._measurer = EvidenceMeasurer(space, scope)

    def ask(self, question: EvidenceQuestion, among: tuple[str, ...] = ()) -> Asked:
        """One question. `among`: the ids of the documents that it is asked of, if several."""
        outcome = self._measurer.measure(question, among=among)
        return Asked(outcome, self._signs(question, among) if self._has_signs else None)

    def _signs(self, question: EvidenceQuestion, among: tuple[str, ...]) -> Signs:
        documents = among or ((question.document,) if question.document else ())
        plan = self._space.questions.plan(AskOptions(filters=Filters(documents)), None)
        asked = Question(question.text, self._space.questions.query_vector(question.text))
        ranked = plan.retriever.retrieve(asked, NUM_PASSAGES, 0).passages
        rows = [plan.view.passages.row_of[scored.passage.id] for scored in ranked]
        index = plan.view.lines
        found = fits(index, asked, rows, plan.embedder)
        return signs(index, asked, found, plan.embedder)


# --------------------------------------------------------------------------------------------- sets


def by_hand(
    rows_file: str, settings: Settings, data: Path, part: str, has_signs: bool
) -> Iterator[Asked]:
    """The rows by hand, file by file."""
    rows = [
        json.loads(line) for line in (ROWS / rows_file).read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if part in ("all", row["part"])]
    for files in dict.fromkeys(tuple(row["files"]) for row in rows):
        paths = [data / "transcripts" / file for file in files]
        with open_workspace("-".join(path.stem for path in paths), settings=settings) as space:
            space.ingest(paths, IngestOptions(extractor="fast"))
            asking = Asking(space, Scope.CORPUS, has_signs)
            for row in rows:
                if tuple(row["files"]) == files:
                    decisive = tuple(row["lines"])
                    yield asking.ask(
                        EvidenceQuestion(row["id"], row["question"], decisive, kind=row["kind"])
                    )


def for_tuning(settings: Settings, data: Path, part: str, has_signs: bool) -> Iterator[Asked]:
    """Rows that are all for tuning, text by text: of files, QMSum's meetings and stories."""
    rows = [json.loads(line) for line in (ROWS / "nothing_fits.jsonl").read_text().splitlines()]
    for source in dict.fromkeys(row["source"] for row in rows):
        file, _, key = source.partition("#")
        with (
            TemporaryDirectory() as folder,
            open_workspace(f"tuning-{key or Path(file).stem}", settings=settings) as space,
        ):
            path = _written(data / file, key, Path(folder)) if key else data / file
            space.ingest([path], IngestOptions(extractor="fast"))
            asking = Asking(space, Scope.CORPUS, has_signs)
            for number, row in enumerate(row for row in rows if row["source"] == source):
                decisive = ("(not looked for)",) if row["kind"] == "reworded" else ()
                yield asking.ask(
                    EvidenceQuestion(
                        f"{source}-{number}", row["question"], decisive, kind=row["kind"]
                    )
                )


def _written(file: Path, key: str, folder: Path) -> Path:
    """A meeting or a story of a set's file, as a text file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        found = {_key(row): row for row in map(json.loads, lines)}[key]
    turns = found.get("meeting_transcripts", ())
    said = "\n".join(f"{turn['speaker']}: {turn['content']}" for turn in turns)
    path = folder / f"{key}.txt"
    path.write_text(said or found["document"], encoding="utf-8")
    return path


def _key(row: dict[str, Any]) -> str:
    return str(row["meeting_id"] if "meeting_id" in row else row["metadata"]["passage_id"])


def of_qmsum(settings: Settings, data: Path, part: str, has_signs: bool) -> Iterator[Asked]:
    """The questions of each meeting, and some of another's."""
    loaded = load_set("qmsum", data, part)
    options = EvaluateOptions(dataset="qmsum", data=data, part=part)
    keys = [document.key for document in loaded.corpus]
    with open_evaluated(settings, options, loaded, lambda *_: None, None) as place:
        asking = Asking(place.space, Scope.DOCUMENT, has_signs)
        for number, key in enumerate(keys):
            id_, other = place.find(key) or "", keys[(number + MEETINGS_APART) % len(keys)]
            for question in (q for q in loaded.questions if q.document == key):
                turns = tuple(TurnSpan(id_, s.first, s.last) for s in question.gold.spans)
                yield asking.ask(
                    EvidenceQuestion(
                        question.id, question.text, turns=turns, document=id_, kind="own"
                    )
                )
            for question in [q for q in loaded.questions if q.document == other][:NUM_FOREIGN]:
                yield asking.ask(
                    EvidenceQuestion(
                        question.id, question.text, document=id_, kind="another meeting's"
                    )
                )


def of_locomo(settings: Settings, data: Path, part: str, has_signs: bool) -> Iterator[Asked]:
    """Every sixth question of LoCoMo's conversations, of those asked of the wrong person, and of
    the next conversation's, where the speakers have this one's names: the first three conversations
    for `tune`, the others for `test`.
    """
    loaded = load_set("locomo", data)
    speakers = {d.key: sorted({t.speaker for t in d.turns if t.speaker}) for d in loaded.corpus}
    conversations = list(dict.fromkeys(q.conversation for q in loaded.questions))
    options = EvaluateOptions(dataset="locomo", data=data)
    with open_evaluated(settings, options, loaded, lambda *_: None, None) as place:
        asking = Asking(place.space, Scope.CORPUS, has_signs)
        for number, keys in enumerate(conversations):
            if part != "all" and (number < NUM_TUNED) != (part == "tune"):
                continue
            other = conversations[(number + 1) % len(conversations)]
            names = dict(zip(speakers[other[0]], speakers[keys[0]], strict=True))
            ids = place.ids(keys)
            for question in [q for q in loaded.questions if q.conversation == keys][::EVERY]:
                kind = question.kind if question.kind == ADVERSARIAL else "own"
                spans = () if kind == ADVERSARIAL else question.gold.spans
                turns = tuple(
                    TurnSpan(place.find(s.document) or "", s.first, s.last) for s in spans
                )
                yield asking.ask(
                    EvidenceQuestion(question.id, question.text, turns=turns, kind=kind), ids
                )
            foreign = [
                q for q in loaded.questions if q.conversation == other and q.kind != ADVERSARIAL
            ]
            for question in foreign[::EVERY]:
                text = question.text
                for name, own in names.items():
                    text = text.replace(name, own)
                yield asking.ask(
                    EvidenceQuestion(question.id, text, kind="another conversation's"), ids
                )


def of_another_corpus(
    dataset: str, other: str, settings: Settings, data: Path, part: str, has_signs: bool
) -> Iterator[Asked]:
    """A set's questions, and those of another set, which its passages don't answer. Whether
    anything is said to fit is all that is told of them.
    """
    loaded = load_set(dataset, data)
    options = EvaluateOptions(dataset=dataset, data=data)
    with open_evaluated(settings, options, loaded, lambda *_: None, None) as place:
        asking = Asking(place.space, Scope.CORPUS, has_signs)
        for question in loaded.questions:
            decisive = ("(not looked for)",)
            yield asking.ask(EvidenceQuestion(question.id, question.text, decisive, kind="own"))
        for question in load_set(other, data).questions:
            yield asking.ask(EvidenceQuestion(question.id, question.text, kind="another set's"))


def of_multihop_rag(settings: Settings, data: Path, part: str, has_signs: bool) -> Iterator[Asked]:
    """The questions whose evidence is in the chunks, and null queries: even ones for `tune`, odd
    ones for `test`.
    """
    loaded = load_set("multihop-rag", data)
    with gzip.open(
        data / "multihop" / "multihop_rag_questions.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        null = [
            row["question"] for row in map(json.loads, file) if row["question_type"] == "null_query"
        ]
    questions = [EvidenceQuestion(q.id, q.text, q.gold.facts) for q in loaded.questions]
    questions += [
        EvidenceQuestion(f"null-{i}", text, kind="null query") for i, text in enumerate(null)
    ]
    with open_evaluated(
        settings, EvaluateOptions(dataset="multihop-rag", data=data), loaded, lambda *_: None, None
    ) as place:
        asking = Asking(place.space, Scope.CORPUS, has_signs)
        yield from (
            asking.ask(question)
            for i, question in enumerate(questions)
            if part == "all" or (i % 2 == 0) == (part == "tune")
        )


# ------------------------------------------------------------------------------------------ results


def report(name: str, asked: Sequence[Asked], out: ResultLines) -> None:
    """The shares of a set, then of each kind."""
    outcomes = [own.outcome for own in asked]
    kinds = sorted({own.kind for own in outcomes})
    for kind in ("", *(kinds if len(kinds) > 1 else ())):
        own = [outcome for outcome in outcomes if kind in ("", outcome.kind)]
        shares = EvidenceShares.of(own)
        named = [
            f"{label} {_points(shares.share(measure))}"
            for label, measure in (
                ("first", "first"),
                ("first 3", "first_3"),
                ("shown", "shown"),
                ("cut", "cut"),
                ("nothing fits, wrongly", SAID_WRONGLY),
                ("rightly", SAID_RIGHTLY),
            )
        ]
        out.line(f"{name:<14} {kind or 'all':<18} {shares.n:>4} | {'  '.join(named)}")


def _points(share: float | None) -> str:
    return "    -" if share is None else f"{100 * share:5.1f}"


def fit(sets: Sequence[Sequence[Asked]], out: ResultLines, max_alarms: float = 0.1) -> None:
    """Logistic regression by Newton's method; each set weighs the same, and in it both kinds of
    questions. The bias is moved so that `max_alarms` of the answered questions, as the mean over
    sets, fall below a chance of one half.
    """
    shown = [s for own in sets for s in own]
    x = np.array([s.signs for s in shown])
    y = np.array([s.outcome.is_answerable for s in shown])
    weights = (
        np.concatenate([_even(np.array([s.outcome.is_answerable for s in own])) for own in sets])
        * len(shown)
        / (2 * len(sets))
    )
    mean, spread = x.mean(axis=0), x.std(axis=0)
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    beta = np.zeros(z.shape[1])
    ridge = L2 * np.diag([1.0] * (z.shape[1] - 1) + [0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ beta))
        hessian = z.T @ (z * (weights * p * (1 - p))[:, None]) + ridge
        beta -= np.linalg.solve(hessian, z.T @ (weights * (p - y)) + ridge @ beta)
    slopes = beta[:-1] / spread
    scores = x @ slopes
    bounds = np.cumsum([0, *(len(own) for own in sets)])
    parts = [(scores[a:b], y[a:b]) for a, b in pairwise(bounds.tolist())]
    alarms = [
        (t, float(np.mean([np.mean(s[own] < t) for s, own in parts]))) for t in np.sort(scores)
    ]
    threshold = max((t for t, share in alarms if share <= max_alarms), default=scores.min())
    names = ", ".join(
        f"{name}={slope:.2f}" for name, slope in zip(Signs._fields, slopes, strict=True)
    )
    out.line(f"fit on {len(shown)} questions: Signs({names}), bias {-threshold:.2f}")
    for s, own in parts:
        alarm, right = 100 * np.mean(s[own] < threshold), 100 * np.mean(s[~own] < threshold)
        out.line(
            f"    answered {own.sum()}: said of {alarm:.1f}; not answered {(~own).sum()}: said of"
            f" {right:.1f}"
        )


def _even(y: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(y, 1.0 / max(1, y.sum()), 1.0 / max(1, (~y).sum()))


def read_set(name: str, settings: Settings, data: Path, part: str, has_signs: bool) -> list[Asked]:
    """A set by its name: hand, natural, tuning, qmsum:PART, locomo, multihop-rag, musique or
    hotpotqa.
    """
    kind, _, own = name.partition(":")
    made: dict[str, Any] = {
        "hand": partial(by_hand, "evidence_order.jsonl"),
        "natural": partial(by_hand, "natural_questions.jsonl"),
        "tuning": for_tuning,
        "qmsum": of_qmsum,
        "locomo": of_locomo,
        "multihop-rag": of_multihop_rag,
        "musique": partial(of_another_corpus, "musique", "hotpotqa"),
        "hotpotqa": partial(of_another_corpus, "hotpotqa", "musique"),
    }
    return list(made[kind](settings, data, own or part, has_signs))


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("test", "tune", "all"), default="test")
    parser.add_argument("--sets", default="hand,natural,qmsum:val")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out = ResultLines(options.out)
    settings = load_settings()
    by = f"Python {platform.python_version()}; embedder {settings.embedder}; in points"
    out.line(f"# benchmarks/evidence_order.py --part {options.part} --sets {options.sets}, {by}")
    sets = {
        name: read_set(name, settings, options.data, options.part, options.fit)
        for name in options.sets.split(",")
    }
    for name, asked in sets.items():
        report(name, asked, out)
    if options.fit:
        fit([[s for s in own if s.outcome.kind != ADVERSARIAL] for own in sets.values()], out)


if __name__ == "__main__":
    main()
