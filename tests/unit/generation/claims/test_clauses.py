"""Where a sentence falls into clauses that state something of their own, and where it stays
whole.
"""

import pytest

from dynagrag.generation.claims.clauses import clauses, independent_parts, states_something


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        # a subject and a verb of its own
        ("Ada opened it, and Bob closed it.", ["Ada opened it", "Bob closed it."]),
        ("Ada opened it and he closed it.", ["Ada opened it", "he closed it."]),
        ("Ada opened it and Bob closed it.", None),  # "it and Bob" may be the object
        ("Ada opened it, but Bob didn’t close it.", ["Ada opened it", "Bob didn’t close it."]),
        ("Ada opened it; Bob closed it.", ["Ada opened it", "Bob closed it."]),
        ("Ada opened it; then closed it.", None),
        ("Ada opened it, while Bob closed it.", ["Ada opened it", "Bob closed it."]),
        ("Ada opened it while closing the hatch.", None),
        ("Ada opened it while closed.", None),
        ("Ada opened it whereas closed.", None),
        ("He took it and we go.", ["He took it", "we go."]),
        ("He took it, and engineers go.", None),  # no verb that is plainly one
        # the first subject
        ("Ada opened it and closed it.", ["Ada opened it", "Ada closed it."]),
        (
            "Ada then opened it and finally closed it.",
            ["Ada then opened it", "Ada finally closed it."],
        ),
        ("Ada opened it and was late.", ["Ada opened it", "Ada was late."]),
        ("Ada opened it and makes more.", ["Ada opened it", "Ada makes more."]),
        ("Ada opened it and the hatch.", None),
        ("Ada opened it and later.", None),
        ("Then Ada opened it and closed it.", ["Then Ada opened it", "Ada closed it."]),
        # with its auxiliaries, where another participle follows
        ("It was opened and closed.", ["It was opened", "It was closed."]),
        (
            "It had been broken and then written off.",
            ["It had been broken", "It had been then written off."],
        ),
        ("It was also opened and taken.", ["It was also opened", "It was also taken."]),
        ("It hasn’t opened and closed.", ["It hasn’t opened", "It hasn’t closed."]),
        ("Ada opened it and added it.", ["Ada opened it", "Ada added it."]),
        ("Ada opened it and need it.", None),
        ("It was late and broken.", None),
        ("It was opened and late.", None),
        ("It was opened and has left.", ["It was opened", "It has left."]),
        # somebody says it all, or what stands behind a semicolon is no longer said
        ("Ada said it failed, and Bob left.", None),
        ("Ada said that it failed, and Bob left.", None),
        ("Ada said whether it failed; Bob left.", ["Ada said whether it failed", "Bob left."]),
        ("Ada said it failed, and Bob said it held.", ["Ada said it failed", "Bob said it held."]),
        ("Ada said that it failed and left.", None),
        ("Ada has told how it was, and Bob left.", None),
        ("Ada said much, and Bob left.", ["Ada said much", "Bob left."]),
        # which
        (
            "Ada saw low pressures, which were gone.",
            ["Ada saw low pressures", "low pressures were gone."],
        ),
        (
            "Ada had low pressures, which were gone.",
            ["Ada had low pressures", "low pressures were gone."],
        ),
        (
            "Ada was given low pressures, which were gone.",
            ["Ada was given low pressures", "low pressures were gone."],
        ),
        ("Ada saw low pressures, which fell.", ["Ada saw low pressures", "low pressures fell."]),
        (
            "Ada saw low pressures, which makes sense.",
            ["Ada saw low pressures", "low pressures makes sense."],
        ),
        ("Ada saw low pressures, which Bob saw.", None),
        ("Ada saw low pressures, which the was.", None),
        ("Ada saw low pressures, which low.", None),
        ("Ada saw pressures, which were gone.", None),
        ("Ada went in low pressures, which were gone.", None),
        ("Ada saw in low pressures, which were gone.", None),
        ("Ada said the tank was low, which was wrong.", None),
        (
            "Ada saw a b c d e f g h i, which were gone.",
            ["Ada saw a b c d e f g h i", "a b c d e f g h i were gone."],
        ),
        ("Ada saw a b c d e f g h i j k, which were gone.", None),
        # quotation marks and brackets
        (
            "Ada opened it (who left, and Bob left), and Cleo left.",
            ["Ada opened it (who left, and Bob left)", "Cleo left."],
        ),
        ("Ada (a pilot), and Bob left.", None),
        ('"Ada opened it", and Bob left.', None),
        ('Ada opened "it", and "he" left.', None),
        ('Ada opened it and "closed" it.', None),
        ("Ada opened it “x”, and Bob left.", ["Ada opened it “x”", "Bob left."]),
        # what begins with a condition stays whole
        ("  After Ada opened it, Bob left, and Cleo left.", None),
        # a verb is none behind an article, and with a capital
        ("The was, and Bob left.", None),
        ("The closed valve, and Bob left.", None),
        ("Ada Closed, and Bob left.", None),
        ("A red, and Bob left.", None),
        # long subjects are none
        ("A b c d e f g h opened it, and Bob left.", ["A b c d e f g h opened it", "Bob left."]),
        ("A b c d e f g h i opened it, and Bob left.", None),
        ("Never was, and Bob left.", None),
        ("Soon again Ada left, and Bob left.", ["Soon again Ada left", "Bob left."]),
        ("Ada never again left, and Bob left.", ["Ada never again left", "Bob left."]),
        ("Ada said it, and Bob says.", ["Ada said it", "Bob says."]),
    ],
)
def test_a_sentence_falls_into_clauses_or_stays_whole(
    sentence: str, said: list[str] | None
) -> None:
    assert [clause.text for clause in clauses(sentence)] == (said or [" ".join(sentence.split())])


def test_clauses_stand_where_they_say_with_their_marks() -> None:
    sentence = "Ada opened it [E1], and Bob [E2] closed it."
    assert [sentence[c.start : c.end] for c in clauses(sentence)] == [
        "Ada opened it [E1]",
        "Bob [E2] closed it.",
    ]
    assert [c.text for c in clauses(sentence)] == ["Ada opened it", "Bob closed it."]
    assert [(c.start, c.end) for c in clauses("If it fails, Ada left.")] == [(0, 22)]


@pytest.mark.parametrize(
    ("text", "is_stated"),
    [
        ("It failed.", True),
        ("Ada Byron, Acme Works", False),
        ("Ada Byron of Delft, Acme Works", True),  # four words may say something
        ("Ada Byron of, Acme Works", False),
        ("Ada [E1] Byron [E2]", False),
        ("", False),
        ("Was.", False),
    ],
)
def test_a_text_states_something_where_it_has_a_verb_or_some_words(
    text: str, is_stated: bool
) -> None:
    assert states_something(text) is is_stated


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Ada left and ; Bob came.", ("Ada left and", "Bob came.")),
        (" and Bob came.", ("and Bob came.",)),
        ("Ada left, and Bob came.", ("Ada left", "Bob came.")),
    ],
)
def test_a_joint_beside_nothing_parts_nothing(text: str, parts: tuple[str, ...]) -> None:
    assert independent_parts(text) == parts
