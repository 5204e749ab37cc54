"""Given passages: what of a file is refused and how it is said, what becomes of triples, and what
is never cited.
"""

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import LoadError
from dynagrag.core.ids import entity_key
from dynagrag.core.protocols import Extraction, Extractor
from dynagrag.core.schema import (
    ChunkWork,
    Consolidation,
    Evidence,
    MentionKind,
    Question,
    Snapshot,
    SourceTurn,
)
from dynagrag.generation.evidence import QuestionEvidence, holds
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.imported.imported_corpus import (
    NO_ENTITY,
    NO_NAME,
    NO_TEXT,
    NOT_IN_CORPUS,
    NOT_THREE,
    SECOND,
    ImportedCorpus,
    ImportedDocument,
    ImportedPassage,
    ImportedTurns,
    as_corpus,
    content_hashes,
    join_extractions,
    read_imported,
)
from dynagrag.ingest.imported.imported_extractor import (
    STATED_TWICE,
    UNKNOWN,
    WITHOUT,
    ImportedExtractor,
)
from dynagrag.ingest.imported.imported_plan import imported_ids, plan_imported
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores

SHARED = Path(__file__).parents[3].parent / "shared" / "data" / "multihop"
ADA = ImportedPassage(
    "Ada Lovelace (mathematician)",
    "Ada Lovelace was a writer. She met Babbage in London. Lovelace's friend Babbage built"
    " engines.",
    ("Ada Lovelace", "the Engines"),
    (
        ("Ada Lovelace", "was", "a writer"),
        ("Ada Lovelace", "met", "Babbage"),
        ("Babbage", "Built", "Engines"),
    ),
)


class NoStore:
    """A store in which nothing is yet."""

    workspace = "w"

    def documents(self) -> tuple[()]:
        return ()


def write(path: Path, rows: Sequence[object]) -> Path:
    text = "\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def work_of(*documents: ImportedDocument) -> list[ChunkWork]:
    plan = plan_imported([ImportedCorpus(documents, "/f.jsonl")], NoStore(), "x")  # type: ignore[arg-type]
    return [item for planned in plan.documents for item in planned.work]


def extract(
    *documents: ImportedDocument,
) -> tuple[list[ChunkWork], list[Extraction], ImportedExtractor]:
    extractor = ImportedExtractor(documents)
    work, done = work_of(*documents), []
    assert extractor.extract(work, done.append) == []
    return work, done, extractor


def quotes(item: ChunkWork, extraction: Extraction) -> dict[tuple[str, str, str], str]:
    return {
        (r.head, r.label, r.tail): item.document.text[r.quote_start : r.quote_end]
        for r in extraction.relations
    }


