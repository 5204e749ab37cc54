"""Lines that put a thing near what a claim says without saying it, each beside what they do say."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker


def verdict(claim: str, text: str, speaker: str) -> Verdict:
    return RulesChecker().check([Claim(claim, (Line(text, speaker or None),))])[0].verdict


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "",
            "If the bank agrees, we will replace the milking parlour in spring.",
            ["If the bank agrees, they will replace the milking parlour in spring."],
            ["They will replace the milking parlour in spring."],
        ),
        (
            "Ola Brandt",
            "If the weather holds, the crew will lift the second girder on Friday.",
            ["The crew will lift the second girder on Friday if the weather holds."],
            [
                "The crew will lift the second girder on Friday.",
                "Ola Brandt said the crew will lift the second girder on Friday.",
            ],
        ),
        (
            "",
            "Unless the council objects, the library closes at the end of June.",
            ["Unless the council objects, the library closes at the end of June."],
            ["The library closes at the end of June."],
        ),
        (
            "",
            "Provided the ethics board signs off, the second trial starts in October.",
            ["The second trial starts in October provided the ethics board signs off."],
            ["The second trial starts in October."],
        ),
        (
            "",
            "We would rewrite the parser in Rust if we had two more engineers.",
            ["They would rewrite the parser in Rust if they had two more engineers."],
            ["They rewrote the parser in Rust.", "They will rewrite the parser in Rust."],
        ),
        (
            "",
            "The museum might lend the two Dutch paintings to Leeds.",
            [
                "The museum might lend the two Dutch paintings to Leeds.",
                "The museum may lend the two Dutch paintings to Leeds.",
            ],
            [
                "The museum lent the two Dutch paintings to Leeds.",
                "The museum will lend the two Dutch paintings to Leeds.",
            ],
        ),
        (
            "",
            "We plan to hire a second nurse for the night ward.",
            ["They plan to hire a second nurse for the night ward."],
            ["They hired a second nurse for the night ward."],
        ),
        (
            "Li Chen",
            "The database migration was supposed to end on Tuesday.",
            ["The database migration was supposed to end on Tuesday."],
            ["The database migration ended on Tuesday."],
        ),
        (
            "Li Chen",
            "Without the sponsor, we would have closed the rink in 2019.",
            ["Without the sponsor, they would have closed the rink in 2019."],
            ["They closed the rink in 2019."],
        ),
        (
            "Sam Tull",
            "We're thinking about selling the ferry.",
            ["They are thinking about selling the ferry."],
            ["They sold the ferry.", "They are selling the ferry."],
        ),
        (
            "Ivy Roe",
            "The inspector insisted that we replace the wiring.",
            ["The inspector insisted that they replace the wiring."],
            ["They replaced the wiring."],
        ),
        (
            "Ivy Roe",
            "The committee agreed to let the choir use the loft.",
            ["The committee agreed to let the choir use the loft."],
            ["The choir used the loft."],
        ),
        (
            "Ivy Roe",
            "The bank refused to extend the loan.",
            ["The bank refused to extend the loan."],
            ["The bank extended the loan."],
        ),
    ],
)
def test_a_condition_wish_or_plan_is_no_fact(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "",
            "Ticket sales fell by a third last season.",
            ["Ticket sales fell by a third last season."],
            [
                "Ticket sales fell to a third last season.",
                "Ticket sales fell by a quarter last season.",
            ],
        ),
        (
            "",
            "The dose was cut to a quarter of the original.",
            ["The dose was cut to a quarter of the original."],
            ["The dose was cut by a quarter.", "The dose was cut to a half of the original."],
        ),
        (
            "",
            "The number of bug reports doubled in May.",
            ["The number of bug reports doubled in May."],
            [
                "The number of bug reports tripled in May.",
                "The number of bug reports halved in May.",
            ],
        ),
        (
            "",
            "The herd had sixty cows in 2015; it now has fifty-three.",
            ["The herd had sixty cows in 2015."],
            ["The herd had fifty-three cows in 2015.", "The herd now has sixty cows."],
        ),
        (
            "Ines Vall",
            "We had twelve volunteers last year, now there are nineteen.",
            [
                "There are nineteen volunteers now.",
                "Ines Vall said they had twelve volunteers last year.",
            ],
            [
                "There were nineteen volunteers last year.",
                "The volunteers went from nineteen to twelve.",
            ],
        ),
        (
            "",
            "The rent went up from 900 to 1,150 euros.",
            ["The rent went up from 900 to 1,150 euros."],
            [
                "The rent went up from 1,150 to 900 euros.",
                "The rent went down from 1,150 to 900 euros.",
            ],
        ),
        (
            "",
            "Half of the seedlings died in the frost.",
            ["Half of the seedlings died in the frost."],
            [
                "A third of the seedlings died in the frost.",
                "All of the seedlings died in the frost.",
            ],
        ),
        (
            "Ada Moll",
            "Last year the fund stood at 80,000 pounds, this year it is down to 55,000 pounds.",
            [
                "Last year the fund stood at 80,000 pounds.",
                "This year the fund is down to 55,000 pounds.",
            ],
            ["Last year the fund stood at 55,000 pounds.", "This year the fund is 80,000 pounds."],
        ),
        (
            "Ada Moll",
            "The price went from two euros to three.",
            ["The price went from two euros to three."],
            ["The price went from three euros to two."],
        ),
        (
            "Ada Moll",
            "We reduced the waiting time by 20 minutes.",
            ["They reduced the waiting time by 20 minutes."],
            ["They reduced the waiting time to 20 minutes."],
        ),
        (
            "Ada Moll",
            "We reduced the waiting time to 20 minutes.",
            ["They reduced the waiting time to 20 minutes."],
            ["They reduced the waiting time by 20 minutes."],
        ),
        (
            "Ada Moll",
            "Three of the seven judges voted no.",
            ["Three judges voted no.", "Three of the judges voted no."],
            ["Seven judges voted no.", "The judges voted no."],
        ),
        (
            "Nora Vick",
            "We shortened the rehearsals by a quarter in autumn.",
            ["They shortened the rehearsals by a quarter in autumn."],
            [
                "They shortened the rehearsals by half in autumn.",
                "They shortened the rehearsals by a third in autumn.",
            ],
        ),
    ],
)
def test_a_change_and_a_part_are_neither_their_end_nor_the_whole(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "",
            "Income was 4,810 pounds and expenses were 3,260 pounds.",
            ["Expenses were 3,260 pounds.", "Income was 4,810 pounds."],
            ["Expenses were 4,810 pounds.", "Income was 3,260 pounds."],
        ),
        (
            "",
            "Attendance: Monday 212, Tuesday 187, Wednesday 95.",
            ["Attendance on Tuesday was 187."],
            ["Attendance on Tuesday was 95.", "On Monday attendance was 187."],
        ),
        (
            "",
            "Wages 61,000, feed 18,500, diesel 7,200.",
            ["Wages were 61,000."],
            ["Wages were 18,500.", "Diesel cost 18,500."],
        ),
        (
            "",
            "The bridge is 210 metres long and 14 metres wide.",
            ["The bridge is 210 metres long.", "The bridge is 14 metres wide."],
            ["The bridge is 14 metres long.", "The bridge is 210 metres wide."],
        ),
        (
            "",
            "Ward A has 22 beds, ward B has 35.",
            ["Ward A has 22 beds.", "Ward B has 35 beds."],
            ["Ward A has 35 beds.", "Ward B has 22 beds."],
        ),
        (
            "Ben Oduya",
            "We spent 300 hours on tests and 120 on docs.",
            ["They spent 300 hours on tests."],
            ["They spent 120 hours on tests.", "They spent 300 hours on docs."],
        ),
        (
            "",
            "The adults paid 9 euros and the children 4 euros.",
            ["The adults paid 9 euros.", "The children paid 4 euros."],
            ["The adults paid 4 euros.", "The children paid 9 euros."],
        ),
        (
            "Ken Olds",
            "There were 14 boys and 17 girls in the class.",
            ["There were 14 boys in the class.", "There were 17 girls in the class."],
            ["There were 17 boys in the class.", "There were 14 girls in the class."],
        ),
        (
            "Ken Olds",
            "The pilot flew 900 hours in 2020 and 1,340 hours in 2021.",
            ["The pilot flew 900 hours in 2020.", "The pilot flew 1,340 hours in 2021."],
            ["The pilot flew 900 hours in 2021.", "The pilot flew 1,340 hours in 2020."],
        ),
        (
            "Ken Olds",
            "Nine voted for the motion, four against it and two abstained.",
            ["Nine voted for the motion.", "Four voted against it."],
            ["Four voted for the motion.", "Nine voted against the motion."],
        ),
        (
            "Ken Olds",
            "The file has 20 pages, was printed in 300 copies and cost us 75 pounds.",
            ["The file was printed in 300 copies.", "The file has 20 pages."],
            ["The file has 300 pages."],
        ),
        (
            "Ken Olds",
            "Mira is 34 and her brother is 29.",
            ["Mira is 34."],
            ["Mira is 29.", "Her brother is 34."],
        ),
        (
            "Ken Olds",
            "Out of 60 applicants we invited 8 and hired 2.",
            ["They invited 8.", "They hired 2."],
            ["They hired 8.", "They hired 60 applicants."],
        ),
    ],
)
def test_a_number_stands_with_its_own_words(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "",
            "The plumber fixed the boiler and the electrician rewired the attic.",
            ["The electrician rewired the attic.", "The plumber fixed the boiler."],
            ["The plumber rewired the attic.", "The electrician fixed the boiler."],
        ),
        (
            "",
            "When the choir sang, the bishop blessed the new organ.",
            ["The bishop blessed the new organ."],
            ["The choir blessed the new organ."],
        ),
        (
            "",
            "While the goalkeeper argued with the referee, the striker scored the second goal.",
            ["The striker scored the second goal.", "The goalkeeper argued with the referee."],
            ["The goalkeeper scored the second goal.", "The striker argued with the referee."],
        ),
        (
            "Tessa Wright",
            "My brother runs the bakery and my sister teaches chemistry.",
            ["Tessa Wright's brother runs the bakery."],
            ["Tessa Wright's sister runs the bakery.", "Tessa Wright's brother teaches chemistry."],
        ),
        (
            "",
            "Maud kept the accounts and Piet drove the tractor.",
            ["Piet drove the tractor.", "Maud kept the accounts."],
            ["Maud drove the tractor.", "Piet kept the accounts."],
        ),
        (
            "",
            "The red tank holds diesel and the blue tank holds rainwater.",
            ["The blue tank holds rainwater."],
            ["The red tank holds rainwater.", "The blue tank holds diesel."],
        ),
        (
            "",
            "After the storm destroyed the greenhouse, the school bought a polytunnel.",
            ["The school bought a polytunnel.", "The storm destroyed the greenhouse."],
            ["The storm destroyed the polytunnel.", "The school bought a greenhouse."],
        ),
        (
            "Ruth Ames",
            "Karel wrote the music and Zofia wrote the words.",
            ["Zofia wrote the words.", "Karel wrote the music."],
            ["Karel wrote the words."],
        ),
        (
            "Ruth Ames",
            "The server stores the logs, and the client shows the charts.",
            ["The client shows the charts."],
            ["The server shows the charts."],
        ),
        (
            "Ruth Ames",
            "Petra left early because the baby had a fever.",
            ["The baby had a fever.", "Petra left early."],
            ["Petra had a fever."],
        ),
        (
            "Ruth Ames",
            "Petra arrived late, so the chair opened the session without her.",
            ["The chair opened the session without her."],
            ["Petra opened the session."],
        ),
        (
            "Ruth Ames",
            "In 1962, when the railway closed, the hotel lost its guests.",
            ["The hotel lost its guests.", "The railway closed."],
            ["The hotel closed."],
        ),
        (
            "Nora Vick",
            "My cousin milks the goats, I make the cheese.",
            ["Nora Vick makes the cheese."],
            ["Nora Vick milks the goats."],
        ),
    ],
)
def test_halves_of_two_clauses_make_no_claim(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "Rena Holt",
            "I asked for a ban on night flights and the ministry refused.",
            ["Rena Holt asked for a ban on night flights."],
            ["Night flights were banned.", "The ministry banned night flights."],
        ),
        (
            "",
            "The union demanded a pay rise of 6 percent, which the owners rejected.",
            ["The union demanded a pay rise of 6 percent."],
            ["The union got a pay rise of 6 percent."],
        ),
        (
            "",
            "Kofi requested access to the staging server, but security turned him down.",
            ["Kofi requested access to the staging server."],
            ["Kofi has access to the staging server.", "Kofi got access to the staging server."],
        ),
        (
            "",
            "Villagers called for the closure of the quarry.",
            ["Villagers called for the closure of the quarry."],
            ["The quarry was closed.", "Villagers closed the quarry."],
        ),
        (
            "",
            "She applied for the post of registrar in Trondheim.",
            ["She applied for the post of registrar in Trondheim."],
            ["She got the post of registrar in Trondheim.", "She was registrar in Trondheim."],
        ),
        (
            "",
            "The lawyer tried to stop the sale of the barn.",
            ["The lawyer tried to stop the sale of the barn."],
            ["The lawyer stopped the sale of the barn."],
        ),
        (
            "",
            "They ordered a new centrifuge in May.",
            ["They ordered a new centrifuge in May."],
            ["They received a new centrifuge in May."],
        ),
        (
            "Al Dane",
            "We petitioned for a crossing outside the school; the county said no.",
            ["They petitioned for a crossing outside the school."],
            [
                "There is a crossing outside the school.",
                "The county built a crossing outside the school.",
            ],
        ),
        (
            "Al Dane",
            "The parents wanted the headmaster dismissed.",
            ["The parents wanted the headmaster dismissed."],
            ["The headmaster was dismissed."],
        ),
        (
            "Al Dane",
            "I told the boys to paint the shed.",
            ["Al Dane told the boys to paint the shed."],
            ["The boys painted the shed."],
        ),
        (
            "Al Dane",
            "Our request to extend the bus line was rejected.",
            ["The request to extend the bus line was rejected."],
            ["The bus line was extended."],
        ),
    ],
)
def test_what_is_asked_for_is_not_done(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}


@pytest.mark.parametrize(
    ("speaker", "text", "stated", "unstated"),
    [
        (
            "",
            "Not the mayor but the abbot laid the first stone.",
            ["The abbot laid the first stone."],
            ["The mayor laid the first stone."],
        ),
        (
            "",
            "It was not the fuse but the relay that burned out.",
            ["The relay burned out."],
            ["The fuse burned out."],
        ),
        (
            "",
            "The festival will be held not in Graz but in Linz.",
            ["The festival will be held in Linz."],
            ["The festival will be held in Graz."],
        ),
        (
            "",
            "We bought not a drone but a kite.",
            ["They bought a kite."],
            ["They bought a drone."],
        ),
        (
            "",
            "The leak came from the roof, not the window.",
            ["The leak came from the roof."],
            ["The leak came from the window."],
        ),
        (
            "",
            "The vaccine is not for cattle but for sheep.",
            ["The vaccine is for sheep."],
            ["The vaccine is for cattle."],
        ),
        (
            "Ugo Testa",
            "We don't sell the milk, but we make cheese of it.",
            ["They make cheese of it."],
            ["They sell the milk."],
        ),
        (
            "Bo Lind",
            "We meet not on Monday, as the flyer says, but on Thursday.",
            ["They meet on Thursday."],
            ["They meet on Monday."],
        ),
        (
            "Bo Lind",
            "The grant didn't go to the theatre but to the library.",
            ["The grant went to the library."],
            ["The grant went to the theatre."],
        ),
        (
            "Bo Lind",
            "I didn't study law, I studied botany.",
            ["Bo Lind studied botany."],
            ["Bo Lind studied law."],
        ),
        (
            "Bo Lind",
            "Instead of salt, the town spreads gravel.",
            ["The town spreads gravel."],
            ["The town spreads salt."],
        ),
        (
            "Bo Lind",
            "The school is on Mill Lane rather than Mill Road.",
            ["The school is on Mill Lane."],
            ["The school is on Mill Road."],
        ),
        (
            "Nora Vick",
            "I suggest not closing the branch but moving it to the station and painting it.",
            ["Nora Vick suggests moving it to the station."],
            ["Nora Vick suggests closing the branch."],
        ),
    ],
)
def test_not_one_but_the_other_states_the_other(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}
