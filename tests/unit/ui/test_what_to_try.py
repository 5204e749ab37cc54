"""What one can try where nothing fits."""

from dynagrag.ui.ask.what_to_try import names_like, unknown_words


def test_words_that_no_source_has_are_named_as_they_were_written() -> None:
    texts = ["The valves were closed.", "Maria asked about the budget."]
    assert unknown_words("What did Zoltan say about the valve's budgets?", texts, "1") == ["Zoltan"]
    assert unknown_words("Who asked about valves?", texts, "1") == []
    assert unknown_words("Where is Zoltan?", [*texts, "Zoltan."], "2") == []


def test_names_that_look_like_a_word_are_offered_nearest_first() -> None:
    names = ["Antonin Scalia", "Elena Kagan", "Port Arthur"]
    assert names_like("Kagen", names) == ["Elena Kagan"]
    assert names_like("scalla", names) == ["Antonin Scalia"]
    assert names_like("Zorblatt", names) == []
    assert names_like("Kagan", []) == []
