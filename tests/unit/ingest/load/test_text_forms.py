"""Where names and times stand in text files: each form, and what only looks like it."""

from pathlib import Path

import pytest

from dynagrag.ingest.load import load_source

Turn = tuple[str | None, float | None, str]


def turns(folder: Path, name: str, text: str) -> list[Turn]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    source = load_source(path)
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.text) for turn in source.turns]


ROWS: dict[str, tuple[str, str, list[Turn]]] = {
    "name above words like 1 hour 2 minutes": (
        "a.txt",
        "Rosa Lind\n0 minutes 4 seconds\nThe mill burned.\nJan Wierzba\n1 minute 9 seconds\nWhen?\n"
        "Rosa Lind\n1 hour 0 minutes 2 seconds\nIn May.\n",
        [
            ("Rosa Lind", 4.0, "The mill burned."),
            ("Jan Wierzba", 69.0, "When?"),
            ("Rosa Lind", 3602.0, "In May."),
        ],
    ),
    "the same in German": (
        "a.txt",
        "Rosa Lind\n0 Minuten 4 Sekunden\nDie Mühle brannte.\nJan Holz\n1 Minute 9 Sekunden\n"
        "Wann denn?\nRosa Lind\n2 Minuten 0 Sekunden\nIm Mai.\n",
        [
            ("Rosa Lind", 4.0, "Die Mühle brannte."),
            ("Jan Holz", 69.0, "Wann denn?"),
            ("Rosa Lind", 120.0, "Im Mai."),
        ],
    ),
    "begin and end above the name": (
        "a.txt",
        "0:0:1.500 --> 0:0:3.250\nRosa Lind\nThe mill burned.\n\n0:1:2.0 --> 0:1:64.5\nkim_87\n"
        "When?\n\n0:2:0.0 --> 0:2:4.0\nRosa Lind\nIn May.\n\n0:3:0.0 --> 0:3:4.0\nkim_87\nI see.\n",
        [
            ("Rosa Lind", 1.5, "The mill burned."),
            ("kim_87", 62.0, "When?"),
            ("Rosa Lind", 120.0, "In May."),
            ("kim_87", 180.0, "I see."),
        ],
    ),
    "headings of clock times hold for what is below": (
        "a.md",
        "# Mill talk\n\n### 00:00:10\n\n**Rosa Lind:** It burned.\n\n**Jan Holz:** When?\n\n"
        "### 00:05:00\n\n**Rosa Lind:** In May.\n\nMeeting ended after 00:07:30\n\n"
        "A program wrote this text.\n",
        [
            ("Rosa Lind", 10.0, "It burned."),
            ("Jan Holz", 10.0, "When?"),
            ("Rosa Lind", 300.0, "In May."),
            (None, None, "Meeting ended after 00:07:30"),
            (None, None, "A program wrote this text."),
        ],
    ),
    "time, dash and name above the words": (
        "a.txt",
        "Mill talk - May 5\nVIEW - 3 mins\n\n---\n\n0:04 - Rosa Lind\n  It burned.\n\n"
        "0:09 - Jan Holz (guest)\n  When?\n  Tell us.\n\n1:00:02 - Rosa Lind\n  In May.\n",
        [
            (None, None, "Mill talk - May 5 VIEW - 3 mins"),
            (None, None, "---"),
            ("Rosa Lind", 4.0, "It burned."),
            ("Jan Holz (guest)", 9.0, "When? Tell us."),
            ("Rosa Lind", 3602.0, "In May."),
        ],
    ),
    "name and time on one line": (
        "a.txt",
        "rosa lind  0:04\nIt burned.\n\nJan Holz  0:09\nWhen?\n\nrosa lind  1:00:02\nIn May.\n",
        [
            ("rosa lind", 4.0, "It burned."),
            ("Jan Holz", 9.0, "When?"),
            ("rosa lind", 3602.0, "In May."),
        ],
    ),
    "time before name and words": (
        "a.txt",
        "[00:00:03] Rosa Lind: It burned.\n\n[00:00:09] Jan Holz: When?\n\n"
        "[00:01:02] Rosa Lind: In May.\n",
        [
            ("Rosa Lind", 3.0, "It burned."),
            ("Jan Holz", 9.0, "When?"),
            ("Rosa Lind", 62.0, "In May."),
        ],
    ),
    "bold name, then a time": (
        "a.md",
        "**Rosa Lind:** [00:00:03] It burned.\n\n**Jan Holz:** [00:00:09] When?\n\n"
        "**Rosa Lind:** [00:01:02] In May.\n",
        [
            ("Rosa Lind", 3.0, "It burned."),
            ("Jan Holz", 9.0, "When?"),
            ("Rosa Lind", 62.0, "In May."),
        ],
    ),
    "times at the end, with a stroke before each bracket": (
        "a.md",
        "**Rosa Lind:** It burned. \\[00:03\\]\n\n**%TMP%:** When? \\[00:09\\]\n\n"
        "**Intermission**: \\[01:00\\]\n\n**Rosa Lind:** In May. (01:02)\n",
        [
            ("Rosa Lind", 3.0, "It burned."),
            ("%TMP%", 9.0, "When?"),
            ("Rosa Lind", 62.0, "In May."),
        ],
    ),
    "a chat with dates": (
        "a.txt",
        "\u200e[05.01.26, 09:03:12] Rosa: The mill burned.\n[05.01.26, 09:03:40] +49 170 123: Oh\n"
        "no.\n[05.01.26, 09:04:00] Rosa changed the group's picture\n"
        "[05.01.26, 09:05:00] Rosa: \u200eimage omitted\n",
        [
            ("Rosa", 32592.0, "The mill burned."),
            ("+49 170 123", 32620.0, "Oh no."),
            (None, 32640.0, "Rosa changed the group's picture"),
            ("Rosa", 32700.0, "image omitted"),
        ],
    ),
    "a chat with a dash behind the time": (
        "a.txt",
        "05/01/2026, 09:03 - Rosa Lind: The mill burned.\n05/01/2026, 09:04 - Jan: When?\n"
        "05/01/2026, 09:05 - Rosa Lind: In May.\n",
        [
            ("Rosa Lind", 32580.0, "The mill burned."),
            ("Jan", 32640.0, "When?"),
            ("Rosa Lind", 32700.0, "In May."),
        ],
    ),
    "a chat as it is copied from a window": (
        "a.txt",
        "Rosa Lind  9:03 AM\nThe mill burned.\nJan Holz  1:04 PM\nWhen?\nRosa Lind  1:05 PM\n"
        "In May.\n",
        [
            ("Rosa Lind", 32580.0, "The mill burned."),
            ("Jan Holz", 47040.0, "When?"),
            ("Rosa Lind", 47100.0, "In May."),
        ],
    ),
    "a chat of a meeting": (
        "a.txt",
        "14:02:11 From Rosa Lind to Everyone:\n\tIt burned.\n14:02:19 From jan.h to Everyone:\n"
        "\tWhen?\n14:03:01 From Rosa Lind to Everyone:\n\tIn May.\n",
        [
            ("Rosa Lind", 50531.0, "It burned."),
            ("jan.h", 50539.0, "When?"),
            ("Rosa Lind", 50581.0, "In May."),
        ],
    ),
    "names in brackets beside a time, wide blanks, a name that is a small word": (
        "a.txt",
        "[Rosa Lind]\u300014:02:11\nIt burned.\n\n[Per]\u300014:02:19\nWhen?\n\n"
        "[Rosa Lind]\u300014:03:01\nIn May.\n",
        [
            ("Rosa Lind", 50531.0, "It burned."),
            ("Per", 50539.0, "When?"),
            ("Rosa Lind", 50581.0, "In May."),
        ],
    ),
    "an agenda's numbers": (
        "a.txt",
        "Abg. Wirth (fraktionslos):\nDas ist falsch.\n\nPräsident Kamp:\nDanke.\n\n"
        "Punkt 3:\nBeratung des Antrags\n\nPräsident Kamp:\nGut.\n\n(Unruhe)\n\nNun denn.\n\n"
        "(Beifall)\n\nSchluss um elf.\n",
        [
            ("Abg. Wirth (fraktionslos)", None, "Das ist falsch."),
            ("Präsident Kamp", None, "Danke."),
            (None, None, "Punkt 3: Beratung des Antrags"),
            ("Präsident Kamp", None, "Gut."),
            (None, None, "(Unruhe)"),
            ("Präsident Kamp", None, "Nun denn."),
            (None, None, "(Beifall)"),
            (None, None, "Schluss um elf."),
        ],
    ),
    "Hebrew": (
        "a.txt",
        "דנה: הטחנה נשרפה.\n\nאורי: מתי?\n\nדנה: במאי.\n",
        [("דנה", None, "הטחנה נשרפה."), ("אורי", None, "מתי?"), ("דנה", None, "במאי.")],
    ),
    "Chinese": (
        "a.txt",
        "主持人：磨坊烧了。\n李娜：什么时候？\n主持人：五月。\n",
        [("主持人", None, "磨坊烧了。"), ("李娜", None, "什么时候？"), ("主持人", None, "五月。")],
    ),
    "Polish": (
        "a.txt",
        "Poseł Żaneta Śliwa:\n\nMłyn spłonął.\n\nMarszałek:\n\nKiedy?\n\nPoseł Żaneta Śliwa:\n\n"
        "W maju.\n",
        [
            ("Poseł Żaneta Śliwa", None, "Młyn spłonął."),
            ("Marszałek", None, "Kiedy?"),
            ("Poseł Żaneta Śliwa", None, "W maju."),
        ],
    ),
    "titles with a small word and a party": (
        "a.txt",
        "Präsident Dr. Ole Kamp:\n\nBitte, Frau Wirth.\n\nUta Wirth (Uferland):\n\nDer Damm bricht."
        " Zweitens: Er ist alt.\n\nPräsident Dr. Ole Kamp:\n\nNun der Minister.\n\n"
        "Jens Falk, Bundesminister der Finanzen:\n\nEr bricht nicht.\n\n(Heiterkeit)\n\n"
        "Beschlussempfehlung:\nAusschuss für Dämme\nAusschuss für Geld\n\n"
        "Präsident Dr. Ole Kamp:\n\nDanke.\n",
        [
            ("Präsident Dr. Ole Kamp", None, "Bitte, Frau Wirth."),
            ("Uta Wirth (Uferland)", None, "Der Damm bricht. Zweitens: Er ist alt."),
            ("Präsident Dr. Ole Kamp", None, "Nun der Minister."),
            ("Jens Falk, Bundesminister der Finanzen", None, "Er bricht nicht."),
            (None, None, "(Heiterkeit)"),
            (None, None, "Beschlussempfehlung: Ausschuss für Dämme Ausschuss für Geld"),
            ("Präsident Dr. Ole Kamp", None, "Danke."),
        ],
    ),
    "a court": (
        "a.txt",
        "THE COURT: Please be seated.\n\nMR. VOGT: Thank you.\n\nBY MR. VOGT:\n\n"
        "Q. Did it burn?\n\nA. It did.\n\nQ. When?\n\nA. In May.\n\n"
        "THE INTERPRETER: In early May.\n\n"
        "THE COURT: Go on.\n\nMR. VOGT: Yes.\n",
        [
            ("THE COURT", None, "Please be seated."),
            ("MR. VOGT", None, "Thank you."),
            (None, None, "BY MR. VOGT:"),
            ("MR. VOGT", None, "Did it burn?"),
            ("A", None, "It did."),
            ("MR. VOGT", None, "When?"),
            ("A", None, "In May."),
            ("THE INTERPRETER", None, "In early May."),
            ("THE COURT", None, "Go on."),
            ("MR. VOGT", None, "Yes."),
        ],
    ),
    "a hearing": (
        "a.txt",
        "    Mr. Vogt. The mill burned. It was old.\n\n    Ms. Lind. When?\n\n"
        "    Mr. Vogt. In May.\n\n    Chairman Holz. Thank you.\n\n    Ms. Lind. Thank you.\n",
        [
            ("Mr. Vogt", None, "The mill burned. It was old."),
            ("Ms. Lind", None, "When?"),
            ("Mr. Vogt", None, "In May."),
            ("Chairman Holz", None, "Thank you."),
            ("Ms. Lind", None, "Thank you."),
        ],
    ),
    "a play": (
        "a.txt",
        "ACT ONE\n\nMARTA. The mill burns.\n\nIVO. Where?\n\nMARTA. By the weir.\n\n"
        "(They run.)\n\nIVO. Faster.\n",
        [
            (None, None, "ACT ONE"),
            ("MARTA", None, "The mill burns."),
            ("IVO", None, "Where?"),
            ("MARTA", None, "By the weir."),
            (None, None, "(They run.)"),
            ("IVO", None, "Faster."),
        ],
    ),
    "numbers, initials, addresses and handles": (
        "a.txt",
        "SPEAKER_00: One.\nUser 2: Two.\nanna.k@x.org: Three.\nJS: Four.\n"
        "Dr. med. Müller: Five.\nKim (Mill & Co.): Six.\n🦊 Kai: Seven.\nuser 3: Eight.\n"
        "SPEAKER_00: Nine.\nJS: Ten.\n",
        [
            ("SPEAKER_00", None, "One."),
            ("User 2", None, "Two."),
            ("anna.k@x.org", None, "Three."),
            ("JS", None, "Four."),
            ("Dr. med. Müller", None, "Five."),
            ("Kim (Mill & Co.)", None, "Six."),
            ("🦊 Kai", None, "Seven."),
            ("user 3", None, "Eight."),
            ("SPEAKER_00", None, "Nine."),
            ("JS", None, "Ten."),
        ],
    ),
    "brackets": (
        "a.txt",
        "[Rosa] It burned.\n[Jan] When?\n[Rosa] In May.\n[Jan] I see.\n",
        [
            ("Rosa", None, "It burned."),
            ("Jan", None, "When?"),
            ("Rosa", None, "In May."),
            ("Jan", None, "I see."),
        ],
    ),
    "dashes": (
        "a.txt",
        "Rosa Lind — It burned.\n\nJan — When?\n\nRosa Lind — In May.\n\nJan — I see.\n",
        [
            ("Rosa Lind", None, "It burned."),
            ("Jan", None, "When?"),
            ("Rosa Lind", None, "In May."),
            ("Jan", None, "I see."),
        ],
    ),
    "questions and answers of a court, without blank lines": (
        "a.txt",
        "BY MS. HAND:\nQ. Where was it?\nA. By the weir.\nMR. OTT:  Objection.\n"
        "Q. Did you see it?\nA. Yes. It burned.\n",
        [
            (None, None, "BY MS. HAND:"),
            ("MS. HAND", None, "Where was it?"),
            ("A", None, "By the weir."),
            ("MR. OTT", None, "Objection."),
            ("MS. HAND", None, "Did you see it?"),
            ("A", None, "Yes. It burned."),
        ],
    ),
    "a log with names before a stroke": (
        "a.txt",
        "10:01 mira | it burned.\n10:02 joe | when?\n10:03 mira | in May.\n10:04 joe | I see.\n",
        [
            ("mira", 601.0, "it burned."),
            ("joe", 602.0, "when?"),
            ("mira", 603.0, "in May."),
            ("joe", 604.0, "I see."),
        ],
    ),
    "a log with names before an angle": (
        "a.txt",
        "mira> It burned.\njoe> When?\nmira> In May.\njoe> I see.\n",
        [
            ("mira", None, "It burned."),
            ("joe", None, "When?"),
            ("mira", None, "In May."),
            ("joe", None, "I see."),
        ],
    ),
    "an examiner after another": (
        "a.txt",
        "BY MS. HAND:\nQ. Where was it?\nA. By the weir.\nQ. When?\nA. In May.\n"
        "CROSS-EXAMINATION BY MR. OTT\nQ. Are you sure?\nA. I am.\n",
        [
            (None, None, "BY MS. HAND:"),
            ("MS. HAND", None, "Where was it?"),
            ("A", None, "By the weir."),
            ("MS. HAND", None, "When?"),
            ("A", None, "In May."),
            (None, None, "CROSS-EXAMINATION BY MR. OTT"),
            ("MR. OTT", None, "Are you sure?"),
            ("A", None, "I am."),
        ],
    ),
    "questions before a wide gap": (
        "a.txt",
        "MR. OTT:  One thing first.\n\nQ    Does he know?\n\nMR. OTT:  He does.\n\n"
        "Q    Since when?\n\nMR. OTT:  Since May.\n",
        [
            ("MR. OTT", None, "One thing first."),
            ("Q", None, "Does he know?"),
            ("MR. OTT", None, "He does."),
            ("Q", None, "Since when?"),
            ("MR. OTT", None, "Since May."),
        ],
    ),
    "questions in bold without a colon": (
        "a.md",
        "**MS. OTT:** One thing first.\n\n**Q** Does he know?\n\n**MS. OTT:** He does.\n\n"
        "**Q** Since when?\n\n**MS. OTT:** Since May.\n",
        [
            ("MS. OTT", None, "One thing first."),
            ("Q", None, "Does he know?"),
            ("MS. OTT", None, "He does."),
            ("Q", None, "Since when?"),
            ("MS. OTT", None, "Since May."),
        ],
    ),
    "names in capitals with party and office before full stops": (
        "a.txt",
        "VORSITZ. Es beginnt.\n\nLIND (Rot). Die Mühle brennt.\n\nVORSITZ. Bitte.\n\n"
        "HOLZ (Grün), Schriftführer. Wo denn?\n\nLIND (Rot). Am Wehr.\n\nVORSITZ. Danke.\n",
        [
            ("VORSITZ", None, "Es beginnt."),
            ("LIND (Rot)", None, "Die Mühle brennt."),
            ("VORSITZ", None, "Bitte."),
            ("HOLZ (Grün), Schriftführer", None, "Wo denn?"),
            ("LIND (Rot)", None, "Am Wehr."),
            ("VORSITZ", None, "Danke."),
        ],
    ),
    "a chair with small words, and what may be an office or a sentence": (
        "a.txt",
        "The CHAIR for today. It begins.\n\nMr. LIND. The mill burns.\n\n"
        "The CHAIR for today. Go on.\n\nStaff. By the weir.\n\nMr. LIND. I see.\n\n"
        "The CHAIR for today. Thanks.\n",
        [
            ("The CHAIR for today", None, "It begins."),
            ("Mr. LIND", None, "The mill burns."),
            ("The CHAIR for today", None, "Go on."),
            (None, None, "Staff. By the weir."),
            ("Mr. LIND", None, "I see."),
            ("The CHAIR for today", None, "Thanks."),
        ],
    ),
    "initials before full stops, and a chair in small letters": (
        "a.txt",
        "Ведущий. Начнём.\n\nЛин С. И., фракция «Юг». Мельница горит.\n\nВедущий. Где же?\n\n"
        "Лин С. И.. У реки.\n\nВедущий. Спасибо.\n\nЛин С. И.. Да.\n",
        [
            ("Ведущий", None, "Начнём."),
            ("Лин С. И., фракция «Юг»", None, "Мельница горит."),
            ("Ведущий", None, "Где же?"),
            ("Лин С. И.", None, "У реки."),
            ("Ведущий", None, "Спасибо."),
            ("Лин С. И.", None, "Да."),
        ],
    ),
    "labels in another form than the others": (
        "a.md",
        "**Ann:** It is thin.\n\n**Bo Ek** Too thin.\n\n**Ann:** Why?\n\n"
        "**Cy Dahl (by phone)** I can't hear.\n\n**Ann:** So?\n\n*Dina:* Nor can I.\n\n"
        "**Ann:** Louder, then.\n\n**Bo Ek:** It holds.\n",
        [
            ("Ann", None, "It is thin."),
            ("Bo Ek", None, "Too thin."),
            ("Ann", None, "Why?"),
            (None, None, "Cy Dahl (by phone) I can't hear."),
            ("Ann", None, "So?"),
            (None, None, "Dina: Nor can I."),
            ("Ann", None, "Louder, then."),
            ("Bo Ek", None, "It holds."),
        ],
    ),
    "names before a wide gap": (
        "a.txt",
        "○議長　始めます。\n\n○林さくら君　水車はどこですか。\n\n○議長　はい。\n\n"
        "○林さくら君　以上です。\n",
        [
            ("議長", None, "始めます。"),
            ("林さくら君", None, "水車はどこですか。"),
            ("議長", None, "はい。"),
            ("林さくら君", None, "以上です。"),
        ],
    ),
    "initials that the head gives": (
        "a.txt",
        "Guest: Rosa Lind (RL)\nHost: Jan Holz (JH)\n\nJH Where was it?\n\nRL By the weir.\n\n"
        "JH When?\n\nRL In May. A bad year.\n\nJH Thanks.\n",
        [
            (None, None, "Guest: Rosa Lind (RL) Host: Jan Holz (JH)"),
            ("JH", None, "Where was it?"),
            ("RL", None, "By the weir."),
            ("JH", None, "When?"),
            ("RL", None, "In May. A bad year."),
            ("JH", None, "Thanks."),
        ],
    ),
    "numbers that count the turns": (
        "a.txt",
        "Nr. 7 ROSA LIND (Rot):\nEs brennt.\n\nNr. 8 JAN HOLZ:\nWo denn?\n\n"
        "Nr. 9 ROSA LIND (Rot):\nAm Wehr.\n\nNr. 10 JAN HOLZ:\nAha.\n",
        [
            ("ROSA LIND (Rot)", None, "Es brennt."),
            ("JAN HOLZ", None, "Wo denn?"),
            ("ROSA LIND (Rot)", None, "Am Wehr."),
            ("JAN HOLZ", None, "Aha."),
        ],
    ),
    "lines that are counted": (
        "a.txt",
        "\n".join(
            f"{number:2}   {line}"
            for number, line in enumerate(
                [
                    "     Q.  Where was the fire on",
                    "the ninth?",
                    "     A.  By the weir.",
                    "     Q.  Who saw it?",
                    "     A.  I did. So did the",
                    "miller.",
                    "     Q.  At what time of the",
                    "day?",
                    "     A.  At noon.",
                    "     Q.  Thank you.",
                ],
                1,
            )
        ),
        [
            ("Q", None, "Where was the fire on the ninth?"),
            ("A", None, "By the weir."),
            ("Q", None, "Who saw it?"),
            ("A", None, "I did. So did the miller."),
            ("Q", None, "At what time of the day?"),
            ("A", None, "At noon."),
            ("Q", None, "Thank you."),
        ],
    ),
    "name, time and words on one line": (
        "a.txt",
        "Rosa [00:00:04] It burned.\n\nJan [00:00:09] When was it?\n\nRosa [00:00:12] In May.\n\n"
        "Jan [00:00:15] I see.\n",
        [
            ("Rosa", 4.0, "It burned."),
            ("Jan", 9.0, "When was it?"),
            ("Rosa", 12.0, "In May."),
            ("Jan", 15.0, "I see."),
        ],
    ),
    "a town and a party once": (
        "a.txt",
        "Rosa Lind (Ulm) (Red)\nIt burned.\n\nJan Holz (Kiel) (Blue)\nWhen?\n\nRosa Lind\n"
        "In May.\n\nJan Holz\nI see.\n",
        [
            ("Rosa Lind (Ulm) (Red)", None, "It burned."),
            ("Jan Holz (Kiel) (Blue)", None, "When?"),
            ("Rosa Lind", None, "In May."),
            ("Jan Holz", None, "I see."),
        ],
    ),
    "a stop before the dash": (
        "a.txt",
        "Chair. – It begins.\n\nRosa Lind (Red). – It burns.\n\nChair. – Where?\n\n"
        "Rosa Lind (Red). – By the weir.\n",
        [
            ("Chair", None, "It begins."),
            ("Rosa Lind (Red)", None, "It burns."),
            ("Chair", None, "Where?"),
            ("Rosa Lind (Red)", None, "By the weir."),
        ],
    ),
    "a table": (
        "a.md",
        "# Mill talk\n\n| Time | Speaker | Text |\n|---|---|---|\n"
        "| 00:00:04 | Rosa | It **burned**. |\n| 00:00:09 | Jan | A \\| B? |\n\nThat was all.\n",
        [
            (None, None, "Mill talk"),
            ("Rosa", 4.0, "It burned."),
            ("Jan", 9.0, "A | B?"),
            (None, None, "That was all."),
        ],
    ),
    "a stroke between name and time": (
        "a.txt",
        "Rosa Lind | 00:04\nIt burned.\n\nJan | 00:09\nWhen?\n\nRosa Lind | 00:12\nIn May.\n",
        [
            ("Rosa Lind", 4.0, "It burned."),
            ("Jan", 9.0, "When?"),
            ("Rosa Lind", 12.0, "In May."),
        ],
    ),
    "mails one below the other": (
        "a.txt",
        "From: Rosa Lind <r@x.org>\nSent: 3 March\nTo: jan@x.org\nSubject: mill\n\nIt burns.\n\n"
        "From: Jan <jan@x.org>\nSent: 3 March\nTo: r@x.org\nSubject: mill\n\nWhere?\n\n"
        "From: Rosa Lind <r@x.org>\nSent: 4 March\nTo: jan@x.org\nSubject: mill\n\nHere.\n\n"
        "From: Jan <jan@x.org>\nSent: 4 March\nTo: r@x.org\nSubject: mill\n\nI come.\n",
        [
            ("Rosa Lind", None, "It burns."),
            ("Jan", None, "Where?"),
            ("Rosa Lind", None, "Here."),
            ("Jan", None, "I come."),
        ],
    ),
    "sounds, scenes and the manner of a voice": (
        "a.txt",
        "FX: RAIN.\n\nROSA (on camera): It burned.\n\nJAN: When?\n\nMUSIC: UP.\n\nROSA: In May.\n\n"
        "FX: THUNDER.\n\nJAN (voice-over): I see.\n",
        [
            (None, None, "FX: RAIN."),
            ("ROSA", None, "It burned."),
            ("JAN", None, "When?"),
            (None, None, "MUSIC: UP."),
            ("ROSA", None, "In May."),
            (None, None, "FX: THUNDER."),
            ("JAN", None, "I see."),
        ],
    ),
    "a list of changes": (
        "a.md",
        "## 2.0\n\n- **Added:** A mill. It turns.\n- **Fixed:** The weir.\n\n## 1.0\n\n"
        "- **Added:** A boat. It sails.\n- **Fixed:** The oar.\n",
        [
            (None, None, "2.0"),
            (None, None, "Added: A mill. It turns."),
            (None, None, "Fixed: The weir."),
            (None, None, "1.0"),
            (None, None, "Added: A boat. It sails."),
            (None, None, "Fixed: The oar."),
        ],
    ),
    "a wide gap on every line": (
        "a.txt",
        "LIND        Where was it?\nPC HOLZ     By the weir. I saw\n            it burn.\n"
        "LIND        When?\nPC HOLZ     At noon.\nLIND        Thank you.\n",
        [
            ("LIND", None, "Where was it?"),
            ("PC HOLZ", None, "By the weir. I saw it burn."),
            ("LIND", None, "When?"),
            ("PC HOLZ", None, "At noon."),
            ("LIND", None, "Thank you."),
        ],
    ),
    "levels of a log": (
        "a.txt",
        "INFO   it starts\nWARN   it is full\nINFO   it stops\nWARN   it is full\n",
        [(None, None, "INFO it starts WARN it is full INFO it stops WARN it is full")],
    ),
    "columns of a table before a wide gap": (
        "a.txt",
        "Flour   3   good\n\nRye     4   good\n\nFlour   5   bad\n\nRye     6   bad\n",
        [
            (None, None, "Flour 3 good"),
            (None, None, "Rye 4 good"),
            (None, None, "Flour 5 bad"),
            (None, None, "Rye 6 bad"),
        ],
    ),
    "a reply before a full stop": (
        "a.txt",
        "Ann: We met. It was late.\n\nOK. I forgot. The light was off.\n\nBo: I came by boat.\n\n"
        "Ann: So you did.\n\nBo: At ten.\n",
        [
            ("Ann", None, "We met. It was late."),
            ("Ann", None, "OK. I forgot. The light was off."),
            ("Bo", None, "I came by boat."),
            ("Ann", None, "So you did."),
            ("Bo", None, "At ten."),
        ],
    ),
    "numbers of an office": (
        "a.txt",
        "Harbour\n\nRosa Lind: 555 01\nJan Holz: 555 02\n\nMonday: 8 to 16\nFriday: 8 to 12\n\n"
        "Address: Quay 4\nAgenda: none\n",
        [
            (None, None, "Harbour"),
            (None, None, "Rosa Lind: 555 01 Jan Holz: 555 02"),
            (None, None, "Monday: 8 to 16 Friday: 8 to 12"),
            (None, None, "Address: Quay 4 Agenda: none"),
        ],
    ),
    "headings": (
        "a.md",
        "# Mill talk\n\n### Rosa Lind\n\nIt burned.\n\n### Jan\n\nWhen?\n\n"
        "### Rosa Lind\n\nIn May.\n\n### Jan\n\nI see.\n",
        [
            ("Rosa Lind", None, "It burned."),
            ("Jan", None, "When?"),
            ("Rosa Lind", None, "In May."),
            ("Jan", None, "I see."),
        ],
    ),
    "names on lines of their own": (
        "a.txt",
        "Rosa Lind\nIt burned.\n\nJan\nWhen?\n\nRosa Lind\nIn May.\n\nJan\nI see.\n",
        [
            ("Rosa Lind", None, "It burned."),
            ("Jan", None, "When?"),
            ("Rosa Lind", None, "In May."),
            ("Jan", None, "I see."),
        ],
    ),
    "columns": (
        "a.txt",
        "0:04\tRosa\tIt burned.\n0:09\tJan\tWhen?\n0:12\tRosa\tIn May.\n0:15\tJan\tI see.\n",
        [
            ("Rosa", 4.0, "It burned."),
            ("Jan", 9.0, "When?"),
            ("Rosa", 12.0, "In May."),
            ("Jan", 15.0, "I see."),
        ],
    ),
    "what stands before anyone speaks": (
        "a.txt",
        "Ort: Bonn\nLeitung: Ole Kamp\n\nRosa: Die Mühle brannte.\n\nJan: Wann?\n\n"
        "Rosa: Im Mai.\n\nJan: Aha.\n",
        [
            (None, None, "Ort: Bonn"),
            (None, None, "Leitung: Ole Kamp"),
            ("Rosa", None, "Die Mühle brannte."),
            ("Jan", None, "Wann?"),
            ("Rosa", None, "Im Mai."),
            ("Jan", None, "Aha."),
        ],
    ),
    "titles before a full stop at indents, below front matter": (
        "a.txt",
        "               SAFETY OF MILLS\n\n            MONDAY, MAY 4, 2015\n\n"
        "    The subcommittee met at ten in room 5, Hon. Ott\n[chairman] presiding.\n\n"
        "    Chairman Ott. We are here for the mill, which burned in \nMay.\n"
        "    I call Mr. Roy.\n    Mr. Roy. It burned twice.\n    Chairman Ott. Who saw it?\n"
        "    Ms. Lind. I did, sir.\n    Mr. Roy. So did I.\n    Ms. Lind. At noon.\n"
        "    Chairman Ott. Thank you both.\n",
        [
            (None, None, "SAFETY OF MILLS"),
            (None, None, "MONDAY, MAY 4, 2015"),
            (
                None,
                None,
                "The subcommittee met at ten in room 5, Hon. Ott [chairman] presiding.",
            ),
            (
                "Chairman Ott",
                None,
                "We are here for the mill, which burned in May. I call Mr. Roy.",
            ),
            ("Mr. Roy", None, "It burned twice."),
            ("Chairman Ott", None, "Who saw it?"),
            ("Ms. Lind", None, "I did, sir."),
            ("Mr. Roy", None, "So did I."),
            ("Ms. Lind", None, "At noon."),
            ("Chairman Ott", None, "Thank you both."),
        ],
    ),
    "a name with an office under a heading of its own": (
        "a.md",
        "## Opening\n\n**Dev Roy, Engineer:** We have options.\n\n## Questions\n\n"
        "**Mayor Ott:** Who asks?\n\n**Dev Roy:** I do.\n\n**Mayor Ott:** Go on.\n\n"
        "**Dev Roy:** How long?\n",
        [
            ("Dev Roy, Engineer", None, "We have options."),
            (None, None, "Questions"),
            ("Mayor Ott", None, "Who asks?"),
            ("Dev Roy", None, "I do."),
            ("Mayor Ott", None, "Go on."),
            ("Dev Roy", None, "How long?"),
        ],
    ),
    "a letter before two no-break spaces of a page": (
        "a.html",
        "<html><body><p>MS. OTT:&nbsp; The mill burned.</p><p>Q&nbsp;&nbsp; When was that?</p>"
        "<p>MS. OTT:&nbsp; In May.</p><p>Q&nbsp;&nbsp; Who saw it?</p><p>MS. OTT:&nbsp; I did.</p>"
        "</body></html>",
        [
            ("MS. OTT", None, "The mill burned."),
            ("Q", None, "When was that?"),
            ("MS. OTT", None, "In May."),
            ("Q", None, "Who saw it?"),
            ("MS. OTT", None, "I did."),
        ],
    ),
    "names in capitals of which one comes back": (
        "a.txt",
        "LEO: The tank was inspected.\nINES: Our mill closed in May.\nMARIA: The board resigned.\n"
        "LEO: Nobody was fired.\nEECOM: The cell is fine.\nFLIGHT: Yeah, we wanted that.\n",
        [
            ("LEO", None, "The tank was inspected."),
            ("INES", None, "Our mill closed in May."),
            ("MARIA", None, "The board resigned."),
            ("LEO", None, "Nobody was fired."),
            ("EECOM", None, "The cell is fine."),
            ("FLIGHT", None, "Yeah, we wanted that."),
        ],
    ),
    "a log of messages below a transcript has names, and no times": (
        "a.txt",
        "Mill talk\n\n00:00:04 Rosa Lind\nThe mill burned in May.\n\n00:00:19 Jan Holz\n"
        "And who saw it?\n\n00:00:31 Rosa Lind\nI did.\n\n-----\nCHAT\n\n"
        "09:14:02 From Ida Wolf to Everyone:\n\tWas it the old mill?\n"
        "09:14:40 From Rosa Lind to Everyone:\n\tThe old one, yes.\n"
        "09:15:08 From Ida Wolf to Everyone:\n\tThank you\n"
        "09:16:11 From Tom Berg to Everyone:\n\tWe have pictures of it\n",
        [
            (None, None, "Mill talk"),
            ("Rosa Lind", 4.0, "The mill burned in May."),
            ("Jan Holz", 19.0, "And who saw it?"),
            ("Rosa Lind", 31.0, "I did."),
            (None, None, "-----"),
            (None, None, "CHAT"),
            ("Ida Wolf", None, "Was it the old mill?"),
            ("Rosa Lind", None, "The old one, yes."),
            ("Ida Wolf", None, "Thank you"),
            ("Tom Berg", None, "We have pictures of it"),
        ],
    ),
    "the only name of a recording, before its first words": (
        "a.txt",
        "00:02 Rosa: Voice note from the mill. I counted the beams.\n\n"
        "00:11 Nine are sound. I'd replace the tenth.\n\n00:25 That's all for now.\n",
        [
            ("Rosa", 2.0, "Voice note from the mill. I counted the beams."),
            ("Rosa", 11.0, "Nine are sound. I'd replace the tenth."),
            ("Rosa", 25.0, "That's all for now."),
        ],
    ),
    "the only name of a recording in which somebody is asked is not everybody's": (
        "a.txt",
        "00:02 Rosa: Good morning. I counted the beams.\n\n"
        "00:11 And how many are sound?\n\n00:25 Nine are.\n",
        [
            (None, 2.0, "Rosa: Good morning. I counted the beams."),
            (None, 11.0, "And how many are sound?"),
            (None, 25.0, "Nine are."),
        ],
    ),
    "an oath between the turns of a court": (
        "a.txt",
        "THE COURT: Call your witness.\n\nMR. OTT: The defence calls Ida Wolf.\n\n"
        "IDA WOLF, called as a witness, having\nbeen duly sworn, testified as follows:\n\n"
        "MR. OTT: Where do you live?\n\nTHE WITNESS: I live on Mill Lane.\n\n"
        "MR. OTT: The defence calls Tom Berg.\n\n"
        "Tom Berg, having been first duly affirmed, was examined as follows:\n\n"
        "MR. OTT: And you?\n\nTHE WITNESS: I live next door.\n",
        [
            ("THE COURT", None, "Call your witness."),
            ("MR. OTT", None, "The defence calls Ida Wolf."),
            (None, None, "IDA WOLF, called as a witness, having"),
            (None, None, "been duly sworn, testified as follows:"),
            ("MR. OTT", None, "Where do you live?"),
            ("THE WITNESS", None, "I live on Mill Lane."),
            ("MR. OTT", None, "The defence calls Tom Berg."),
            (None, None, "Tom Berg, having been first duly affirmed, was examined as follows:"),
            ("MR. OTT", None, "And you?"),
            ("THE WITNESS", None, "I live next door."),
        ],
    ),
    "lines of a coding program between the turns": (
        "a.txt",
        "<Files/May/Ida> - 1 reference coded [2.10% Coverage]\n\nReference 1 - 2.10% Coverage\n\n"
        "Interviewer: Who has the key?\nP1: I have it. I keep it in the mill.\n\n"
        "<Files/June/Tom at the old mill> - 1 reference coded [0.90% Coverage]\n\n"
        "Reference 1 - 0.90% Coverage\n\nInterviewer: And you?\nP2: I never had one.\n",
        [
            (None, None, "<Files/May/Ida> - 1 reference coded [2.10% Coverage]"),
            (None, None, "Reference 1 - 2.10% Coverage"),
            ("Interviewer", None, "Who has the key?"),
            ("P1", None, "I have it. I keep it in the mill."),
            (
                None,
                None,
                "<Files/June/Tom at the old mill> - 1 reference coded [0.90% Coverage]",
            ),
            (None, None, "Reference 1 - 0.90% Coverage"),
            ("Interviewer", None, "And you?"),
            ("P2", None, "I never had one."),
        ],
    ),
    "the last paragraph of a report of an interview": (
        "a.md",
        "# At the mill\n\nI went to see Rosa Lind on a wet day in May, when the mill had been shut"
        " for a year and the wheel stood still.\n\n**The Post:** Who has the key?\n\n"
        "**Rosa:** I have. I keep it in a drawer.\n\nMy mother did so too.\n\n"
        "**The Post:** May I see it?\n\n**Rosa:** You may.\n\nShe went upstairs to look for it."
        "\n\n## Letters\n\nThree came this week.\n",
        [
            (
                None,
                None,
                "I went to see Rosa Lind on a wet day in May, when the mill had been shut"
                " for a year and the wheel stood still.",
            ),
            ("The Post", None, "Who has the key?"),
            ("Rosa", None, "I have. I keep it in a drawer."),
            ("Rosa", None, "My mother did so too."),
            ("The Post", None, "May I see it?"),
            ("Rosa", None, "You may."),
            (None, None, "She went upstairs to look for it."),
            (None, None, "Letters"),
            (None, None, "Three came this week."),
        ],
    ),
    "how a message is marked is no part of a name": (
        "a.txt",
        "[2024-05-01 09:00] rosa_l\nthe mill burned\n\n[2024-05-01 09:02] jan (edited)\nwhen\n\n"
        "[2024-05-01 09:03] rosa_l (pinned)\nin may\n\n[2024-05-01 09:05] jan\ni see\n",
        [
            ("rosa_l", 32400.0, "the mill burned"),
            ("jan", 32520.0, "when"),
            ("rosa_l", 32580.0, "in may"),
            ("jan", 32700.0, "i see"),
        ],
    ),
    "the end of a sitting before the next item": (
        "a.txt",
        "§ 3 The mill\n\nRosa LIND (A): Mr President, the mill burned.\n\n"
        "Jan HOLZ (B): I ask when.\n\nRosa LIND (A): In May.\n\nJan HOLZ (B): I thank you.\n\n"
        "(Applause)\n\nThe debate was closed.\n\n§ 4 The bridge\n\nIt was put off.\n",
        [
            (None, None, "§ 3 The mill"),
            ("Rosa LIND (A)", None, "Mr President, the mill burned."),
            ("Jan HOLZ (B)", None, "I ask when."),
            ("Rosa LIND (A)", None, "In May."),
            ("Jan HOLZ (B)", None, "I thank you."),
            (None, None, "(Applause)"),
            (None, None, "The debate was closed."),
            (None, None, "§ 4 The bridge"),
            (None, None, "It was put off."),
        ],
    ),
    "a mark of sound that is all there is below a name": (
        "a.md",
        "**Rosa Lind**\n\nThe mill burned.\n\n**Jan Holz**\n\nWhen was it?\n\n"
        "**Rosa Lind**\n\nI think in May.\n\n**Jan Holz**\n\n[Line goes dead]\n\n"
        "**Rosa Lind**\n\n{Are you there?}\n\n**Jan Holz**\n\nYes.\n",
        [
            ("Rosa Lind", None, "The mill burned."),
            ("Jan Holz", None, "When was it?"),
            ("Rosa Lind", None, "I think in May."),
            (None, None, "[Line goes dead]"),
            ("Rosa Lind", None, "{Are you there?}"),
            ("Jan Holz", None, "Yes."),
        ],
    ),
    "few messages below a transcript, one of each": (
        "a.txt",
        "Rosa Lind: The mill burned.\n\nJan Holz: And who saw it?\n\nRosa Lind: I did.\n\n"
        "Jan Holz: I see.\n\nChat:\n09:14:02 From Ida Wolf to Everyone: Was it old?\n"
        "09:15:08 From Tom Berg to Rosa Lind: hi\n",
        [
            ("Rosa Lind", None, "The mill burned."),
            ("Jan Holz", None, "And who saw it?"),
            ("Rosa Lind", None, "I did."),
            ("Jan Holz", None, "I see."),
            (None, None, "Chat:"),
            ("Ida Wolf", None, "Was it old?"),
            ("Tom Berg", None, "hi"),
        ],
    ),
    "oaths in other words between the turns of a court": (
        "a.txt",
        "THE COURT: Call your witness.\n\nMR. OTT: The defence calls Ida Wolf.\n\nWhereupon,\n\n"
        "IDA WOLF\n\nwas called and, having been sworn, testified as follows:\n\n"
        "MR. OTT: Where do you live?\n\nTHE WITNESS: I live here.\n\n"
        "THE COURT: And the next?\n\nTOM BERG, sworn.\n\nMR. OTT: And you?\n\n"
        "THE WITNESS: Next door. I was sworn at there.\n",
        [
            ("THE COURT", None, "Call your witness."),
            ("MR. OTT", None, "The defence calls Ida Wolf."),
            (None, None, "Whereupon,"),
            (None, None, "IDA WOLF"),
            (None, None, "was called and, having been sworn, testified as follows:"),
            ("MR. OTT", None, "Where do you live?"),
            ("THE WITNESS", None, "I live here."),
            ("THE COURT", None, "And the next?"),
            (None, None, "TOM BERG, sworn."),
            ("MR. OTT", None, "And you?"),
            ("THE WITNESS", None, "Next door. I was sworn at there."),
        ],
    ),
    "a file's name between the turns of an interview": (
        "a.txt",
        "Interviewer: Who has the key?\n\nP1: I have it. I keep it in the mill.\n\n"
        "4:12 p 3 in Interview 07.docx\n\nInterviewer: And you?\n\nP2: I never had one.\n",
        [
            ("Interviewer", None, "Who has the key?"),
            ("P1", None, "I have it. I keep it in the mill."),
            (None, None, "4:12 p 3 in Interview 07.docx"),
            ("Interviewer", None, "And you?"),
            ("P2", None, "I never had one."),
        ],
    ),
}


