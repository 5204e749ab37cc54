"""2WikiMultihopQA for pruners: gold triples as support, passages as Bridge-PPR finds them
(docs/papers.md, Pruning).

Trained on `multihop/2wiki_train`, whose contexts are the corpus then, and measured on the other
questions, `2wiki_questions`, over `2wiki_corpus`.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id, entity_key, plain_title
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Question, Snapshot
from dynagrag.evaluation.pruning.answer_support import Support, example_of
from dynagrag.evaluation.pruning.pruning_example import Part, PruningExample, Split, part_of
from dynagrag.evaluation.pruning.triple_graph import Triple
from dynagrag.evaluation.question_sets.json_rows import Row, find_file, read_rows
from dynagrag.evaluation.question_sets.published_sets import MULTIHOP, fact_titles, id_of, two_wiki
from dynagrag.evaluation.question_sets.question_set import CorpusDocument, DataFile, EvaluationSet
from dynagrag.evaluation.retrieval.evaluated_workspace import EvaluatedWorkspace, open_evaluated
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.ego.passage_graph import PassageGraphs
from dynagrag.retrieval.passages import best_rows
from dynagrag.retrieval.pruning.network_input import Form

NUM_PASSAGES = 10
"""As many as the set gives with a question."""
NAME = "2wiki"


@dataclass(frozen=True, slots=True)
class HopQuestion:
    """A question with its gold triples and the titles of the passages that state them."""

    id: str
    text: str
    titles: tuple[str, ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class TwoWiki:
    """Questions to train on and to measure on, each over a corpus of its own, and the files that
    they are of.
    """

    train: tuple[HopQuestion, ...]
    test: tuple[HopQuestion, ...]
    train_corpus: EvaluationSet
    test_corpus: EvaluationSet
    files: tuple[DataFile, ...]
    data: Path
    form: ClassVar[Form] = "compared"

    @property
    def name(self) -> str:
        """The set's."""
        return NAME

    @property
    def asked(self) -> str:
        """A hash of what is asked."""
        return content_id(
            *(
                part
                for q in (*self.train, *self.test)
                for part in (q.id, q.text, *("\t".join(t) for t in q.triples))
            )
        )

    def examples(
        self, settings: Settings, embedder: Embedder, parts: Collection[Part], progress: Progress
    ) -> Split:
        """The training rows, 15 % of them (by a hash of the id) to choose the epoch by, and the
        others' questions to measure on.
        """
        split: Split = {part: [] for part in Part}
        if {Part.TRAIN, Part.VALIDATION} & set(parts):
            made = self._examples(self.train, self.train_corpus, settings, embedder, progress)
            for example in made:
                is_chosen_by = part_of(example.group) is Part.VALIDATION
                split[Part.VALIDATION if is_chosen_by else Part.TRAIN].append(example)
        if Part.TEST in parts:
            split[Part.TEST] = self._examples(
                self.test, self.test_corpus, settings, embedder, progress
            )
        return split

    def _examples(
        self,
        questions: Sequence[HopQuestion],
        corpus: EvaluationSet,
        settings: Settings,
        embedder: Embedder,
        progress: Progress,
    ) -> list[PruningExample]:
        with open_evaluated(
            settings, EvaluateOptions(dataset=NAME, data=self.data), corpus, progress, embedder
        ) as place:
            return list(_examples_in(place, questions, progress))


def _examples_in(
    place: EvaluatedWorkspace, questions: Sequence[HopQuestion], progress: Progress
) -> Iterator[PruningExample]:
    """The graph of each question's best passages by Bridge-PPR, with what of it is support."""
    snapshot = place.space.current_graph.snapshot()
    ranker, graphs, find_support = (
        BridgeSearch(snapshot),
        PassageGraphs(snapshot),
        support_in(snapshot),
    )
    for number, question in enumerate(questions, start=1):
        query = place.embedder.embed_query(question.text)
        rows = best_rows(ranker.rank(Question(question.text, query)).total, NUM_PASSAGES).tolist()
        support, num_missing = find_support(question)
        example = example_of(
            question.id, question.text, question.id, query, [graphs.subgraph(rows, query)], support
        )
        num_nodes, num_edges = (
            len(own) + lack
            for own, lack in zip((support.nodes, support.pairs), num_missing, strict=True)
        )
        yield replace(example, num_nodes=num_nodes, num_edges=num_edges)
        progress("subgraphs", number, len(questions))


