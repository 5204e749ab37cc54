"""Does the line that answers come first, is it whole, and is it said where nothing answers? On rows
by hand and on QMSum meetings.

    python benchmarks/evidence_order.py --data FOLDER [--part test|tune] [--sets hand,qmsum:val]
    [--fit] [--out FILE]

`--data` holds transcripts/ and transcript_qa/, and multihop/ for the set multihop-rag. Rows by hand
are those of data/evidence_order.jsonl (hand) and data/natural_questions.jsonl (natural), each asked
of its own file; QMSum's questions are asked of their meeting, and with them four of the meeting
seven places further on, which this one doesn't answer. Corpora are ingested without a model into
the settings' home, once. Passages are ranked by bridge-ppr, as `default` ranks them.

Arms: `lines`, what `ask` shows; `passages`, the first prompt's evidence in its order, as it was
shown before, each run of a speaker counted whole. A line is right where it holds a row's words, or
lies in a relevant turn of QMSum; `with what stands beside it` counts what was said before and after
it too. A line is cut where it holds a part of a row's words alone.

`--fit` prints the weights of `answerable`, fitted on the sets, with the false alarms of its
threshold.
"""

import argparse
import gzip
import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from result_lines import ResultLines

from dynagrag import load_settings
from dynagrag.config.settings import Settings
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Citation, Filters, Question, Snapshot
from dynagrag.core.text import collapse
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.retrieval.evaluated_workspace import open_evaluated
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.generation.answer_prompts import passages_that_fit
from dynagrag.generation.evidence import in_windows, passage_evidence
from dynagrag.generation.evidence_sentences.answerable import LEAST, Signs, answerable, signs
from dynagrag.generation.evidence_sentences.excerpts import evidence_lines
from dynagrag.generation.evidence_sentences.line_fit import NUM_PASSAGES, fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.filters import apply_filters
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

