"""What a document's capitals mean, and which documents the rules for English names don't fit."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.ingest.extract.case_use import Writing, case_use
from dynagrag.ingest.extract.fast_rules import candidates
from dynagrag.language.sentences import sentence_spans

GERMAN = (
    "Die Bundeskanzlerin hat am Dienstag in Berlin erklärt, dass die Regierung den Haushalt für das"
    " kommende Jahr nicht ändern wird. Die Deutsche Bank und die SPD sind mit dem Ergebnis der"
    " Verhandlungen nicht zufrieden. Das Auto steht vor dem Haus, und der Hund schläft auf dem"
    " Sofa. Olaf Scholz sagte, dass der Bundestag noch über das iPhone entscheiden wird."
)
FRENCH = (
    "Le président Emmanuel Macron a rencontré hier à Paris le chancelier Olaf Scholz pour parler de"
    " la défense européenne et du budget. Les deux hommes ont dit que la France et ses voisins"
    " doivent travailler ensemble pour que tout soit prêt."
)
DUTCH = (
    "De minister heeft gisteren in Amsterdam met de heer Jan de Vries over het nieuwe plan"
    " gesproken en hij vond dat het niet goed was voor de mensen die er wonen. Het is een van de"
    " plannen die in Den Haag worden besproken."
)
GREEK = (
    "Ο πρόεδρος Κυριάκος Μητσοτάκης μίλησε χθες στην Αθήνα για την οικονομία και τις εκλογές που θα"
    " γίνουν το επόμενο έτος. Ο υπουργός είπε ότι όλα είναι έτοιμα για τη συνάντηση με τους"
    " εκπροσώπους της χώρας."
)
CHINESE = (
    "阿波罗13号是美国国家航空航天局的一次登月任务。发射两天后服务舱的氧气罐爆炸,登月任务中止。" * 2
)
ARABIC = (
    "كانت أبولو المهمة المأهولة السابعة في برنامج أبولو الفضائي الأمريكي والثالثة التي كان مقررا أن"
    " تهبط على القمر"
)
ENGLISH = (
    "We told Houston that the tank of the ship is low and that they should look at it. Then Jim"
    " asked if the crew would have to come home early, and what they could do about the power of"
    " the batteries."
)


def names(text: str) -> list[str]:
    use = case_use(text)
    return [
        c.name for a, b in sentence_spans(text) for c in candidates(text[a:b], use) if not c.is_word
    ]


@pytest.mark.parametrize(
    ("text", "writing"),
    [
        (ENGLISH, Writing.ENGLISH),
        ("Okay Houston.", Writing.ENGLISH),
        ("", Writing.ENGLISH),
        (ENGLISH.upper(), Writing.CAPITALS),
        (ENGLISH.lower(), Writing.LOWER),
        (ENGLISH.lower().replace("we ", "I ") + " so I think", Writing.LOWER),
        (GERMAN, Writing.NOUNS),
        (FRENCH, Writing.FOREIGN),
        (DUTCH, Writing.FOREIGN),
        (GREEK, Writing.FOREIGN),
        (CHINESE, Writing.CASELESS),
        (ARABIC, Writing.CASELESS),
    ],
)
def test_what_a_text_is_for_the_rules(text: str, writing: Writing) -> None:
    assert case_use(text).writing is writing


def test_a_text_that_is_known_to_be_english_is_no_text_of_another_language() -> None:
    replies = "yeah mm yep " * 200
    assert case_use(replies).writing is Writing.FOREIGN  # by its words alone
    assert case_use(replies, "en").writing is Writing.ENGLISH
    assert case_use(FRENCH, "fr").writing is Writing.FOREIGN


def test_german_nouns_are_words_and_only_sure_names_are_names() -> None:
    assert names(GERMAN) == ["Deutsche Bank", "SPD", "Olaf Scholz", "iPhone"]
    use = case_use(GERMAN)
    found = {
        c.name for a, b in sentence_spans(GERMAN) for c in candidates(GERMAN[a:b], use) if c.is_word
    }
    assert {"haus", "hund", "sofa", "haushalt", "bundestag"} <= found
    assert not {"dass", "nicht", "sind"} & found


def test_other_languages_with_capitals_give_their_names() -> None:
    assert {"Emmanuel Macron", "Paris", "Olaf Scholz"} <= set(names(FRENCH))
    assert {"Κυριάκος Μητσοτάκης", "Αθήνα"} <= set(names(GREEK))


@pytest.mark.parametrize(
    ("num_lower", "num_capital", "is_stray"),
    [(3, 1, True), (2, 1, False), (5, 2, False), (6, 2, True), (3, 0, True)],
)
def test_one_capital_in_four_uses_is_an_exception(
    num_lower: int, num_capital: int, is_stray: bool
) -> None:
    use = case_use("So we saw the valve. " * num_lower + "So we saw the Valve. " * num_capital)
    assert use.is_stray_capital("valve") is is_stray


@pytest.mark.parametrize("text", [CHINESE, ARABIC, ENGLISH.upper(), ENGLISH.lower()])
def test_where_capitals_say_nothing_no_name_is_made_up(text: str) -> None:
    assert [name for name in names(text) if not any(c.isdigit() for c in name)] == []


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        (
            f"{ENGLISH.lower()} it reads 26.7 volts in panel 11.",
            "only numbered things and measures",
            {"26.7 volts", "panel 11"},
        ),
        (
            f"{ARABIC} iPhone {ARABIC} GPT-4",
            "at most names apart in other letters",
            {"iPhone", "GPT-4"},
        ),
        (f"{ENGLISH.upper()} IT READS 26.7 VOLTS IN PANEL 11.", "so none are taken", set()),
    ],
)
def test_a_remark_says_what_is_taken_all_the_same(text: str, said: str, found: set[str]) -> None:
    assert (said in case_use(text).writing.value, set(names(text))) == (True, found)


@given(st.text(max_size=300))
def test_any_text_has_a_writing(text: str) -> None:
    assert isinstance(case_use(text).writing, Writing)


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(
        [
            ENGLISH,
            ENGLISH.upper(),
            ENGLISH.lower(),
            GERMAN,
            CHINESE,
            ARABIC,
            '"A ' * 60,
            "Of the " * 60,
            "A. " * 60,
            "-A-1" * 60,
        ]
    )
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    def seconds(times: int) -> float:
        text = " ".join([piece] * times)
        start = time.process_time()
        use = case_use(text)
        for a, b in sentence_spans(text):
            candidates(text[a:b], use)
        return time.process_time() - start

    seconds(1)
    assert seconds(160) < 40 * max(seconds(16), 0.005)
