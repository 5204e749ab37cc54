"""What was deleted left nothing behind, and the graph is that of the rest."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynagrag import AskOptions, IngestOptions, open_workspace
from dynagrag.config.settings import load_settings
from dynagrag.core.errors import DynaGragError, WorkspaceError
from dynagrag.core.schema import Filters
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.generation.stored_answer import answer_json
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]
A = [
    (
        "Leo",
        "Quetzal Vane founded Umbra Foundry. Ada Byron works at Acme Works. The quokka sleeps.",
    ),
    (
        "Quill Marsh",
        "Acme Works is located in Port Arthur. Umbra Foundry is located in Xanadu Heights.",
    ),
]
B = [
    ("Leo", "Ada Byron works at Acme Works. Grace Hopper founded Borealis Labs."),
    ("Ines", "Borealis Labs acquired Acme Works. It rained all day."),
]
SECRETS = ("quetzal", "umbra", "quokka", "xanadu", "quill marsh", "vane")
"""Words that only A holds, as keys or text."""


@pytest.mark.usefixtures("any_store")
@pytest.mark.parametrize("extractor", ["llm", "fast"])
def test_the_graph_after_a_deletion_is_the_graph_of_the_rest(
    open_space: OpenSpace, corpus: Any, extractor: str, tmp_path: Path
) -> None:
    a, b = corpus.write("a.vtt", A), corpus.write("b.vtt", B)
    options = IngestOptions(extractor=extractor)
    both = open_space()
    both.ingest([a, b], options)
    shared = [r for r in both.graph().relations if r.support == 2]
    assert shared, "no relation that both documents support"
    document, report = both.documents.delete("a")
    alone = open_space(at=tmp_path / "other", store="sqlite")
    alone.ingest([b], options)
    assert document.title == "a"
    assert report.num_entities == alone.stats().entities
    _assert_equal(both, alone)


def _assert_equal(one: Workspace, other: Workspace) -> None:
    assert one.stats() == other.stats()
    assert one.store.mentions() == other.store.mentions()
    assert one.store.relation_records() == other.store.relation_records()
    assert one.store.consolidation() == other.store.consolidation()
    mine, theirs = one.graph(), other.graph()
    assert (mine.entities, mine.relations, mine.entity_passages) == (
        theirs.entities,
        theirs.relations,
        theirs.entity_passages,
    )
    np.testing.assert_allclose(mine.entity_vectors, theirs.entity_vectors, atol=1e-6)
    np.testing.assert_allclose(mine.relation_vectors, theirs.relation_vectors, atol=1e-6)


def test_a_deleted_text_is_neither_retrievable_nor_in_any_file_or_node(
    open_space: OpenSpace, corpus: Any, any_store: str, read_neo4j: Callable[[str], str]
) -> None:
    from dynagrag.curation.graph_queries import entity_view, overview

    space = open_space()
    space.ingest(
        [corpus.write("a.vtt", A), corpus.write("b.vtt", B), *corpus.many(4, num_turns=30)]
    )
    question = "What did Quetzal Vane found in Xanadu Heights?"
    for retriever in RETRIEVERS:
        assert "Quetzal" in _all_words(space, question, retriever), retriever
    space.documents.delete("a")
    for retriever in RETRIEVERS:
        assert not _found(_all_words(space, "What does the founder say of the foundry?", retriever))
    shown = json.dumps(
        [overview(space, 1000), *(entity_view(space, e.name, 100) for e in space.graph().entities)]
    )
    assert not _found(shown)
    assert not _found(
        repr(
            (
                space.store.consolidation().merges,
                space.journal.ledger(),
                space.journal.set_asides(),
                space.journal.jobs(),
            )
        )
    )
    _assert_no_bytes(space.folder)
    space.close()
    _assert_no_bytes(space.folder)
    if any_store != "sqlite":
        assert "acme" in read_neo4j("w").casefold()
        assert not _found(read_neo4j("w"))


def _all_words(space: Workspace, question: str, retriever: str) -> str:
    options = AskOptions(retriever=retriever, profile="graph")
    found = space.questions.retrieve(question, options, num_passages=100)
    texts = [space.current_graph.snapshot().passage_text(p.passage) for p in found.passages]
    answer = space.ask(question, options)
    quotes = [c.quote for c in (*answer.citations, *answer.evidence)]
    return json.dumps(
        [texts, quotes, [c.name for c in found.candidates], answer_json(answer)], default=str
    )


def _found(text: str) -> list[str]:
    return [word for word in SECRETS if word in text.casefold()]


def _assert_no_bytes(folder: Path) -> None:
    files = [f for f in folder.rglob("*") if f.is_file()]
    assert files
    for file in files:
        data = file.read_bytes().lower()
        for word in SECRETS:
            assert word.encode() not in data, f"{word} in {file.name}"


def test_what_was_set_aside_of_a_deleted_document_goes_too(
    open_space: OpenSpace, corpus: Any
) -> None:
    chat = FakeChat(
        lambda prompt, schema: (
            "Quetzal Vane" if "Quetzal" in prompt.user else simple_reply(prompt, schema)
        )
    )
    space = open_space(chat=chat)
    report = space.ingest([corpus.write("a.vtt", A), corpus.write("b.vtt", B)])
    assert [s.document for s in report.set_aside] == ["a"]
    space.documents.delete("a")
    assert space.journal.set_asides() == ()
    space.close()
    _assert_no_bytes(space.folder)


def test_the_last_document_leaves_an_empty_workspace(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("a.vtt", A)])
    space.documents.delete("a")
    assert (space.stats().entities, space.stats().passages) == (0, 0)
    with pytest.raises(WorkspaceError, match="is empty"):
        space.ask("Who founded Umbra Foundry?")
    space.close()
    _assert_no_bytes(space.folder)


@pytest.mark.usefixtures("any_store")
def test_a_deletion_that_was_killed_half_way_cites_nothing_that_is_gone(
    open_space: OpenSpace, corpus: Any
) -> None:
    """The records are gone, the graph is not yet derived again: what SIGKILL leaves between two
    transactions.
    """
    a, b = corpus.write("a.vtt", A), corpus.write("b.vtt", B)
    with open_space() as space:
        space.ingest([a, b])
        space.store.delete_document(space.documents.find("a").id)
    question = "Who founded Umbra Foundry, and where does Ada Byron work?"
    with open_space() as other, other.parts.writing():  # so that nobody derives it meanwhile
        space = open_space()
        for retriever in RETRIEVERS:
            for filters in (Filters(), Filters(documents=("b",)), Filters(speakers=("Leo",))):
                answer = space.ask(
                    question, AskOptions(retriever=retriever, profile="graph", filters=filters)
                )
                cited = [c.quote for c in (*answer.citations, *answer.evidence)]
                assert not _found(json.dumps(cited)), retriever
        assert not space.store.is_derived_current()
    space = open_space()
    answer = space.ask(question)
    assert not _found(json.dumps([c.quote for c in (*answer.citations, *answer.evidence)]))
    assert space.store.is_derived_current()
    space.ingest([b])
    alone = open_space("alone")
    alone.ingest([b])
    assert space.store.digest() == alone.store.digest()


# ----------------------------------------------------------------------------------------- property

_NAMES = (
    "Ada Byron",
    "Ada",
    "Byron",
    "Acme Works",
    "Acme",
    "ACME Works",
    "Works",
    "Borealis Labs",
    "New Labs",
    "Delft",
    "Old Delft",
)
_SENTENCES = st.builds(
    lambda head, verb, tail: f"{head} {verb} {tail}.",
    st.sampled_from(_NAMES),
    st.sampled_from(("works at", "founded", "acquired", "is located in", "partners with")),
    st.sampled_from(_NAMES),
)
_TURNS = st.lists(
    st.tuples(
        st.sampled_from(("Leo", "Ada", "SPEAKER_00")),
        st.lists(_SENTENCES, min_size=1, max_size=3).map(" ".join),
    ),
    min_size=1,
    max_size=4,
)


def _last_words_judge(prompt: Any, schema: Any) -> str:
    """Groups the names of a block that end in the same word, as a model might."""
    if "groups" not in (schema or {}).get("properties", {}):
        return simple_reply(prompt, schema)
    groups: dict[str, list[str]] = {}
    for line in prompt.user.splitlines():
        name = line.partition(" (")[0].partition(" | ")[0].partition(":")[0].strip()
        if name and not name.startswith("<"):
            groups.setdefault(name.split()[-1].casefold(), []).append(name)
    return json.dumps(
        {
            "groups": [
                {"canonical": g[0], "members": g, "inverted": []}
                for g in groups.values()
                if len(g) > 1
            ]
        }
    )


@given(a=_TURNS, b=_TURNS, extractor=st.sampled_from(["llm", "fast"]))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_adding_two_documents_and_deleting_one_equals_adding_the_other(
    corpus: Any,
    tmp_path_factory: pytest.TempPathFactory,
    a: Sequence[tuple[str, str]],
    b: Sequence[tuple[str, str]],
    extractor: str,
) -> None:
    folder = tmp_path_factory.mktemp("property")
    options = IngestOptions(extractor=extractor)
    one, two = corpus.write("a.vtt", [*a, ("Leo", "This is only in a.")]), corpus.write("b.vtt", b)

    def space(name: str) -> Workspace:
        home = load_settings(home=folder / name)
        return open_workspace(
            "w", settings=home, chat_model=FakeChat(_last_words_judge), embedder=FakeEmbedder()
        )

    with space("both") as both, space("alone") as alone:
        both.ingest([one], options)
        both.ingest([two], options)
        both.documents.delete("a")
        alone.ingest([two], options)
        _assert_equal(both, alone)


@pytest.mark.usefixtures("any_store")
def test_a_filter_on_a_stale_graph_is_no_crash(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("a.vtt", A), corpus.write("b.vtt", B)])
    space.store.delete_document(space.documents.find("b").id)
    with pytest.raises(DynaGragError, match="no document 'b'"):
        space.ask("Who?", replace(AskOptions(), filters=Filters(documents=("b",))))


@pytest.mark.parametrize("text", ["no JSON", "[[1]]", "5", "[" * 100_000, "\udcff"])
def test_a_damaged_list_of_what_was_forgotten_stops_nobody(
    open_space: OpenSpace, corpus: Any, text: str
) -> None:
    space = open_space()
    space.ingest(
        [corpus.write("a.vtt", A), corpus.write("b.vtt", B)], IngestOptions(extractor="fast")
    )
    space.documents.delete("a")
    noted = space.folder / "forgotten"
    before = noted.read_text()
    noted.write_bytes(text.encode("utf-8", "surrogateescape"))
    space.close()
    assert [document.title for document in open_space().store.documents()] == ["b"]
    assert noted.read_text() == before


def test_links_in_a_workspace_to_folders_elsewhere_cost_no_file_there(
    open_space: OpenSpace, corpus: Any, tmp_path: Path
) -> None:
    path = corpus.write("a.vtt", A)
    space = open_space()
    space.ingest([path], IngestOptions(extractor="fast"))
    shutil.rmtree(space.folder / "index", ignore_errors=True)
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (elsewhere / "mine.txt").write_text("mine")
    (space.folder / "uploads").symlink_to(path.parent)
    (space.folder / "index").symlink_to(elsewhere)
    space.documents.delete("a")
    assert path.exists()
    assert (elsewhere / "mine.txt").read_text() == "mine"