class TestReading:
    @pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz"])
    def test_fields_are_taken_as_they_stand(self, tmp_path: Path, name: str) -> None:
        row = {
            "title": " A ",
            "text": "  A met B. ",
            "extracted_entities": ["A"],
            "extracted_triples": [["A", "met", "B"]],
            "more": 1,
        }
        corpus = read_imported(
            write(tmp_path / name, [row, "", {"chunk_id": 0, "text": "No title."}])
        )
        assert corpus.documents == (
            ImportedPassage(" A ", "  A met B. ", ("A",), (("A", "met", "B"),)),
            ImportedPassage("", "No title."),
        )
        assert (corpus.source, corpus.dropped, corpus.num_without_extraction) == (
            str(tmp_path / name),
            {},
            1,
        )

    def test_broken_triples_and_entities_are_dropped_with_counts_by_reason(
        self, tmp_path: Path
    ) -> None:
        triples: list[Any] = [
            ["a", "b"],
            ["a", "b", "c", "d"],
            "abc",
            ["a", "", "c"],
            ["a", "b", None],
            ["...", "b", "c"],
            ["a", "b", "c"],
        ]
        row = {
            "title": "T",
            "text": "x",
            "extracted_entities": ["a", " ", 7],
            "extracted_triples": triples,
        }
        corpus = read_imported(write(tmp_path / "c.jsonl", [row, row]))
        assert corpus.dropped == {NOT_THREE: 6, NO_TEXT: 4, NO_NAME: 2, NO_ENTITY: 4}
        assert corpus.documents[0] == ImportedPassage("T", "x", ("a",), (("a", "b", "c"),))

    def test_names_that_no_store_can_keep_are_dropped_with_a_count(self, tmp_path: Path) -> None:
        bad = "Half\ud800"
        triples = [[bad, "met", "B"], ["A", bad, "B"], ["A", "met", bad], ["A", "met", "B"]]
        row = {
            "title": "T",
            "text": "A met B.",
            "extracted_entities": ["A", bad],
            "extracted_triples": triples,
        }
        corpus = read_imported(write(tmp_path / "c.jsonl", [row]))
        assert corpus.dropped == {NO_TEXT: 3, NO_ENTITY: 1}
        assert corpus.documents == (ImportedPassage("T", "A met B.", ("A",), (("A", "met", "B"),)),)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("{not json", "is no JSON"),
            ('{"title": "x"}', "text: Field required"),
            ('{"text": "x"}', "neither title nor chunk_id"),
            ('{"title": "x", "text": 5}', "text: Input should be a valid string"),
            ('{"title": "x", "text": " \\n"}', "its text is blank"),
            (
                '{"title": "x", "text": "y", "extracted_triples": {}}',
                "extracted_triples: Input should be a valid list",
            ),
            ('["x"]', "the line: Input should be"),
            ('{"title": "x", "text": "\\ud800"}', "lone surrogate"),
            ("[" * 100_000, "is no JSON"),
        ],
    )
    def test_a_bad_line_is_named_with_its_file_number_and_remedy(
        self, tmp_path: Path, line: str, said: str
    ) -> None:
        path = write(tmp_path / "c.jsonl", [{"title": "A", "text": "a"}, "", line])
        with pytest.raises(LoadError) as caught:
            read_imported(path)
        message = str(caught.value)
        assert message.startswith(f"{path}, line 3: ")
        assert said in message
        assert ";" in message
        assert "\n" not in message

    def test_files_that_hold_nothing_usable_are_refused(self, tmp_path: Path) -> None:
        cut = tmp_path / "cut.jsonl.gz"
        cut.write_bytes(
            write(
                tmp_path / "whole.jsonl.gz", [{"title": str(i), "text": str(i)} for i in range(900)]
            ).read_bytes()[:-900]
        )
        latin = tmp_path / "latin.jsonl"
        latin.write_bytes('{"title": "é", "text": "é"}'.encode("latin-1"))
        for path, said in (
            (cut, "damaged or was cut off"),
            (latin, "no UTF-8"),
            (tmp_path / "none.jsonl", "cannot be read: No such file"),
            (tmp_path, "cannot be read: Is a directory"),
            (write(tmp_path / "empty.jsonl", ["", " "]), "holds no passages"),
        ):
            with pytest.raises(LoadError, match=said) as caught:
                read_imported(path)
            assert str(path) in str(caught.value)

    def test_the_reference_extractions_are_read_with_their_84_broken_triples(self) -> None:
        if not SHARED.is_dir():
            pytest.skip(f"the development data is not at {SHARED}")
        extractions = read_imported(SHARED / "musique_openie_reference.jsonl.gz")
        corpus = join_extractions(read_imported(SHARED / "musique_corpus.jsonl.gz"), extractions)
        assert (len(corpus.documents), corpus.num_without_extraction) == (1112, 0)
        assert corpus.dropped == {NOT_THREE: 84, NOT_IN_CORPUS: 1}


