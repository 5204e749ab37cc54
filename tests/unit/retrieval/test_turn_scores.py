"""Turns by vectors and words at four scales: by their definition, where facts have no place, and in
several languages.
"""

from collections import Counter
from dataclasses import replace
from math import log

import numpy as np
import pytest
from bridge_corpora import D, entity, facts_of, snapshot, unit

from dynagrag.core.schema import Document, Passage, Question, Snapshot, Turn
from dynagrag.core.vectors import unit_rows
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.terms import TermReader
from dynagrag.retrieval.turn_scores import TurnScores, z

SAID = [
    [("Ada", "The pump leaked at night."), ("Bob", "Which pump do you mean?")],
    [("Ada", "The old one near the river."), ("Bob", "It was mended."), ("Ada", "By whom?")],
    [("Bob", "Carla mended two pumps.")],
]


def talk(said: list[list[tuple[str, str]]] = SAID, title: str = "Harbour") -> Snapshot:
    """A document of passages of these turns, a fact a turn, and one of a single passage."""
    turns, passages, starts, at = [], [], [], 0
    for own in said:
        first, begin = len(turns), at
        for speaker, words in own:
            number = len(turns)
            turns.append(Turn(f"t{number}", "d0", number, at, at + len(words), speaker))
            starts.append(at)
            at += len(words) + 1
        passages.append(
            Passage(f"p{len(passages)}", "d0", len(passages), begin, at - 1, first, len(turns) - 1)
        )
    text = "\n".join(words for own in said for _, words in own)
    other = "Moss grows on the old pump."
    documents = {
        "d0": Document("d0", "w", title, "/0", "", text),
        "d1": Document("d1", "w", "1", "/1", "", other),
    }
    passages.append(Passage(f"p{len(passages)}", "d1", 0, 0, len(other), 0, 0))
    rows = [row for row, own in enumerate(said) for _ in own]
    facts = facts_of([[0]] * len(passages), [(row, [0]) for row in rows])
    facts = replace(facts, starts=np.array(starts, dtype=np.int64))
    made = snapshot(
        ["x"] * len(passages), unit(len(passages), 5), [entity(0, "Pump")], unit(1), facts
    )
    turns_of = {"d0": tuple(turns), "d1": (Turn("o", "d1", 0, 0, len(other)),)}
    return replace(made, documents=documents, turns=turns_of, passages=tuple(passages))


def bm25(texts: list[list[str]], asked: list[str]) -> np.ndarray:
    """By its formula, term by term."""
    lengths = np.array([len(text) for text in texts], dtype=float)
    scores = np.zeros(len(texts))
    for term in asked:
        held = sum(term in text for text in texts)
        idf = log(1 + (len(texts) - held + 0.5) / (held + 0.5))
        for i, text in enumerate(texts):
            tf = Counter(text)[term]
            norm = 1.5 * (0.25 + 0.75 * lengths[i] / lengths.mean())
            scores[i] += idf * tf * 2.5 / (tf + norm) if held else 0.0
    return scores


def test_scores_are_those_of_four_scales_by_their_definition() -> None:
    made = talk()
    query, text = unit(1, 9)[0], "Who mended the pumps of Bob?"
    terms = TermReader(made.documents)
    rows = [0, 0, 1, 1, 1, 2, 3]
    words = [
        terms.of_text(f"{turn.speaker} {made.text(d, turn.start, turn.end)}", d)
        for d in ("d0", "d1")
        for turn in made.turns[d]
    ]
    words[6] = terms.of_text("Moss grows on the old pump.", "d1")
    passage_words = [
        terms.of_text("Harbour" if row < 3 else "", "d0")
        + [term for at, own in zip(rows, words, strict=True) if at == row for term in own]
        for row in range(4)
    ]
    near = [range(max(0, i - 2), min(6, i + 3)) if i < 6 else range(6, 7) for i in range(7)]
    around = [range(3)] * 3 + [range(3, 4)]
    asked = terms.of_question(text)
    by_words = z(bm25(words, asked))
    by_words += z(bm25([[t for j in own for t in words[j]] for own in near], asked))
    by_words += z(bm25(passage_words, asked)[rows])
    wide = [[t for row in own for t in passage_words[row]] for own in around]
    by_words += 2 * z(bm25(wide, asked)[rows])
    said, own = made.facts.vectors, made.passage_vectors
    sizes = [len(fact.split()) for fact in made.facts.texts]
    few = np.stack([sum(sizes[j] * said[j] for j in near[i] if j < 6) for i in range(6)])
    means = unit_rows(np.stack([own[list(some)].sum(axis=0) for some in around]))
    filling = [5, 6]
    turn = np.array([(own[rows[i]] if i in filling else said[i]) @ query for i in range(7)])
    window = np.append(unit_rows(few.astype(np.float32)) @ query, turn[6])
    cosines = turn + window + (own @ query)[rows] + 2 * (means @ query)[rows]
    fit = z(cosines) + z(by_words)
    best = np.array([max(fit[i] for i in range(7) if rows[i] == row) for row in range(4)])
    low, high = best.min(), best.max()

    turns, passages = TurnScores(PassageScores(made)).first_stage(text, query)
    assert turns == pytest.approx((fit - low) / (high - low), abs=1e-4)
    assert passages == pytest.approx((best - low) / (high - low), abs=1e-4)


