"""Numbers, dates and times as values: what is read of a text, and which says what another says."""

import pytest

from dynagrag.generation.claims.quantities import Quantity, may_be_written_otherwise, quantities


def only(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("It is 5.", 5, "", ""),
        ("It is -5.", -5, "", ""),
        ("It is +5.", 5, "", ""),
        ("Apollo-13 landed.", 13, "", ""),
        ("It is 3.25.", 3.25, "", ""),
        ("It is 12,345.6.", 12345.6, "", ""),
        # scales
        ("It is 5 hundred.", 500, "", ""),
        ("It is 5 thousand.", 5_000, "", ""),
        ("It is 5k.", 5_000, "", ""),
        ("It is 5K.", 5_000, "", ""),
        ("It is 5 million.", 5e6, "", ""),
        ("It is 5 Billion.", 5e9, "", ""),
        ("It is 5bn.", 5e9, "", ""),
        ("It is 5 trillion.", 5e12, "", ""),
        ("It was the 21st of them.", 21, "", ""),
        ("They came in the 1980s.", 1980, "", ""),
        # in words
        ("There were zero.", 0, "", ""),
        ("There were twelve.", 12, "", ""),
        ("There were twenty-one.", 21, "", ""),
        ("There were NINETY.", 90, "", ""),
        ("There were one hundred and five.", 105, "", ""),
        ("There were three hundred.", 300, "", ""),
        ("A hundred came.", 100, "", ""),
        ("A thousand came.", 1_000, "", ""),
        ("There were two thousand three hundred and four.", 2_304, "", ""),
        ("There were two hundred thousand.", 200_000, "", ""),
        ("There were one million two thousand.", 1_002_000, "", ""),
        # units
        ("It reads 5 volts.", 5, "volt", ""),
        ("It reads 5V.", 5, "volt", ""),
        ("It is a 5-mile walk.", 5, "mile", ""),
        ("It rose 5 %.", 5, "percent", ""),
        ("It rose 5 Percent.", 5, "percent", ""),
        ("It costs $5.", 5, "dollar", ""),
        ("It costs $ 5 million.", 5e6, "dollar", ""),
        ("It costs 5 million dollars.", 5e6, "dollar", ""),
        ("It costs €5.", 5, "euro", ""),
        ("It costs £5 a day.", 5, "pound", ""),
        ("It holds 5 valves.", 5, "", ""),
        ("It is 5. Volts are measured.", 5, "", ""),
        # bounds
        ("It costs more than 5.", 5, "", "more"),
        ("It costs over $5.", 5, "dollar", "more"),
        ("It costs At Least 5.", 5, "", "more"),
        ("It has no fewer than 5.", 5, "", "more"),
        ("It has not less than 5.", 5, "", "more"),
        ("It costs less than 5.", 5, "", "less"),
        ("It costs no more than 5.", 5, "", "less"),
        ("It costs up to € 5.", 5, "euro", "less"),
        ("It costs nearly 5 dollars.", 5, "dollar", "less"),
        ("Moreover 5 came.", 5, "", ""),
        ("The thunder 5 came.", 5, "", ""),
        ("More than once, 5 came.", 5, "", ""),
    ],
)
def test_a_number_has_a_value_a_unit_and_a_bound(
    text: str, value: float, unit: str, bound: str
) -> None:
    found = only(text)
    assert (found.value, found.unit, found.bound, found.date) == (value, unit, bound, None)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 3 March 2020", (2020, 3, 3)),
        ("on 3rd of March, 2020", (2020, 3, 3)),
        ("on the 21st March", (0, 3, 21)),
        ("on 22nd MAY 2020", (2020, 5, 22)),
        ("on March 3, 2020", (2020, 3, 3)),
        ("on March 30th 2020", (2020, 3, 30)),
        ("on Dec. 3", (0, 12, 3)),
        ("on Sept. 3, 2020", (2020, 9, 3)),
        ("in March 2020", (2020, 3, 0)),
        ("in January, 2020", (2020, 1, 0)),
        ("on 2020-03-04", (2020, 3, 4)),
        ("on 2020-12-31", (2020, 12, 31)),
    ],
)
def test_a_date_has_a_year_a_month_and_a_day_as_far_as_they_are_given(
    text: str, date: tuple[int, int, int]
) -> None:
    found = only(text)
    assert (found.date, found.value, found.said) == (date, None, found.text)


@pytest.mark.parametrize(
    "text", ["", "One may go.", "No one came.", "It may be so.", "Ada marched on."]
)
def test_what_is_no_number_is_left_out(text: str) -> None:
    assert quantities(text) == ()


