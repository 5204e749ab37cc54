"""Forms of help desks, classrooms, stages, minutes and pages, and records of what somebody did."""

from pathlib import Path

import docx
import pytest

from dynagrag.ingest.load import load_source
from tests.loaded import load

Turn = tuple[str | None, str]
FORMS: dict[str, tuple[str, str, list[Turn]]] = {
    "labels before an angle that stands apart, with what the program did between rules": (
        "a.txt",
        "VORGANG 4711  LEITUNG: Warmwasser\nMA  > Guten Tag, was ist kaputt?\n"
        "KD  > Der Kessel. Er pfeift.\n-- Warteschleife 00:30 --\nMA  > Seit wann pfeift er?\n"
        "KD  > Seit Sonntag.\n== Weiter an Leitung ==\nLTG > Wir kommen.\nKD  > Danke.\n"
        "LTG > Gern.\nNotiz: Kessel getauscht\n",
        [
            (None, "VORGANG 4711 LEITUNG: Warmwasser"),
            ("MA", "Guten Tag, was ist kaputt?"),
            ("KD", "Der Kessel. Er pfeift."),
            (None, "-- Warteschleife 00:30 --"),
            ("MA", "Seit wann pfeift er?"),
            ("KD", "Seit Sonntag."),
            (None, "== Weiter an Leitung =="),
            ("LTG", "Wir kommen."),
            ("KD", "Danke."),
            ("LTG", "Gern."),
            (None, "Notiz: Kessel getauscht"),
        ],
    ),
    "minutes in a column, with notes that have none": (
        "a.txt",
        "Observatie groep 6\n\n0     L:   Wie weet wat een kwart is?\n1     Lln: De helft van de"
        " helft!\n1     L1:  Vier keer vouwen, juf.\n      OBS: achterin wordt gelachen.\n"
        "3     L:   Wie heeft dat gezegd?\n3     L?:  Ik niet.\n4     L:   Schrijf het op.\n"
        "4     L1:  Nu al?\n5     L:   Ja.\n",
        [
            (None, "Observatie groep 6"),
            ("L", "Wie weet wat een kwart is?"),
            ("Lln", "De helft van de helft!"),
            ("L1", "Vier keer vouwen, juf."),
            (None, "OBS: achterin wordt gelachen."),
            ("L", "Wie heeft dat gezegd?"),
            (None, "L?: Ik niet."),
            ("L", "Schrijf het op."),
            ("L1", "Nu al?"),
            ("L", "Ja."),
        ],
    ),
    "letters that the head spells out, before a stop and a dash, a line each": (
        "a.txt",
        "Il faro\nD. = Ida Sala   R. = Ugo Neri\n\nD.– Chi accende la luce?\n"
        "R.– La accendo io. Da sempre.\nD.– E di giorno?\nR.– Di giorno dormo.\n"
        "D.– E la moglie?\nR.– Dorme anche di notte.\n",
        [
            (None, "Il faro D. = Ida Sala R. = Ugo Neri"),
            ("D", "Chi accende la luce?"),
            ("R", "La accendo io. Da sempre."),
            ("D", "E di giorno?"),
            ("R", "Di giorno dormo."),
            ("D", "E la moglie?"),
            ("R", "Dorme anche di notte."),
        ],
    ),
    "bold letters before a dash, some behind a bold time": (
        "a.md",
        "# Çay ocağı\n\n**[00:00]** **EA** – Kaç yıldır burada?\n\n**HU** – Otuz yıl oldu.\n\n"
        "**EA** – Kim öğretti?\n\n**HU** – Babam öğretti.\n\n**[01:10]** **EA** – Zor mu?\n\n"
        "**HU** – Hayır.\n",
        [
            ("EA", "Kaç yıldır burada?"),
            ("HU", "Otuz yıl oldu."),
            ("EA", "Kim öğretti?"),
            ("HU", "Babam öğretti."),
            ("EA", "Zor mu?"),
            ("HU", "Hayır."),
        ],
    ),
    "short words below a name that has its line to itself": (
        "a.html",
        "<html><body><h1>Το καφενείο</h1>"
        + "".join(
            f"<div><span class=w>{who}</span><p>{words}</p></div>"
            for who, words in (
                ("Παρουσιάστρια", "Καλημέρα σας. Από πότε είστε εδώ;"),
                ("Καλεσμένος", "Από παιδί. Ο παππούς μου το έχτισε."),
                ("Παρουσιάστρια", "Και τώρα;"),
                ("Καλεσμένος", "Τώρα το κρατώ εγώ, κάθε μέρα."),
                ("Παρουσιάστρια", "Μόνος;"),
                ("Καλεσμένος", "Με τη γάτα. Την ξέρετε;"),
            )
        )
        + "</body></html>",
        [
            (None, "Το καφενείο"),
            ("Παρουσιάστρια", "Καλημέρα σας. Από πότε είστε εδώ;"),
            ("Καλεσμένος", "Από παιδί. Ο παππούς μου το έχτισε."),
            ("Παρουσιάστρια", "Και τώρα;"),
            ("Καλεσμένος", "Τώρα το κρατώ εγώ, κάθε μέρα."),
            ("Παρουσιάστρια", "Μόνος;"),
            ("Καλεσμένος", "Με τη γάτα. Την ξέρετε;"),
        ],
    ),
    "a name with a colon in it": (
        "a.txt",
        "Ada Holm: Qui a la clé ?\n\nChef: Cuisine: Moi, je l'ai.\n\nAda Holm: Depuis quand ?\n\n"
        "Chef: Cuisine: Depuis hier: elle était là.\n\nAda Holm: Bien.\n",
        [
            ("Ada Holm", "Qui a la clé ?"),
            ("Chef: Cuisine", "Moi, je l'ai."),
            ("Ada Holm", "Depuis quand ?"),
            ("Chef: Cuisine", "Depuis hier: elle était là."),
            ("Ada Holm", "Bien."),
        ],
    ),
    "turns quoted in minutes": (
        "a.md",
        "# Notulen\n\nDe raad sprak over de brug. Op verzoek woordelijk:\n\n"
        "> Mw. Aas: Wie betaalt de brug?\n>\n> Dhr. Holm: Wij allemaal, en ik ook.\n>\n"
        "> Mw. Aas: Ik niet.\n>\n> Dhr. Holm: Dat zien we dan.\n\n"
        "De raad ging daarna uiteen. Actie: Holm belt.\n",
        [
            (None, "De raad sprak over de brug. Op verzoek woordelijk:"),
            ("Mw. Aas", "Wie betaalt de brug?"),
            ("Dhr. Holm", "Wij allemaal, en ik ook."),
            ("Mw. Aas", "Ik niet."),
            ("Dhr. Holm", "Dat zien we dan."),
            (None, "De raad ging daarna uiteen. Actie: Holm belt."),
        ],
    ),
    "feet and heads of pages amid a sentence": (
        "a.txt",
        "Holm: Wann kam das Wasser?\nVoss: In der Nacht. Mein Vater hat die Kühe\n\n"
        "Interview Voss, Band 1            Seite 1\n\nArchiv der Deiche\n\n"
        "losgebunden, und wir sind gelaufen.\nHolm: Wohin?\nVoss: Auf den Deich. Da stand schon\n\n"
        "Interview Voss, Band 1            Seite 2\n\nArchiv der Deiche\n\nder Pfarrer.\n"
        "Holm: Danke, Frau Voss.\n",
        [
            ("Holm", "Wann kam das Wasser?"),
            ("Voss", "In der Nacht. Mein Vater hat die Kühe"),
            (None, "Interview Voss, Band 1 Seite 1"),
            (None, "Archiv der Deiche"),
            ("Voss", "losgebunden, und wir sind gelaufen."),
            ("Holm", "Wohin?"),
            ("Voss", "Auf den Deich. Da stand schon"),
            (None, "Interview Voss, Band 1 Seite 2"),
            (None, "Archiv der Deiche"),
            ("Voss", "der Pfarrer."),
            ("Holm", "Danke, Frau Voss."),
        ],
    ),
    "small letters in a chat": (
        "a.txt",
        "Léa: t'es où ?\nMarc: j'arrive\nLéa: t'as le pain ?\nMarc: oui\nLéa: et le sel ?\n"
        "Marc: non\nLéa: bon\nMarc: désolé\n",
        [
            ("Léa", "t'es où ?"),
            ("Marc", "j'arrive"),
            ("Léa", "t'as le pain ?"),
            ("Marc", "oui"),
            ("Léa", "et le sel ?"),
            ("Marc", "non"),
            ("Léa", "bon"),
            ("Marc", "désolé"),
        ],
    ),
    "directions before the words": (
        "a.txt",
        "OTTO. (leise) Ist er weg?\n\nIDA. Er kommt wieder.\n\n(Es klopft.)\n\n"
        "OTTO. Wer ist da?\n\nIDA. (öffnet) Niemand.\n\nOTTO. Dann komm.\n",
        [
            (None, "(leise)"),
            ("OTTO", "Ist er weg?"),
            ("IDA", "Er kommt wieder."),
            (None, "(Es klopft.)"),
            ("OTTO", "Wer ist da?"),
            (None, "(öffnet)"),
            ("IDA", "Niemand."),
            ("OTTO", "Dann komm."),
        ],
    ),
}
NOBODYS = {
    "strickjacke.md": (
        "# Jacke in drei Größen\n\nLina: für 2 Jahre\nJonas: für 6 Jahre\nOma: für 90 cm\n\n"
        "**Garn:** 4 (6: 8) Knäuel\n\n## Rücken\n\n**Lina:** schlage 60 Maschen an.\n"
        "**Jonas:** schlage 70 Maschen an.\n**Oma:** schlage 96 Maschen an.\n\n"
        "Reihe 1: 2 rechts. Hast du dich verzählt?\nReihe 2: wie Reihe 1.\n\n## Hals\n\n"
        "Lina: kette 18 Maschen ab.\nJonas: kette 22 Maschen ab.\nOma: wie Jonas, dann 4 Reihen.\n"
    ),
    "entrainement.txt": (
        "Séance du mardi\n\nLéa: dix tours de piste.\nMarc: douze tours.\nInès: repos, puis cinq"
        " tours.\n\nJeudi\n\nLéa: saut en longueur.\nMarc: lancer. Tu vises où ?\n"
        "Inès: comme Marc.\n\nSamedi\n\nLéa: course.\nMarc: course.\nInès: elle compte.\n"
    ),
    "protokoll.txt": (
        "MATCHPROTOKOLL\nPlats: Norrvallen, 12.6.2004\nHemmalag: Norra Bollklubb\n"
        "Domare: Ek, Tore\n\nHÄNDELSER\n14:02 Lind: frispark\n14:09 Ek: varning, bänken\n"
        "14:17 Holm: mål, vänsterfot\n14:31 Lind: byte. Var det rätt? Se bilaga.\n"
        "14:44 Holm: hörna\n14:58 Ek: paus\n\nRESULTAT\n1. halvlek: 1-0\nNorra: ingen protest.\n"
    ),
    "chronique.txt": (
        "Le pont : la pile tient\n\nPar Ida Sol\n\nPourquoi tient-elle ? On ne sait pas.\n\n"
        "« Je suis patiente », dit la préfète.\n\nÀ lire : Le clocher penche\n"
        "À lire : La gare dort\n\nCommentaires : 12\n"
    ),
    "acta.txt": (
        "ACTA DEL PARTIDO\nCampo: Las Eras\nLocal: Unión Eras\nÁrbitro: Gil, Ana\n\nINCIDENCIAS\n"
        "17:03 Sanz: córner\n17:11 Mora: falta, ¿mano?\n17:19 Sanz: gol de cabeza\n"
        "17:25 Gil: tarjeta al banquillo\n17:40 Mora: cambio\n17:52 Perro: en el campo\n"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_its_speakers(form: str, tmp_path: Path) -> None:
    name, text, turns = FORMS[form]
    found = [(turn.speaker, turn.text) for turn in load(tmp_path, name, text).turns]
    assert found == turns


@pytest.mark.parametrize("name", NOBODYS)
def test_records_and_instructions_by_name_have_no_speaker(name: str, tmp_path: Path) -> None:
    source = load(tmp_path, name, NOBODYS[name])
    assert {turn.speaker for turn in source.turns} == {None}


def test_a_name_with_a_colon_is_one_label_in_a_document(tmp_path: Path) -> None:
    document = docx.Document()
    said = ("Who has it?", "I have.", "Since when?", "Since May.", "Was it heavy?", "Yes.")
    for who, words in zip(("Ada Holm", "Stall: Two") * 3, said, strict=True):
        paragraph = document.add_paragraph()
        paragraph.add_run(f"{who}: ").bold = True
        paragraph.add_run(words)
    document.save(str(tmp_path / "a.docx"))
    source = load_source(tmp_path / "a.docx")
    assert [turn.speaker for turn in source.turns] == ["Ada Holm", "Stall: Two"] * 3


def test_each_paragraph_of_an_rtf_file_that_ends_a_sentence_is_one(tmp_path: Path) -> None:
    said = (
        "P.- Quem viu?", "R.- Eu vi.", "P.- E o barco?", "R.- Foi.", "Uma noite",
        "P.- Quem foi?", "R.- O vento.", "P.- E depois?", "M.- Nada.", "P.- Nada?", "M.- Nada.",
    )  # fmt: skip
    path = tmp_path / "a.rtf"
    path.write_text(r"{\rtf1\ansi " + r"\par ".join(said) + "}")
    turns = load_source(path).turns
    assert [turn.speaker for turn in turns] == ["P", "R"] * 2 + [None, "P", "R"] + ["P", "M"] * 2
