"""Which mentions count, decided on the whole corpus."""

from dataclasses import replace

import pytest
from derived import said

from dynagrag.core.schema import Flag, Mention, MentionKind
from dynagrag.graph_store.derived.live_mentions import counting_mentions, live_mentions


def flagged(mention: Mention, *flags: Flag) -> Mention:
    return replace(mention, flags=flags)


def words(num_passages: int) -> list[Mention]:
    """One content word, heard in so many passages."""
    return [flagged(said("valve", at=10 * i), Flag.CONTENT_WORD) for i in range(num_passages)]


@pytest.mark.parametrize(
    ("num_heard", "num_passages", "counts"),
    [
        (1, 100, False),
        (2, 100, True),
        (8, 100, True),
        (9, 100, False),
        (2, 3, True),
        (3, 37, False),
        (3, 38, True),
    ],
)
def test_a_content_word_counts_in_two_passages_to_eight_percent_of_them(
    num_heard: int, num_passages: int, counts: bool
) -> None:
    heard = words(num_heard)
    assert live_mentions(heard, num_passages) == ({m.id for m in heard} if counts else set())


def test_a_content_word_heard_twice_in_one_passage_is_heard_once() -> None:
    twice = [
        flagged(said("valve", "a"), Flag.CONTENT_WORD),
        flagged(said("valve", "b"), Flag.CONTENT_WORD),
    ]
    assert live_mentions(twice, 100) == set()


@pytest.mark.parametrize(
    ("kind", "is_name"),
    [(MentionKind.SAID, True), (MentionKind.TITLE, True), (MentionKind.SPEAKER, False)],
    ids=lambda v: str(v),
)
def test_a_word_that_is_a_name_elsewhere_counts_and_a_speakers_label_makes_no_name(
    kind: MentionKind, is_name: bool
) -> None:
    name = said("Valve", doc="d1", kind=kind)
    (word,) = words(1)
    assert live_mentions([word, name], 100) == ({word.id, name.id} if is_name else {name.id})


def test_a_word_that_only_opens_sentences_is_a_name_if_another_document_or_title_says_so() -> None:
    opening = flagged(said("Well"), Flag.SENTENCE_START)
    seen = flagged(said("Well", doc="d1"), Flag.SENTENCE_START, Flag.SEEN_CAPITALISED)
    title = said("Well", doc="d2", kind=MentionKind.TITLE)
    assert live_mentions([opening], 100) == set()
    assert live_mentions([opening, seen], 100) == {opening.id, seen.id}
    assert live_mentions([opening, title], 100) == {opening.id, title.id}
    assert live_mentions([opening, said("Wells", doc="d1")], 100) == {said("Wells", doc="d1").id}


def test_what_counts_comes_once_in_the_order_given_and_never_without_a_key() -> None:
    first, second, empty = said("B"), said("A", at=10), replace(said("?!", at=20), key="")
    assert counting_mentions([first, empty, second, first], 100) == [first, second]


def test_a_word_is_no_name_where_its_own_document_has_capitals() -> None:
    name = said("Valve", doc="d1")
    (word,) = words(1)
    for capitals in (said("Houston", at=500), said("MAIN B", at=500)):
        assert live_mentions([word, name, capitals], 100) == {name.id, capitals.id}
    for small in (
        said("panel 11", at=500),
        replace(said("The Story", at=500), type="title"),
        said("Jim", at=500, kind=MentionKind.SPEAKER),
    ):
        assert live_mentions([word, name, small], 100) == {word.id, name.id, small.id}