class TestJoining:
    def test_by_title_and_text_with_counts_of_what_is_left_over(self) -> None:
        corpus = ImportedCorpus(
            (
                ImportedPassage("A", "a"),
                ImportedPassage("A", "b"),
                ImportedPassage("A", "a"),
                ImportedPassage("C", "c"),
            ),
            "s",
            {"x": 1},
        )
        found = [ImportedPassage("A", "a", (n,)) for n in ("one", "two", "three")] + [
            ImportedPassage("A", "z", ("far",)),
            ImportedPassage("C", "c"),
        ]
        joined = join_extractions(corpus, ImportedCorpus(tuple(found), "t", {"x": 2}))
        assert [d.entities for d in joined.documents if isinstance(d, ImportedPassage)] == [
            ("one",),
            (),
            ("two",),
            (),
        ]
        assert joined.dropped == {"x": 3, SECOND: 1, NOT_IN_CORPUS: 1}
        assert (joined.source, joined.num_without_extraction) == ("s", 2)

    def test_a_document_of_turns_stays_as_it_is(self) -> None:
        meeting = ImportedTurns("M", (SourceTurn("Hello.", "A"),))
        assert join_extractions(
            as_corpus([meeting]), as_corpus([ImportedPassage("M", "Hello.", ("A",))])
        ).documents == (meeting,)


class TestDocuments:
    def test_a_given_passage_is_one_passage_of_its_whole_text_however_long(self) -> None:
        text = " " + "One sentence of five words. " * 200 + "\n\nAnd more.\n"
        plan = plan_imported(
            [ImportedCorpus((ImportedPassage("T", text), ImportedPassage("", "x")), "/d/f.jsonl")],
            NoStore(),
            "x",
        )  # type: ignore[arg-type]
        planned, other = plan.documents
        assert planned.document.text == text
        assert [(p.start, p.end, p.first_turn, p.last_turn) for p in planned.passages] == [
            (0, len(text), 0, 0)
        ]
        assert [(c.start, c.end, c.passages) for c in planned.to_extract] == [
            (0, len(text), planned.passages)
        ]
        assert (planned.document.title, planned.document.uri) == ("T", "/d/f.jsonl#1")
        assert (other.document.title, other.document.uri) == ("f.jsonl#2", "/d/f.jsonl#2")

    def test_turns_are_split_as_a_file_would_be(self) -> None:
        turns = tuple(
            SourceTurn(f"Words of turn {i} go on for a while and then end. " * 4, "AB"[i % 2])
            for i in range(20)
        )
        (planned,) = plan_imported(
            [ImportedCorpus((ImportedTurns("M", turns),))], NoStore(), "x"
        ).documents  # type: ignore[arg-type]
        assert len(planned.turns) == 20
        assert len(planned.passages) > 3
        assert {
            len(planned.document.text[p.start : p.end].split()) <= 120 for p in planned.passages
        } == {True}

    def test_equal_documents_are_two_and_a_row_that_moves_stays_itself(self) -> None:
        a, b = ImportedPassage("A", "a"), ImportedPassage("A", "b")
        one, two, three = content_hashes([a, a, b])
        assert len({one, two, three}) == 3
        assert content_hashes([b, a, a]) == (three, one, two)
        assert imported_ids(as_corpus([a, a]), "w") != imported_ids(as_corpus([a, a]), "v")

    @pytest.mark.parametrize(
        "document",
        [
            ImportedPassage("T", " \n"),
            ImportedTurns("T", ()),
            ImportedTurns("T", (SourceTurn(" "),)),
        ],
    )
    def test_a_document_without_words_is_refused(self, document: ImportedDocument) -> None:
        with pytest.raises(
            LoadError, match=r"given, document 2 \('T'\) has no words; leave it out"
        ):
            plan_imported([as_corpus([ImportedPassage("A", "a"), document])], NoStore(), "x")  # type: ignore[arg-type]

    def test_what_two_corpora_hold_is_a_double(self) -> None:
        corpora = [ImportedCorpus((ImportedPassage("A", "a"),), source) for source in ("x", "y")]
        plan = plan_imported(corpora, NoStore(), "x")  # type: ignore[arg-type]
        assert (len(plan.documents), plan.num_doubles) == (1, 1)


