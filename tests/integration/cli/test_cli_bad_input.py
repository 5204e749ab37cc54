"""What goes wrong at the command line: one line that names the file or setting and the remedy, the
right exit code, nothing lost.
"""

import os
import signal
import socket
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingests import PATIENCE_S, without_progress

from dynagrag.core.errors import StoreError
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]
GOOD = "LEO: Ada Byron founded Acme Works.\nINES: Acme Works is located in Delft.\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.txt"
    path.write_text(GOOD, encoding="utf-8")
    return path


def _digest(cli: Any) -> str:
    return str(cli("graph", "stats", "--json").json["digest"])


# -------------------------------------------------------------------------------------------- files

BAD_FILES = {
    "empty.txt": (b"", "is empty"),
    "blank.txt": (b" \n\n \t", "is empty"),
    "picture.txt": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "PNG image"),
    "binary.txt": (bytes(range(256)) * 40, "binary"),
    "odd.txt": (b"caf\xe9 " * 3 + bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFF, 0xFE]) * 200, ""),
    "broken.vtt": (b"WEBVTT\n\n00:00:01.000 --> banana\n<v Leo>Hello\n", ""),
    "broken.srt": (b"1\n00:00:xx,000 --> 00:00:02,000\nHello\n", ""),
    "broken.json": (b'{"segments": [{"start": 0, "text": "hel', "malformed JSON"),
    "other.json": (b'{"weather": {"rain": true}}', ""),
    "sheet.xlsx": (b"PK\x03\x04" + bytes(60), ""),
}


@pytest.mark.parametrize("name", list(BAD_FILES))
def test_a_bad_file_is_named_with_its_reason(
    server: OpenAIStubServer, cli: Any, tmp_path: Path, name: str
) -> None:
    data, reason = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(data)
    line = cli("ingest", path).complaint(1)
    assert name in line
    assert reason in line
    assert server.counts.chat_calls == 0
    inspected = cli("inspect", path, "--json")
    assert (inspected.code, inspected.json["turns"]) == (1, [])
    assert inspected.json["refused"]


