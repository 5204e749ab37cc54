"""Gold and rankings on a snapshot: titles, facts, documents and turns; what is asked of arms and
what becomes a line.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import (
    Document,
    Graph,
    Passage,
    Question,
    Retrieval,
    ScoredPassage,
    Snapshot,
    Turn,
)
from dynagrag.evaluation.question_sets.gold_resolver import Resolver, Target, finder, missing_gold
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, Gold, Scope, TurnSpan
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalLine
from dynagrag.evaluation.retrieval.retriever_arms import Arm
from dynagrag.evaluation.retrieval.retriever_bench import RetrieverBench, passage_words

EMPTY = Graph((), (), np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), ())
VECTOR = np.array([1, 0], np.float32)


def document(id_: str, title: str, text: str) -> Document:
    return Document(id_, "w", title, f"/data/{id_}.txt", "", text)


TALK = "alpha one\nbeta two\ngamma three\ndelta four"
DOCUMENTS = [
    document("d-ada", "Ada", "Ada was born, they say, in Delft."),
    document("d-ada2", "Ada", "Another Ada."),
    document("d-delft", "Delft", "Delft lies on a canal."),
    document("d-talk", "Talk", TALK),
]
PASSAGES = (
    *(Passage(f"p-{d.id[2:]}", d.id, 0, 0, len(d.text), 0, 0) for d in DOCUMENTS[:3]),
    Passage("p-t1", "d-talk", 0, 0, 18, 0, 1),
    Passage("p-t2", "d-talk", 1, 19, 30, 2, 2),
    Passage("p-t3", "d-talk", 2, 31, 41, 3, 3),
)
SNAPSHOT = Snapshot(
    "w", "1", {d.id: d for d in DOCUMENTS}, {}, PASSAGES, np.zeros((6, 2), np.float32), {}, EMPTY
)
BY_ID = {p.id: p for p in PASSAGES}


@pytest.fixture
def resolver() -> Resolver:
    return Resolver(SNAPSHOT, finder(SNAPSHOT.documents))


def ranked(*ids: str) -> list[ScoredPassage]:
    return [ScoredPassage(BY_ID[id_], 1 - i / 10) for i, id_ in enumerate(ids)]


def units(resolver: Resolver, gold: Gold, *ids: str) -> list[str]:
    return [r.unit for r in resolver.ranking(gold, ranked(*ids))]


# ------------------------------------------------------------------------------------------- target


@pytest.mark.parametrize("last", [4, 1_000_000_000])
def test_turns_beyond_the_document_are_refused(resolver: Resolver, last: int) -> None:
    said = f"a question names turn {last} of 'Talk', which has 4, counted from 0"
    with pytest.raises(LoadError, match=said):
        resolver.target(Gold(spans=(TurnSpan("Talk", 2, last),)))
    with pytest.raises(LoadError, match=said):
        resolver.gold_things(Gold(spans=(TurnSpan("Talk", 2, last),)))


def test_a_last_turn_without_words_is_there_all_the_same() -> None:
    turns = tuple(Turn(f"t{number}", "d-talk", number, 0, 0) for number in range(5))
    with_empty = replace(SNAPSHOT, turns={"d-talk": turns})
    resolver = Resolver(with_empty, finder(with_empty.documents))
    assert resolver.target(Gold(spans=(TurnSpan("Talk", 3, 4),))).units == {"p-t3"}
    with pytest.raises(LoadError, match="turn 5 of 'Talk', which has 5"):
        resolver.target(Gold(spans=(TurnSpan("Talk", 3, 5),)))


def test_a_title_that_two_documents_have_is_found_with_either_and_counts_once(
    resolver: Resolver,
) -> None:
    gold = Gold(titles=("Ada", "Nowhere"))
    assert resolver.target(gold) == Target(frozenset({"Ada"}), ("Nowhere",))
    assert units(resolver, gold, "p-ada2", "p-ada", "p-delft") == ["Ada", "d-ada", "Delft"]


def test_a_fact_is_found_by_letters_and_digits_alone(resolver: Resolver) -> None:
    target = resolver.target(Gold(facts=("ada was BORN - they say", "an invention", "...")))
    assert target == Target(frozenset({"d-ada"}), ("an invention", "..."))


@pytest.mark.parametrize("name", ["d-talk", "Talk", "TALK", "d-talk.txt", "/data/d-talk.txt"])
def test_documents_are_known_by_id_title_file_name_and_path(name: str, resolver: Resolver) -> None:
    assert resolver.target(Gold(documents=(name,))).units == {"d-talk"}


def test_a_name_that_several_documents_have_is_refused_with_their_ids(resolver: Resolver) -> None:
    with pytest.raises(UsageError, match=r"2 documents are called 'ada'.*d-ada, d-ada2"):
        resolver.target(Gold(documents=("ada",)))


@pytest.mark.parametrize(
    ("first", "last", "wanted"),
    [
        (0, 0, {"p-t1"}),
        (1, 2, {"p-t1", "p-t2"}),
        (2, 3, {"p-t2", "p-t3"}),
        (0, 3, {"p-t1", "p-t2", "p-t3"}),
    ],
)
def test_turns_are_found_with_every_passage_that_touches_them(
    first: int, last: int, wanted: set[str], resolver: Resolver
) -> None:
    assert resolver.target(Gold(spans=(TurnSpan("Talk", first, last),))).units == wanted


@pytest.mark.parametrize("name", ["Talk\ud800", "Talk\0", "x" * 10_000])
def test_a_name_that_can_be_no_path_is_one_that_is_not_there(name: str, resolver: Resolver) -> None:
    assert resolver.target(Gold(documents=(name,))) == Target(frozenset(), (name,))


def test_turns_of_a_document_that_is_not_there_are_missing_gold(resolver: Resolver) -> None:
    target = resolver.target(Gold(spans=(TurnSpan("Elsewhere", 7, 8), TurnSpan("Nowhere", 0, 0))))
    assert target == Target(
        frozenset(), ("turns 7 to 8 of 'Elsewhere'", "turns 0 to 0 of 'Nowhere'")
    )
    assert missing_gold({"q": target, "again": target}) == list(target.missing)


# ------------------------------------------------------------------------------------------ ranking


def test_documents_stand_at_the_place_of_their_best_passage(resolver: Resolver) -> None:
    ranking = resolver.ranking(
        Gold(documents=("Talk",)), ranked("p-t2", "p-ada", "p-t1", "p-delft")
    )
    assert [(r.unit, r.passage.id) for r in ranking] == [
        ("d-talk", "p-t2"),
        ("d-ada", "p-ada"),
        ("d-delft", "p-delft"),
    ]


def test_where_turns_are_looked_for_each_passage_counts(resolver: Resolver) -> None:
    assert units(resolver, Gold(spans=(TurnSpan("Talk", 0, 0),)), "p-t2", "p-t1") == [
        "p-t2",
        "p-t1",
    ]


# ------------------------------------------------------------------------------------------- asking


@dataclass
class Fixed:
    """Brings the same every time, and counts how often it was asked."""

    ids: tuple[str, ...]
    name: str = "fixed"
    asked: list[tuple[str, int, int]] = field(default_factory=list)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        self.asked.append((question.text, num_passages, num_subgraphs))
        return Retrieval(self.name, tuple(ranked(*self.ids)))


def test_each_arm_gets_a_line_with_what_it_brought_and_its_measures(resolver: Resolver) -> None:
    good, bad = Fixed(("p-delft", "p-ada")), Fixed(())
    asker = RetrieverBench(Scope.CORPUS, [Arm("good", good, 5), Arm("bad", bad, 2)], resolver)
    question = EvalQuestion("q", "Where?", Gold(titles=("Ada", "Nowhere")), 0)
    target = resolver.target(question.gold)
    first, second = asker.ask(question, target, VECTOR)
    assert [(p.id, p.score, p.gold) for p in first.passages] == [
        ("p-delft", 1.0, False),
        ("p-ada", 0.9, True),
    ]
    assert (first.gold, first.missing, first.scope) == (("p-ada",), ("Nowhere",), "corpus")
    assert (first.measures["recall@2"], first.recall[0], second.measures["recall@10"]) == (
        0.5,
        0,
        0,
    )
    assert first.ms >= 0
    assert good.asked == [("Where?", 100, 5)] * 2, (
        "once before it counts, for what is built at first use"
    )
    assert [line.arm for line in asker.ask(question, target, VECTOR, frozenset({"good"}))] == [
        "bad"
    ]
    assert len(good.asked) == 2
    assert len(bad.asked) == 3, "warm by then"


def test_words_are_kept_of_what_was_brought_and_of_gold(resolver: Resolver) -> None:
    asker = RetrieverBench(Scope.CORPUS, [Arm("arm", Fixed(("p-delft",)), 1)], resolver)
    question = EvalQuestion("q", "Where?", Gold(titles=("Ada",)), 0)
    words = passage_words(asker.ask(question, resolver.target(question.gold), VECTOR), SNAPSHOT)
    assert [(w.id, w.title, w.words) for w in words] == [
        ("p-ada", "Ada", "Ada was born, they say, in Delft."),
        ("p-delft", "Delft", "Delft lies on a canal."),
    ]


def test_kept_titles_and_words_are_cut_where_they_are_very_long() -> None:
    long = document("d-long", "T" * 5000, "w" * 500_000)
    passage = Passage("p-long", long.id, 0, 0, len(long.text), 0, 0)
    snapshot = Snapshot(
        "w", "1", {long.id: long}, {}, (passage,), np.zeros((1, 2), np.float32), {}, EMPTY
    )
    own = RetrievalLine(
        scope="corpus",
        question="q",
        text="?",
        arm="arm",
        passages=(),
        gold=("p-long",),
        measures={},
        recall=(),
        ms=1,
    )
    (words,) = passage_words([own], snapshot)
    assert (len(words.title), len(words.words)) == (300, 300)
    assert words.title.endswith("T…")
