"""Words with capitals that are no names in German and French, and family names alone."""

import pytest

from dynagrag.ingest.extract.case_use import Writing, case_use
from dynagrag.ingest.extract.fast_rules import candidates
from dynagrag.language.sentences import sentence_spans

GERMAN = (
    "Das ist die Geschichte, und wir haben hier in der Stadt mit Clara Behrens und mit Otto"
    " Marwitz gesprochen, die das Geld und den Betreiber kennen. Der Kern der Sache ist die Strafe,"
    " die Haft und der Wald. Dann hat Clara Behrens gesagt, dass es nicht die Forschung ist."
)
FRENCH = (
    "Nous avons parlé hier à Lyon avec Claire Morin de la défense et du budget. Les deux ont donc"
    " dit que la France et ses voisins doivent travailler ensemble pour que tout soit prêt, et que"
    " l'un des projets est donc dans la ville."
)


def names(text: str, sentence: str, language: str = "") -> list[str]:
    use = case_use(f"{text} {sentence}", language)
    assert use.writing in (Writing.NOUNS, Writing.FOREIGN)
    return [
        found.name
        for start, end in sentence_spans(sentence)
        for found in candidates(sentence[start:end], use)
        if not found.is_word
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Und da ist Ihr Interesse groß.", []),
        ("Es war ein Teil Ihrer Forschung hier.", []),
        ("Er bekam zehn Jahre Haft.", []),
        ("Letztlich Strafe und Geld.", []),
        ("Guten Morgen Tim.", []),
        ("Da war ein Kern von Wahrheit.", []),
        ("Dort gibt der Betreiber Geld.", []),
        ("Jedes Jahr kommt das.", []),
        ("Heute ist Sie Irmgard Griss gefragt.", ["Irmgard Griss"]),
        ("Das hat dann auch Otto von Reuss gesagt.", ["Otto von Reuss"]),
        ("Und Behrens kam dann auch in die Stadt.", ["Behrens"]),
        ("Und Marwitz kam dann auch, nur die Deutsche Bank nicht.", ["Deutsche Bank"]),
    ],
)
def test_german_names_leave_out_function_words_and_plain_nouns(
    sentence: str, expected: list[str]
) -> None:
    assert names(GERMAN, sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("L'un des projets est prêt.", []),
        ("Est-ce que Paul Roux va bien ?", ["Paul Roux"]),
        ("Alors merci, Paul Donc la ville est prête.", ["Paul"]),
        ("On parle dans Le Monde de la ville.", ["Le Monde"]),
    ],
)
def test_french_names_leave_out_function_words(sentence: str, expected: list[str]) -> None:
    assert names(FRENCH, sentence, "fr") == expected
