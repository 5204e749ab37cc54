"""The commands as a user has them: what they print, what --json holds, conversations, deletions,
exports.
"""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer

TURNS = [
    ("Maria", "Ada Byron works at Acme Works."),
    ("Leo", "Grace Hopper founded Acme Works."),
    ("Maria", "Acme Works is located in Delft."),
]


@pytest.fixture
def ingested(server: OpenAIStubServer, cli: Any, corpus: Any) -> list[Path]:
    paths = [corpus.write("kickoff.vtt", TURNS), corpus.write("review.vtt", corpus.meeting(4))]
    assert cli("ingest", *paths).code == 0
    return paths


# --------------------------------------------------------------------------------------------- JSON


def test_inspect_prints_one_object_a_line(cli: Any, corpus: Any) -> None:
    folder = corpus.write("a.vtt", TURNS).parent
    (folder / "b.txt").write_bytes(b"")
    shown = cli("inspect", folder, "--json")
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert shown.code == 3
    fields = {"path", "format", "language", "turns", "labels", "refused"}
    assert [set(row) for row in rows] == [fields] * 2
    assert [label["text"] for label in rows[0]["labels"]] == ["Maria", "Leo"]
    assert rows[0]["turns"][1] == {
        "speaker": "Leo",
        "start_s": 10.0,
        "end_s": 19.0,
        "text": TURNS[1][1],
    }
    assert (rows[0]["refused"], rows[0]["format"]) == (None, "vtt")
    assert rows[1]["turns"] == []