def test_quantities_come_in_their_order_each_once() -> None:
    found = quantities(
        "At 55:20 on 3 March 2020, 12 valves, then two, read 300 psi. One of them 1:02:03."
    )
    assert [q.text for q in found] == ["55:20", "3 March 2020", "12", "two", "300", "1:02:03"]
    assert [("At 55:20 on 3 March 2020, 12 valves"[q.start : q.end]) for q in found[:3]] == [
        "55:20",
        "3 March 2020",
        "12",
    ]
    assert (found[0].value, found[0].date, found[0].said) == (None, None, "55:20")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is at least 300 km long.", "at least 300 km"),
        ("It is 300km long.", "300km"),
        ("It cost over $5 million then.", "over $5 million"),
        ("It cost $5.", "$5"),
        ("It has 300 rooms.", "300"),
        ("It rose 5%.", "5%"),
        ("twenty-one days", "twenty-one days"),
    ],
)
def test_a_number_is_said_with_its_bound_and_its_unit(text: str, said: str) -> None:
    assert only(text).said == said


def test_the_text_of_a_number_stands_where_it_says() -> None:
    text = "It cost over $5 million then."
    assert (text[only(text).start : only(text).end], only(text).text) == ("5 million", "$5 million")


@pytest.mark.parametrize(
    ("claim", "line", "is_same"),
    [
        # a line may say more of a date, not less or other
        ("3 March 2020", "March 3, 2020", True),
        ("March 2020", "March 3, 2020", True),
        ("3 March", "March 3, 2020", True),
        ("March 3, 2020", "March 2020", False),
        ("March 3, 2020", "3 March", False),
        ("3 March 2020", "3 March 2021", False),
        ("3 March 2020", "3 May 2020", False),
        ("3 March 2020", "4 March 2020", False),
        ("2020", "March 3, 2020", True),
        ("2021", "March 3, 2020", False),
        ("3", "March 3, 2020", False),
        ("March 3, 2020", "2020", False),
        ("55:20", "March 3, 2020", False),
        # times
        ("55:20", "55:20", True),
        ("055:20", "55:20", True),
        ("55:20", "055:20", True),
        ("55:20", "55:21", False),
        ("55:20", "55", False),
        ("55", "55:20", False),
        # numbers
        ("5", "five", True),
        ("5", "5.0", True),
        ("5", "6", False),
        ("4.35 hundred", "435", True),
        ("5", "-5", False),
        # a dash that stands alone is a minus or a break
        ("-4 volts", "reading - 4 volts", True),
        ("4 volts", "reading - 4 volts", True),
        ("-5 volts", "reading - 4 volts", False),
        ("-4 volts", "- 4 volts", False),  # an item of a list
        # a unit may go without saying, but not be another
        ("5 volts", "5 V", True),
        ("5", "5 V", True),
        ("5 V", "5", True),
        ("5 V", "5 amps", False),
        # a bound may not
        ("more than 5", "over 5", True),
        ("more than 5", "5", False),
        ("5", "at most 5", False),
        ("at most 5", "at least 5", False),
    ],
)
def test_a_quantity_agrees_with_one_that_says_as_much(claim: str, line: str, is_same: bool) -> None:
    assert only(claim).agrees(only(line)) is is_same


@pytest.mark.parametrize(
    ("claim", "line", "is_like"),
    [
        ("3 March 2020", "4 March 2020", True),
        ("3 March 2020", "3 May 2020", True),
        ("March 2020", "March 2021", True),
        ("3 March 2020", "March 2020", False),  # only says less
        ("3 March 2020", "5 March", True),
        ("3 March", "March 2020", False),
        ("3 March 2020", "2021", False),
        ("2021", "3 March 2020", False),
        ("55:20", "55:21", True),
        ("55:20", "55", False),
        ("55", "55:20", False),
        ("55:20", "3 March 2020", False),
        ("3 March 2020", "55:20", False),
        ("5", "6", True),
        ("5 V", "6 volts", True),
        ("5 V", "6 amps", False),
        ("-4 V", "reads - 4 V", False),
        ("-5 V", "reads - 4 V", True),
        ("5 V", "6", False),
        ("5", "at least 5", False),  # not another value
        ("2020", "2021", True),
        ("2020", "21", False),
        ("2020", "2021 volts", False),
        ("2020", "at least 2020", False),
    ],
)
def test_a_quantity_stands_in_the_place_of_another_of_its_kind(
    claim: str, line: str, is_like: bool
) -> None:
    assert only(claim).is_like(only(line)) is is_like


@pytest.mark.parametrize(
    ("text", "is_year"),
    [
        ("999", False),
        ("1000", True),
        ("2100", True),
        ("2101", False),
        ("1999.5", False),
        ("1999 volts", False),
        ("3 March 2020", False),
    ],
)
def test_a_bare_number_of_these_centuries_looks_like_a_year(text: str, is_year: bool) -> None:
    assert only(text).looks_like_year is is_year


def test_a_number_without_a_unit_needs_no_other_reading_of_the_text() -> None:
    quantities.cache_clear()
    assert not may_be_written_otherwise(quantities("at 12")[0], "The tram of 3141 crates")
    assert quantities.cache_info().misses == 1


def test_a_month_and_a_count_are_no_date() -> None:
    found = quantities("In March we had 3 complaints, in April 11.")
    assert [(number.value, number.date) for number in found] == [(3.0, None), (11.0, None)]
