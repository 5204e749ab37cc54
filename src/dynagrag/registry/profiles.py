"""The profiles of `ask --profile`, in words. Their numbers are `config.settings.PROFILES`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dynagrag.registry.choices import Choice, Use, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Profile


class ProfileChoice(Choice[Callable[[], "Profile"]]):
    """A profile's words; `make` gives its numbers."""


def _row(name: str, sentence: str) -> ProfileChoice:
    def make() -> "Profile":
        from dynagrag.config.settings import PROFILES

        return PROFILES[name]

    uses = Use.COMMAND | Use.APP
    return ProfileChoice(
        name=name, sentence=sentence, label=name.capitalize(), make=make, uses=uses
    )


PAPER = "paper"
PROFILE_ROWS = table(
    _row("default", "the best passages; graph for a small model"),
    _row("graph", "a few lines of ego-graphs above the passages, in up to 5 prompts"),
    _row(
        "global",
        "for questions about the whole, passages from all over, answered in up to 8 parts that are"
        " merged",
    ),
    _row(PAPER, "DynaGRAG as its paper has it, but for what `ask --profile paper --help` lists"),
)
PAPER_DIFFERS = (
    "Room: a subgraph's prompt has 1,500 tokens, judge and merge 3,000; the paper names no bound."
    " Of each entity and relation all summaries are written, or as many as let every line fit, the"
    " nearest first and two at least; then the lines with the lowest scores go.",
    "Pruning: the MLPs and the GCN are those that `dynagrag train pruner` trained for the"
    " workspace, whatever they gain; without them scores are distances, and nothing is learned."
    " The paper doesn't say how it trains; ours also read how ego-graphs are built (`--form"
    " paper`: as the paper's).",
    "Weights, and so top nodes, count what is said: to be a speaker or in a title counts nothing.",
    "Edges that state nothing (mentioned with) have no vector, so no mean counts them.",
    "Evidence: each prompt ends with lines of the sources, at most three passages and eight"
    " quotes, so that answers can cite; they have up to half the room before the graph's lines, and"
    " an ego-graph without any has no prompt.",
    "Abstention: a prompt that doesn't answer gives no intermediate answer; where none does, the"
    " question isn't answered.",
    "Helpfulness: the judge compares answers; a single one is scored by its claims.",
    "Merge: it reads each answer with the citations that share words with its sentences, best first"
    " up to the one whose cited lines don't fit any more. A merge that cites nothing gives way to"
    " the most helpful answer.",
    "Verdicts: each claim of the answer is checked; with a large model that is a call more. Only"
    " `--strict` changes the answer by them.",
    "Extraction: a relation needs words that code finds in the source. Small models write no"
    " summaries; the sentence stands in for them.",
    "Joining names: rules come first, the model sees what they leave open, and different numbers,"
    " persons and opposites stay apart.",
    "Relations: a prompt says which way each one points; the graph is undirected, as the paper's.",
    "Nothing near: where none of the 20 best passages by vectors and words holds an entity of the"
    " ego-graphs, those passages answer in their place, and that is told; the paper answers from"
    " what is nearest.",
    "The paper doesn't say what these are: prevalent, for which we count mentions; similar, which"
    " in DSA-BFS is the cosine with the question.",
    "The paper gives no number for these: 5 ego-graphs, their 3 most prevalent entities as top"
    " nodes, the mean of nodes and that of edges at equal weight, 0.15 off the cosine a"
    " level in DSA-BFS, helpfulness of half relevance, a quarter coherence and a quarter detail.",
)
"""What of the profile `paper` isn't the paper, and what the paper leaves open: printed by
`ask --profile paper --help`, and a list of docs/papers.md.
"""
