"""How different the ego-graphs of a dense graph are: python benchmarks/diversity.py TRANSCRIPT
[QUESTION ...]

The transcript is read with the fast extractor into a workspace that is thrown away. Printed: how
dense the graph is, how many nodes a ceiling of prevalence leaves as top nodes, how alike ego-graph
vectors are, and for each question the centres by diversity and by cosine.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from dynagrag import wiring
from dynagrag.config.settings import Profile, load_settings
from dynagrag.core.schema import Question, Retrieval, Snapshot
from dynagrag.core.vectors import unit_rows
from dynagrag.registry.stores import EMBEDDED
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.ego_search import CosineEgoSearch, DiverseEgoSearch
from dynagrag.retrieval.ego.undirected_graph import Ints
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

QUESTIONS = (
    "Does Section 230 protect recommendations by an algorithm?",
    "What is a thumbnail, and who made it?",
    "What did the justices say about neutral algorithms?",
    "How would liability change search engines?",
    "What does publisher mean in the statute?",
    "Is Congress or the Court better placed to decide this?",
    "What does aiding and abetting require?",
    "Which lower courts were cited, and what had they held?",
)


def main(path: Path, questions: list[str]) -> None:
    """Prints the figures."""
    settings = load_settings()
    with tempfile.TemporaryDirectory() as folder:
        own = settings.model_copy(update={"home": Path(folder), "store": EMBEDDED})
        embedder = wiring.make_embedder(settings)
        with open_workspace("diversity", settings=own, embedder=embedder) as space:
            space.ingest([path], IngestOptions(extractor="fast"))
            snapshot = space.current_graph.snapshot()
            report(
                snapshot,
                [Question(text, embedder.embed_query(text)) for text in questions],
                wiring.make_profile("graph"),
            )


def report(snapshot: Snapshot, questions: list[Question], profile: Profile) -> None:
    """Density, prevalence, likeness, and the choices."""
    index, passages = EgoIndex.build(snapshot.graph, profile), PassageScores(snapshot)
    n, everyone = index.graph.num_nodes, np.arange(index.graph.num_nodes)
    print(
        f"{n} entities, {len(snapshot.facts.words)} words, average degree"
        f" {2 * index.graph.num_pairs / max(n, 1):.1f}"
    )
    sizes = np.array([len(nodes) for nodes, _ in index.egos(everyone)])
    print(
        f"members of an ego-graph: median {np.median(sizes):.0f}, {100 * np.median(sizes) / n:.0f}"
        " % of the nodes"
    )
    print(
        f"mean pairwise cosine: ego-graph vectors {_likeness(index.vectors):.2f}, names"
        f" {_likeness(index.graph.z):.2f}"
    )
    _print_tops(index, profile, everyone)
    searches = [
        kind(snapshot, index, profile, passages, BridgeSearch(snapshot, passages))
        for kind in (DiverseEgoSearch, CosineEgoSearch)
    ]
    num_other = 0
    for question in questions:
        diverse, plain = (
            _centres(snapshot, search.retrieve(question, 40, profile.num_subgraphs))
            for search in searches
        )
        num_other += set(diverse) != set(plain)
        print(f"{question.text}\n  diverse: {', '.join(diverse)}\n  cosine:  {', '.join(plain)}")
    print(f"the diverse choice differs on {num_other} of {len(questions)} questions")


def _print_tops(index: EgoIndex, profile: Profile, everyone: Ints) -> None:
    tops = index.tops(everyone, profile.num_top_nodes, profile.prevalence_ceiling)
    alone = np.mean([top == (centre,) for centre, top in zip(everyone.tolist(), tops, strict=True)])
    if profile.prevalence_ceiling is not None:
        over = np.mean(index.coverage > profile.prevalence_ceiling * len(everyone))
        print(
            f"{100 * over:.0f} % of the nodes are in more than"
            f" {100 * profile.prevalence_ceiling:.0f} % of the ego-graphs"
        )
    print(f"{100 * alone:.0f} % of the centres have themselves alone as top node")


def _likeness(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    unit = unit_rows(vectors)
    cosines = unit @ unit.T
    return float(cosines[~np.eye(len(unit), dtype=bool)].mean())


def _centres(snapshot: Snapshot, found: Retrieval) -> list[str]:
    return [snapshot.graph.entities[subgraph.nodes[0]].name for subgraph in found.subgraphs]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(QUESTIONS))