def test_one_bad_file_among_many_does_not_stop_the_others(
    server: OpenAIStubServer, cli: Any, tmp_path: Path, good: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name, (data, _) in BAD_FILES.items():
        (folder / name).write_bytes(data)
    good.rename(folder / "good.txt")
    (folder / "latin.txt").write_bytes("LEO: Zoë Müller founded Café Noir.\n".encode("latin-1"))
    (folder / "wide.txt").write_bytes("LEO: Ada Byron works at Acme Works.\n".encode("utf-16"))
    done = cli("ingest", folder)
    assert done.code == 3
    assert done.err == ""
    refused = [line for line in done.out.splitlines() if line.startswith("  refused ")]
    assert len(refused) == len(BAD_FILES)
    assert {d["title"] for d in _documents(cli)} == {"good", "latin", "wide"}
    assert cli("inspect", folder).code == 3
    assert "latin-1" in cli("inspect", folder / "latin.txt").out
    assert "UTF-16" in cli("inspect", folder / "wide.txt").out


def _documents(cli: Any) -> list[dict[str, str]]:
    lines = cli("graph", "stats").out.splitlines()
    start = lines.index("documents:") + 1
    rows = [line.split("  ") for line in lines[start:] if line.startswith("  ")]
    return [{"id": row[1], "title": row[2]} for row in rows]


@pytest.mark.parametrize("command", ["ingest", "inspect"])
def test_paths_that_lead_nowhere_are_named(
    server: OpenAIStubServer, cli: Any, tmp_path: Path, home: Path, command: str
) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    for path, named in (
        (tmp_path / "nowhere.vtt", "nowhere.vtt: no such file"),
        (tmp_path / "none", "holds no file"),
        (tmp_path / "pictures", "holds 1 file"),
        (tmp_path / "*.srt", "no file matches"),
        ("", "is no path"),
    ):
        assert named in cli(command, path).complaint(1)
    assert not (home / "workspaces").exists(), "a wrong path made a workspace"


def test_a_line_of_50_mb_is_read_or_refused_in_time(
    server: OpenAIStubServer, cli: Any, tmp_path: Path
) -> None:
    path = tmp_path / "line.txt"
    path.write_bytes(b"LEO: " + b"yes and no " * 4_700_000)
    began = time.process_time()
    line = cli("ingest", path, "--extractor", "fast").complaint(1)
    assert "line.txt" in line
    assert time.process_time() - began < 20


def test_a_name_that_is_no_text_is_no_traceback(
    server: OpenAIStubServer, command: Any, cli: Any, tmp_path: Path
) -> None:
    path = bytes(tmp_path) + b"/not-utf8-\xff.txt"
    with open(path, "wb") as file:
        file.write(GOOD.encode())
    for arguments in (("inspect", tmp_path), ("ingest", tmp_path), ("graph", "stats")):
        done = command(*arguments)
        assert (done.code, done.err) == (0, ""), done
        assert "not-utf8-" in done.out or arguments[0] == "ingest"
    asked = cli("ask", "Who founded Acme \udcff Works?")
    assert (asked.code, "Ada Byron" in asked.out) == (0, True), asked
    assert cli("delete", os.fsdecode(path), "--yes").code == 0


# ----------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize("option", ["--extractor", "--chunks", "--merges"])
def test_an_option_that_cannot_be_makes_no_workspace(
    option: str, cli: Any, good: Path, home: Path
) -> None:
    assert "magic" in cli("ingest", good, option, "magic").complaint(2)
    assert not (home / "workspaces" / "default").exists()


def test_a_path_that_is_not_there_is_told_before_a_missing_model(cli: Any, home: Path) -> None:
    assert "nothere.txt" in cli("ingest", "nothere.txt").complaint(1)
    assert not (home / "workspaces" / "default").exists()


def test_without_a_model_ingest_names_both_ways_on(cli: Any, good: Path, home: Path) -> None:
    line = cli("ingest", good).complaint(1)
    assert "--llm" in line
    assert "--extractor fast" in line
    assert not (home / "workspaces").exists()


def test_without_a_model_ask_shows_the_evidence(
    server: OpenAIStubServer, cli: Any, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    assert cli("ingest", good, "--extractor", "fast").code == 0
    asked = cli("ask", "Who founded Acme Works?")
    assert (asked.code, asked.err) == (0, "")
    assert "No language model is configured" in asked.out
    assert "Ada Byron founded Acme Works." in asked.out
    answer = cli("ask", "Who founded Acme Works?", "--json").json
    assert (answer["citations"], answer["trace"]["answered_by_model"]) == ([], False)
    assert answer["trace"]["evidence"][0]["quote"]
    assert server.counts.chat_calls == 0


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_model_that_cannot_be_reached_is_said_quickly(
    server: OpenAIStubServer, cli: Any, good: Path, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("ingest", good).code == 0
    before = _digest(cli)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{_closed_port()}/v1")
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "1")
    began = time.perf_counter()
    for arguments in (("ingest", *corpus.many(2, num_turns=5)), ("ask", "Who founded Acme Works?")):
        line = cli(*arguments).complaint(1)
        assert "127.0.0.1" in line
        assert "cannot be reached" in line
        assert "OPENAI_BASE_URL" in line
    assert time.perf_counter() - began < 60  # some 2 s on an idle machine
    assert _digest(cli) == before


@pytest.mark.parametrize(
    ("fault", "named"), [(Fault.UNAUTHORIZED, "OPENAI_API_KEY"), (Fault.GARBAGE, "OPENAI_BASE_URL")]
)
def test_a_server_that_refuses_stops_the_command(
    steered: Any, cli: Any, good: Path, fault: Fault, named: str
) -> None:
    steered.faults_by_marker = {"excerpt": fault}
    done = cli("ingest", good)
    assert done.code in (1, 3)
    assert named in done.out + done.err
    assert "Traceback" not in done.err
    steered.faults_by_marker = {}
    assert cli("ingest", good).code == 0
    steered.faults_by_marker = {"Question": fault}
    assert named in cli("ask", "Who founded Acme Works?").complaint(1)


WRONG_USE = [
    (("ask", "Who?", "-w", "nothere"), 1, "nothere"),
    (("graph", "stats", "-w", "nothere"), 1, "nothere"),
    (("delete", "a", "--yes", "-w", "nothere"), 1, "nothere"),
    (("ask", "Who?", "-w", "../up"), 1, "'../up'"),
    (("ask", "Who?", "-w", "there"), 1, "is empty"),
    (("ask", "   ", "-w", "there"), 2, "question is empty"),
    (("ask", "?!", "-w", "there"), 2, "question has no word"),
    (
        ("ask", "why? " * 2001, "-w", "there"),
        2,
        "has 10,005 characters, and 10,000 at most are asked",
    ),
    (("ask", "Who?", "--retriever", "magic", "-w", "full"), 2, "dynagrag-cosine"),
    (("ask", "Who?", "--traversal", "magic", "-w", "full"), 2, "dsa-bfs"),
    (("ask", "Who?", "--profile", "magic", "-w", "full"), 2, "paper"),
    (
        ("ask", "Who?", "--pruner", "magic", "--profile", "graph", "-w", "full"),
        2,
        "known: auto, none",
    ),
    (
        ("ask", "Who?", "--pruner", "gcn", "--profile", "graph", "-w", "full"),
        2,
        "dynagrag train pruner --workspace full",
    ),
    (
        ("ask", "Who?", "--pruner", ".", "--profile", "graph", "-w", "full"),
        1,
        "holds no model.json",
    ),
    (("ask", "Who?", "--document", "nothere", "-w", "full"), 2, "good"),
    (("ask", "Who?", "--speaker", "nobody", "-w", "full"), 2, "ines"),
    (("ask", "Who?", "--since", "noon", "-w", "full"), 2, "h:mm:ss"),
    (("ask", "Who?", "--since", "99:00:00", "-w", "full"), 1, "widen"),
    (("graph", "show", "Nobody Atall", "-w", "full"), 2, "Nobody Atall"),
    (("graph", "show", "Acme", "-w", "full"), 2, "near: Acme Works"),
    (("graph", "near", "Nobody Atall", "-w", "full"), 2, "Nobody Atall"),
    (("graph", "near", "Acme", "-w", "full"), 2, "near: Acme Works"),
    (("graph", "export", "g.docx", "-w", "full"), 2, ".graphml"),
    (("graph", "undo", "nothing", "-w", "full"), 2, "graph merges"),
    (("delete", "nothere", "--yes", "-w", "full"), 2, "dynagrag documents"),
    (("delete", "good", "-w", "full"), 2, "--yes"),
    (("ingest", "GOOD", "--extractor", "magic", "-w", "full"), 2, "magic"),
    (("ingest", "GOOD", "--chunks", "magic", "-w", "full"), 2, "small"),
    (("ingest", "GOOD", "--llm", "nonsense", "-w", "full"), 1, "nonsense"),
    (("ingest", "GOOD", "--llm", "gguf:/no/such.gguf", "-w", "full"), 1, "/no/such.gguf"),
    (("ask", "Who?", "--embedder", "./nothere", "-w", "full"), 1, "./nothere"),
    (("ask", "Who?", "--unknown-option"), 2, "--unknown-option"),
    (("ingest",), 2, "PATHS"),
    (("nonsense",), 2, "nonsense"),
    (("ingest", "GOOD", "--max-calls", "0"), 2, "--max-calls"),
]


def test_wrong_use_is_one_line_with_the_remedy(
    server: OpenAIStubServer, cli: Any, good: Path, open_space: OpenSpace
) -> None:
    assert cli("ingest", good, "-w", "full").code == 0
    open_space("there").close()
    before = cli("graph", "stats", "-w", "full", "--json").out
    for arguments, code, named in WRONG_USE:
        line = cli(*(good if a == "GOOD" else a for a in arguments)).complaint(code)
        assert named.casefold() in line.casefold(), arguments
        assert cli("graph", "stats", "-w", "full", "--json").out == before, arguments


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("DYNAGRAG_TEMPERATURE", "hot", "temperature"),
        ("DYNAGRAG_TIMEOUT_S", "-1", "timeout_s"),
        ("DYNAGRAG_TIMEOUT", "5", "DYNAGRAG_TIMEOUT"),
        ("DYNAGRAG_LLM", "openai:fake", "OPENAI_API_KEY"),
        ("DYNAGRAG_HOME", "/proc/nowhere", "DYNAGRAG_HOME"),
    ],
)
def test_a_wrong_setting_is_named(
    cli: Any, good: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    monkeypatch.setenv("DYNAGRAG_LLM", "openai:fake")
    monkeypatch.setenv(name, value)
    if name != "DYNAGRAG_LLM":
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert named in cli("ingest", good).complaint(1)


@pytest.mark.parametrize("text", ["llm = [broken", 'colour = "red"\n', "temperature = 'hot'\n"])
def test_a_wrong_settings_file_is_named(cli: Any, good: Path, home: Path, text: str) -> None:
    home.mkdir(parents=True)
    (home / "settings.toml").write_text(text, encoding="utf-8")
    line = cli("ingest", good).complaint(1)
    assert any(word in line for word in ("settings.toml", "colour", "temperature"))


# -------------------------------------------------------------------------------------------- store


@pytest.mark.parametrize("file", ["graph.sqlite", "journal.sqlite"])
def test_a_store_of_a_newer_version_is_left_alone(
    server: OpenAIStubServer, cli: Any, good: Path, home: Path, file: str
) -> None:
    assert cli("ingest", good).code == 0
    path = home / "workspaces" / "default" / file
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 999")
    db.close()
    data = path.read_bytes()
    for arguments in (
        ("ingest", good),
        ("ask", "Who?"),
        ("graph", "stats"),
        ("delete", "good", "--yes"),
    ):
        line = cli(*arguments).complaint(1)
        assert file in line
        assert "newer dynagrag" in line
    assert path.read_bytes() == data
    doctor = cli("doctor")
    assert (doctor.code, "newer dynagrag" in doctor.out) == (1, True)


@pytest.mark.parametrize("file", ["graph.sqlite", "journal.sqlite"])
def test_a_damaged_store_is_named(
    server: OpenAIStubServer, cli: Any, good: Path, home: Path, file: str
) -> None:
    assert cli("ingest", good).code == 0
    path = home / "workspaces" / "default" / file
    path.write_bytes(b"this is no database, but long enough to be read as one. " * 100)
    assert file in cli("ask", "Who?").complaint(1)


@pytest.mark.parametrize("which", ["graph", "journal"])
def test_a_full_disk_is_said_and_what_was_stored_stays(
    open_space: OpenSpace, corpus: Any, which: str
) -> None:
    space = open_space()
    space.ingest([corpus.write("a.vtt", corpus.meeting(1, 20))])
    before = space.stats()
    connection = space.store._connection._sqlite if which == "graph" else space.journal._db  # type: ignore[attr-defined]
    connection.execute(
        f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0] + 2}"
    )
    more = corpus.write("b.vtt", corpus.meeting(2, 300))
    with pytest.raises(StoreError, match=r"full.*free some") as full:
        space.ingest([more])
    assert "sqlite" in str(full.value)
    connection.execute("PRAGMA max_page_count = 1000000")
    assert space.store.documents()[0].title == "a"
    space.ingest([more])
    assert space.stats().documents == 2
    assert space.stats().mentions > before.mentions


