"""Questions of records: what is asked of which lines, in which words, and what holds for all of
them.
"""

import random
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import LOOPS, NAMES, Talk, spoken

from dynagrag.evaluation.questions.diverse_order import diverse_order
from dynagrag.evaluation.questions.document_splits import document_splits
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import MadeQuestion, QuestionKind, Split
from dynagrag.evaluation.questions.record_questions import (
    AMBIGUOUS,
    DOUBLE,
    checked,
    record_questions,
)
from dynagrag.evaluation.questions.sayings import Sayings

SENTENCES = st.builds(
    lambda what, name, number: f"{what} the {name} {number} meters away from here.",
    st.sampled_from(
        ["Somebody moved", "The engineers found", "Nobody ever opened", "The crew photographed"]
    ),
    st.sampled_from(NAMES),
    st.integers(10, 99),
)
TALKS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["Ada", "Leo", "Grace", None]), SENTENCES), min_size=1, max_size=8
    ),
    min_size=1,
    max_size=5,
).map(lambda talks: {f"Talk {i}": talk for i, talk in enumerate(talks)})


def evidence(
    talks: Mapping[str, Talk] = LOOPS, seed: int = 0, has_turns: bool = True
) -> SplitSayings:
    sayings = Sayings(spoken(talks, has_turns=has_turns))
    return SplitSayings(
        sayings, document_splits(Counter(s.document_id for s in sayings.every), seed)
    )


def one_split(talks: Mapping[str, Talk] = LOOPS) -> SplitSayings:
    """All documents for training, so that questions may go over several."""
    sayings = Sayings(spoken(talks))
    return SplitSayings(sayings, dict.fromkeys(sayings.documents, Split.TRAIN))


def made(of: SplitSayings, *kinds: QuestionKind, num: int = 500) -> list[MadeQuestion]:
    return record_questions(of, kinds or tuple(QuestionKind), num, 0)[0]


def asked(of: SplitSayings, kind: QuestionKind) -> dict[str, str]:
    return {question.question: question.answer for question in made(of, kind)}


# ------------------------------------------------------------------------------------------ wording


def test_a_cloze_leaves_out_a_thing_a_number_or_the_speaker() -> None:
    found = asked(evidence(), QuestionKind.CLOZE)
    assert (
        found[
            'LMP said, "____ was the one that had an amp spike on it once before." What is left'
            " out?"
        ]
        == "MAIN B"
    )
    assert (
        found[
            'LMP said, "The reading of MAIN B is ____ volts by the second meter." Which number is'
            " left out?"
        ]
        == "25.5"
    )
    assert found["Who said that the reading of MAIN B is 25.5 volts by the second meter?"] == "LMP"
    assert (
        found['Who said, "The Helium valve opened again after ten minutes of waiting"?'] == "EECOM"
    ), "no pattern is sure of its verb"


def test_the_subject_of_a_line_is_asked_for_in_a_question_proper() -> None:
    talk: Talk = [
        ("LMP", "MAIN B is showing zip on every meter."),
        ("CDR", "We now have MAIN B on battery power alone."),
    ]
    found = asked(evidence({"A": talk}), QuestionKind.CLOZE)
    assert found["According to LMP, who or what is showing zip on every meter?"] == "MAIN B"
    assert (
        found['CDR said, "We now have ____ on battery power alone." What is left out?'] == "MAIN B"
    )


def test_whoever_is_spoken_to_is_nothing_that_is_asked_about() -> None:
    questions = made(evidence())
    assert not [q for q in questions if "Houston" in q.answer and q.kind is QuestionKind.CLOZE]
    assert "What did CDR say about Houston?" not in {q.question for q in questions}


@pytest.mark.parametrize(
    ("first", "second", "asked_alike"),
    [
        (
            "The tank pressure of the Odyssey fell to 217 pounds.",
            "The tank pressure of the Odyssey fell to 300 pounds.",
            "____ pounds",
        ),
        (
            "We now have MAIN B on battery power alone.",
            "We now have MAIN A on battery power alone.",
            "have ____ on battery",
        ),
    ],
)
def test_what_two_lines_answer_in_two_ways_is_not_asked(
    first: str, second: str, asked_alike: str
) -> None:
    alone = record_questions(evidence({"A": [("LMP", first)]}), (QuestionKind.CLOZE,), 500, 0)[0]
    assert any(asked_alike in q.question for q in alone)
    both: Talk = [
        ("LMP", first),
        ("LMP", second),
        ("CDR", "The Helium valve opened again after ten minutes of waiting."),
    ]
    found, drops = record_questions(evidence({"A": both}), (QuestionKind.CLOZE,), 500, 0)
    assert found
    assert not [q for q in found if asked_alike in q.question]
    assert drops["has another answer in another line"] == 2