def test_a_turn_without_facts_that_have_a_place_has_its_passages_vector() -> None:
    made = talk()
    placed = replace(made, facts=replace(made.facts, starts=np.full(6, -1, dtype=np.int64)))
    unknown = replace(made, facts=replace(made.facts, starts=np.zeros(0, dtype=np.int64)))
    query = unit(1, 9)[0]
    found = [
        TurnScores(PassageScores(some)).first_stage("nothing like it", query)[0]
        for some in (placed, unknown)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert len({round(x, 6) for x in found[0][:2]}) == 1, "turns of one passage are alike"


def test_the_turn_that_answers_comes_first_and_each_comes_once() -> None:
    made = talk()
    found = BridgeSearch(made).retrieve(Question("Who mended the pumps?", unit(1, 9)[0]), 4, 0)
    assert (found.turns[0].document_id, found.turns[0].index) == ("d0", 5)
    places = [(turn.document_id, turn.index) for turn in found.turns]
    assert len(places) == len(set(places)) == 7
    assert [turn.score for turn in found.turns] == sorted(
        (turn.score for turn in found.turns), reverse=True
    )


def test_a_turn_that_is_cut_over_two_passages_comes_once() -> None:
    words = "The pump leaked. It was mended."
    document = Document("d", "w", "/d", "/d", "", words)
    passages = (Passage("a", "d", 0, 0, 16, 0, 0), Passage("b", "d", 1, 17, len(words), 0, 0))
    made = snapshot(["x", "y"], unit(2), [], np.zeros((0, D), np.float32), facts_of([[], []], []))
    made = replace(
        made,
        documents={"d": document},
        passages=passages,
        turns={"d": (Turn("t", "d", 0, 0, len(words), "Ada"),)},
    )
    found = BridgeSearch(made).retrieve(Question("Was the pump mended?", unit(1, 9)[0]), 2, 0)
    assert [(turn.document_id, turn.index) for turn in found.turns] == [("d", 0)]


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [
        (
            "de",
            "Die Häuser am Fluss wurden gestern verkauft und wir zogen aus.",
            "Welches Haus an den Flüssen?",
        ),
        ("fr", "Les pompes du port ont été réparées hier par les ouvriers.", "pompe réparer"),
        ("es", "Las bombas del puerto fueron reparadas ayer por los obreros.", "bomba reparada"),
        ("en", "The pumps of the harbour were mended by the workers.", "pump mending"),
    ],
)
def test_another_form_of_a_word_is_found_in_its_language(
    language: str, text: str, question: str
) -> None:
    terms = TermReader({"d": Document("d", "w", "t", "/d", "", text)})
    assert len(set(terms.of_text(text, "d")) & set(terms.of_question(question))) >= 2


def test_a_question_has_the_stems_of_every_language_of_the_corpus() -> None:
    texts = {
        "a": "The pumps of the harbour were mended by the workers.",
        "b": "Die Häuser am Fluss wurden gestern verkauft und wir zogen aus.",
    }
    terms = TermReader({id_: Document(id_, "w", "t", "/d", "", t) for id_, t in texts.items()})
    asked = set(terms.of_question("pump of the Haus"))
    assert asked & set(terms.of_text(texts["a"], "a"))
    assert asked & set(terms.of_text(texts["b"], "b"))
    assert len(terms.of_question("pump pump")) == len(set(terms.of_question("pump")))


def test_no_passages_have_no_turns() -> None:
    made = snapshot(
        [], np.zeros((0, D), np.float32), [], np.zeros((0, D), np.float32), facts_of([], [])
    )
    assert BridgeSearch(made).retrieve(Question("anything", unit(1)[0]), 5, 0).turns == ()
