"""`dynagrag ingest --extractor fast` as a user has it: what it says of texts that its rules don't
fit, and of records of older rules.
"""

from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ingest.extract.fast_extractor import FastExtractor

TALK = "\n\n".join(
    f"{who}: {words}"
    for who, words in [
        ("Anna", "We told Houston of Python 3.11."),
        ("Leo", "Anna, then Houston asked Jim."),
    ]
    * 3
)
GERMAN = (
    "Das Auto steht vor dem Haus und der Hund schläft auf dem Sofa, aber die Bank ist nicht mit dem"
    " Preis für das Auto einverstanden. " * 4
)
PLAIN = (
    "so we will look at the tank and see what it does to the crew and if it is low then we will"
    " have to go home early and look at it. "
)


@pytest.fixture(autouse=True)
def embedder(server: OpenAIStubServer) -> None:
    """Vectors come from the fake server."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GERMAN, "1 document with nouns in capitals (German)"),
        (PLAIN.upper() * 9, "1 document all in capitals"),
        (PLAIN * 9, "1 document without capitals"),
        (("So " + PLAIN) * 1300, "1 document without any name"),
        (
            "阿波罗13号是美国国家航空航天局的一次登月任务。发射两天后服务舱的氧气罐爆炸,登月任务中止。"
            * 9,
            "1 document in a script without capitals",
        ),
    ],
)
def test_a_text_that_the_rules_do_not_fit_is_ingested_and_named(
    cli: Any, corpus: Any, text: str, said: str
) -> None:
    path = corpus.folder / "text.txt"
    path.write_text(text)
    done = cli("ingest", path, "--extractor", "fast")
    assert done.code == 0
    assert said in done.out
    asked = cli("ask", "tank", "--json", "--retriever", "hybrid")
    assert asked.code == 0


def test_a_transcript_of_one_speaker_is_theirs(cli: Any, corpus: Any, open_space: Any) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text("\n\n".join(f"Anna: We told Houston of day {number}." for number in range(40)))
    assert cli("ingest", path, "--extractor", "fast").code == 0
    with open_space("default") as space:
        assert {turn.speaker for turn in space.store.turns()} == {"Anna"}
        assert {e.name for e in space.graph().entities} >= {"Anna", "Houston"}


def test_plain_english_has_no_remark(cli: Any, corpus: Any) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text(TALK)
    done = cli("ingest", path, "--extractor", "fast")
    assert "note:" not in done.out
    assert cli("ingest", path, "--extractor", "fast", "--json").json["remarks"] == {}


def test_records_of_older_rules_serve_until_the_next_ingest_replaces_them(
    cli: Any, corpus: Any, open_space: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text(TALK)
    with monkeypatch.context() as older:
        older.setattr(FastExtractor, "name", "fast-1")
        assert cli("ingest", path, "--extractor", "fast").code == 0
    assert cli("ask", "Who told Houston?").code == 0
    again = cli("ingest", path, "--extractor", "fast")
    assert again.code == 0
    assert "1 document extracted by fast-1 before; those records are replaced" in again.out
    with open_space("default") as space:
        assert {m.extractor for m in space.store.mentions() if m.extractor != "split"} == {
            FastExtractor().name
        }
    assert "1 unchanged" in cli("ingest", path, "--extractor", "fast").out


# -------------------------------------------------------------------------------- names of speakers


def speakers(open_space: Any) -> tuple[list[str | None], set[str]]:
    with open_space("default") as space:
        mentions = {m.name for m in space.store.mentions() if m.kind == "speaker"}
        return [turn.speaker for turn in space.store.turns()], mentions


def test_speakers_are_renamed_kept_and_taken_back(cli: Any, corpus: Any, open_space: Any) -> None:
    path, names = corpus.folder / "talk.txt", corpus.folder / "names.csv"
    path.write_text(TALK)
    names.write_text("Anna,Anna Lee\nLeo,-\n")
    first = cli("ingest", path, "--extractor", "fast")
    assert first.code == 0
    assert speakers(open_space) == (["Anna", "Leo"] * 3, {"Anna", "Leo"})
    named = cli("ingest", path, "--extractor", "fast", "--speaker-map", names)
    assert named.code == 0
    assert "speakers: Anna is Anna Lee, Leo is nobody" in named.out
    assert speakers(open_space) == (["Anna Lee", None] * 3, {"Anna Lee"})
    assert "1 unchanged" in cli("ingest", path, "--extractor", "fast").out
    path.write_text(TALK + "\n\nLeo: One more.")
    assert "1 changed" in cli("ingest", path, "--extractor", "fast").out
    assert speakers(open_space) == (["Anna Lee", None] * 3 + [None], {"Anna Lee"})
    names.write_text('{"Anna Lee": "Dr. Lee", "Leo": "Leo"}')
    assert cli("ingest", path, "--extractor", "fast", "--speaker-map", names).code == 0
    assert speakers(open_space) == (["Dr. Lee", "Leo"] * 3 + ["Leo"], {"Dr. Lee", "Leo"})
    asked = cli("ask", "Who told Houston?", "--speaker", "Dr. Lee", "--json")
    assert asked.code == 0
    assert {c["speaker"] for c in asked.json["citations"]} <= {"Dr. Lee"}


def test_two_labels_with_one_name_are_one_speaker(cli: Any, corpus: Any, open_space: Any) -> None:
    path, names = corpus.folder / "talk.txt", corpus.folder / "names.csv"
    path.write_text(TALK)
    names.write_text("Anna,Anna Lee\nLeo,Anna Lee\n")
    assert cli("ingest", path, "--extractor", "fast", "--speaker-map", names).code == 0
    assert speakers(open_space) == (["Anna Lee"] * 6, {"Anna Lee"})
    with open_space("default") as space:
        assert [e.name for e in space.graph().entities if e.is_speaker] == ["Anna Lee"]


def test_two_speakers_whose_labels_are_swapped_change_places(
    cli: Any, corpus: Any, open_space: Any
) -> None:
    path, names = corpus.folder / "talk.txt", corpus.folder / "names.csv"
    path.write_text(TALK)
    assert cli("ingest", path, "--extractor", "fast").code == 0
    before = speakers(open_space)[0]
    names.write_text("Anna,Leo\nLeo,Anna\n")
    assert cli("ingest", path, "--extractor", "fast", "--speaker-map", names).code == 0
    swapped = [{"Anna": "Leo", "Leo": "Anna"}.get(name, name) for name in before]
    assert speakers(open_space)[0] == swapped != before
    assert cli("ingest", path, "--extractor", "fast").code == 0
    assert speakers(open_space)[0] == swapped


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ana,X\n", "'Ana' (near: Anna)"),
        ("Anna,A\nAnna,B\n", "names 'Anna' twice"),
    ],
)
def test_a_map_that_does_not_fit_changes_nothing(
    cli: Any, corpus: Any, open_space: Any, text: str, said: str
) -> None:
    path, names = corpus.folder / "talk.txt", corpus.folder / "names.csv"
    path.write_text(TALK)
    names.write_text(text)
    assert cli("ingest", path, "--extractor", "fast").code == 0
    done = cli("ingest", path, "--extractor", "fast", "--speaker-map", names)
    assert (done.code, len(done.err.strip().splitlines())) == (2, 1)
    assert said in done.err
    assert speakers(open_space)[1] == {"Anna", "Leo"}


def test_doubtful_speakers_are_told_by_ingest_and_beside_what_cites_them(
    cli: Any, corpus: Any
) -> None:
    doubtful, clean = corpus.folder / "doubtful.txt", corpus.folder / "clean.txt"
    talk = ["Ann: Hello, Ann. The kiln is old.", "Ben: It was built in Delft.", "Ann: Thanks, Ann."]
    clean_talk = [line.replace(", Ann.", ", Ben.") for line in talk]
    doubtful.write_text("\n".join(talk * 2))
    clean.write_text("\n".join(clean_talk * 2))
    named = "speakers doubtful: `dynagrag inspect --speakers` shows what speaks against them"
    told = cli("ingest", doubtful, clean, "--extractor", "fast").out
    first, second = (
        told.index("doubtful.txt: Ann (4 turns, 16 words), Ben"),
        told.index("clean.txt"),
    )
    assert told[first:second].count(named) == 1
    assert told.count(named) == 1
    asked = cli("ask", "Where was the kiln built?", "--document", "doubtful").out
    assert "note: speakers doubtful in doubtful: what is said there speaks against them" in asked
    assert "speakers doubtful" not in cli("ask", "Where was it built?", "--document", "clean").out
    row = cli("ask", "Where was the kiln built?", "--document", "doubtful", "--json").json
    assert row["trace"]["doubtful"] == ["doubtful"]


def test_an_ingest_lists_labels_that_are_nobody_and_words_without_a_speaker(
    cli: Any, corpus: Any
) -> None:
    path = corpus.folder / "board.md"
    ann, ben, decision = said = [
        "**Ann:** The mole is done.",
        "**Ben:** Good, Ann.",
        "**Decision:** Paint it red at last.",
    ]
    said = [*said, ann, decision, ben, decision, ben, ann]
    path.write_text("\n\n".join(said))
    told = cli("ingest", path, "--extractor", "fast", "--json").json
    (read,) = told["files"]
    assert {own["text"]: own["fate"] for own in read["labels"]}["Decision"] != "speaker"
    assert read["notes"][0].startswith("50% of the words have no speaker; where they are")
    again = corpus.folder / "board2.md"
    again.write_text("\n\n".join([*said, "**Ann:** Now."]))
    shown = cli("ingest", again, "--extractor", "fast").out
    assert "  board2.md: Ann (4 turns, 13 words), Ben (3 turns, 6 words)" in shown
    assert "    Decision: " in shown
    given = corpus.folder / "map.csv"
    given.write_text("-,Carl,board2.md\n")
    assert cli("ingest", again, "--extractor", "fast", "--speaker-map", given).code == 0
    assert "49%" in shown
    assert "49%" not in cli("ingest", again, "--extractor", "fast").out


def test_an_ingest_that_is_refused_leaves_no_workspace_that_was_not_there(
    cli: Any, corpus: Any
) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text("")
    refused = cli("ingest", path, "--extractor", "fast", "-w", "new")
    assert (refused.code, "is empty" in refused.err) == (1, True)
    path.write_text(TALK)
    wrong = cli("ingest", path, "--extractor", "fast", "-w", "new", "--speaker-map", "Ann=Anna Lee")
    assert "nobody has: 'Ann'" in wrong.err
    assert "there is no workspace" in cli("workspaces", "list").out
    assert cli("ingest", path, "--extractor", "fast", "-w", "new").code == 0
    assert cli("ingest", path, "--extractor", "fast", "-w", "new", "--speaker-map", "A=B").code == 2
    assert "new: 1 document" in cli("workspaces", "list").out
