"""Texts whose labels are entries, programmes or fields: nobody speaks in them."""

from pathlib import Path

import pytest

from dynagrag.ingest.load.read import load_source
from tests.loaded import load

TEXTS = {
    "reviews.txt": (
        "Best of the week\n\nThe Ferry, by Tom Ard: You won't put it down. I did, twice.\n"
        "Salt, by Rosa Lind: A dry book. What was she thinking?\n"
        "Night Boat, by Jan Holz: Better than Salt, by Rosa Lind, and shorter.\n"
        "Knots, by Ute Voss: You will need one.\n"
    ),
    "bibliography.txt": (
        "Bibliographie\n\nAubry, Louise : Le sel et la voix. Paris, Éditions du Port, 1988.\n"
        "Bonnet, Pierre : Qui a peur du phare ? Nantes, Marées, 1991.\n"
        "Bonnet, Pierre : Encore le phare. Nantes, Marées, 1994.\n"
        "Carrel, Anne : « Je ne savais pas. » Récits de pêcheurs. Brest, 2001.\n"
        "Delmas, Yves et Carrel, Anne : Réponse à Pierre Bonnet. Revue des côtes 4, 2003.\n"
        "Id. : Dernière lettre. Ibid., p. 12.\nFaure, Jeanne : La mer. Lyon, 2010.\n"
    ),
    "programme.txt": (
        "Tagung Mühlen und Menschen, Programm\n\nFreitag\n\nRosa Lind: Wem gehört das Wasser?\n"
        "Jan Holz: Das Rad, das keiner wollte\nUte Voss und Rosa Lind: Was wir nicht wissen\n"
        "Pavel Döring: Mahlen ohne Korn\n\nSamstag\n\nOlav Tamm: Warum die Mühle steht\n"
        "Kirsten Holm: Ein Müller erzählt\nJan Holz: Noch einmal: das Rad\n"
    ),
    "stage.txt": (
        "ANNUAL BOAT SHOW - STAGE 2\n\n10:00 Rosa Lind: How I built a dinghy in my kitchen\n"
        "10:45 Jan Wierzba: Knots you should know\n11:30 Coffee: served in tent B\n"
        "12:00 Rosa Lind: Questions and answers\n13:15 Tom Ard: Can I sail alone?\n"
        "14:00 Jan Wierzba: More knots\n"
    ),
    "rooms.md": (
        "# Day 2\n\n| Time | Hall | Attic |\n|---|---|---|\n"
        "| 14:00 | Ada Holm: Relics | Per Aas: Hello? The telephone as an exhibit |\n"
        "| 14:40 | Jo Reke: No, we do not have one | Ada Holm: Labels people read |\n"
        "| 15:20 | Per Aas: Repeat of the talk | Ute Voss: Is anybody there? |\n"
    ),
    "news.txt": (
        "El puente : la última pila no cae\n\nPor Lucía Ferrer\nActualizado: 14:20\n\n"
        "El alcalde prometió abrirlo en mayo. «Yo no dije qué mayo», explicó Manuel Ortiz.\n\n"
        "Foto: el puente, ayer. Crédito: Ana Gil\n\n¿Qué falta? Dos tornillos y una firma.\n\n"
        "Lea también: El túnel que llegó antes\nLea también: ¿Quién tiene la llave?\n\n"
        "Nota de la redacción: la entrevista se hizo por teléfono.\n"
    ),
    "works.md": (
        "# Films of Ines Valdory\n\n**The Ferry:** with Tom Ard and Rosa Lind. Who rowed?\n\n"
        "**Salt:** Rosa Lind is a clerk. You will not like her.\n\n"
        "**Where Is Tom:** Tom Ard, Jan Holz. Colour.\n\n"
        "**The Ferry Returns:** as before, but longer.\n\n**Night Boat:** Who rowed? Tom Ard.\n"
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_entries_programmes_and_news_have_no_speaker(name: str, tmp_path: Path) -> None:
    source = load(tmp_path, name, TEXTS[name])
    assert {turn.speaker for turn in source.turns} == {None}


def test_a_round_in_which_each_speaks_once_of_themselves_has_speakers(tmp_path: Path) -> None:
    names = ("Ada Holm", "Per Aas", "Rosa Lind", "Jan Holz", "Ute Voss")
    text = "\n\n".join(f"{name}: I work at the mill, and I like it." for name in names)
    assert tuple(turn.speaker for turn in load(tmp_path, "round.txt", text).turns) == names


def test_minutes_whose_times_are_those_of_a_timetable_have_speakers(tmp_path: Path) -> None:
    text = (
        "10:00 Ada Holm: We are open.\n10:05 Per Aas: Who has the key?\n10:15 Ada Holm: I have.\n"
        "10:20 Per Aas: It is not the key.\n"
    )
    source = load(tmp_path, "minutes.txt", text)
    assert [turn.speaker for turn in source.turns] == ["Ada Holm", "Per Aas"] * 2


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Lecture by Dr. Omar Brandt, Lund, 3 May 2019", "Dr. Omar Brandt"),
        ("A sermon preached by the Reverend Ellen Voss", "Reverend Ellen Voss"),
        ("Vortrag von Karin Holm", "Karin Holm"),
    ],
)
def test_a_talk_named_in_its_byline_alone_is_nobodys_with_the_remedy(
    tmp_path: Path, head: str, name: str
) -> None:
    body = "I first walked the salt road in May.\n\nMy boots were too small, and I said so.\n"
    (tmp_path / "a.txt").write_text(f"Salt roads\n\n{head}\n\n{body}\nThe road is a memory.\n")
    source = load_source(tmp_path / "a.txt")
    assert {turn.speaker for turn in source.turns} == {None}
    assert any(f"--speaker-map '-={name}'" in note for note in source.notes)


def test_an_article_with_a_byline_needs_no_note(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "Salt roads\n\nBy Omar Brandt\n\nThe roads ran to the hills.\n\nThey carried salt.\n"
    )
    assert load_source(tmp_path / "a.txt").notes == ()