@pytest.mark.parametrize("form", ROWS)
def test_each_form_has_its_speakers_and_times(tmp_path: Path, form: str) -> None:
    name, text, expected = ROWS[form]
    assert turns(tmp_path, name, text) == expected


def test_subtitles_with_dashes_and_arrows_before_names(tmp_path: Path) -> None:
    lines = ["- Hi.", "- ROSA: It burned.", "- JAN: When?", ">> ROSA: In May.", "- JAN: I see."]
    path = tmp_path / "a.srt"
    path.write_text(
        "\n\n".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{t}" for n, t in enumerate(lines))
    )
    assert [turn.speaker for turn in load_source(path).turns] == [
        None,
        "ROSA",
        "JAN",
        "ROSA",
        "JAN",
    ]


QUESTIONS = (
    "When did you buy the mill?\n\nI bought it in May. It was cheap.\n\n"
    "And did you know how to run it?\n\nNo. I learned it from my aunt.\n\n"
    "What is the hardest part?\n\nThe cold, I think.\n\n"
)


def test_an_interview_without_names_is_nobodys_with_a_note_of_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The mill of Ida Wolf\n\n" + QUESTIONS, encoding="utf-8")
    source = load_source(path)
    assert {turn.speaker for turn in source.turns} == {None}
    (note,) = source.notes
    assert note.startswith("3 paragraphs ask and the next ones answer, none with a name")
    assert "--speaker-map" in note