def support_in(snapshot: Snapshot) -> Callable[[HopQuestion], tuple[Support, tuple[int, int]]]:
    """Finds the support of a question's answer in the snapshot's graph, and how many nodes and
    pairs of the support the graph lacks.

    Nodes are the ends of the gold triples and what the supporting passages are about, matched by
    the keys of their names, brackets off; pairs are the two ends of a triple.
    """
    number = {key: i for i, entity in enumerate(snapshot.graph.entities) for key in entity.keys}

    def named(name: str) -> int | str:
        """The entity, else the key that no entity has."""
        key = entity_key(plain_title(name))
        return number.get(key, key)

    def find(question: HopQuestion) -> tuple[Support, tuple[int, int]]:
        pairs = {frozenset((named(head), named(tail))) for head, _, tail in question.triples}
        nodes = set(map(named, question.titles)).union(*pairs)
        pairs = {pair for pair in pairs if len(pair) == 2}
        there = {node for node in nodes if isinstance(node, int)}
        whole = {
            (min(u, v), max(u, v)) for u, v in pairs if isinstance(u, int) and isinstance(v, int)
        }
        return Support(frozenset(there), frozenset(whole)), (
            len(nodes) - len(there),
            len(pairs) - len(whole),
        )

    return find


def load_two_wiki(data: Path, part: str | None = None) -> TwoWiki:
    """The set from `data`, or from the folder `large` in it. UsageError for a part, LoadError for
    files that are missing or of no form.
    """
    if part is not None:
        raise UsageError(f"{NAME} has no parts; leave out --part {part}")
    folder = next(
        (own for own in (data, data / "large") if any((own / MULTIHOP).glob("2wiki_train.jsonl*"))),
        data,
    )
    rows, train_file = read_rows(find_file(folder / MULTIHOP, "2wiki_train"))
    asked, _ = read_rows(find_file(folder / MULTIHOP, "2wiki_questions"))
    test_corpus = two_wiki(folder, None, is_answered=True)
    train = tuple(_question(row, fact_titles(row)) for row in rows)
    test = tuple(_question(row, row.texts("supporting_titles")) for row in asked)
    texts = dict.fromkeys(_context(row, given) for row in rows for given in row.items("context"))
    documents = tuple(
        CorpusDocument(str(number), title, text) for number, (title, text) in enumerate(texts)
    )
    return TwoWiki(
        train=train,
        test=test,
        train_corpus=EvaluationSet(f"{NAME}-train", (), documents, (train_file,)),
        test_corpus=test_corpus,
        files=(train_file, *test_corpus.files),
        data=folder,
    )


def _question(row: Row, titles: tuple[str, ...]) -> HopQuestion:
    return HopQuestion(id_of(row), row.text("question"), titles, triples_of(row, "evidences"))


def _context(row: Row, given: object) -> tuple[str, str]:
    if not isinstance(given, list) or len(given) != 2 or not isinstance(given[1], list):
        raise LoadError(
            f"{row.place}: 'context' holds {json.dumps(given)[:60]}; each must be a list of title"
            " and sentences"
        )
    (title,) = row.strings([given[0]], "context")
    return title, row.kept(" ".join(map(str, given[1])), "context")


def triples_of(row: Row, name: str) -> tuple[Triple, ...]:
    """The triples of a field. LoadError where it has none, or one is no list of head, relation and
    tail.
    """
    triples = []
    for value in row.items(name):
        if not isinstance(value, list) or len(value) != 3:
            raise LoadError(
                f"{row.place}: {name!r} holds {json.dumps(value)[:60]}; each must be a list of"
                " head, relation and tail"
            )
        row.strings(value, name)
        triples.append((value[0], value[1], value[2]))
    return tuple(triples)
