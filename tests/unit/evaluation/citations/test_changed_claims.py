"""One change makes a false claim of a true sentence, and where no pattern is sure, none does."""

import random
import re

import pytest

from dynagrag.evaluation.citations.changed_claims import (
    ClaimChange,
    SourceSentence,
    Vocabulary,
    changes,
    invented,
    other_modality,
    other_name,
    other_number,
    other_speaker,
    other_verb,
    swapped_ends,
)
from dynagrag.evaluation.statements.rewordings import asked_whether, reworded, said_by
from dynagrag.language.english.names import names_in
from dynagrag.language.english.negation import negated

NAMES = (
    "Ada Byron",
    "Acme Works",
    "Borealis Labs",
    "Delft",
    "EECOM",
    "GNC",
    "Grace Hopper",
    "MAIN A",
    "MAIN B",
)
VERBS = {
    "past": ("built", "opened", "sold"),
    "base": ("build", "open", "sell"),
    "ing": ("building", "opening"),
    "participle": ("built", "opened"),
}
VOCABULARY = Vocabulary(NAMES, VERBS, ("EECOM", "GNC", "CAPCOM"))
SEEDS = range(5)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("The tank was inspected before launch.", "The tank was not inspected before launch."),
        ("EECOM opened the valve at 55:53.", "EECOM did not open the valve at 55:53."),
        ("They went to Delft on Monday.", "They did not go to Delft on Monday."),
        ("GNC reports low pressures.", "GNC does not report low pressures."),
        ("She has three apples.", "She does not have three apples."),
        ("We need more power.", "We do not need more power."),
        ("We've had an undervolt.", "We've not had an undervolt."),
        ("It's reading about 25.5.", "It's not reading about 25.5."),
        ("Parliament can dissolve the committee.", "Parliament cannot dissolve the committee."),
        ("The crew will close the hatch.", "The crew will not close the hatch."),
        ("The CEO smurfed down.", "The CEO never smurfed down."),
        ("Smurfing is fun", "Smurfing is not fun"),
        ("EECOM zorched the relay.", "EECOM never zorched the relay."),
        ("I think it's a valve.", "I think it's not a valve."),
        ("He never opened the valve.", "He opened the valve."),
        ("We have no MAIN B volts.", "We have some MAIN B volts."),
        ("They won't pay for it.", "They will pay for it."),
        ("You can't reset the clock.", "You can reset the clock."),
        ("It isn’t a sensor.", "It is a sensor."),
        ("It's not a sensor.", "It's a sensor."),
        ("The tank was not inspected.", "The tank was inspected."),
        ("We don't have power and we won't get it.", None),
        ("Nobody read it.", None),
        ("Close the hatch now.", None),
    ],
)
def test_a_negation_is_put_in_or_taken_out_by_the_rules_of_english(
    text: str, changed: str | None
) -> None:
    assert negated(text) == changed


@pytest.mark.parametrize(
    "text",
    [
        "It was opened at 55:53.",
        "It reads 25.5 volts.",
        "Founded in 1843 it grew.",
        "They paid 1,200 dollars.",
        "The crew has ten minutes.",
        "There are 3 cells.",
        "We have two cells left.",
        "Page 99 is missing.",
        "Cell 1 is offline.",
        "It took 09 seconds.",
        "It costs 15 percent more.",
        "Some twenty people came.",
    ],
)
def test_one_number_becomes_another_of_the_same_form(text: str) -> None:
    for seed in SEEDS:
        changed = other_number(text, random.Random(seed))
        assert changed
        assert len(changed.split()) == len(text.split())
        differing = [(a, b) for a, b in zip(text.split(), changed.split(), strict=True) if a != b]
        assert len(differing) == 1
        before, after = (re.sub(r"\d+", lambda m: "0" * len(m[0]), word) for word in differing[0])
        assert before == after or (before.isalpha() and after.isalpha())