class TestExtracting:
    def test_quotes_are_the_earliest_sentence_that_holds_both_ends(self) -> None:
        (item,), (done,), _ = extract(ADA)
        assert quotes(item, done) == {
            ("ada lovelace", "was", "writer"): "Ada Lovelace was a writer.",
            ("ada lovelace", "met", "babbage"): "",
            ("babbage", "built", "engines"): "Lovelace's friend Babbage built engines.",
        }
        assert {r.passage_id for r in done.relations} == {item.chunk.passages[0].id}

    @pytest.mark.parametrize(
        ("text", "head", "tail", "is_found"),
        [
            ("THE  BEATLES’ «Help!» sold.", "Beatles", "Help", True),
            ("Ｂｅｔａ joined Gamma-Ray.", "beta", "gamma ray", True),
            ("They use C++ at Acme.", "C", "Acme", False),
            ("They use C++ at Acme.", "C++", "Acme", True),
            ("Annapolis is far from Rome.", "Anna", "Rome", False),
            ("Ada came. Rome fell.", "Ada", "Rome", False),
            ("Lovelace, Ada saw Rome.", "Ada Lovelace", "Rome", False),
        ],
    )
    def test_ends_are_compared_by_whole_words_of_their_keys(
        self, text: str, head: str, tail: str, is_found: bool
    ) -> None:
        (item,), (done,), _ = extract(ImportedPassage("T", text, (), ((head, "is", tail),)))
        assert [bool(quote) for quote in quotes(item, done).values()] == [is_found]

    def test_mentions_are_the_entities_and_the_ends_and_no_title_that_nothing_names(self) -> None:
        _, (done,), _ = extract(ADA)
        assert [(m.name, m.key, m.kind) for m in done.mentions] == [
            ("Ada Lovelace", "ada lovelace", MentionKind.SAID),
            ("the Engines", "engines", MentionKind.SAID),
            ("a writer", "writer", MentionKind.SAID),
            ("Babbage", "babbage", MentionKind.SAID),
        ]

        _, (done,), _ = extract(ImportedPassage("Unheard of", "x", ("X",)))
        assert [m.key for m in done.mentions] == ["x"]

    def test_what_is_stated_twice_is_one_record_and_counted_once_however_often_it_is_extracted(
        self,
    ) -> None:
        corpus = ImportedCorpus(
            (
                ImportedPassage(
                    "T", "A met B.", (" ",), (("A", "met", "B"), ("a", "MET", "b"), ("A", " ", "B"))
                ),
            ),
            "/f",
            {"x": 1},
        )
        extractor, done = ImportedExtractor(corpus), []
        for _ in range(2):
            extractor.extract(work_of(*corpus.documents), done.append)
        assert [len(e.relations) for e in done] == [1, 1]
        assert extractor.dropped == {"x": 1, STATED_TWICE: 1, NO_TEXT: 1, NO_ENTITY: 1}

    def test_its_name_changes_with_the_extractions_alone(self) -> None:
        name = ImportedExtractor([ADA]).name
        assert name.startswith("file-2+")
        assert ImportedExtractor([ADA, ImportedPassage("B", "b")]).name == name
        assert ImportedExtractor([ImportedPassage(ADA.title, ADA.text, ADA.entities)]).name != name

    def test_turns_have_no_mentions_and_strangers_are_set_aside(self) -> None:
        _, done, _ = extract(ImportedTurns("Weekly call", (SourceTurn("Hello there.", "A"),)))
        assert [(m.name, m.kind) for e in done for m in e.mentions] == []
        extractor: Extractor = ImportedExtractor([ImportedPassage("B", "b")])
        (item,) = work_of(ADA)
        assert extractor.extract([item], done.append) == [(item.chunk, UNKNOWN)]

    def test_names_in_memory_that_no_store_can_keep_are_refused_with_a_count(self) -> None:
        bad = "Half\ud800"
        _, (done,), extractor = extract(
            ImportedPassage(
                "T", "A met B.", ("A", bad), (("A", bad, "B"), (bad, "met", "B"), ("A", "met", "B"))
            )
        )
        assert {m.key for m in done.mentions} == {"a", "b"}
        assert (len(done.relations), extractor.dropped) == (1, {NO_TEXT: 2, NO_ENTITY: 1})

    @for_all(
        st.text(alphabet="ab .\n'", max_size=60).filter(str.strip),
        st.lists(st.tuples(*[st.text(alphabet="ab '", max_size=4)] * 3), max_size=6),
    )
    def test_every_quote_is_a_sentence_or_empty_and_every_end_is_mentioned(
        self, text: str, triples: list[tuple[str, str, str]]
    ) -> None:
        _, (done,), extractor = extract(ImportedPassage("", text, (), tuple(triples)))
        keys = {m.key for m in done.mentions}
        counted = Counter(extractor.dropped)
        assert counted.pop(WITHOUT, 0) == (not triples)
        assert sum(counted.values()) + len(done.relations) == len(triples)
        assert len({r.id for r in done.relations}) == len(done.relations)
        for record in done.relations:
            assert {record.head, record.tail} <= keys
            assert 0 <= record.quote_start <= record.quote_end <= len(text)
            assert entity_key(record.head) == record.head