ROWS = Path(__file__).parent / "data"
NUM_SHOWN, NUM_FOREIGN, MEETINGS_APART, MIN_PART = 5, 4, 7, 12
PROMPT_TOKENS = 540
"""What the first prompt of `default` has for passages, its instructions aside."""
L2 = 1.0
"""Of the fit, on standardised signs."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What answers a question: words, or turns of its document. Neither: nothing does."""

    id: str
    text: str
    kind: str
    words: tuple[str, ...] = ()
    turns: tuple[tuple[int, int], ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether anything answers it."""
        return bool(self.words or self.turns)


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of a question: by arm and place whether a line is right, whether one is cut, and
    the signs of an answer.
    """

    gold: Gold
    right: dict[str, list[bool]]
    is_cut: bool
    answerable: float
    signs: Signs


class Asked:
    """Questions of one snapshot."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder) -> None:
        self._snapshot, self._embedder = snapshot, embedder
        self._passages = PassageScores(snapshot)
        self._search, self._index = (
            BridgeSearch(snapshot, self._passages),
            LineIndex(self._passages),
        )

    def ask(self, gold: Gold) -> Shown:
        """One question."""
        question = Question(gold.text, self._embedder.embed_query(gold.text))
        ranked = self._search.retrieve(question, NUM_PASSAGES, 0).passages
        rows = [self._passages.row_of[scored.passage.id] for scored in ranked]
        found = fits(self._index, question, rows, self._embedder)
        shown = evidence_lines(self._index, found)[:NUM_SHOWN]
        before = passage_evidence(
            self._snapshot, in_windows(passages_that_fit(self._snapshot, ranked, PROMPT_TOKENS))
        )[:NUM_SHOWN]
        right = {
            "lines": [self._is_right(gold, [line]) for line in shown],
            "with what stands beside it": [
                self._is_right(gold, [c for c in (x.before, x, x.after) if c]) for x in shown
            ],
            "passages": [
                self._is_right(gold, [Citation(e.id, "", e.start, e.end, None, None, e.quote)])
                for e in before
            ],
        }
        chance = answerable(self._index, question, found, self._embedder.identity) or 0.0
        return Shown(
            gold,
            right,
            any(_is_cut(gold, line.quote) for line in shown),
            chance,
            signs(self._index, question, found),
        )

    def _is_right(self, gold: Gold, lines: Sequence[Citation]) -> bool:
        if gold.turns:
            return any(
                first <= turn <= last
                for line in lines
                for turn in self._turns(line)
                for first, last in gold.turns
            )
        return any(
            collapse(words) in collapse(line.quote) for line in lines for words in gold.words
        )

    def _turns(self, line: Citation) -> Iterator[int]:
        document = self._snapshot.passages[self._passages.row_of[line.id]].document_id
        return (
            t.index
            for t in self._snapshot.turns[document]
            if t.start < line.end and line.start < t.end
        )


def _is_cut(gold: Gold, quote: str) -> bool:
    """Whether a line ends amid a row's words, or begins there, and no row's words are whole in
    it.
    """
    said = collapse(quote)
    if any(collapse(words) in said for words in gold.words):
        return False
    whole = [collapse(words) for words in gold.words]
    return any(
        said.endswith(words[:n]) or said.startswith(words[-n:])
        for words in whole
        for n in range(MIN_PART, len(words))
    )


# --------------------------------------------------------------------------------------------- sets


def by_hand(rows_file: str, settings: Settings, data: Path, part: str) -> Iterator[Shown]:
    """The rows by hand, file by file."""
    rows = [
        json.loads(line) for line in (ROWS / rows_file).read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if part in ("all", row["part"])]
    for files in dict.fromkeys(tuple(row["files"]) for row in rows):
        paths = [data / "transcripts" / file for file in files]
        with open_workspace("-".join(path.stem for path in paths), settings=settings) as space:
            space.ingest(paths, IngestOptions(extractor="fast"))
            asked = Asked(space.current_graph.snapshot(), space.embedder)
            for row in rows:
                if tuple(row["files"]) == files:
                    yield asked.ask(
                        Gold(row["id"], row["question"], row["kind"], tuple(row["lines"]))
                    )


def of_qmsum(settings: Settings, data: Path, part: str) -> Iterator[Shown]:
    """The questions of each meeting, and some of another's."""
    loaded = load_set("qmsum", data, part)
    options = EvaluateOptions(dataset="qmsum", data=data, part=part)
    keys = [document.key for document in loaded.corpus]
    with open_evaluated(settings, options, loaded, lambda *_: None, None) as place:
        whole = place.space.current_graph.snapshot()
        for number, key in enumerate(keys):
            snapshot = apply_filters(
                whole, place.space.store, Filters(documents=(place.find(key) or "",))
            )
            asked = Asked(snapshot, place.embedder)
            other = keys[(number + MEETINGS_APART) % len(keys)]
            for question in loaded.questions:
                if question.document == key:
                    yield asked.ask(
                        Gold(
                            question.id,
                            question.text,
                            "own",
                            turns=tuple((s.first, s.last) for s in question.gold.spans),
                        )
                    )
            for question in [q for q in loaded.questions if q.document == other][:NUM_FOREIGN]:
                yield asked.ask(Gold(question.id, question.text, "another meeting's"))


def of_multihop_rag(settings: Settings, data: Path, part: str) -> Iterator[Shown]:
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
    questions = [Gold(q.id, q.text, "answered", q.gold.facts) for q in loaded.questions]
    questions += [Gold(f"null-{i}", text, "null query") for i, text in enumerate(null)]
    with open_evaluated(
        settings, EvaluateOptions(dataset="multihop-rag", data=data), loaded, lambda *_: None, None
    ) as place:
        asked = Asked(place.space.current_graph.snapshot(), place.embedder)
        yield from (
            asked.ask(gold)
            for i, gold in enumerate(questions)
            if part == "all" or (i % 2 == 0) == (part == "tune")
        )


# ------------------------------------------------------------------------------------------ results


def report(name: str, shown: Sequence[Shown], out: ResultLines) -> None:
    """Places of the right lines, and what was said of questions without an answer."""
    answered = [s for s in shown if s.gold.is_answered]
    for arm in ("passages", "lines", "with what stands beside it"):
        places = [s.right[arm] for s in answered]
        share = [100 * float(np.mean([any(right[:num]) for right in places])) for num in (1, 3, 5)]
        out.line(
            f"{name:<14} {arm:<27} {len(answered):>4} | first {share[0]:5.1f}  first 3"
            f" {share[1]:5.1f}  first 5 {share[2]:5.1f}"
        )
    out.line(f"{name:<14} {'cut':<27} {len(answered):>4} | {sum(s.is_cut for s in answered)}")
    for kind in dict.fromkeys(s.gold.kind if not s.gold.is_answered else "answered" for s in shown):
        own = [s for s in shown if (s.gold.kind if not s.gold.is_answered else "answered") == kind]
        flagged = 100 * float(np.mean([s.answerable < LEAST for s in own]))
        out.line(f"{name:<14} nothing fits: {kind:<24} {len(own):>4} | said of {flagged:5.1f}")


def fit(sets: Sequence[Sequence[Shown]], out: ResultLines, max_alarms: float = 0.12) -> None:
    """Logistic regression by Newton's method; each set weighs the same, and in it both kinds of
    questions. The bias is moved so that `max_alarms` of the answered questions, as the mean over
    sets, fall below a chance of one half.
    """
    shown = [s for own in sets for s in own]
    x = np.array([s.signs for s in shown])
    y = np.array([s.gold.is_answered for s in shown])
    weights = (
        np.concatenate([_even(np.array([s.gold.is_answered for s in own])) for own in sets])
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


def read_set(name: str, settings: Settings, data: Path, part: str) -> Iterable[Shown]:
    """A set by its name: hand, natural, qmsum:PART or multihop-rag."""
    kind, _, own = name.partition(":")
    made: dict[str, Any] = {
        "hand": partial(by_hand, "evidence_order.jsonl"),
        "natural": partial(by_hand, "natural_questions.jsonl"),
        "qmsum": of_qmsum,
        "multihop-rag": of_multihop_rag,
    }
    return list(made[kind](settings, data, own or part))


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("test", "tune", "all"), default="test")
    parser.add_argument("--sets", default="hand,qmsum:val")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out = ResultLines(options.out)
    settings = load_settings()
    by = f"Python {platform.python_version()}; embedder {settings.embedder}; in points"
    out.line(f"# benchmarks/evidence_order.py --part {options.part} --sets {options.sets}, {by}")
    sets = {
        name: list(read_set(name, settings, options.data, options.part))
        for name in options.sets.split(",")
    }
    for name, shown in sets.items():
        report(name, shown, out)
    if options.fit:
        fit(list(sets.values()), out)


if __name__ == "__main__":
    main()
