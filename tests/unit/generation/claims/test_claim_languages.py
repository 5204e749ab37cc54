"""Rules give verdicts in English alone: of other languages they know neither denials nor roles."""

import pytest

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.verbatim import says_verbatim


def check(claim: str, *lines: Line | str) -> ClaimCheck:
    made = tuple(line if isinstance(line, Line) else Line(line) for line in lines)
    return RulesChecker().check([Claim(claim, made)])[0]


DENIED = [
    ("cs", "Anna Malá opravila vodní čerpadlo.", "Anna Malá neopravila vodní čerpadlo."),
    ("da", "Pumpen på værket lækker olie.", "Pumpen på værket lækker ikke olie."),
    ("de", "Der Wasserturm wurde 1911 verkauft.", "Der Wasserturm wurde 1911 nicht verkauft."),
    ("el", "Η αντλία λειτουργεί από τη Δευτέρα.", "Η αντλία δεν λειτουργεί από τη Δευτέρα."),
    ("es", "La bomba funciona desde el lunes.", "La bomba no funciona desde el lunes."),
    ("et", "Pump töötab esmaspäevast saadik.", "Pump ei tööta esmaspäevast saadik."),
    ("fi", "Matti myi veneensä viime vuonna.", "Matti ei myynyt venettään viime vuonna."),
    ("hu", "Anna tavaly eladta a malmot.", "Anna tavaly nem adta el a malmot."),
    ("ja", "ポンプは月曜日から動いています。", "ポンプは月曜日から動いていません。"),
    ("nl", "De pomp werkt sinds maandag weer.", "De pomp werkt sinds maandag niet weer."),
    ("no", "Pumpen har virket siden mandag.", "Pumpen har ikke virket siden mandag."),
    ("ro", "Pompa funcționează de luni.", "Pompa nu funcționează de luni."),
    ("sk", "Anna predala starý mlyn v roku 1950.", "Anna nepredala starý mlyn v roku 1950."),
    ("th", "ปั๊มทำงานตั้งแต่วันจันทร์", "ปั๊มไม่ทำงานตั้งแต่วันจันทร์"),
    ("uk", "Насос працює з понеділка.", "Насос не працює з понеділка."),
    ("vi", "Máy bơm hoạt động từ thứ Hai.", "Máy bơm không hoạt động từ thứ Hai."),
]


@pytest.mark.parametrize(("language", "line", "claim"), DENIED)
def test_a_denial_in_another_language_is_not_checked_and_the_nearest_line_named(
    language: str, line: str, claim: str
) -> None:
    found = check(claim, line)
    assert (found.verdict, found.lines, found.language) == (Verdict.NOT_CHECKED, (0,), language)
    assert found.score is None
    back = check(line, claim)
    assert back.verdict is Verdict.NOT_CHECKED


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("Petra Vogt hat Lena Brandt angestellt.", "Lena Brandt hat Petra Vogt angestellt."),
        ("Luc Morel a remplacé Jean Petit hier.", "Jean Petit a remplacé Luc Morel hier."),
        ("Ana Gil contrató a Luis Mora ayer.", "Luis Mora contrató a Ana Gil ayer."),
        ("Sie kostete 2.400 Mark.", "Sie kostete 2,4 Mark."),
        ("Elle a coûté 45 000 francs.", "Elle a coûté 45 francs."),
        ("Ist die Pumpe repariert?", "Ist die Pumpe repariert."),
    ],
)
def test_swapped_roles_and_other_numbers_in_another_language_are_never_stated(
    line: str, claim: str
) -> None:
    assert check(claim, line).verdict is Verdict.NOT_CHECKED


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("Elle a coûté 45 000 francs. Il pleuvait.", "Elle a coûté 45000 francs."),
        ("Sie kostete 4,25 Millionen Mark.", "Sie kostete 4.25 Millionen Mark."),
        ("Sie kostete 1.250.000,5 Mark.", "Sie kostete 1 250 000.5 Mark."),
        ("बाँध में ४२ फाटक हैं।", "बाँध में 42 फाटक हैं।"),
        ("سد ۴۲ دریچه دارد.", "سد 42 دریچه دارد."),
        ("青石水厂在二零一八年收购了北岸泵站。", "青石水厂在2018年收购了北岸泵站。"),
        ("Die Pumpe läuft – seit Montag.", "die Pumpe läuft seit Montag"),
    ],
)
def test_what_a_line_says_word_for_word_is_stated_in_any_language(line: str, claim: str) -> None:
    found = check(claim, line)
    assert (found.verdict, found.lines, found.score) == (Verdict.STATED, (0,), 1.0)


