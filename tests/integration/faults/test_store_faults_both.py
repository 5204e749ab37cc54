"""On both stores: several processes at one workspace, and an ingest that is killed at any
moment.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from ingests import run_together

from dynagrag.config.settings import load_settings
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Extraction, GraphStore
from dynagrag.core.schema import (
    Document,
    EmbedderIdentity,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
    Turn,
)
from dynagrag.workspace.address import open_store

NUM_DOCUMENTS, NUM_CHUNKS, NUM_HUBS = 4, 25, 5
WRITER = """
import json, random, sys
from pathlib import Path
given = json.loads(sys.argv[1])
tests = Path(given["module"]).parents[2]
sys.path[:0] = [str(tests), str(tests / "servers")]  # for what that module imports
import importlib.util
spec = importlib.util.spec_from_file_location("shared", given["module"])
shared = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared)
store = shared.open_at(Path(given["home"]), given["workspace"], given["store"])
work = [e for d in range(shared.NUM_DOCUMENTS) for e in shared.extractions(store.workspace, d)]
random.Random(given["seed"]).shuffle(work)
for number in range(0, given["batches"]):
    store.put_extractions([work[number % len(work)]])
store.close()
"""


def open_at(home: Path, workspace: str, address: str) -> GraphStore:
    """The workspace's store."""
    folder = home / workspace
    folder.mkdir(parents=True, exist_ok=True)
    return open_store(folder, workspace, load_settings(home=home, store=address))


def text_of(document: int) -> str:
    return "\n".join(
        f"Hub{(document + c) % NUM_HUBS} meets guest{document}x{c}." for c in range(NUM_CHUNKS)
    )


def document_of(workspace: str, number: int) -> tuple[Document, list[Turn], list[Passage]]:
    """A document of a passage and a chunk a line."""
    text = text_of(number)
    id_ = content_id("document", workspace, text)
    places = _places(text)
    turns = [
        Turn(content_id(id_, "turn", i), id_, i, start, end)
        for i, (start, end) in enumerate(places)
    ]
    passages = [
        Passage(content_id(id_, "passage", i), id_, i, start, end, i, i)
        for i, (start, end) in enumerate(places)
    ]
    return (
        Document(id_, workspace, f"d{number}", f"/d{number}.txt", content_id(text), text),
        turns,
        passages,
    )


def _places(text: str) -> list[tuple[int, int]]:
    starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
    return [
        (start, start + len(line)) for start, line in zip(starts, text.split("\n"), strict=True)
    ]


def extractions(workspace: str, number: int) -> list[Extraction]:
    """What a model says of each line: the hub meets the guest."""
    document, _, passages = document_of(workspace, number)
    return [_extraction(document, passage, i) for i, passage in enumerate(passages)]


def _extraction(document: Document, passage: Passage, number: int) -> Extraction:
    hub, guest = document.text[passage.start : passage.end].rstrip(".").split(" meets ")
    span = (document.id, passage.start, passage.end)
    mentions = tuple(
        Mention(
            *(
                content_id("m", *span, name),
                *span,
                (passage.id,),
                name,
                name.casefold(),
                "person",
                f"{name} was there",
            ),
            kind=MentionKind.SAID,
            extractor="model",
        )
        for name in (hub, guest)
    )
    words = (hub.casefold(), guest.casefold(), "meets", f"{hub} meets {guest}")
    record = RelationRecord(
        content_id("r", *span),
        *span,
        passage.id,
        *words,
        passage.start,
        passage.end,
        number,
        "model",
    )
    return Extraction(*span, "model", mentions, (record,))


def _held(store: GraphStore) -> tuple[object, ...]:
    records = store.records()
    return (
        records.mentions,
        records.relations,
        [store.live_spans(d.id) for d in records.documents],
        store.num_chunks(),
    )


def test_four_processes_that_store_extractions_at_once_make_the_records_of_one(
    any_store: str, home: Path
) -> None:
    """Each stores every chunk in an order of its own, and some twice: 500 transactions in all that
    meet at the workspace.
    """
    shared, alone = (
        open_at(home / who, "w", address)
        for who, address in (("shared", any_store), ("alone", "sqlite"))
    )
    try:
        for store in (shared, alone):
            store.set_embedder(EmbedderIdentity("fake", 4))
            for number in range(NUM_DOCUMENTS):
                store.put_document(*document_of("w", number))
        for number in range(NUM_DOCUMENTS):
            alone.put_extractions(extractions("w", number))
        given = {
            "module": __file__,
            "home": str(home / "shared"),
            "workspace": "w",
            "store": any_store,
            "batches": 125,
        }
        run_together(WRITER, [given | {"seed": seed} for seed in range(4)])
        assert _held(shared) == _held(alone)
        assert len(shared.mentions()) == 2 * NUM_DOCUMENTS * NUM_CHUNKS
        assert all(f.is_ok for f in shared.health())
    finally:
        shared.close()
        alone.close()


# ------------------------------------------------------------------------------------------ SIGKILL


@pytest.fixture
def kills(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/kills.py, which kills many more."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    return importlib.import_module("kills")


def test_a_killed_command_ends_in_the_same_graph_without_a_repeated_call(
    any_store: str, kills: ModuleType, tmp_path: Path
) -> None:
    lines: list[str] = []
    (done,) = kills.run(1, [any_store], tmp_path, lines.append, seed=1, works=[("delete", True)])
    assert (done.work, done.wrong) == ("delete", ""), lines
