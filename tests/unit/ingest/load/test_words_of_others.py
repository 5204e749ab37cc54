"""Words beside a label that are somebody else's, or nobody's."""

from pathlib import Path
from time import process_time

import docx
import pytest

from dynagrag.ingest.load import load_source
from tests.loaded import load

Turn = tuple[str | None, str]


def said(folder: Path, name: str, text: str) -> list[Turn]:
    return [(turn.speaker, turn.text) for turn in load(folder, name, text).turns]


FORMS: dict[str, tuple[str, str, list[Turn]]] = {
    "what stands in front names the labels": (
        "a.md",
        "# Talk\n\nHost: Ada Holm\n\nTyped from the tape.\n\n**Host:** When was it?\n\n"
        "**Per Aas:** It was in May.\n\n**Host:** Who saw it?\n\n**Per Aas:** I saw it.\n",
        [
            (None, "Host: Ada Holm"),
            (None, "Typed from the tape."),
            ("Host", "When was it?"),
            ("Per Aas", "It was in May."),
            ("Host", "Who saw it?"),
            ("Per Aas", "I saw it."),
        ],
    ),
    "the first words below a name with a line to itself are that person's": (
        "a.md",
        "## Talk\n\nHolm: \n\nWas that at the NRL? \n\nAas: \n\nNRL, right. We built it there. \n\n"
        "Holm: \n\nWith whom? \n\nAas: \n\nI met Dr. Bo Lind. They knew the river. \n\n"
        "Holm: \n\nAnd then? \n\nAas: \n\nNSF, later. We went home. \n",
        [
            ("Holm", "Was that at the NRL?"),
            ("Aas", "NRL, right. We built it there."),
            ("Holm", "With whom?"),
            ("Aas", "I met Dr. Bo Lind. They knew the river."),
            ("Holm", "And then?"),
            ("Aas", "NSF, later. We went home."),
        ],
    ),
    "headings of a page": (
        "a.html",
        "<html><body><h1>A talk</h1><p><b>Ada Holm</b>: When was it?</p><p><b>Per Aas</b>: In May."
        "</p><h2>The bridge that nobody wanted to build</h2><p><b>Ada Holm</b>: Who?</p>"
        "<p><b>Per Aas</b>: The boy.</p><h2></h2></body></html>",
        [
            (None, "A talk"),
            ("Ada Holm", "When was it?"),
            ("Per Aas", "In May."),
            (None, "The bridge that nobody wanted to build"),
            ("Ada Holm", "Who?"),
            ("Per Aas", "The boy."),
        ],
    ),
    "a quotation set off from the talk": (
        "a.md",
        "**Ada:** Wann war das?\n\n**Per:** Im Mai. Ich sah den Jungen auf der Brücke.\n\n"
        "„Ich sah den Jungen auf der Brücke.“\n\n**Ada:** Und dann?\n\n**Per:** Dann ging er.\n",
        [
            ("Ada", "Wann war das?"),
            ("Per", "Im Mai. Ich sah den Jungen auf der Brücke."),
            (None, "„Ich sah den Jungen auf der Brücke.“"),
            ("Ada", "Und dann?"),
            ("Per", "Dann ging er."),
        ],
    ),
    "what Markdown quotes between turns": (
        "a.md",
        "**Ada:** When was it?\n\n**Per:** It was in May.\n\n> Advertisement: Kite Rope holds.\n\n"
        "**Ada:** Who saw it?\n\n**Per:** My sister: she never sleeps.\n",
        [
            ("Ada", "When was it?"),
            ("Per", "It was in May."),
            (None, "> Advertisement: Kite Rope holds."),
            ("Ada", "Who saw it?"),
            ("Per", "My sister: she never sleeps."),
        ],
    ),
    "a witness who was sworn in answers in the same paragraph": (
        "a.txt",
        "MS OTT:  I call Mr Aas.\n\n<PER AAS, sworn [10.14 am]\n\nMS OTT:  Where were you?---At"
        "\nthe weir.\n\nWas it open?---\nNo. It was shut.\n\nThanks.\n\nTHE CORONER:  Who shut it?"
        "---I did.\n\nMS OTT:  No more questions.\n\n<THE WITNESS WITHDREW\n",
        [
            ("MS OTT", "I call Mr Aas."),
            (None, "<PER AAS, sworn [10.14 am]"),
            ("MS OTT", "Where were you?"),
            ("PER AAS", "At the weir."),
            ("MS OTT", "Was it open?"),
            ("PER AAS", "No. It was shut."),
            ("MS OTT", "Thanks."),
            ("THE CORONER", "Who shut it?"),
            ("PER AAS", "I did."),
            ("MS OTT", "No more questions."),
            (None, "<THE WITNESS WITHDREW"),
        ],
    ),
    "a witness nobody names": (
        "a.txt",
        "Mr. Holm: Do you keep the weir?—I do.\n\nMr. Holm: Since when?—Since 1861.\n\n"
        "Chairman: Is it sound?—It is not.\n\nMr. Holm: Why do you say so?—It leaks.\n",
        [
            ("Mr. Holm", "Do you keep the weir?"),
            (None, "I do."),
            ("Mr. Holm", "Since when?"),
            (None, "Since 1861."),
            ("Chairman", "Is it sound?"),
            (None, "It is not."),
            ("Mr. Holm", "Why do you say so?"),
            (None, "It leaks."),
        ],
    ),
    "each fifth line has a number in the margin": (
        "a.txt",
        "MS OTT:  Where were you on\nthe day?\n\nMR AAS:  I was at the weir, as I am      \n"
        "on all days.                              5\n\nMS OTT:  Who saw you there?\n\n\n"
        "MR AAS:  The miller.                      10\n\nMS OTT:  Did he speak?\n\n\n"
        "MR AAS:  He did not.                      15\n\nMS OTT:  Are you sure?\n\n\n"
        "MR AAS:  I am.                            20\n",
        [
            ("MS OTT", "Where were you on the day?"),
            ("MR AAS", "I was at the weir, as I am on all days."),
            ("MS OTT", "Who saw you there?"),
            ("MR AAS", "The miller."),
            ("MS OTT", "Did he speak?"),
            ("MR AAS", "He did not."),
            ("MS OTT", "Are you sure?"),
            ("MR AAS", "I am."),
        ],
    ),
    "paragraphs with numbers of two levels": (
        "a.txt",
        "1. Ouverture\n\n1.1 PM : Qui prend la parole ?\n\n1.2 LC : Moi, si vous voulez.\n\n"
        "1.3 Je serai brève.\n\n2. La pompe\n\n2.1 PM : Où est la clé ?\n\n2.2 LC : Je ne sais pas."
        "\n\n2.3 PM : Merci.\n\nSigné : ............ Date : ............\n",
        [
            (None, "Ouverture"),
            ("PM", "Qui prend la parole ?"),
            ("LC", "Moi, si vous voulez."),
            ("LC", "Je serai brève."),
            (None, "La pompe"),
            ("PM", "Où est la clé ?"),
            ("LC", "Je ne sais pas."),
            ("PM", "Merci."),
            (None, "Signé : ............ Date : ............"),
        ],
    ),
    "labels that count their turns": (
        "a.txt",
        "I1: Wann war das?\nB1: Im Mai.\nI2: Wer war dabei?\nB2: Ich war dabei.\nI3: Und dann?\n"
        "B3: Dann kam der Regen.\n",
        [
            ("I", "Wann war das?"),
            ("B", "Im Mai."),
            ("I", "Wer war dabei?"),
            ("B", "Ich war dabei."),
            ("I", "Und dann?"),
            ("B", "Dann kam der Regen."),
        ],
    ),
    "numbers of people are part of their labels": (
        "a.txt",
        "Mod: Who begins?\nP1: I do.\nMod: And then?\nP2: I do.\nMod: P3, you?\nP3: I do.\n",
        [
            ("Mod", "Who begins?"),
            ("P1", "I do."),
            ("Mod", "And then?"),
            ("P2", "I do."),
            ("Mod", "P3, you?"),
            ("P3", "I do."),
        ],
    ),
    "media in place of a message are its senders": (
        "a.txt",
        "05/01/2026, 09:03 - Rosa Lind: It burned.\n05/01/2026, 09:04 - Jan: <Medien weggelassen>\n"
        "05/01/2026, 09:05 - Rosa Lind: In May.\n05/01/2026, 09:06 - Jan: I see.\n",
        [
            ("Rosa Lind", "It burned."),
            ("Jan", "<Medien weggelassen>"),
            ("Rosa Lind", "In May."),
            ("Jan", "I see."),
        ],
    ),
    "headings between questions in Greek": (
        "a.txt",
        "ΕΡ.: Πώς άρχισε;\n\nΑΠ.: Από ζημιά. Χάλασε το λάδι.\n\nΤο καζάνι\n\nΕΡ.: Είναι παλιό;\n\n"
        "ΑΠ.: Είναι το τρίτο.\n\nΕΡ.: Πού είναι το πρώτο;\n\nΑΠ.: Δεν ξέρω.\n",
        [
            ("ΕΡ.", "Πώς άρχισε;"),
            ("ΑΠ.", "Από ζημιά. Χάλασε το λάδι."),
            (None, "Το καζάνι"),
            ("ΕΡ.", "Είναι παλιό;"),
            ("ΑΠ.", "Είναι το τρίτο."),
            ("ΕΡ.", "Πού είναι το πρώτο;"),
            ("ΑΠ.", "Δεν ξέρω."),
        ],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_words_of_others_are_not_the_last_speakers(form: str, tmp_path: Path) -> None:
    name, text, expected = FORMS[form]
    assert said(tmp_path, name, text) == expected


def test_quotations_of_a_page_are_of_whom_the_line_below_names(tmp_path: Path) -> None:
    quotations = (
        ("It rained all day.", "<cite>Ada Holm</cite>, weaver"),
        ("Nobody was wet.", "<cite>Per Aas</cite>"),
        ("I was.", "— Ada Holm"),
    )
    blocks = "".join(
        f"<p>The rain.</p><blockquote><p>{words}</p><footer>{name}</footer></blockquote>"
        for words, name in quotations
    )
    page = f"<html><body><h1>Rain</h1>{blocks}<footer>All rights.</footer></body></html>"
    turns = said(tmp_path, "rain.html", page)
    assert [turn for turn in turns if turn[0]] == [
        ("Ada Holm", "It rained all day."),
        ("Per Aas", "Nobody was wet."),
        ("Ada Holm", "I was."),
    ]
    assert (None, "Ada Holm, weaver") in turns


def test_works_that_a_page_quotes_have_no_speaker_and_are_kept(tmp_path: Path) -> None:
    block = "<blockquote>It rained.<footer>{}</footer></blockquote>"
    page = "".join(block.format(name) for name in ("Salt and Water", "The Ferry"))
    turns = said(tmp_path, "works.html", f"<html><body>{page}</body></html>")
    assert {speaker for speaker, _ in turns} == {None}
    assert "Salt and Water" in " ".join(text for _, text in turns)


def test_a_table_whose_rows_count_the_turns_of_each_has_speakers(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=0, cols=3)
    rows = [("Zug", "Text", "Code")]
    for number, (asked, answered) in enumerate(
        (("Wann war das?", "Im Mai."), ("Wer war da?", "Ich war da."), ("Und?", "Es goss.")), 1
    ):
        rows += [(f"T{number}", asked, "offen"), (f"K{number}", answered, "–")]
    for row in rows:
        for cell, words in zip(table.add_row().cells, row, strict=True):
            cell.text = words
    path = tmp_path / "zug.docx"
    document.save(str(path))
    turns = [(turn.speaker, turn.text) for turn in load_source(path).turns]
    assert turns[:2] == [("T", "Wann war das?"), ("K", "Im Mai.")]
    assert [speaker for speaker, _ in turns] == ["T", "K"] * 3


MORE: dict[str, tuple[str, list[Turn]]] = {
    "directions in a play whose labels say how": (
        "Erster Akt\n\nMARTHE. Das Wasser kocht nicht.\n\nOTTO (tritt ein). Es kocht nie.\n\n"
        "Pause.\n\nMARTHE. Wer hat dich gesehen?\n\nOTTO. Niemand. Die Müllerin vielleicht.\n\n"
        "Er öffnet. Herein tritt die Müllerin mit einem Korb.\n\nMÜLLERIN. Eier?\n",
        [
            (None, "Erster Akt"),
            ("MARTHE", "Das Wasser kocht nicht."),
            ("OTTO", "Es kocht nie."),
            (None, "Pause."),
            ("MARTHE", "Wer hat dich gesehen?"),
            ("OTTO", "Niemand. Die Müllerin vielleicht."),
            (None, "Er öffnet. Herein tritt die Müllerin mit einem Korb."),
            ("MÜLLERIN", "Eier?"),
        ],
    ),
    "panels of a comic": (
        "PAGE ONE\n\nPANEL 1\nThe harbour at night. A lamp.\n\nNORA: He's late.\n"
        "PIM (off): He's always late.\n\nPANEL 2\nClose on the bell.\n\nNORA: That's him.\n"
        "PIM: That's a bell.\n",
        [
            (None, "PAGE ONE"),
            (None, "PANEL 1"),
            (None, "The harbour at night. A lamp."),
            ("NORA", "He's late."),
            ("PIM", "He's always late."),
            (None, "PANEL 2"),
            (None, "Close on the bell."),
            ("NORA", "That's him."),
            ("PIM", "That's a bell."),
        ],
    ),
    "lists of who speaks": (
        "Cast: NORA, 40; PIM, her son\n\nWitness: Per Aas, engineer.\n\nNORA: Is he coming?\n\n"
        "PIM: He said four.\n\nNORA: Who are you?\n\nPer Aas: I am the ferryman.\n\nPIM: Two.\n",
        [
            (None, "Cast: NORA, 40; PIM, her son"),
            (None, "Witness: Per Aas, engineer."),
            ("NORA", "Is he coming?"),
            ("PIM", "He said four."),
            ("NORA", "Who are you?"),
            ("Per Aas", "I am the ferryman."),
            ("PIM", "Two."),
        ],
    ),
    "breaks and the end of a broadcast": (
        "Moderadora: Buenas noches. ¿Quién arreglará el puente?\n\nSra. Gil: Nosotros, en mayo.\n\n"
        "(Aplausos)\n\nSr. Ortiz: Eso dijo ya.\n\nPausa publicitaria\n\n"
        "Moderadora: Volvemos. ¿Señora Gil?\n\nSra. Gil: El puente.\n\nFin de la transmisión\n",
        [
            ("Moderadora", "Buenas noches. ¿Quién arreglará el puente?"),
            ("Sra. Gil", "Nosotros, en mayo."),
            (None, "(Aplausos)"),
            ("Sr. Ortiz", "Eso dijo ya."),
            (None, "Pausa publicitaria"),
            ("Moderadora", "Volvemos. ¿Señora Gil?"),
            ("Sra. Gil", "El puente."),
            (None, "Fin de la transmisión"),
        ],
    ),
    "columns of a protocol, and who is cut off": (
        "4 May 2016 : Column 112\n\nRosa Lind: The weir is sound. I saw it.\n\nAda Holm: Does it "
        "leak?\n\n4 May 2016 : Column 113\n\nSeveral members rose--\n\nMr Voss: On a point of "
        "order—\n\nAda Holm: Sit down.\n\nRosa Lind: I will.\n",
        [
            (None, "4 May 2016 : Column 112"),
            ("Rosa Lind", "The weir is sound. I saw it."),
            ("Ada Holm", "Does it leak?"),
            (None, "4 May 2016 : Column 113"),
            (None, "Several members rose--"),
            ("Mr Voss", "On a point of order—"),
            ("Ada Holm", "Sit down."),
            ("Rosa Lind", "I will."),
        ],
    ),
    "somebody unknown on a line of a talk by lines": (
        "Groep 3\nMod: Wat vindt u van de brug?\nR1: Mooi.\nR2: Ik mis de oude.\nMod: Waarom?\n"
        "R2: Die was open.\nR?: Twee als het regent.\nR1: Twee.\nMod: Dank u.\n",
        [
            (None, "Groep 3"),
            ("Mod", "Wat vindt u van de brug?"),
            ("R1", "Mooi."),
            ("R2", "Ik mis de oude."),
            ("Mod", "Waarom?"),
            ("R2", "Die was open."),
            (None, "R?: Twee als het regent."),
            ("R1", "Twee."),
            ("Mod", "Dank u."),
        ],
    ),
    "edges of pages amid a turn": (
        "HOLM: Wo sind Sie geboren?\n\nLIND: In der Mühle. Man sagte mir, ich sei\n\nSeite 2 von 9"
        "\n\nim Wasser geboren.\n\nHOLM: Was stimmt?\n\nLIND: Das Rad stand still.\n\nSeite 3 von 9"
        "\n\nEs war Winter.\n\nHOLM: Danke.\n",
        [
            ("HOLM", "Wo sind Sie geboren?"),
            ("LIND", "In der Mühle. Man sagte mir, ich sei"),
            (None, "Seite 2 von 9"),
            ("LIND", "im Wasser geboren."),
            ("HOLM", "Was stimmt?"),
            ("LIND", "Das Rad stand still."),
            (None, "Seite 3 von 9"),
            ("LIND", "Es war Winter."),
            ("HOLM", "Danke."),
        ],
    ),
}


@pytest.mark.parametrize("form", MORE)
def test_directions_lists_and_pages_are_nobodys(form: str, tmp_path: Path) -> None:
    text, expected = MORE[form]
    assert said(tmp_path, "a.txt", text) == expected


def test_names_with_two_initials_before_a_stop_are_labels(tmp_path: Path) -> None:
    text = (
        "СТЕНОГРАММА\n\nПРЕДСЕДАТЕЛЬ. Начинаем. Кто докладчик?\n\nХОЛЬМ А.П. Да, закрыт.\n\n"
        "ПРЕДСЕДАТЕЛЬ. Почему?\n\nХОЛЬМ А.П. Он упал.\n\nПРЕДСЕДАТЕЛЬ. Принято.\n"
    )
    turns = said(tmp_path, "a.txt", text)
    assert [speaker for speaker, _ in turns[1:]] == [
        "ПРЕДСЕДАТЕЛЬ",
        "ХОЛЬМ А.П.",
        "ПРЕДСЕДАТЕЛЬ",
        "ХОЛЬМ А.П.",
        "ПРЕДСЕДАТЕЛЬ",
    ]


def test_who_is_named_above_the_talk_is_a_speaker_who_speaks_once(tmp_path: Path) -> None:
    text = (
        "会议纪要\n时间：2019年5月4日\n参加人：李梅、陈强\n\n王磊：谁来修水车？\n\n李梅：坏了三个月了。\n\n"
        "陈强：我可以修。\n\n王磊：木头在哪里？\n\n李梅：在河边。\n\n（笑声）\n\n决议：由陈强修理。\n\n王磊：好。\n"
    )
    turns = said(tmp_path, "a.txt", text)
    assert ("陈强", "我可以修。") in turns
    assert (None, "决议：由陈强修理。") in turns


AT_THE_END: dict[str, tuple[str, list[Turn]]] = {
    "who somebody is": (
        "UV: What is it?\n\nPA: A wall.\n\nUV: Who built it?\n\nPA: I did.\n\nUV: And next?\n\n"
        "PA: A ladder.\n\nPer Aas lives in Allern. His new book is out in June.\n",
        [("PA", "A ladder."), (None, "Per Aas lives in Allern. His new book is out in June.")],
    ),
    "a turn of two paragraphs where others have some": (
        "UV: What is a weir?\n\nPA: A wall.\n\nIt is old.\n\nUV: Who built it?\n\nPA: I did.\n\n"
        "My sister helped.\n\nUV: And then?\n\nPA: A ladder.\n\nFish like it.\n",
        [("PA", "A ladder."), ("PA", "Fish like it.")],
    ),
    "what became of a call": (
        "Operator: Which service?\nCaller: There's a goat.\nOperator: Is anybody hurt?\n"
        "Caller: Not yet.\nOperator: Hello?\nCALL ENDS 10:04\nDisposition: police informed\n",
        [
            ("Operator", "Hello?"),
            (None, "CALL ENDS 10:04"),
            (None, "Disposition: police informed"),
        ],
    ),
    "what was resolved": (
        "CLLR HOLM: Apologies from Per.\n\nCLLR VOSS: Whose goat is it?\n\nTHE CLERK: Nobody's.\n\n"
        "CLLR VOSS: It ate my hat.\n\nCLLR HOLM: Shall we feed it?\n\n"
        "RESOLVED: that the goat be fed.\n",
        [("CLLR HOLM", "Shall we feed it?"), (None, "RESOLVED: that the goat be fed.")],
    ),
}


@pytest.mark.parametrize("form", AT_THE_END)
def test_what_follows_the_last_turn_is_nobodys(form: str, tmp_path: Path) -> None:
    text, expected = AT_THE_END[form]
    assert said(tmp_path, "a.txt", text)[-len(expected) :] == expected


def test_labels_below_ranges_of_times_may_have_numbers_and_names(tmp_path: Path) -> None:
    text = (
        "00:00:01 - 00:00:09\nHost: Can you hear me?\n\n00:00:09 - 00:00:15\n"
        "Panelist 1 (Ada): Yes.\n\n00:00:15 - 00:00:20\nHost: Good.\n\n00:00:20 - 00:00:31\n"
        "Panelist 2 (Per): So can I.\n\n00:00:31 - 00:00:40\nPanelist 1 (Ada): Then let's start.\n"
    )
    turns = [(turn.speaker, turn.start_s) for turn in load(tmp_path, "a.txt", text).turns]
    assert turns == [
        ("Host", 1.0),
        ("Panelist 1 (Ada)", 9.0),
        ("Host", 15.0),
        ("Panelist 2 (Per)", 20.0),
        ("Panelist 1 (Ada)", 31.0),
    ]


def test_a_page_of_nested_quotations_and_headings_is_read_in_linear_time(tmp_path: Path) -> None:
    page = f"<html><body>{'<blockquote>' * 8000}It rained.{'<h2>' * 8000}<cite>Ada Holm</cite>"
    start = process_time()
    assert said(tmp_path, "a.html", page)
    assert process_time() - start < 10


def test_degrees_and_handles_in_bold_are_labels(tmp_path: Path) -> None:
    officer = "Lt. Col. Per Vik-Lund, M.D., M.P.H."
    labels = ["Ida Holm", "Şirin Aydın, Dipl.-Ing. (FH)", officer, "~mira"]
    lines = [f"**{labels[at % 4]}:** We close the sluice on day {at}." for at in range(8)]
    lines.append("**#17:** I close it too.")
    source = load(tmp_path, "a.md", "\n\n".join(lines))
    assert [turn.speaker for turn in source.turns] == [*labels * 2, "#17"]


def test_captions_in_which_one_asks_and_one_answers_have_speakers(tmp_path: Path) -> None:
    cues = [
        "ليلى: متى افتتحت المطحنة؟",
        "سامر: في الربيع.",
        "ليلى: ومن بناها؟",
        "سامر: بناها ياسر.",
        "ليلى: هل ما زالت تعمل؟",
        "سامر: نعم، كل يوم خميس.",
    ]
    text = "\n".join(
        f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{own}\n" for n, own in enumerate(cues)
    )
    assert [t.speaker for t in load(tmp_path, "a.srt", text).turns] == ["ليلى", "سامر"] * 3


def test_a_line_of_a_message_is_no_label_of_a_chat(tmp_path: Path) -> None:
    text = "".join(
        f"[3/2/26, 9:0{at}:00 PM] {who}: {words}\n"
        for at, (who, words) in enumerate(
            [("Ida", "Nine of twelve."), ("Per", "We told you.\nAnd a note: the gate sticks."),
             ("Ida", "You did."), ("Per", "In May."), ("Ida", "It was June.")]
        )
    )  # fmt: skip
    heard = [(t.speaker, t.text) for t in load(tmp_path, "a.txt", text).turns]
    assert heard[1] == ("Per", "We told you. And a note: the gate sticks.")
    assert [who for who, _ in heard] == ["Ida", "Per", "Ida", "Per", "Ida"]
