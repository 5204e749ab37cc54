"""What files say that their speakers are, as a document's meta keeps it."""

import json

import pytest

from dynagrag.graph_store.derived.speaker_roles import ROLES_KEY, roles_text, stored_roles


def test_roles_are_written_by_speaker_in_alphabetical_order_and_as_they_are_called() -> None:
    text = roles_text({"Zoë": "Präsidentin", "Ann": "Clerk"})
    assert text == '{"Ann": "Clerk", "Zoë": "Präsidentin"}'
    assert stored_roles({ROLES_KEY: text}) == {"Ann": "Clerk", "Zoë": "Präsidentin"}


def test_five_hundred_roles_are_kept() -> None:
    names = [f"s{i:03}" for i in range(501)]
    assert list(json.loads(roles_text(dict.fromkeys(names, "Clerk")))) == names[:500]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '["Ann"]', '{"Ann": 3}'])
def test_what_is_no_roles_says_none(text: str) -> None:
    assert stored_roles({ROLES_KEY: text}) == {}
    assert stored_roles({}) == {}