def test_who_said_what_two_people_said_is_not_asked() -> None:
    def draft(answer: str, *answers: str) -> Draft:
        return Draft(
            QuestionKind.CLOZE,
            "Who said that the tanks of the Odyssey were cold?",
            answer,
            "d0",
            answers=answers,
        )

    drops: Counter[str] = Counter()
    assert list(checked([draft("LMP"), draft("CDR")], set(), drops)) == []
    assert drops == {AMBIGUOUS: 2}
    first = draft("Kagan", "Justice Kagan")
    assert list(checked([first, draft("Justice Kagan")], set(), drops)) == [first], (
        "two names of one thing are one answer"
    )
    assert drops == {AMBIGUOUS: 2, DOUBLE: 1}


def test_two_hops_go_over_a_thing_that_two_passages_name() -> None:
    found = asked(one_split(), QuestionKind.TWO_HOP)
    both = 'EECOM said, "The ____ lost 53 amps of its main current at noon."'
    assert (
        found[
            f'{both} FLIGHT said, "Somebody should read the serial number of the ____ to the crew'
            ' again." What is left out of both?'
        ]
        == "Odyssey"
    )
    said = f"{both} What did GNC say about the thing that is left out?"
    assert found[said] == "Low pressures in the tanks closed the Helium valve of the Odyssey."


def test_speakers_are_asked_about_one_by_one_two_together_and_all() -> None:
    of = one_split()
    assert asked(of, QuestionKind.SPECIFIC)["What did GNC say about Helium valve?"].startswith(
        "Low pressures"
    )
    compared = asked(of, QuestionKind.COMPARISON)[
        "What did EECOM and GNC each say about Helium valve?"
    ]
    assert compared.startswith("EECOM: The Helium valve opened")
    assert "GNC: Low pressures" in compared
    (theme,) = asked(of, QuestionKind.THEMATIC)
    assert theme == "What was said about Odyssey, and by whom?"


def test_what_a_speaker_never_names_is_unanswerable_and_what_they_may_mean_is_not_asked() -> None:
    found = made(evidence(), QuestionKind.UNANSWERABLE)
    texts = {q.question for q in found}
    assert "What did GNC say about Comet Bennett?" in texts
    assert "What did FLIGHT say about Helium valve?" not in texts, "their turns are beside it"
    assert "What did CDR say about MAIN B?" not in texts, "the next turn names it"
    assert all((q.answerable, q.answer, q.turns, q.documents) == (False, "", (), ()) for q in found)


def test_nobody_is_asked_about_what_a_fragment_beside_their_turns_or_initials_name() -> None:
    talks: Mapping[str, Talk] = {
        "Fees": [
            ("Julie", "The students of the EU pay their fees in the autumn."),
            ("Huw", "The European Union has closed the programme for teachers this year."),
        ],
        "Rain": [
            ("Lynne", "Comet Bennett?"),
            ("Marie", "The committee moved the meeting to the following Thursday."),
            ("Lynne", "Somebody photographed Comet Bennett above the northern harbour."),
        ],
    }
    sayings = Sayings(spoken(talks, names=("European Union", "Comet Bennett")))
    texts = {
        q.question
        for q in made(
            SplitSayings(sayings, dict.fromkeys(sayings.documents, Split.TRAIN)),
            QuestionKind.UNANSWERABLE,
        )
    }
    assert "What did Marie say about European Union?" in texts
    assert "What did Julie say about European Union?" not in texts, "they say EU"
    assert "What did Huw say about Comet Bennett?" in texts
    assert "What did Marie say about Comet Bennett?" not in texts, "a turn beside theirs names it"


def test_a_word_of_a_longer_name_is_nothing_that_is_asked_about() -> None:
    talks: Mapping[str, Talk] = {
        "Talk": [
            ("Huw", "The Welsh Government has closed the programme for teachers this year."),
            ("Lynne", "I shall ask the whole committee my questions in Welsh later today."),
        ]
    }
    sayings = Sayings(spoken(talks, names=("Welsh Government", "Welsh")))
    assert {entity.name for saying in sayings.every for entity in saying.about} == {
        "Welsh Government"
    }