class TestCiting:
    def test_a_record_without_a_quote_is_never_evidence(self) -> None:
        evidence = self._evidence(
            ImportedPassage("", "Ada was here. Rome fell. " * 3, (), (("Ada", "saw", "Rome"),)),
            max_passages=0,
        )
        assert evidence == ()

    def test_a_record_with_a_quote_is(self) -> None:
        evidence = self._evidence(
            ImportedPassage("", "So it was. Ada saw Rome.", (), (("Ada", "saw", "Rome"),)),
            max_passages=0,
        )
        assert [e.quote for e in evidence] == ["Ada saw Rome."]

    def test_an_empty_quote_lies_in_no_evidence_so_no_line_of_a_prompt_cites_for_it(self) -> None:
        evidence = Evidence("E1", "p", "d", 0, 9, "So it was")
        assert holds(evidence, "d", 0, 9)
        assert not holds(evidence, "d", 0, 0)
        assert not holds(evidence, "d", 4, 4)

    @staticmethod
    def _evidence(passage: ImportedPassage, max_passages: int) -> tuple[Evidence, ...]:
        (item,), (done,), _ = extract(passage)
        documents = {item.document.id: item.document}

        def table(texts: dict[str, str]) -> VectorTable:
            return VectorTable.of(tuple(texts), np.ones((len(texts), 2), dtype=np.float32))

        graph = derive(
            "w",
            done.mentions,
            done.relations,
            documents=documents,
            num_passages=1,
            consolidation=Consolidation(),
            edits=(),
            mention_vectors=table(mention_texts(done.mentions)),
            record_vectors=table(record_texts(done.relations)),
        )
        snapshot = Snapshot(
            "w",
            "1",
            documents,
            {item.document.id: tuple(item.turns)},
            item.chunk.passages,
            np.ones((1, 2), dtype=np.float32),
            {r.id: r for r in done.relations},
            graph,
        )
        subgraph = EgoIndex.build(graph, PROFILES["default"]).subgraphs(
            np.array([0]), np.zeros(len(graph.entities))
        )[0]
        assert len(subgraph.pairs) == 1
        question = Question("What did Ada see?", np.ones(2, dtype=np.float32))
        return QuestionEvidence(
            PassageScores(snapshot), question, max_passages=max_passages
        ).of_subgraph(subgraph, (0, 1))
