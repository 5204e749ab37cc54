"""Which names the fast extractor finds: whole, without what stands beside them, and of the right
type.
"""

import string
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynagrag.core.schema import Flag
from dynagrag.ingest.extract.case_use import CaseUse, Writing, case_use
from dynagrag.ingest.extract.fast_rules import candidates

NO_USE = CaseUse({}, {}, True)
SURNAMES = ["Kerry", "Lovell", "Haise", "Swigert", "Warren", "Thomas", "O'Brien", "Jean-Luc"]


def names(sentence: str, use: CaseUse = NO_USE) -> list[str]:
    return [c.name for c in candidates(sentence, use) if not c.is_word]


def types(sentence: str) -> dict[str, str]:
    return {c.name: c.type for c in candidates(sentence, NO_USE) if not c.is_word}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "We compared GPT-3.5 with GPT-4o and Llama 3.1 today.",
            ["GPT-3.5", "GPT-4o", "Llama 3.1"],
        ),
        ("It needs Python 3.11, not Python 2.", ["Python 3.11", "Python 2"]),
        (
            "We asked Claude 3.5 Sonnet about PyTorch 2.3.0 and CUDA 12.1.",
            ["Claude 3.5 Sonnet", "PyTorch 2.3.0", "CUDA 12.1"],
        ),
        (
            "The crew saw S-IVB, O2 and CO2 from a Boeing 747-400.",
            ["S-IVB", "O2", "CO2", "Boeing 747-400"],
        ),
        ("They fly the 747-400 to it.", ["747-400"]),
        ("We did the PC+2 burn with C++ and C#.", ["PC+2", "C++", "C#"]),
        ("He read of Qwen2.5-Coder 1.5B and Llama-2-7b.", ["Qwen2.5-Coder 1.5B", "Llama-2-7b"]),
        ("An iPhone 12 bought on eBay runs iOS, not macOS.", ["iPhone 12", "eBay", "iOS", "macOS"]),
        ("The mRNA, the tRNA and al-Baghdadi.", ["mRNA", "tRNA", "al-Baghdadi"]),
        ("It ran at 5 kHz, with 3 kWh and 20 mV.", ["5 kHz", "3 kWh", "20 mV"]),
        (
            "We told SpaceX and NASA's Goddard Space Flight Center.",
            ["SpaceX", "NASA", "Goddard Space Flight Center"],
        ),
        (
            "We have CRYO FAN MOTORS TANK 1, three of them, and TANK 2.",
            ["CRYO FAN MOTORS TANK 1", "TANK 2"],
        ),
        ("Then MAIN A 25 volts, and Houston 65 percent.", ["MAIN A", "25 volts", "Houston"]),
        (
            "On Type 90-1 Reconnaissance Seaplane and F-16s.",
            ["Type 90-1 Reconnaissance Seaplane", "F-16s"],
        ),
    ],
)
def test_versions_numbers_and_names_that_begin_small_are_whole(
    sentence: str, expected: list[str]
) -> None:
    assert names(sentence) == expected


