"""Small graphs and snapshots for the retrieval and prompt tests."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from dynagrag.core.schema import (
    Document,
    Entity,
    Graph,
    Passage,
    Relation,
    RelationRecord,
    Snapshot,
    Turn,
)

MakeGraph = Callable[..., Graph]


@pytest.fixture(scope="session")
def make_graph() -> MakeGraph:
    """Builds a Graph of `num_nodes` entities e000, e001, ... and relations (head, tail, label,
    weight); vectors from the seed, by id.
    """

    def build(
        num_nodes: int,
        relations: Sequence[tuple[int, int, str, int]],
        *,
        weights: Sequence[int] | None = None,
        d: int = 5,
        seed: int = 0,
        skip: Sequence[int] = (),
    ) -> Graph:
        nodes = [i for i in range(num_nodes) if i not in skip]
        entities = tuple(_entity(i, 1 if weights is None else weights[i]) for i in nodes)
        kept = sorted(
            (_relation(*r) for r in relations if r[0] not in skip and r[1] not in skip),
            key=lambda r: r.id,
        )
        return Graph(
            entities,
            tuple(kept),
            _vectors([e.id for e in entities], d, seed),
            _vectors([r.id for r in kept], d, seed),
            tuple(() for _ in nodes),
        )

    return build


def _entity(i: int, weight: int) -> Entity:
    name = f"e{i:03}"
    return Entity(name, name, name, "", (name,), (), "thing", weight, (f"summary of {name}",))


def _relation(head: int, tail: int, label: str, weight: int) -> Relation:
    return Relation(
        f"e{head:03} {label} e{tail:03}", f"e{head:03}", f"e{tail:03}", label, weight, 1, (), ()
    )


def _vectors(
    ids: Sequence[str], d: int, seed: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = [np.random.default_rng([seed, *i.encode()]).normal(size=d) for i in ids]
    return np.array(rows, dtype=np.float32).reshape(len(ids), d)


@pytest.fixture(scope="session")
def moon_snapshot() -> Snapshot:
    """One document of three turns, two passages, three entities and two relations with quotes; unit
    vectors along axes.
    """
    lines = [
        "Engine start. The engine burns hot.",
        "Houston guides the crew.",
        "The crew lands on the Moon. All is well.",
    ]
    text = "\n".join(lines)
    starts = [text.index(line) for line in lines]
    turns = tuple(
        Turn(f"t{i}", "doc", i, s, s + len(line), speaker, start_s)
        for i, (s, line, speaker, start_s) in enumerate(
            zip(starts, lines, ("CDR", "CC", None), (0.5, 72.9, None), strict=True)
        )
    )
    passages = (
        Passage("p0", "doc", 0, 0, starts[2] - 1, 0, 1),
        Passage("p1", "doc", 1, starts[2], len(text), 2, 2),
    )

    def record(i: str, passage: str, head: str, tail: str, quote: str, turn: int) -> RelationRecord:
        at = text.index(quote)
        return RelationRecord(
            i,
            "doc",
            0,
            len(text),
            passage,
            head,
            tail,
            "does",
            quote,
            at,
            at + len(quote),
            turn,
            "test",
        )

    records = [
        record("r0", "p0", "houston", "crew", "Houston guides the crew.", 1),
        record("r1", "p1", "crew", "moon", "The crew lands on the Moon.", 2),
    ]
    names = ("crew", "houston", "moon")
    entities = tuple(
        Entity(f"id-{n}", n, n.title(), "", (n,), (), "thing", w, (f"the {n}",))
        for n, w in zip(names, (2, 1, 1), strict=True)
    )
    graph = Graph(
        entities,
        (
            Relation(
                "rel0",
                "id-houston",
                "id-crew",
                "guides",
                1,
                1,
                ("Houston guides the crew.",),
                ("r0",),
            ),
            Relation("rel1", "id-crew", "id-moon", "lands on", 1, 1, ("It lands.",), ("r1",)),
        ),
        np.eye(4, dtype=np.float32)[:3],
        np.eye(4, dtype=np.float32)[[1, 2]],
        (("p0", "p1"), ("p0",), ("p1",)),
    )
    document = Document("doc", "w", "Landing", "landing.txt", "0" * 64, text)
    vectors = np.array([[0.6, 0.8, 0, 0], [0.6, 0, 0.8, 0]], dtype=np.float32)
    return Snapshot(
        "w",
        "1",
        {"doc": document},
        {"doc": turns},
        passages,
        vectors,
        {r.id: r for r in records},
        graph,
    )
