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
            "Hana Sorek",
            "I hope to finish the survey of the bats by August.",
            ["Hana Sorek hopes to finish the survey of the bats by August."],
            ["Hana Sorek finished the survey of the bats by August."],
        ),
        (
            "",
            "The harbour should widen the north gate before winter.",
            ["The harbour should widen the north gate before winter."],
            [
                "The harbour widened the north gate before winter.",
                "The harbour will widen the north gate before winter.",
            ],
        ),
        (
            "",
            "Pilar Soto proposed moving the archive to the old mill.",
            ["Pilar Soto proposed moving the archive to the old mill."],
            [
                "Pilar Soto moved the archive to the old mill.",
                "The archive was moved to the old mill.",
            ],
        ),
        (
            "",
            "The growers asked for a new well on the east field.",
            ["The growers asked for a new well on the east field."],
            [
                "The growers got a new well on the east field.",
                "There is a new well on the east field.",
            ],
        ),
        (
            "",
            "As long as the lease runs, the choir rehearses in the crypt.",
            ["As long as the lease runs, the choir rehearses in the crypt."],
            ["The choir rehearses in the crypt."],
        ),
        (
            "",
            "The clinic wants to open a branch in Arles.",
            ["The clinic wants to open a branch in Arles."],
            ["The clinic opened a branch in Arles.", "The clinic will open a branch in Arles."],
        ),
        (
            "",
            "Once the permit is granted, the diggers will start at the quay.",
            ["The diggers will start at the quay once the permit is granted."],
            ["The diggers have started at the quay."],
        ),
        (
            "",
            "We will demolish the silo in March.",
            ["They will demolish the silo in March."],
            ["They demolished the silo in March."],
        ),
        (
            "",
            "The vet recommended slaughtering the two sick ewes.",
            ["The vet recommended slaughtering the two sick ewes."],
            ["The two sick ewes were slaughtered."],
        ),
        (
            "",
            "Norma Fell offered to sell the orchard to the village.",
            ["Norma Fell offered to sell the orchard to the village."],
            ["Norma Fell sold the orchard to the village."],
        ),
        (
            "",
            "The board is considering a merger with Tarn Dairies.",
            ["The board is considering a merger with Tarn Dairies."],
            [
                "The board agreed to a merger with Tarn Dairies.",
                "The board merged with Tarn Dairies.",
            ],
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
            "",
            "Two thirds of the members voted for the strike.",
            ["Two thirds of the members voted for the strike."],
            [
                "One third of the members voted for the strike.",
                "Three quarters of the members voted for the strike.",
            ],
        ),
        (
            "",
            "Costs were halved within two years.",
            ["Costs were halved within two years."],
            ["Costs doubled within two years.", "Costs were cut by a third within two years."],
        ),
        (
            "",
            "The reading list shrank by four titles, to eleven.",
            ["The reading list shrank by four titles."],
            [
                "The reading list shrank to four titles.",
                "The reading list shrank by eleven titles.",
            ],
        ),
        (
            "",
            "The water level dropped 40 centimetres in June.",
            ["The water level dropped by 40 centimetres in June."],
            ["The water level dropped to 40 centimetres in June."],
        ),
        (
            "Ada Moll",
            "Our membership has tripled since 2012.",
            ["Membership has tripled since 2012."],
            ["Our membership has doubled since 2012."],
        ),
        (
            "Ada Moll",
            "A fifth of the windows are broken.",
            ["A fifth of the windows are broken."],
            ["The windows are broken.", "A third of the windows are broken."],
        ),
        (
            "Ada Moll",
            "Most of the bees survived the winter.",
            ["Most of the bees survived the winter.", "Most bees survived the winter."],
            ["All of the bees survived the winter."],
        ),
        (
            "Ada Moll",
            "Forty percent of our customers pay by card.",
            ["Forty percent of customers pay by card.", "40 percent of the customers pay by card."],
            ["Our customers pay by card.", "Forty percent of customers pay in cash."],
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
            "",
            "Of 80 samples, 12 were contaminated and 5 were lost.",
            ["12 samples were contaminated.", "5 samples were lost."],
            ["5 samples were contaminated.", "12 samples were lost."],
        ),
        (
            "",
            "Lambs: 140 born, 9 dead, 131 sold.",
            ["131 lambs were sold."],
            ["140 lambs were sold.", "131 lambs were born."],
        ),
        (
            "",
            "In 2019 we planted 400 oaks and in 2021 we planted 650 beeches.",
            ["In 2019 they planted 400 oaks.", "In 2021 they planted 650 beeches."],
            ["In 2019 they planted 650 beeches.", "In 2021 they planted 400 oaks."],
        ),
        (
            "",
            "The first release had 31 bugs, the second had 8.",
            ["The first release had 31 bugs.", "The second release had 8 bugs."],
            ["The first release had 8 bugs.", "The second release had 31 bugs."],
        ),
        (
            "Ken Olds",
            "We sold 45 tickets online and 130 at the door.",
            ["They sold 45 tickets online.", "They sold 130 at the door."],
            ["They sold 45 tickets at the door.", "They sold 130 tickets online."],
        ),
        (
            "Ken Olds",
            "Roof repairs came to 12,400, heating to 8,150 and insurance to 2,300.",
            ["Heating came to 8,150.", "Roof repairs came to 12,400."],
            ["Heating came to 12,400.", "Insurance came to 8,150."],
        ),
        (
            "Ken Olds",
            "The north tower has 311 steps; the south tower, 287.",
            ["The north tower has 311 steps.", "The south tower has 287 steps."],
            ["The south tower has 311 steps.", "The north tower has 287 steps."],
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
            "",
            "The nurses wanted longer breaks, but the managers wanted shorter shifts.",
            ["The nurses wanted longer breaks."],
            ["The managers wanted longer breaks.", "The nurses wanted shorter shifts."],
        ),
        (
            "",
            "The compiler warns about unused imports while the linter rejects long lines.",
            ["The linter rejects long lines."],
            ["The compiler rejects long lines.", "The linter warns about unused imports."],
        ),
        (
            "",
            "The old bridge was made of oak and the new bridge is made of steel.",
            ["The old bridge was made of oak."],
            ["The old bridge was made of steel.", "The new bridge is made of oak."],
        ),
        (
            "Ruth Ames",
            "The baker lent us a van, and the butcher gave us two hams.",
            ["The butcher gave them two hams."],
            ["The baker gave them two hams.", "The butcher lent them a van."],
        ),
        (
            "Ruth Ames",
            "While I was in hospital, my neighbour fed the hens.",
            ["Ruth Ames was in hospital."],
            ["Ruth Ames fed the hens."],
        ),
        (
            "Ruth Ames",
            "The ministry wanted a tunnel and the village wanted a bridge.",
            ["The village wanted a bridge."],
            ["The village wanted a tunnel."],
        ),
        (
            "Ruth Ames",
            "When Karel retired, Zofia took over the archive.",
            ["Zofia took over the archive.", "Karel retired."],
            ["Karel took over the archive.", "Zofia retired."],
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
            "",
            "The prize went to Vera Lind instead of Otto Kern.",
            ["The prize went to Vera Lind."],
            ["The prize went to Otto Kern."],
        ),
        (
            "",
            "Rather than repair the pump, they bought a new one.",
            ["They bought a new one."],
            ["They repaired the pump."],
        ),
        (
            "Bo Lind",
            "It isn't the engine that overheats but the gearbox.",
            ["The gearbox overheats."],
            ["The engine overheats."],
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
    ],
)
def test_not_one_but_the_other_states_the_other(
    speaker: str, text: str, stated: list[str], unstated: list[str]
) -> None:
    assert {claim: verdict(claim, text, speaker) for claim in stated} == dict.fromkeys(
        stated, Verdict.STATED
    )
    assert Verdict.STATED not in {verdict(claim, text, speaker) for claim in unstated}
