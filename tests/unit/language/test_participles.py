"""German and Dutch participles meet their verbs, and nouns with ge- none."""

import pytest

from dynagrag.language.content_words import stems_in
from dynagrag.language.participles import verb_stems


@pytest.mark.parametrize(
    ("language", "asked", "line"),
    [
        ("de", "Warum hat Luther geheiratet?", "Er heiratet, um dem Papst zu trotzen."),
        ("de", "Was hat sie ihm gesagt?", "Ich will es ihm sagen."),
        ("de", "Was hat sie ihm gesagt?", "Und dann sagt sie ihm, was los ist."),
        ("de", "Wer hat den Laden aufgemacht?", "Ich wollte den Laden aufmachen."),
        ("de", "Wer mietet den Bunker?", "Wir haben den Bunker gemietet."),
        ("de", "Wo liegt das gesammelte Holz?", "Wir sammeln Holz."),
        ("nl", "Wanneer is hij getrouwd?", "Hij trouwt in mei."),
        ("nl", "Wie heeft de winkel geopend?", "Zij opent de winkel."),
    ],
)
def test_a_participle_and_its_verb_have_a_stem_in_common(
    language: str, asked: str, line: str
) -> None:
    names = stems_in("Luther Papst Laden Bunker Holz winkel", language)
    assert (stems_in(asked, language) & stems_in(line, language)) - names


@pytest.mark.parametrize(
    ("language", "word"), [("de", "gehen"), ("de", "gut"), ("nl", "geen"), ("sv", "gemensamt")]
)
def test_other_words_are_no_participles(language: str, word: str) -> None:
    assert verb_stems(word, language) == ()


def test_nouns_in_capitals_are_no_participles() -> None:
    assert stems_in("Das Gericht tagt.", "de").isdisjoint(stems_in("Sie richten ihn.", "de"))