@pytest.mark.parametrize(
    "text",
    [
        "The crew is well.",
        "One of them left.",
        "As long as he's in P00 he can.",
        "13, we have an item for you.",
    ],
)
def test_without_a_number_that_is_stated_none_is_changed(text: str) -> None:
    assert other_number(text, random.Random(0)) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada Byron left early.", "Ada Byron"),
        ("The firm hired Ada Byron.", "Ada Byron"),
        ("The bus is MAIN B.", "MAIN B"),
        ("It moved to Delft last year.", "Delft"),
        ("EECOM saw it.", "EECOM"),
        ("They sued Acme Works in March.", "Acme Works"),
        ("Grace Hopper's paper was read.", "Grace Hopper"),
        ("It was Borealis Labs that paid.", "Borealis Labs"),
        ("In Delft, they met.", "Delft"),
        ("Yesterday GNC reported it.", "GNC"),
        ("She met Zoe Quill.", "Zoe Quill"),
        ("The O₂ tank failed.", "O₂"),
    ],
)
def test_a_name_becomes_another_that_the_sentence_does_not_have(text: str, name: str) -> None:
    for seed in SEEDS:
        changed = other_name(text, VOCABULARY, random.Random(seed))
        assert changed
        before, after = text.split(name)
        new = changed.removeprefix(before).removesuffix(after)
        assert new in NAMES
        assert new != name


@pytest.mark.parametrize(
    "text",
    [
        "They came on Monday.",
        "The valve is open.",
        "GNC, the valve is open.",
        "The valve is open, GNC.",
        "I may.",
    ],
)
def test_days_addresses_and_first_words_are_no_names_to_change(text: str) -> None:
    assert other_name(text, VOCABULARY, random.Random(0)) is None


def test_a_name_of_a_kind_is_replaced_by_one_of_its_kind() -> None:
    assert other_name("It lies on MAIN A.", VOCABULARY, random.Random(0)) == "It lies on MAIN B."


def test_a_text_in_capitals_has_no_names() -> None:
    assert names_in("THE VALVE OF MAIN B IS OPEN", NAMES) == []


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Ada Byron founded Acme Works in 1843.", "Acme Works founded Ada Byron in 1843."),
        (
            "In 1843 Ada Byron sold the firm to Acme Works.",
            "In 1843 Acme Works sold the firm to Ada Byron.",
        ),
        ("Acme Works was founded by Ada Byron.", "Ada Byron was founded by Acme Works."),
        ("EECOM asked GNC about it.", "GNC asked EECOM about it."),
        ("Ada Byron has been directing Acme Works.", "Acme Works has been directing Ada Byron."),
        ("Ada Byron met Grace Hopper.", None),
        ("Ada Byron and Grace Hopper left Delft.", "Ada Byron and Delft left Grace Hopper."),
        ("Ada Byron is Grace Hopper.", None),
        ("Ada Byron, who founded Acme Works, left.", None),
        ("Ada Byron left when Grace Hopper came.", None),
        ("Ada Byron founded a firm.", None),
        ("Acme Works partners with Borealis Labs.", None),
        ("EECOM told EECOM.", None),
    ],
)
def test_ends_are_swapped_only_on_both_sides_of_a_verb_that_has_a_direction(
    text: str, changed: str | None
) -> None:
    assert swapped_ends(text, VOCABULARY, random.Random(0)) == changed


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ada Byron founded the firm.", "past"),
        ("The crew will test the hatch.", "base"),
        ("They have to leave Delft.", "base"),
        ("They're flying the plane.", "ing"),
        ("The hatch was closed.", "participle"),
        ("We have painted the hatch.", "participle"),
        ("It didn't explode at launch.", "base"),
        ("She taught the class.", "past"),
        ("They should reset the clock.", "base"),
        ("It has been repaired.", "participle"),
        ("EECOM is writing the log.", "ing"),
        ("He'll drive the car.", "base"),
    ],
)
def test_a_verb_becomes_another_of_the_same_form(text: str, form: str) -> None:
    changed = other_verb(text, VOCABULARY, random.Random(0))
    assert changed
    differing = [(a, b) for a, b in zip(text.split(), changed.split(), strict=True) if a != b]
    assert [b.strip(".") in VERBS[form] for _, b in differing] == [True]


@pytest.mark.parametrize(
    "text",
    ["The sky is blue.", "It's going to rain.", "We want it.", "It was fun during the morning."],
)
def test_a_verb_that_says_little_is_left(text: str) -> None:
    assert other_verb(text, VOCABULARY, random.Random(0)) is None