def test_inspect_checks_the_speakers_where_it_is_asked_to(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    lines = ["Ann: Hello, Ann.", "Ben: Hi.", "Ann: Thank you, Ann. Who is it?", "Ben: It's me."]
    path.write_text("\n".join([*lines, "", "Nobody's own words."]), encoding="utf-8")
    assert "speakers doubtful" not in cli("inspect", path).out
    shown = cli("inspect", path, "--speakers").out
    assert "Ann: speaker, 2 turns" in shown
    assert "speakers doubtful:\n    Ann speaks to Ann: turn 1, Ann: Hello, Ann.\n" in shown
    row = cli("inspect", path, "--speakers", "--json").json
    assert (row["doubtful"], [own["kind"] for own in row["findings"]]) == (
        True,
        ["addresses_self"] * 2,
    )


def test_inspect_checks_no_speakers_where_there_are_none(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("The gate stays shut.\n\nThen we bring ladders.\n", encoding="utf-8")
    shown = cli("inspect", path, "--speakers").out
    assert "no speakers to check" in shown
    assert "speaks against" not in shown


def test_inspect_points_to_labels_that_look_like_one_person_s(cli: Any, corpus: Any) -> None:
    folder = corpus.write("a.vtt", [("Vic", "We met."), ("Leo", "So we did.")]).parent
    assert "--speaker-map" not in cli("inspect", folder).out
    corpus.write("b.vtt", [("Vic Vijayakumar", "We met again.")])
    shown = cli("inspect", folder).out
    assert "--speaker-map" in shown
    written = [line.strip() for line in shown.splitlines() if line.startswith("  Vic")]
    assert written == ["Vic,Vic Vijayakumar"]
    names = folder / "names.csv"
    names.write_text(written[0], encoding="utf-8")
    assert (
        cli(
            "ingest",
            folder / "a.vtt",
            folder / "b.vtt",
            "--extractor",
            "fast",
            "--speaker-map",
            names,
        ).code
        == 0
    )
    said = {line["speaker"] for line in cli("ask", "Who met?", "--json").json["trace"]["evidence"]}
    assert said == {"Vic Vijayakumar", "Leo"}


def test_graph_stats_has_the_documented_fields(ingested: list[Path], cli: Any) -> None:
    stats = cli("graph", "stats", "--json").json
    names = "documents turns passages chunks mentions entities words relation_records relations"
    assert list(stats) == [
        *names.split(),
        "average_degree_before",
        "average_degree_after",
        "digest",
        "glossaries",
    ]
    assert (stats["documents"], stats["turns"], stats["chunks"]) == (2, 15, 2)


def test_an_answer_has_the_documented_fields(ingested: list[Path], cli: Any) -> None:
    asked = cli("ask", "Who founded Acme Works?", "--json")
    answer = asked.json
    assert (asked.code, asked.err, len(asked.out.splitlines())) == (0, "", 1)
    checked = {"claims", "claim_lines", "claims_checked_by", "claims_left_out"}
    assert set(answer) == checked | {
        "question",
        "answer",
        "abstained",
        "citations",
        "intermediate",
        "trace",
        "usage",
    } | {
        "answerable",
        "nothing_fits",
        "unsupported",
        "unknown_names",
        "quiet_speakers",
        "other_person",
        "unread_language",
        "unjudged_language",
        "question_language",
        "lines_language",
    }
    beside = {"match_start", "match_end", "fit", "before", "after"}
    for line in answer["trace"]["evidence"]:
        assert set(line) == beside | {
            "id",
            "document",
            "start",
            "end",
            "speaker",
            "start_s",
            "quote",
        }
    assert set(answer["usage"]) == {"calls", "prompt_tokens", "completion_tokens", "seconds"}
    assert answer["claims"]
    for claim in answer["claims"]:
        assert set(claim) == {
            "start",
            "end",
            "text",
            "verdict",
            "cited",
            "lines",
            "found",
            "reason",
            "score",
            "language",
            "num_searched",
            "question",
        }
    assert answer["claims_checked_by"] == "rules+model"
    assert answer["citations"]
    for citation in answer["citations"]:
        assert set(citation) == {"id", "document", "start", "end", "speaker", "start_s", "quote"}
    assert (answer["question"], answer["abstained"]) == ("Who founded Acme Works?", False)
    assert answer["usage"]["calls"] >= len(answer["intermediate"]) + (
        2 if len(answer["intermediate"]) > 1 else 0
    )


def test_an_ingest_report_for_programs_is_one_object(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    path = corpus.write("a.vtt", TURNS)
    report = cli("ingest", path, corpus.folder / "a.vtt", "--json").json
    assert (report["added"], report["chunks"], report["set_aside"], report["refused"]) == (
        ["a"],
        1,
        [],
        [],
    )
    assert report["usage"]["calls"] == server.counts.chat_calls > 0


# ------------------------------------------------------------------------------------------ answers


def test_an_answer_is_shown_with_what_each_mark_stands_for(ingested: list[Path], cli: Any) -> None:
    shown = cli("ask", "Who founded Acme Works?").out.splitlines()
    label = next(line for line in shown if "[E" in line).split("[")[1].split("]")[0]
    cited = next(line for line in shown if line.startswith(f"  [{label}]"))
    assert any(
        f'kickoff, {who} 0:{second:02}: "{words}"' in cited
        for second, (who, words) in zip((0, 10, 20), TURNS, strict=True)
    )
    assert "calls" in shown[-1]


def test_filters_of_the_command_line_reach_the_answer(ingested: list[Path], cli: Any) -> None:
    answer = cli(
        "ask",
        "Who founded Acme Works?",
        "--document",
        "kickoff",
        "--speaker",
        "leo",
        "--since",
        "0:05",
        "--until",
        "15",
        "--json",
    ).json
    assert [c["quote"] for c in answer["trace"]["evidence"]] == [TURNS[1][1]]
    assert cli("ask", "Who founded Acme Works?", "--document", str(ingested[0]), "--json").code == 0


def test_a_trace_says_why_each_candidate_was_taken_or_not(ingested: list[Path], cli: Any) -> None:
    shown = cli("ask", "Who founded Acme Works?", "--trace", "--profile", "graph").out
    assert "names in the question: Acme Works" in shown
    assert "   1. 1.00 = " in shown
    assert "  + ego-graph of " in shown
    assert "  pruner of the ego-graphs: untrained prior" in shown
    assert (
        "  pruner of the ego-graphs: none"
        in cli("ask", "Who?", "--trace", "--profile", "graph", "--pruner", "none").out
    )
    split = cli("ask", "Who founded Acme Works and where is it?", "--trace", "--split-question").out
    assert "split into: Who founded Acme Works / where is it?" in split
    assert "surroundings + steps" in split
    trace = cli("ask", "Who founded Acme Works?", "--profile", "graph", "--json").json["trace"]
    assert all({"entity", "score", "accepted", "reason"} <= set(c) for c in trace["candidates"])
    assert trace["subgraphs"]


def test_words_of_a_document_cannot_steer_the_terminal(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    path = corpus.folder / "a.txt"
    path.write_text("LEO: Ada Byron\x1b[31m\x9b2J founded Acme Works.\n", encoding="utf-8")
    assert cli("ingest", path).code == 0
    for arguments in (
        ("inspect", path),
        ("ask", "Who founded Acme Works?"),
        ("graph", "show"),
        ("graph", "show", "Acme Works"),
    ):
        shown = cli(*arguments)
        assert not {"\x1b", "\x9b"} & set(shown.out + shown.err), arguments


# ------------------------------------------------------------------------------------- conversation


@pytest.fixture
def conversation(
    monkeypatch: pytest.MonkeyPatch, server: OpenAIStubServer
) -> Callable[[str], None]:
    """Puts words on standard input; the model rewrites follow-ups that say "it"."""

    def rule(prompt: Any, schema: Any) -> str:
        if "question" in (schema or {}).get("properties", {}):
            assert "Q: Who founded Acme Works?" in prompt.user
            return json.dumps({"question": "Where is Acme Works located?"})
        return simple_reply(prompt, schema)

    server.chat = FakeChat(rule)

    def put(words: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(words))

    return put


def test_two_lines_on_a_pipe_are_a_conversation(
    ingested: list[Path], cli: Any, conversation: Callable[[str], None]
) -> None:
    conversation("Who founded Acme Works?\nAnd where is it?\n\nWho is never asked?\n")
    done = cli("ask", "--json")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert (done.code, done.err) == (0, "")
    assert [a["question"] for a in answers] == [
        "Who founded Acme Works?",
        "Where is Acme Works located?",
    ]
    assert all(a["citations"] for a in answers)


def test_a_failure_in_a_piped_conversation_is_said_once(
    ingested: list[Path], cli: Any, conversation: Callable[[str], None]
) -> None:
    conversation("Who founded Acme Works?\nAnd where is it?\n")
    assert "nobody" in cli("ask", "--speaker", "nobody").complaint(2)


def test_a_real_pipe_works(ingested: list[Path], command: Any) -> None:
    done = command("ask", words="Who founded Acme Works?\nWho works at Acme Works?\n")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("The transcript says") >= 2


# ------------------------------------------------------------------------------------------- delete


def test_a_deletion_needs_a_yes_where_nobody_can_be_asked(ingested: list[Path], cli: Any) -> None:
    before = cli("graph", "stats", "--json").out
    assert "--yes" in cli("delete", "kickoff").complaint(2)
    assert cli("graph", "stats", "--json").out == before


@pytest.mark.parametrize("by", ["id", "beginning of id", "path", "title", "file name"])
def test_a_document_is_deleted_by_id_path_or_title(
    ingested: list[Path],
    cli: Any,
    server: OpenAIStubServer,
    by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = next(
        line
        for line in cli("graph", "stats").out.splitlines()
        if "kickoff" in line and line.startswith("  ")
    )
    monkeypatch.chdir(ingested[0].parent)
    reference = {
        "id": line.split()[0],
        "beginning of id": line.split()[0][:8],
        "path": str(ingested[0]),
        "title": "KICKOFF",
        "file name": "kickoff.vtt",
    }[by]
    server.reset()
    done = cli("delete", reference, "--yes")
    assert (done.code, "deleted kickoff" in done.out) == (0, True)
    assert cli("graph", "stats", "--json").json["documents"] == 1
    assert cli("delete", reference, "--yes").code == 0, "it may be repeated"
    assert cli("delete", f"{reference}-no", "--yes").complaint(2)
    assert cli("ingest", ingested[0]).code == 0
    assert server.counts.chat_calls >= 1, "a reply of a deleted document was still there"


def test_equal_titles_are_kept_apart_by_id(server: OpenAIStubServer, cli: Any, corpus: Any) -> None:
    (corpus.folder / "x").mkdir()
    one, two = corpus.write("same.vtt", TURNS), corpus.write("x/same.vtt", TURNS[:2])
    assert cli("ingest", one, two).code == 0
    assert "2 documents are called 'same'" in cli("delete", "same", "--yes").complaint(2)
    assert cli("delete", str(two), "--yes").code == 0
    assert cli("graph", "stats", "--json").json["turns"] == 3


# -------------------------------------------------------------------------------------------- graph


def test_the_graph_is_shown_and_exported(ingested: list[Path], cli: Any, tmp_path: Path) -> None:
    overview = cli("graph", "show", "--json").json
    assert {"Acme Works", "Ada Byron"} <= {e["name"] for e in overview["entities"]}
    near = cli("graph", "near", "acme works", "--hops", "2", "--json").json
    assert near["name"] == "Acme Works"
    assert ("Grace Hopper", "founded", "Acme Works") in {
        (r["head"], r["label"], r["tail"]) for r in near["relations"]
    }
    assert "relations around it" in cli("graph", "near", "Acme Works").out
    entity = cli("graph", "show", "acme works").out
    assert "Grace Hopper --founded--> Acme Works" in entity
    assert 'Leo: "Grace Hopper founded Acme Works."' in entity
    for name in ("g.json", "g.csv", "g.graphml"):
        written = cli("graph", "export", tmp_path / name)
        assert written.code == 0
        assert all(Path(line).stat().st_size > 0 for line in written.out.splitlines())
        assert "--force" in cli("graph", "export", tmp_path / name).complaint(2)
        assert cli("graph", "export", tmp_path / name, "--force").code == 0
    rows = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert {e["name"] for e in rows["entities"]} >= {"Acme Works"}


def test_a_merge_is_listed_and_taken_back_for_good(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    turns = [
        ("Leo", "Acme Works founded Delta Labs."),
        ("Leo", "The Acme-Works partners with Ember Labs."),
    ]
    paths = [corpus.write("a.vtt", turns)]
    source = corpus.folder / "b.txt"
    source.write_text(
        "LEO: International Acme Board (IAB) founded Fathom Labs. IAB acquired Corvus Labs.\n",
        encoding="utf-8",
    )
    assert cli("ingest", *paths, source).code == 0
    merges = cli("graph", "merges", "--json").json
    assert merges
    entities = cli("graph", "stats", "--json").json["entities"]
    assert cli("graph", "undo", merges[0]["id"][:12]).code == 0
    assert (
        cli("graph", "stats", "--json").json["entities"] == entities + len(merges[0]["members"]) - 1
    )
    assert cli("ingest", *paths, source).code == 0
    assert len(cli("graph", "merges", "--json").json) == len(merges) - 1


def test_merges_of_plain_words_are_listed_on_request_and_not_counted(cli: Any, corpus: Any) -> None:
    said = [
        "Here the Red Battery failed near a valve.",
        "Then all Red Batteries had a cold valve.",
        "We saw valves.",
        "They closed the valves.",
    ]
    told = [corpus.write(f"{i}.vtt", [("Leo", words)]) for i, words in enumerate(said)]
    report = cli("ingest", *told, "--extractor", "fast", "--json").json
    (of_names,) = cli("graph", "merges", "--json").json
    assert of_names["canonical"] == "red battery"
    every = cli("graph", "merges", "--words", "--json").json
    assert {m["canonical"] for m in every} >= {"red battery", "valve"}
    assert report["graph"]["num_merges"] == 1
    listed = cli("graph", "merges").out
    assert "valve" not in listed
    assert listed.endswith(f"and {len(every) - 1} of plain words (--words lists them)\n")


def test_a_merge_is_taken_back_where_the_system_knows_no_user(
    server: OpenAIStubServer, cli: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    told = corpus.write(
        "a.vtt",
        [("Leo", "Here the Red Battery failed. Then all Red Batteries failed near Port Arthur.")],
    )
    assert cli("ingest", told, "--extractor", "fast").code == 0
    (merge,) = cli("graph", "merges", "--json").json
    monkeypatch.setattr("getpass.getuser", nobody)
    assert cli("graph", "undo", merge["id"][:12]).code == 0
    assert cli("graph", "edits", "--json").json[0]["by"] == "somebody"


def test_doctor_finds_nothing_wrong_with_a_sound_workspace(
    ingested: list[Path], cli: Any, key: str
) -> None:
    checked = cli("doctor")
    assert checked.code == 0, checked.out
    assert "BAD" not in checked.out
    assert key not in checked.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("ingest", "--help"),
        ("graph", "--help"),
        ("ask", "-h"),
        ("ask", "--profile", "paper", "--help"),
        ("ask", "--help", "--profile=paper"),
    ],
)
def test_help_is_printed_and_right(cli: Any, arguments: tuple[str, ...]) -> None:
    shown = cli(*arguments)
    assert (shown.code, shown.err) == (0, "")
    assert "Usage" in shown.out
    assert ("the paper leaves open:" in shown.out) is ("paper" in str(arguments))