@given(
    st.sampled_from(["Python", "Llama", "Android", "CUDA"]),
    st.lists(st.integers(0, 40), min_size=1, max_size=3),
)
def test_any_version_behind_a_name_is_part_of_it(name: str, parts: list[int]) -> None:
    version = ".".join(map(str, parts))
    assert names(f"We run it with {name} {version}, and that is all.") == [f"{name} {version}"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In January Trump won.", ["Trump"]),
        ("They say January Trump won.", ["Trump"]),
        ("He told President Trump Friday that it is over.", ["President Trump"]),
        (
            "On Tuesday Kerry met Theresa May, and April O'Neil came in May.",
            ["Kerry", "Theresa May", "April O'Neil"],
        ),
        (
            "It was May Day, then Black Friday and the January 6 Committee.",
            ["May Day", "Black Friday", "January 6 Committee"],
        ),
        (
            "It ended on March 21, and in November 1918 Kerry left.",
            ["March 21", "November 1918", "Kerry"],
        ),
        ("See Page 12 of Exhibit B.", []),
        ("On Page 12 of Exhibit it says so.", []),
        (
            "See Figure 3 of the Mueller Report, Chapter Two and Mueller Exhibit 4.",
            ["Mueller Report", "Mueller"],
        ),
        (
            "As Jimmy Page said in Section 230 of the Communications Act.",
            ["Jimmy Page", "Section 230 of the Communications Act"],
        ),
        ("Yesterday Kerry left.", ["Kerry"]),
        ("But Lovell stayed.", ["Lovell"]),
        ("Okay Houston, we are there.", ["Houston"]),
        ("Actor Tom Hanks came.", ["Tom Hanks"]),
        ("Normally it works. Lastly we left.", []),
        ("Part of the Canaries was seen.", ["Canaries"]),
        ("Roger, Jim. Thank you, Well, Right.", ["Jim"]),
        ("They gave the Roger Maris book away.", ["Roger Maris"]),
        ("Then INVERTER 1 CLOSED, and the LOADing is over.", ["INVERTER 1"]),
        ("It's ISIS-related, OutKast-based and an X-ray.", ["ISIS", "OutKast"]),
        ("Twenty-Seven people came, Twenty Two left.", []),
        ("A case of Stat -- of Stratton Oakmont.", ["Stat", "Stratton Oakmont"]),
    ],
)
def test_what_stands_beside_a_name_is_no_part_of_it(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


def test_a_word_that_was_broken_off_is_no_name() -> None:
    sentence = "We are in the matter of Stat -- of Stratton Oakmont."
    assert names(sentence, case_use(sentence)) == ["Stratton Oakmont"]
    assert names("It is more of a Gaus - than Gaussian shape.") == ["Gaussian"]
    assert names("So Th the Kerry - the one on quads C and D. Roger.") == ["Kerry", "quads C and D"]
    assert names("It was an Article III judge, or III.") == ["Article III"]
    assert names("He saw Mit mitigate it.") == []
    assert names("He saw MIT mitigate it.") == ["MIT"], "an acronym is whole"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Here spoke J. R. R. Tolkien, John F. Kennedy and Vivica A. Fox.",
            ["J. R. R. Tolkien", "John F. Kennedy", "Vivica A. Fox"],
        ),
        (
            "He met O'Brien, Jean-Luc Picard and Ludwig van Beethoven.",
            ["O'Brien", "Jean-Luc Picard", "Ludwig van Beethoven"],
        ),
        ("Put MAIN BUS A on, CAPCOM, and ask the LM.", ["MAIN BUS A", "CAPCOM", "LM"]),
        ("We lost MAIN A. MAIN B is fine.", ["MAIN A", "MAIN B"]),
        ("He saw Houston and Apollo 13.", ["Houston", "Apollo 13"]),
        (
            "It's Procter & Gamble, Bank of America and AT&T.",
            ["Procter & Gamble", "Bank of America", "AT&T"],
        ),
        (
            "They run the Center For Democracy and Technology.",
            ["Center For Democracy and Technology"],
        ),
        (
            "The Association for the Advancement of Science met.",
            ["Association for the Advancement of Science"],
        ),
        (
            "The Department of Health and Human Services met NASA.",
            ["Department of Health and Human Services", "NASA"],
        ),
        (
            "It's in Prince George's County on Presidents' Day.",
            ["Prince George's County", "Presidents' Day"],
        ),
        ("That is Houston's Kerry.", ["Houston", "Kerry"]),
        (
            "He told Kerry the White House knew of Alexander the Great.",
            ["Kerry", "White House", "Alexander the Great"],
        ),
        ("It was World War I, then Louis XVI.", ["World War I", "Louis XVI"]),
        (
            'They sang "You\'re Getting Old" and "Hurt Me Bad (In a Way)".',
            ["You're Getting Old", "Hurt Me Bad (In a Way)"],
        ),
        ("A 1950 West German film.", ["1950", "West German"]),
        (
            "In 2004 the American Kennel Club saw the 2008 Summer Olympics.",
            ["2004", "American Kennel Club", "2008 Summer Olympics"],
        ),
        ("They sold 21st Century Fox.", ["21st Century Fox"]),
        (
            "It won at the 58th Primetime Emmy Awards, as the 54th Disney film.",
            ["58th Primetime Emmy Awards", "Disney"],
        ),
        (
            "They heard Symphony No. 5 and shut FUEL CELL number 1.",
            ["Symphony No. 5", "FUEL CELL number 1"],
        ),
        ("It was an American 3D film.", ["American"]),
        ("They read 1102 17203 and 0027 in 1970.", ["1970"]),
    ],
)
def test_names_of_several_words_are_whole(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


def test_an_office_its_holder_and_what_they_are_of_are_three() -> None:
    found = types(
        "Secretary of State John Kerry of the State Department met Senator Elizabeth Warren and Mr."
        " Haise."
    )
    assert found == {
        "Secretary of State": "office",
        "John Kerry": "person",
        "State Department": "name",
        "Elizabeth Warren": "person",
        "Haise": "person",
    }
    assert types("The Attorney General of Texas met Attorney General Barr.") == {
        "Attorney General of Texas": "office",
        "Attorney General": "office",
        "Barr": "person",
    }


@given(
    st.sampled_from(["Senator", "Justice", "Governor", "Judge", "Professor", "Dr."]),
    st.sampled_from(SURNAMES),
)
def test_a_title_is_part_of_a_last_name_alone_and_of_no_full_name(title: str, surname: str) -> None:
    assert types(f"We heard {title} {surname} speak.") == {f"{title} {surname}": "person"}
    assert types(f"We heard {title} Anna {surname} speak.") == {f"Anna {surname}": "person"}


@pytest.mark.parametrize(
    "name",
    [
        "General Motors Corporation",
        "Major League Baseball",
        "President Warren G. Harding High School",
        "Justice Department",
    ],
)
def test_a_title_that_begins_an_organisation_stays(name: str) -> None:
    assert names(f"They saw the {name} there.") == [name]


@given(
    st.lists(
        st.text(alphabet=string.ascii_letters + "0123456789 .,'-\"()&:é中ßא", max_size=30),
        max_size=8,
    )
)
@example(["A0", "microphone"])
def test_candidates_lie_in_the_sentence_in_order_with_one_key_each(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = candidates(text, case_use(text))
    assert len({c.key for c in found}) == len(found)
    assert [c.start for c in found] == sorted(c.start for c in found)
    for candidate in found:
        assert candidate.key
        said = text[candidate.start : candidate.end]
        assert said.replace("’", "'").lower() == candidate.name.replace("’", "'").lower()
    named = sorted((c.start, c.end) for c in found if not c.is_word and c.type != "title")
    # Apart, or a name beside itself with its part: `DUA` and `DUA breaker`.
    assert all(
        end <= start or (begin == start and end < last)
        for (begin, end), (start, last) in pairwise(named)
    )


def test_a_name_of_a_shape_of_its_own_needs_no_other_place() -> None:
    for sentence in ("iPhones are new.", "SpaceX flew.", "GPT-4o is new."):
        (first,) = [c for c in candidates(sentence, NO_USE) if not c.is_word]
        assert first.flags == (Flag.SEEN_CAPITALISED,)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("She has a Psy.D. from Leiden and a Ph.D from Oslo.", ["Leiden", "Oslo"]),
        ("So an Ed.D. holder, an M.Sc. and an LL.M. met Bell.", ["Bell"]),
        ("Then John Ross, MD, and Jane Roe, Esq., spoke.", ["John Ross", "Jane Roe"]),
        ("We met Ann Lee PhD and asked a PhD student.", ["Ann Lee"]),
        ("They live in the U.S. and in D.C. now.", ["U.S.", "D.C."]),
        ("We asked J.F.K. about it.", ["J.F.K."]),
        ("The office in Baltimore MD is closed.", ["Baltimore"]),
        ("So the MD said so.", ["MD"]),  # may be a place
        ("We set pdfAttachments, useState and getElementById.", []),
        ("We read bioRxiv on iPhones with openSUSE.", ["bioRxiv", "iPhones", "openSUSE"]),
        ("We thank you, Madam Chair, and Mr. President.", []),
        ("Now, Your Honor, Ladies and Gentlemen, we rest.", []),
        (
            "We thank you, Mr. Kerry, and Madam Secretary Warren.",
            ["Kerry", "Madam Secretary Warren"],
        ),
        (
            "The Vice President and the Attorney General met.",
            ["Vice President", "Attorney General"],
        ),
    ],
)
def test_titles_degrees_addresses_and_identifiers_are_no_things(
    sentence: str, expected: list[str]
) -> None:
    assert names(sentence) == expected