def test_a_file_size_limit_in_the_middle_of_an_ingest_is_one_line(
    server: OpenAIStubServer, command: Any, cli: Any, corpus: Any, good: Path
) -> None:
    assert cli("ingest", good).code == 0
    before = _digest(cli)
    done = command("ingest", *corpus.many(6), max_file_bytes=400_000)
    line = done.complaint(1)
    assert "graph.sqlite" in line or "journal.sqlite" in line
    assert _documents(cli)[0]["title"] == "good"
    assert cli("delete", "good", "--yes").code == 0
    assert cli("ingest", good, *corpus.many(6)).code == 0
    assert cli("ingest", good, "-w", "fresh").code == 0
    assert before == cli("graph", "stats", "-w", "fresh", "--json").json["digest"]


# ------------------------------------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize("what", ["ingest", "ask"])
def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(
    start: Any,
    cli: Any,
    corpus: Any,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    good: Path,
    what: str,
) -> None:
    chat = FakeChat()
    with OpenAIStubServer(chat) as server:
        for name, value in {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": key,
            "DYNAGRAG_LLM": "openai:fake",
            "DYNAGRAG_EMBEDDER": "openai:fake",
        }.items():
            monkeypatch.setenv(name, value)
        paths = corpus.many(3)
        assert cli("ingest", good).code == 0
        before = _digest(cli)
        if what == "ask":
            assert cli("ingest", *paths).code == 0
        num_calls, chat.delay_s = chat.num_calls, 600.0
        process = (
            start("ingest", good, *paths)
            if what == "ingest"
            else start("ask", "Who works at Acme Works?")
        )
        deadline = time.monotonic() + PATIENCE_S
        while chat.num_calls == num_calls and time.monotonic() < deadline:
            time.sleep(0.02)
        assert chat.num_calls > num_calls
        process.send_signal(signal.SIGINT)
        # 0.3 s on an idle machine; the reply would come after 600 s
        err = without_progress(process.communicate(timeout=PATIENCE_S)[1])
        assert process.returncode == 130
        assert err.splitlines() == [err.strip()]
        assert err.startswith("dynagrag: interrupted; what was stored before stays")
        chat.delay_s = 0.0
        if what == "ingest":
            assert _digest(cli) == before
        assert cli("ingest", good, *paths).code == 0
        assert cli("ingest", good, *paths, "-w", "whole").code == 0
        assert _digest(cli) == cli("graph", "stats", "-w", "whole", "--json").json["digest"]


def test_a_look_at_another_store_neither_moves_nor_makes_a_workspace(cli: Any, home: Path) -> None:
    folder = home / "workspaces" / "far"
    folder.mkdir(parents=True)
    (folder / "store").write_text("bolt://127.0.0.1:1\n", encoding="utf-8")
    said = cli("graph", "stats", "-w", "far", "--store", "sqlite").complaint(1)
    assert "no workspace 'far'" in said
    assert "--store" in said
    assert [p.name for p in folder.iterdir()] == ["store"]
    assert (folder / "store").read_text(encoding="utf-8") == "bolt://127.0.0.1:1\n"


@pytest.mark.parametrize(
    "address",
    [
        "bolt://neo4j:SECRETX@h:7687",
        "bolt://neo4j:pa/SECRETX@h",
        "bolt://h?password=SECRETX",
        "SECRETX",
        "SECRETX@h:1",
    ],
)
def test_an_address_that_may_hold_a_password_is_never_echoed(cli: Any, address: str) -> None:
    copy = ("graph", "copy", "--from", "sqlite", "--to", address, "--replace", "--yes")
    for arguments in (("graph", "stats", "--store", address), copy):
        assert "SECRETX" not in cli(*arguments).complaint(2)