def test_documents_without_speakers_are_compared_by_their_titles() -> None:
    talks: Mapping[str, Talk] = {
        "North": [(None, "The Odyssey met Comet Bennett above the northern ice.")],
        "South": [(None, "The Odyssey lost Comet Bennett in the southern harbour.")],
    }
    found = asked(one_split(talks), QuestionKind.COMPARISON)
    assert list(found) == ['What is said about Comet Bennett in "North", and what in "South"?'], (
        "an Odyssey may be any"
    )
    assert not made(one_split(talks), QuestionKind.UNANSWERABLE), "both name it"
    alone = {
        "North": [(None, "The Odyssey crossed the northern ice in spring.")],
        "Moon": [(None, "The tanks of FUEL CELL 1 were cold and dry.")],
    }
    found = made(one_split(alone), QuestionKind.SPECIFIC, QuestionKind.UNANSWERABLE)
    assert {q.question: q.answerable for q in found} == {
        'What is said about Odyssey in "North"?': True,
        'What is said about FUEL CELL 1 in "Moon"?': True,
        'What is said about FUEL CELL 1 in "North"?': False,
        'What is said about Odyssey in "Moon"?': False,
    }


def test_no_question_names_a_document_by_its_id_or_asks_a_document_about_its_own_title() -> None:
    words = [(None, "The tanks of FUEL CELL 1 were cold and dry in 1907.")]
    assert not made(
        one_split({"A": words, "a": [*words, (None, "Comet Bennett rose above the hills.")]}),
        QuestionKind.SPECIFIC,
    )
    assert not made(
        one_split({"Comet Bennett": [(None, "Comet Bennett rose above the hills.")]}),
        QuestionKind.SPECIFIC,
    )
    sayings = Sayings(spoken({"T": words}, ["1907", "FUEL CELL 1"]))
    assert [entity.name for entity in sayings.every[0].about] == ["FUEL CELL 1"], (
        "a year is no thing"
    )


def test_a_name_of_one_word_counts_as_it_is_written_and_joins_no_documents() -> None:
    talks: Mapping[str, Talk] = {
        "A": [
            ("Ada", "The mark on the hull of the ship was green."),
            ("Leo", "Mark painted the hull of the ship again."),
        ],
        "B": [
            ("Grace", "Nobody in this house has ever met Mark or the Comet Bennett."),
            ("Alan", "Comet Bennett was green and large."),
        ],
    }
    sayings = Sayings(spoken(talks, ["Mark", "Comet Bennett"]))
    names = [[entity.name for entity in saying.about] for saying in sayings.every]
    assert names == [[], ["Mark"], ["Mark", "Comet Bennett"], ["Comet Bennett"]]
    of = SplitSayings(sayings, dict.fromkeys(sayings.documents, Split.TRAIN))
    assert {q.question for q in made(of, QuestionKind.COMPARISON)} == {
        "What did Alan and Grace each say about Comet Bennett?"
    }


def test_a_row_names_documents_where_there_are_no_turns_and_an_id_where_titles_repeat() -> None:
    question, *_ = made(evidence(has_turns=False), QuestionKind.CLOZE)
    assert question.documents
    assert not question.turns
    assert "answerable" not in question.row()
    doubled = {"A": LOOPS["Press"], "a": LOOPS["Flight director"]}
    assert {turn.document for q in made(evidence(doubled)) for turn in q.turns} == {"d0", "d1"}


def test_what_is_said_twice_is_not_asked_about() -> None:
    twice: Talk = [
        ("A", "The Odyssey lost all of its main current."),
        ("B", "The Odyssey lost all of its main current!"),
    ]
    assert Sayings(spoken({"T": twice})).every == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "Okay. Mm, well the Odyssey lost all of its main current.",
            ["Well the Odyssey lost all of its main current."],
        ),
        (
            "The Odyssey lost all of its main current. And then the Odyssey had to",
            ["The Odyssey lost all of its main current."],
        ),
        ("The Odyssey lost all of its main current", []),
        ("- the Odyssey lost all of its main current.", []),
        ("Did the Odyssey lose all of its main current?", []),
        ("Odyssey, Houston, over.", []),
    ],
)
def test_only_whole_sentences_are_asked_about(words: str, said: list[str]) -> None:
    talk: Talk = [
        ("Leo", words),
        ("Ada", "The second meter shows 25 volts again. It was read twice by the crew."),
    ]
    assert [
        saying.text for saying in Sayings(spoken({"T": talk})).every if saying.speaker == "Leo"
    ] == said


