"""What a merge is called unless a person says otherwise."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.curation.fullest_name import fullest_name


def _entity(name: str, weight: int = 1, *aliases: str, is_speaker: bool = False) -> Entity:
    key = entity_key(name)
    return Entity(key, key, name, "", (key,), aliases, "", weight, (), is_speaker)


@pytest.mark.parametrize(
    ("entities", "name"),
    [
        (
            [_entity("Clement", 40), _entity("Clarence Thomas", 12, is_speaker=True)],
            "Clarence Thomas",
        ),
        (
            [
                _entity("Thomas", 40),
                _entity("Clarence Thomas", 1, is_speaker=True),
                _entity("Justice Thomas", 9),
            ],
            "Clarence Thomas",
        ),
        # a title makes no name fuller
        ([_entity("Justice Thomas", 9), _entity("Thomas", 40)], "Thomas"),
        ([_entity("LM", 90), _entity("lunar module", 2)], "lunar module"),
        ([_entity("DVT", 90), _entity("Deep Vein Thrombosis", 1)], "Deep Vein Thrombosis"),
        (
            [
                _entity("GDPR", 5),
                _entity("General Data Protection Regulation", 1),
                _entity("data protection", 9),
            ],
            "General Data Protection Regulation",
        ),
        ([_entity("Section 230", 50), _entity("Section 230 of the Communications Decency Act", 3)],
         "Section 230 of the Communications Decency Act"),
        ([_entity("Relay Zanzibar", 2), _entity("Zanzibar Relay", 3)], "Zanzibar Relay"),
        ([_entity("Jack Lousma", 3), _entity("Cap Com", 9)], "Cap Com"),
        ([_entity("Thomas", 9, "Clarence Thomas"), _entity("Justice T", 2)], "Clarence Thomas"),
        (
            [
                _entity("API", 4),
                _entity(
                    "the API and what it does for us when we call it from many places at once", 1
                ),
            ],
            "API",
        ),
        ([_entity("MAIN A", 1), _entity("MAIN B", 2)], "MAIN B"),
    ],
)  # fmt: skip
def test_the_fullest_name_is_proposed(entities: list[Entity], name: str) -> None:
    assert fullest_name(entities) == name
    assert fullest_name(entities[::-1]) == name


_word = st.sampled_from(["Ann", "Lee", "Dr.", "LM", "Lunar", "Module", "of", "A"])
_entities = st.lists(
    st.builds(
        _entity,
        st.lists(_word, min_size=1, max_size=4).map(" ".join),
        st.integers(0, 5),
        is_speaker=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@given(_entities, st.randoms(use_true_random=False))
def test_it_is_one_of_the_names_whatever_their_order(
    entities: list[Entity], rnd: random.Random
) -> None:
    name = fullest_name(entities)
    shuffled = list(entities)
    rnd.shuffle(shuffled)
    assert fullest_name(shuffled) == name
    assert name in {e.name for e in entities}
