"""Glossary files: every form, and what is said of what can't be used."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.errors import LoadError
from dynagrag.graph_store.derived.glossary import resolve
from dynagrag.ingest.load.glossary_file import GlossaryFile, read_glossary_file
from dynagrag.ingest.load.tables import parse_csv

_ROWS = {("Lunar Module", ("LM", "LEM"), "It lands."), ("Service Module", (), "It stays.")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "glossary"


def _read(file: Path, text: str | bytes) -> GlossaryFile:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_glossary_file(file)


def _plain(found: GlossaryFile) -> set[tuple[str, tuple[str, ...], str]]:
    return {(row.term, row.aliases, row.definition) for row in found.rows}


_CSV = "term,aliases,definition\nLunar Module,LM; LEM,It lands.\nService Module,,It stays.\n"


@pytest.mark.parametrize(
    "text",
    [
        _CSV,
        _CSV.replace("\n", "\r\n"),
        "\ufeff" + _CSV,
        "\n\n" + _CSV,
        _CSV.replace("Service", "\n  \n,,\nService"),
        "Definition;Aliases;Term\nIt lands.;LM|LEM;Lunar Module\nIt stays.;;Service Module\n",
        "term\tsynonyms\tdefinition\nLunar Module\tLM|LEM\tIt lands.\nService Module\t\tIt stays.",
        (
            'TERM,ALIASES,DEFINITION,page\n"Lunar Module","LM;LEM","It\nlands.",7\nService'
            " Module,,It stays.\n"
        ),
        (
            '[{"term": "Lunar Module", "aliases": ["LM", "LEM"], "definition": "It lands."},'
            ' {"term": "Service Module", "definition": "It stays."}]'
        ),
        (
            '{"Lunar Module": {"term": "Lunar Module", "synonyms": ["LM", "LEM"], "definition": "It'
            ' lands.", "line": 3}, "Service Module": {"definition": "It stays."}}'
        ),
        (
            '{"Lunar Module": {"aliases": "LM; LEM", "definition": "It lands."}, "Service Module":'
            ' "It stays."}'
        ),
        (
            '{"canonical": "Lunar Module", "aliases": ["LM", "LEM"], "definition": "It'
            ' lands."}\n{"kind": "x", "canonical": "Service Module", "aliases": [], "definition":'
            ' "It stays."}\n'
        ),
    ],
)
def test_every_form_reads_alike(text: str, file: Path) -> None:
    found = _read(file, text)
    assert (_plain(found), found.notes) == (_ROWS, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_other_encodings_are_read(encoding: str, file: Path) -> None:
    text = "term,aliases,definition\n" + "".join(
        f"Müller-Gerät {n},Gerät {n},Für die Prüfung großer Öfen\n" for n in range(20)
    )
    assert _read(file, text.encode(encoding)).rows[0].aliases == ("Gerät 0",)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("name of thing,other\nx,y\n", 1, "must be term, aliases, definition"),
        ("\n\nfoo,bar\n", 3, "must be term"),
        ("term\nx\n", 1, "must be term"),
        (f'term,aliases\nx,"{"y" * 140_000}\n', 2, "quotation mark left open"),
        ('[{"term": "x"},\n {"term": }]', 2, "no JSON"),
        ('[{"term": "x"}\n {"term": "y"}]', 2, "should be"),
        ('[{"term": "x", "aliases": []}', 1, "should be"),
        ('{"x": {"aliases": ["y"]}\n} more', 2, "more behind the end"),
        ("[" * 100_000, 1, "nested too deep"),
        (f'[{{"term": "x"}},\n {{"term": {"9" * 5_000}}}]', 2, "a number of too many digits"),
        ('term,aliases\na,b\nLM,"Lunar Module\nX,Y\n', 3, "a quotation mark that is never closed"),
        ('term,definition\nLM,"It lands.\nX,Y', 2, "a quotation mark that is never closed"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_line(
    text: str, line: int, word: str, file: Path
) -> None:
    with pytest.raises(LoadError, match=word) as err:
        _read(file, text)
    assert str(err.value).startswith(f"glossary {file}, line {line}: ")


def test_a_table_that_was_read_before_changes_no_message(file: Path) -> None:
    parse_csv(["text", "hello"])
    with pytest.raises(LoadError, match="quotation mark left open"):
        _read(file, f'term,aliases\nx,"{"y" * 140_000}"\n')


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"term,aliases\n",
        b"term,aliases\n,\n",
        b"\x89PNG\r\n\x1a\n",
        b"[]",
        b"{}",
        b"[1, 2]",
    ],
)
def test_a_file_without_a_term_is_refused(data: bytes, file: Path) -> None:
    with pytest.raises(LoadError, match=r"glossary .*(holds no term|is empty|PNG)"):
        _read(file, data)


def test_a_file_that_is_not_there_or_none_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(LoadError, match="can't be read"):
            read_glossary_file(path)


def test_rows_that_cannot_be_used_are_said_with_their_lines_and_the_rest_is_kept(
    file: Path,
) -> None:
    long = "x" * 300
    text = (
        "term,aliases,definition\nLM,Lunar Module,d\n,Eagle,no"
        f" term\n---,a,b\n{long},b,c\nSM,{long};Service Module,e\nA,B,C,D,E\n"
    )
    found = _read(file, text)
    assert _plain(found) == {("LM", ("Lunar Module",), "d"), ("SM", ("Service Module",), "e")}
    assert found.notes == (
        (
            "lines 3, 4, 5: no term, or one without letter or digit, of more than 200 characters or"
            " with broken ones; left out"
        ),
        (
            "line 6: an alias without letter or digit, of more than 200 characters or with broken"
            " ones; left out"
        ),
        "line 7: more fields than columns; put a field that holds the delimiter in quotation marks",
    )


def test_json_entries_that_cannot_be_used_are_said_too(file: Path) -> None:
    found = _read(
        file,
        '[{"term": "LM", "aliases": ["Eagle", 7]},\n{"term": ["x"]},\n"text",\n{"term": "SM",'
        ' "aliases": null}]',
    )
    assert _plain(found) == {("SM", (), "")}
    assert found.notes == (
        "lines 1, 2: a field that is no text; left out",
        "line 3: no object with term, aliases, definition; left out",
    )


def test_a_term_that_is_two_things_and_a_circle_are_said(file: Path) -> None:
    found = _read(
        file, "term,aliases\nGuidance Computer,AGC\nGain Control,AGC\nEagle,Spider\nSpider,Eagle\n"
    )
    assert found.notes == (
        (
            "'agc' stands for several things (Gain Control, Guidance Computer; lines 2, 3); it is"
            " left apart"
        ),
        "'eagle' and 'spider' are aliases of each other; they are one".replace(
            "eagle", "Eagle"
        ).replace("spider", "Spider"),
    )


def test_a_circle_of_any_length_is_said(file: Path) -> None:
    rows = "".join(f"n{i:02},n{(i + 1) % 9:02}\n" for i in range(9))
    assert _read(file, f"term,aliases\n{rows}x1,y1\n").notes == (
        "'n00', 'n01', 'n02', 'n03', 'n04' and 4 more are aliases in a circle; they are one",
    )


def test_a_quotation_mark_that_swallows_rows_is_said(file: Path) -> None:
    found = _read(file, 'term,aliases\na,b\nLM,"Lunar Module\nX,Y\nZ,"W"\nc,"d;\ne"\n')
    assert _plain(found) == {("a", ("b",), ""), ("c", ("d", "e"), "")}
    assert found.notes == (
        "line 3: a name over several lines; is a quotation mark left open? left out",
    )


def test_broken_characters_are_in_no_name(file: Path) -> None:
    found = _read(
        file,
        r'[{"term": "LM", "aliases": ["L\ud800M", "L\u0000M", "LEM"], "definition": "It\u0007'
        r' lands."}, {"term": "\ud800x"}]',
    )
    assert _plain(found) == {("LM", ("LEM",), "It\ufffd lands.")}
    assert len(found.notes) == 2


def test_a_key_that_an_object_repeats_is_not_lost(file: Path) -> None:
    found = _read(file, '{"CM": "a ship",\n"CM": "a length"}')
    assert _plain(found) == {("CM", (), "a ship"), ("CM", (), "a length")}
    assert "'cm' stands for several things" in found.notes[0]


def test_ten_thousand_rows_take_as_many_times_as_long_as_a_thousand(file: Path) -> None:
    def num_lines(num_rows: int) -> int:
        import sys

        count = 0

        def trace(frame: object, event: str, arg: object) -> object:
            nonlocal count
            count += event == "line"
            return trace

        text = "term,aliases\n" + "".join(
            f"Term number {n},T{n};Name {n % 700}\n" for n in range(num_rows)
        )
        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            found = _read(file, text)
        finally:
            sys.settrace(before)
        assert len(found.rows) == num_rows
        return count

    assert num_lines(10_000) < 13 * num_lines(1_000)


_texts = st.text(max_size=20)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"term": _texts, "aliases": st.lists(_texts, max_size=3), "definition": _texts}
        ),
        max_size=6,
    )
)
def test_any_texts_are_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, object]]
) -> None:
    file = tmp_path_factory.mktemp("g") / "g.json"
    try:
        found = _read(file, json.dumps(entries))
    except LoadError as err:
        assert "\n" not in str(err)  # noqa: PT017 - either may happen
    else:
        resolve(found.rows)
        assert all(
            row.term in [" ".join(str(e["term"]).split()) for e in entries] for row in found.rows
        )


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.mktemp("g") / "g.csv"
    try:
        assert _read(file, data).rows
    except LoadError as err:
        assert str(file) in str(err)  # noqa: PT017 - either may happen
