"""A sentence is made to deny what it states, and the other way round."""

import pytest

from dynagrag.language.english.negation import negated


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The valve is open.", "The valve is not open."),
        ("The crew can see it.", "The crew cannot see it."),
        ("We opened the valve.", "We did not open the valve."),
        ("She writes the log.", "She does not write the log."),
        ("They need the log.", "They do not need the log."),
        ("He orbited the Moon.", "He never orbited the Moon."),
    ],
)
def test_a_finite_verb_is_denied(text: str, denied: str) -> None:
    assert negated(text) == denied


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The valve isn’t open.", "The valve is open."),
        ("We can't see it.", "We can see it."),
        ("It won't start.", "It will start."),
        ("They have no fuel.", "They have some fuel."),
        ("She has never seen it.", "She has seen it."),
        ("We're not go.", "We're go."),
    ],
)
def test_a_lone_negation_is_taken_out(text: str, stated: str) -> None:
    assert negated(text) == stated


@pytest.mark.parametrize("text", ["Nobody said no.", "Pressure in the tank.", "No one came."])
def test_where_no_pattern_is_sure_nothing_is_changed(text: str) -> None:
    assert negated(text) is None