def test_speech_that_was_written_down_without_marks_is_asked_about_as_it_is() -> None:
    talk: Talk = [
        ("Leo", "the Odyssey lost all of its main current"),
        ("Ada", "the second meter shows 25 volts of main current again"),
    ]
    assert len(Sayings(spoken({"T": talk})).every) == 2


# ---------------------------------------------------------------------------------- for all of them


@given(TALKS, st.integers(0, 5))
def test_every_question_rests_on_its_own_split_and_is_asked_once(
    talks: Mapping[str, Talk], seed: int
) -> None:
    of = evidence(talks, seed)
    questions, _ = record_questions(of, tuple(QuestionKind), 300, seed)
    assert questions == record_questions(of, tuple(QuestionKind), 300, seed)[0], (
        "the same seed makes the same questions"
    )
    assert len({q.id for q in questions}) == len({q.question for q in questions}) == len(questions)
    snapshot = of.sayings.snapshot
    ids = {title: id_ for id_, title in of.titles.items()}
    passages = {p.id: p for p in snapshot.passages}
    for question in questions:
        assert {of.splits[ids[turn.document]] for turn in question.turns} <= {question.split}
        assert {of.splits[passages[id_].document_id] for id_ in question.provenance.passages} <= {
            question.split
        }
        assert {snapshot.records[id_].passage_id for id_ in question.provenance.records} <= set(
            question.provenance.passages
        )
        gold = " ".join(_words(of, question))
        if question.kind is QuestionKind.CLOZE:
            assert question.answer in gold
            assert question.answer not in question.question
        assert (
            (question.kind is QuestionKind.UNANSWERABLE) == (not question.answerable) == (not gold)
        )


@given(TALKS)
def test_no_speaker_has_named_what_they_are_asked_about_in_vain(talks: Mapping[str, Talk]) -> None:
    of = evidence(talks)
    for question in made(of, QuestionKind.UNANSWERABLE):
        if not question.question.startswith("What did "):
            continue
        speaker, name = (
            question.question.removeprefix("What did ").removesuffix("?").split(" say about ")
        )
        assert not [
            words
            for talk in talks.values()
            for who, words in talk
            if who == speaker and name in words
        ]


@given(
    st.dictionaries(st.text(min_size=1), st.integers(1, 50), min_size=1, max_size=40),
    st.integers(0, 9),
)
def test_every_document_is_in_one_split_and_no_split_goes_without(
    sizes: dict[str, int], seed: int
) -> None:
    splits = document_splits(sizes, seed)
    assert splits.keys() == sizes.keys()
    assert splits == document_splits(dict(reversed(sizes.items())), seed)
    assert len(set(splits.values())) == min(3, len(sizes))
    if len(sizes) < 3:
        assert list(Counter(splits.values())) == [Split.TRAIN, Split.TEST][: len(sizes)]


def test_most_of_many_documents_are_for_training() -> None:
    counts = Counter(document_splits({str(n): 1 for n in range(100)}, 1).values())
    assert counts == {Split.TRAIN: 70, Split.TEST: 15, Split.VALIDATION: 15}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4))), st.integers(0, 9))
def test_the_first_of_a_diverse_order_are_spread(items: list[tuple[int, int]], seed: int) -> None:
    ordered = diverse_order(items, (lambda i: i[0], lambda i: i[1]), random.Random(seed))
    assert sorted(ordered) == sorted(items)
    num_first = len({first for first, _ in items})
    assert len({first for first, _ in ordered[:num_first]}) == num_first


@pytest.mark.parametrize("num", [1, 7, 30])
def test_so_many_are_made_as_are_wanted_and_of_every_kind_there_is(num: int) -> None:
    questions = made(one_split(), num=num)
    assert len(questions) == num
    assert len({q.kind for q in questions}) == min(num, 6)


def _words(of: SplitSayings, question: MadeQuestion) -> list[str]:
    """The words of the turns that answer it."""
    ids = {title: id_ for id_, title in of.titles.items()}
    snapshot = of.sayings.snapshot
    spans = [
        (ids[t.document], turn)
        for t in question.turns
        for turn in snapshot.turns[ids[t.document]][t.first : t.last + 1]
    ]
    return [
        f"{turn.speaker or ''} {snapshot.text(id_, turn.start, turn.end)}" for id_, turn in spans
    ]