def test_questions_and_answers_behind_dashes_are_nobodys_with_a_note(tmp_path: Path) -> None:
    said = ("Mikor épült?", "Tavaly. Ketten építettük.", "Ki segített?", "A fiam.", "És a pénz?")
    text = "".join(f"– {words}\n" for words in (*said, "Az nem segített."))
    path = tmp_path / "a.txt"
    path.write_text(f"A malom\n\n{text}", encoding="utf-8")
    source = load_source(path)
    assert {turn.speaker for turn in source.turns} == {None}
    assert any(note.startswith("3 paragraphs ask") for note in source.notes)


def test_times_of_a_chat_below_a_transcript_are_left_out_with_a_note(tmp_path: Path) -> None:
    row = "a log of messages below a transcript has names, and no times"
    path = tmp_path / "a.txt"
    path.write_text(ROWS[row][1], encoding="utf-8")
    assert any("times of the chat" in note for note in load_source(path).notes)


@pytest.mark.parametrize(
    "text",
    [
        "00:02 Rosa: Good morning.\n\n00:11 Nine are sound.\n\n00:25 Bye.\n",
        "Rosa: Good morning. I counted the beams.\n\nNine are sound.\n\nThat's all.\n",
    ],
)
def test_the_only_name_of_a_text_is_noted_where_it_is_not_taken(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    (note,) = load_source(path).notes
    assert "'Rosa' stands before the first words" in note
    assert "--speaker-map" in note


def test_the_last_paragraph_of_a_report_is_nobodys_with_a_note(tmp_path: Path) -> None:
    row = "the last paragraph of a report of an interview"
    path = tmp_path / "a.md"
    path.write_text(ROWS[row][1], encoding="utf-8")
    assert any("its last paragraph is nobody's" in note for note in load_source(path).notes)


def test_a_text_of_nothing_but_numbers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1\n\n" * 31)
    assert {turn.text for turn in load_source(path).turns} == {"1"}
