"""What a comparison of embedders comes to: what each question showed, the figures of an embedder,
and of a candidate against the workspace's own.
"""

from pydantic import BaseModel, ConfigDict

from dynagrag.core.text import duration_text, plural
from dynagrag.evaluation.bootstrap_intervals import MIN_PAIRS, Interval
from dynagrag.evaluation.evidence.evidence_measures import EvidenceOutcome, NothingFits
from dynagrag.evaluation.frame.results import Result

MEASURES = ("first", "first_3", "shown")
FOUND = "first_3"
"""What "finds" means in the sentences: the words that answer are in the first three clips."""


class EmbedderOutcome(EvidenceOutcome):
    """What was shown of a question by one embedder's vectors. `ms`: of embedding and asking."""

    embedder: str
    ms: float

    @property
    def key(self) -> tuple[str, str]:
        """The embedder, and the question."""
        return self.embedder, self.question


class EmbedderDifference(BaseModel):
    """A candidate minus the workspace's own embedder, on the same questions that something answers.
    `more` and `fewer`: questions that only the one or only the other finds. `holds`: whether it is
    more than chance, among all candidates (Holm).
    """

    model_config = ConfigDict(frozen=True)

    difference: float
    low: float
    high: float
    more: int
    fewer: int
    p_holm: float
    holds: bool


class EmbedderFigures(BaseModel):
    """One embedder. `intervals` and `kinds`: by measure, and by kind of question the share that is
    found in the first three. `seconds`: to embed all of the workspace, estimated; `vector_bytes`:
    of its vectors, `model_bytes` of the model's file (None where it isn't known).
    """

    model_config = ConfigDict(frozen=True)

    intervals: dict[str, Interval]
    kinds: dict[str, float]
    nothing_fits: NothingFits
    ms: float
    num_vectors: int
    seconds: float
    vector_bytes: int
    model_bytes: int | None


class EmbeddersResult(Result):
    """`n` questions, of which `num_answerable` have an answer; `is_made`: they were made of the
    workspace. `differences`: by candidate and measure. `sentences`: what it comes to, one a
    candidate.
    """

    n: int
    num_answerable: int
    is_made: bool
    baseline: str
    embedders: dict[str, EmbedderFigures]
    differences: dict[str, dict[str, EmbedderDifference]]
    sentences: list[str]
    missing: list[str]
    run: str


def sentence(
    candidate: str, own: str, num: int, found: EmbedderDifference, cost: EmbedderFigures
) -> str:
    """What a comparison comes to, in plain words: of `num` questions with an answer."""
    net = found.more - found.fewer
    if not (found.more or found.fewer):
        what = f"finds the same as {own}, of {plural(num, 'question')}"
    else:
        how_many = f"{abs(net)} {'more' if net > 0 else 'fewer'}" if net else "as many"
        low, high = (f"{num * bound:+.0f}" for bound in (found.low, found.high))
        than = f"than {own}" if net else f"as {own}"
        what = (
            f"finds {how_many} of {num} {than} in the first three clips (95 % interval {low} to"
            f" {high})"
        )
        if num < MIN_PAIRS:
            what += ", too few questions to tell"
        elif found.holds:
            what += ", by more than chance"
        elif net:
            what += ", which may be chance"
    model = f", beside {cost.model_bytes / 1e6:,.0f} MB of the model" if cost.model_bytes else ""
    return (
        f"{candidate} {what}; a switch embeds for some {duration_text(cost.seconds)} and takes"
        f" {cost.vector_bytes / 1e6:,.1f} MB until it is done{model}."
    )