def test_a_verb_that_may_say_the_same_is_no_replacement() -> None:
    alone = Vocabulary((), {"base": ("close", "shut", "finish")})
    assert other_verb("They will stop the pump.", alone, random.Random(0)) is None


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("It may be an instrumentation problem.", {"It will be an instrumentation problem."}),
        ("The tank could have exploded.", {"The tank had exploded."}),
        ("EECOM wants to reset the clock.", {"EECOM did reset the clock."}),
        ("We'd like to open it.", {"We did open it."}),
        ("It's probably a valve.", {"It's certainly a valve."}),
        ("I think the sensor failed.", {"I know the sensor failed."}),
        ("The tank was inspected.", {"The tank may have been inspected."}),
        (
            "Ada Byron opened the valve.",
            {"Ada Byron may have opened the valve.", "Ada Byron plans to open the valve."},
        ),
        ("We went there.", {"We may have gone there.", "We plan to go there."}),
        ("It's a valve.", {"It may be a valve."}),
        ("They will close it.", {"They may close it."}),
        ("We've had an undervolt.", {"We may have had an undervolt."}),
        ("She has a battery.", {"She may have a battery."}),
        ("It's closed.", {None}),
        ("Nobody came.", {None}),
    ],
)
def test_the_possible_becomes_certain_and_the_certain_possible_or_planned(
    text: str, changed: set[str | None]
) -> None:
    assert {other_modality(text, random.Random(seed)) for seed in range(12)} == changed


@pytest.mark.parametrize(
    ("speaker", "text", "said", "asked"),
    [
        (
            "EECOM",
            "The valve is open.",
            "EECOM said that the valve is open.",
            "EECOM asked whether the valve is open.",
        ),
        (
            "EECOM",
            "GNC is right.",
            "EECOM said that GNC is right.",
            "EECOM asked whether GNC is right.",
        ),
        ("Ada", "It's closed.", "Ada said that it's closed.", "Ada asked whether it's closed."),
        ("Ada", "We lost it.", 'Ada said, "We lost it."', None),
        ("Ada", "That is your pen.", 'Ada said, "That is your pen."', None),
        ("Ada", "Because it broke.", "Ada said that because it broke.", None),
    ],
)
def test_a_report_changes_no_word_but_the_capital(
    speaker: str, text: str, said: str, asked: str | None
) -> None:
    assert (said_by(speaker, text), asked_whether(speaker, text)) == (said, asked)


def test_another_speaker_is_one_of_the_document_whom_the_sentence_does_not_name() -> None:
    made = {
        other_speaker(
            SourceSentence("The valve of GNC is open.", "EECOM"), VOCABULARY, random.Random(seed)
        )
        for seed in range(12)
    }
    assert made == {"CAPCOM said that the valve of GNC is open."}
    assert other_speaker(SourceSentence("The valve is open."), VOCABULARY, random.Random(0)) is None


def test_an_invention_keeps_the_sentence_and_adds_what_it_does_not_have() -> None:
    text = "Ada Byron founded Acme Works."
    made = {invented(text, VOCABULARY, random.Random(seed)) for seed in range(60)}
    assert len(made) > 12
    assert all(
        claim
        and claim.startswith("Ada Byron founded Acme Works")
        and claim.endswith(".")
        and len(claim) > len(text)
        for claim in made
    )
    assert not any(claim.count("Ada Byron") > 1 for claim in made if claim)


def test_all_changes_of_a_sentence_differ_from_it_and_from_each_other() -> None:
    said = SourceSentence("Ada Byron opened Acme Works in 1843.", "EECOM")
    made = changes(said, VOCABULARY, random.Random(0))
    assert set(made) == set(ClaimChange)
    assert len({said.text, *made.values()}) == 1 + len(ClaimChange)
    assert made == changes(said, VOCABULARY, random.Random(0)), "the same seed makes the same"


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("We've lost it and can't reset.", "We have lost it and cannot reset."),
        ("It's been open.", "It has been open."),
        ("It's open.", None),
        ("They won't say I'm late.", "They will not say I am late."),
        ("He’ll see that they aren’t here.", "He will see that they are not here."),
        ("The valve is open.", None),
    ],
)
def test_contractions_are_written_out_where_they_can_be_one_thing_only(
    text: str, written_out: str | None
) -> None:
    assert reworded(text) == written_out