GERMAN_TALK = (
    "Meine Damen und Herren, ich eröffne die Sitzung. Nächster Redner ist der Kollege Jonas Weiß"
    " für die Fraktion. Frau Präsidentin! Herr Präsident! Liebe Kolleginnen und Kollegen! Das ist"
    " nicht die Frage, die wir auch heute und hier mit dem Amt zu klären haben, und es wird auch"
    " nicht einfach, aber es ist wie es ist. Vielen Dank."
    " Nächste Rednerin ist Frau Dr. Mia Lund, und dann hat Herr Minister Albrecht das Wort."
)


def test_german_forms_of_address_are_no_things_and_titles_no_part_of_a_name() -> None:
    use = case_use(GERMAN_TALK)
    assert use.writing is Writing.NOUNS
    assert names(GERMAN_TALK, use) == ["Jonas Weiß", "Dr. Mia Lund", "Minister Albrecht"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We saw Rick and Morty. " * 3, {("rick", "morty")}),
        ("We saw Rick and Morty. " * 2, set()),  # may be chance
        ("We saw Rick and Morty. " * 3 + "Then Rick left.", set()),
        ("We saw Rick and Morty. " * 3 + "Tom and Rick and Morty left.", set()),
        ("We met Tom Hanks and Meg Ryan. " * 3, set()),  # two people, each whole
        ("When Rick and Morty came, we ran. " * 3, {("rick", "morty")}),
        ("Now Rick and Morty's garage burns. " * 3, {("rick", "morty")}),
        ("The cat and Morty ran. " * 3, set()),
        ("We saw Zoë and Łukasz. " * 3, {("zoë", "łukasz")}),
    ],
)
def test_a_couple_is_never_apart(text: str, expected: set[tuple[str, str]]) -> None:
    assert case_use(text).couples == expected


def test_a_couple_is_one_thing() -> None:
    text = "We saw Rick and Morty. " * 3
    assert names("So Ann likes Rick and Morty a lot.", case_use(text)) == ["Ann", "Rick and Morty"]
    assert names("So Ann likes Rick and Morty a lot.") == ["Ann", "Rick", "Morty"]


@pytest.mark.parametrize(
    "sentence",
    ["¿Quién era el alcalde?", "Dijo: «Nadie sabe eso.»", "Er rief: „Niemand kommt!“", "¡Nadie!"],
)
def test_marks_that_open_a_sentence_or_a_quote_explain_a_capital(sentence: str) -> None:
    found = [c for c in candidates(sentence, NO_USE) if not c.is_word]
    assert all(Flag.SENTENCE_START in c.flags for c in found)