def test_a_number_that_may_be_a_thousand_or_a_fraction_is_like_nothing_but_itself() -> None:
    assert check("Sie kostete 1250 Mark.", "Sie kostete 1.250 Mark.").verdict is not Verdict.STATED
    assert check("Sie kostete 1.250 Mark.", "Sie kostete 1.250 Mark.").verdict is Verdict.STATED


def test_an_english_claim_is_checked_against_the_english_lines_alone() -> None:
    finnish = Line("Matti ei myynyt venettään viime vuonna, sanoi hän.", language="fi")
    english = Line("The pump failed on Monday.", language="en")
    found = check("The pump failed on Monday.", finnish, english)
    assert (found.verdict, found.lines) == (Verdict.STATED, (1,))
    assert check("The valve leaked on Friday.", english, finnish).verdict is Verdict.NOT_FOUND
    nearest = check("Matti sold the boat to Liisa.", finnish)
    assert (nearest.verdict, nearest.language) == (Verdict.NOT_CHECKED, "fi")


def test_a_line_that_is_too_short_to_tell_is_taken_for_its_document_s_language() -> None:
    line = "Pumpe 4 OK."
    assert check(line.replace("4", "5"), Line(line, language="de")).language == "de"
    english = check("Pump 5 OK.", Line("Pump 4 OK.", language="en"))
    assert english.verdict is not Verdict.NOT_CHECKED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The bridge cost 3 million dollars.", "The bridge cost $3M."),
        ("The bridge cost $3M.", "The bridge cost 3 million dollars."),
        ("The dam cost 2.5 billion pounds.", "The dam cost £2.5bn."),
        ("The firm raised 40 thousand euros.", "The firm raised €40k."),
        ("It cost 12,500,000 rupees.", "It cost 1,25,00,000 rupees."),
        ("It cost 75000 francs.", "It cost 75'000 francs."),
        ("It cost 75,000 francs.", "It cost 75\u00a0000 francs."),
        ("It drew 12,000 people.", "It drew 12 000 people."),
        ("The fund holds $3 million.", "The fund holds $3 mn."),
    ],
)
def test_one_english_number_written_two_ways_is_one(claim: str, line: str) -> None:
    assert check(claim, line).verdict is Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The bridge cost 3 billion dollars.", "The bridge cost $3M."),
        ("The bridge cost $3.", "The bridge cost $3M."),
        ("The bridge cost 3 million euros.", "The bridge cost $3M."),
        ("It cost 125,000 rupees.", "It cost 1,25,00,000 rupees."),
        ("It cost 75 francs.", "It cost 75'000 francs."),
    ],
)
def test_another_english_number_is_not_stated(claim: str, line: str) -> None:
    assert check(claim, line).verdict is not Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The dam is 2.5 m high.", "The dam is 2,5 m high."),
        ("It cost €30,000.", "It cost €30.000."),
        ("It cost 500,000 rupees.", "It cost ₹5 lakh."),
        ("It cost 20 million rupees.", "It cost 2 crore rupees."),
    ],
)
def test_a_number_that_may_be_written_as_elsewhere_contradicts_nothing(
    claim: str, line: str
) -> None:
    assert check(claim, line).verdict is Verdict.NOT_FOUND


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("Das Angebot gilt ab dem 1. Mai für alle.", "Das Angebot gilt ab dem 1."),
        ("Es war der 12. Juni im Hafen.", "Es war der 12."),
        ("Sie zahlte 3 Mio. Euro an den Verein.", "Sie zahlte 3 Mio."),
        ("Er wohnt im Haus Nr. 5 am Bach.", "Er wohnt im Haus Nr."),
        ("Kokous on 3. kesäkuuta talolla.", "Kokous on 3."),
        ("Vive en la c. Mayor de Toledo.", "Vive en la c."),
        ("Przyszli o godz. 18 do domu.", "Przyszli o godz."),
    ],
)
def test_a_claim_that_may_be_cut_amid_is_no_sentence_of_a_line(line: str, claim: str) -> None:
    assert not says_verbatim(claim, Line(text=line))
    assert says_verbatim(line, Line(text=line))
