"""Names for speakers: what a file of them may say, and what becomes of a source's labels."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import LoadedSource, SourceTurn
from dynagrag.graph_store.derived.speaker_roles import ROLES_KEY, roles_text, stored_roles
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.speaker_names import (
    SpeakerNames,
    alike,
    check_known,
    check_names,
    kept_names,
    read_speaker_names,
    renamed,
    with_labels,
)

LABELS = st.sampled_from(["A", "B", "C", "D", "Anna Lee", "Ünal"])


def source(*labels: str | None) -> LoadedSource:
    return LoadedSource(
        "talk.txt",
        "speaker-text",
        tuple(SourceTurn(f"Words of {label}.", label) for label in labels),
        sha256="s",
    )


def speakers(made: LoadedSource) -> list[str | None]:
    return [turn.speaker for turn in made.turns]


def write(tmp_path: Path, text: str, name: str = "map.csv") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SPEAKER_00,Anna Lee\nSPEAKER_01,-\n", {"SPEAKER_00": "Anna Lee", "SPEAKER_01": ""}),
        ("label,name\nA,Anna\nB,Anna\n", {"A": "Anna", "B": "Anna"}),
        ('"Lee, Anna", Anna Lee\n\nNews,\n', {"Lee, Anna": "Anna Lee", "News": ""}),
        ("\ufeffA,Anna\r\nA,Anna\r\n", {"A": "Anna"}),
        ("A,B\nB,Carl\n", {"A": "Carl", "B": "Carl"}),
        ("A,A\n", {"A": "A"}),
        ("A,B\nB,A\n", {"A": "B", "B": "A"}),
        (
            '{"A": "B", "B": "C", "C": "A", "D": "Dora"}',
            {"A": "B", "B": "C", "C": "A", "D": "Dora"},
        ),
        ('{"A": "Anna", "B": null, "C": "-", "D": ""}', {"A": "Anna", "B": "", "C": "", "D": ""}),
    ],
)
def test_a_map_is_csv_or_json(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    assert read_speaker_names(write(tmp_path, text)).everywhere == expected


@pytest.mark.parametrize(
    "text", ["A,Anna\nA,Berta,two.vtt\n", '{"A": "Anna", "two.vtt": {"A": "Berta"}}']
)
def test_one_label_may_be_another_person_in_another_file(tmp_path: Path, text: str) -> None:
    names = read_speaker_names(write(tmp_path, text))
    assert names.of_file("x/one.vtt") == {"A": "Anna"}
    assert names.of_file("x/two.vtt") == {"A": "Berta"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "C,A\nA,B\nB,A\n",
            (
                "leads into a circle: C -> A -> B, and 'A' changes places itself; give 'C' another"
                " name"
            ),
        ),
        (
            '{"A": "B", "D": "E", "E": "C", "B": "C", "C": "B"}',
            "leads into a circle: A -> B -> C, and 'B' changes places",
        ),
        ("A,Anna\nA,Berta\n", "names 'A' twice: 'Anna' and 'Berta'"),
        ('{"A": "Anna", "A": "Berta"}', "names 'A' twice"),
        ("A,Anna,x,y\n", "line 1 has 4 columns"),
        ("Anna\n", "line 1 has 1 columns"),
        (",Anna\n", "a name without a label: 'Anna'"),
        ('["A"]', "it is no JSON object"),
        ('{"A": 3}', "the name of 'A' is no text"),
        ('{"A": ', "could not be read"),
        ("\n\n", "names no speaker"),
        ("label,name\n", "names no speaker"),
        (f"A,{'x' * 300}\n", "a name of 300 characters"),
        ('A,"Anna\nB,Berta\n', "row 1 has a name of several lines; is a quotation mark left open?"),
        ('A,Anna\nB,"Berta\nC,"Carl"\n', "row 2 has a name of several lines"),
        ('{"one.vtt": {"A": {"B": "Carl"}}}', "in 'one.vtt' the name of 'A' is no text"),
        ('{"A": NaN}', "the name of 'A' is no text"),
        ('{"A": "\\ud800"}', "gives 'A' a name with control or broken characters"),
        ('{"A": "An\\u0000na"}', "gives 'A' a name with control or broken characters"),
        ('{"A": "\\u200b"}', "or with none to be seen"),
    ],
)
def test_a_map_that_cannot_be_says_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_speaker_names(write(tmp_path, text))
    assert said in str(caught.value)
    assert "map.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [("x" * 201, "201 characters"), ("An\0na", "control"), ("\u200b", "none to be seen")],
)
def test_names_that_no_file_gave_are_held_to_the_same_rules(name: str, said: str) -> None:
    for names in (
        SpeakerNames({"A": name}),
        SpeakerNames({}, {"talk.txt": {"B": "Berta", "A": name}}),
    ):
        with pytest.raises(UsageError, match=said):
            check_names(names)
    check_names(SpeakerNames({"A": "x" * 200, "B": ""}, {"talk.txt": {"A": "Ünal"}}))


def test_a_map_that_is_not_there_or_no_text_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="could not be read: no such file"):
        read_speaker_names(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="could not be read"):
        read_speaker_names(tmp_path)
    (tmp_path / "b.csv").write_bytes(b"\x7fELF\x00\x00\x01\x02" * 50)
    with pytest.raises(UsageError):
        read_speaker_names(tmp_path / "b.csv")


def test_speakers_are_renamed_merged_and_left_out_and_the_words_stay() -> None:
    made = renamed(source("A", "B", "C", None, "A"), {"A": "Anna", "B": "Anna", "C": ""}, {})
    assert speakers(made) == ["Anna", "Anna", None, None, "Anna"]
    assert [t.text for t in made.turns] == [t.text for t in source("A", "B", "C", None, "A").turns]
    assert kept_names(made.meta) == {"A": "Anna", "B": "Anna", "C": ""}


def test_two_change_places_once_and_stay_there(tmp_path: Path) -> None:
    names = read_speaker_names(write(tmp_path, "A,B\nB,A\n")).of_file("talk.txt")
    first = renamed(source("A", "B", "A"), names, {})
    assert speakers(first) == ["B", "A", "B"]
    for told in ({}, names):
        again = renamed(source("A", "B", "A"), told, kept_names(first.meta))
        assert (speakers(again), again.meta) == (["B", "A", "B"], first.meta)
    # each label is the file's: what B is called now says nothing of A, who is called B
    assert speakers(renamed(source("A", "B"), {"B": "Berta"}, kept_names(first.meta))) == [
        "B",
        "Berta",
    ]


def test_names_are_kept_and_taken_back() -> None:
    kept = {"A": "Anna", "B": ""}
    assert speakers(renamed(source("A", "B"), {}, kept)) == ["Anna", None]
    assert speakers(renamed(source("A", "B"), {"Anna": "Anna Lee"}, kept)) == ["Anna Lee", None]
    again = renamed(source("A", "B"), {"A": "A", "B": "Berta"}, kept)
    assert speakers(again) == ["A", "Berta"]
    assert kept_names(renamed(source("A", "B"), {"A": "A", "B": "B"}, kept).meta) == {}


def test_a_role_goes_with_its_label() -> None:
    file = replace(
        source("A", "B", "C", "D"),
        meta={ROLES_KEY: roles_text({"A": "Judge", "B": "Clerk", "D": "Guest"})},
    )

    def roles(names: dict[str, str]) -> dict[str, str]:
        return dict(stored_roles(renamed(file, names, {}).meta))

    assert roles({"A": "Anna Lee", "B": "A"}) == {"Anna Lee": "Judge", "A": "Clerk", "D": "Guest"}
    assert roles({"A": "", "C": "B"}) == {"B": "Clerk", "D": "Guest"}
    assert roles({"C": "C"}) == {"A": "Judge", "B": "Clerk", "D": "Guest"}


def test_a_long_way_of_names_takes_as_many_times_as_long(tmp_path: Path) -> None:
    num = 20_000
    names = read_speaker_names(
        write(tmp_path, "".join(f"S{i},S{i + 1}\n" for i in range(num)))
    ).everywhere
    assert set(names.values()) == {f"S{num}"}
    round_ = "".join(f"S{i},S{(i + 1) % num}\n" for i in range(num))
    assert read_speaker_names(write(tmp_path, round_)).everywhere["S7"] == "S8"
    into = "".join(f"T{i},T{i + 1}\n" for i in range(num))
    with pytest.raises(UsageError, match="circle") as caught:
        read_speaker_names(write(tmp_path, f"{into}T{num},S0\n{round_}"))
    assert len(str(caught.value)) < 500


def test_a_label_that_nobody_has_is_named_with_what_is_near() -> None:
    known = {"one.vtt": ["SPEAKER_00", "SPEAKER_01"], "two.vtt": ["Anna"]}
    check_known(SpeakerNames({"SPEAKER_00": "X"}, {"two.vtt": {"Anna": ""}}), known)
    with pytest.raises(
        UsageError,
        match=(
            r"'SPEAKER_0' \(near: SPEAKER_01, SPEAKER_00\)|'SPEAKER_0' \(near: SPEAKER_00,"
            r" SPEAKER_01\)"
        ),
    ):
        check_known(SpeakerNames({"SPEAKER_0": "X"}), known)
    with pytest.raises(
        UsageError, match=r"labels that nobody has in two\.vtt: 'SPEAKER_00' \(known: Anna\)"
    ):
        check_known(SpeakerNames({}, {"two.vtt": {"SPEAKER_00": "X"}}), known)
    with pytest.raises(UsageError, match=r"a file 'tow\.vtt' that isn't read \(near: two\.vtt"):
        check_known(SpeakerNames({}, {"tow.vtt": {"A": "X"}}), known)


def test_a_document_whose_names_are_broken_has_none() -> None:
    assert (
        kept_names({"speaker_names": "{"})
        == kept_names({"speaker_names": "[1]"})
        == kept_names({})
        == {}
    )


def ways(names: dict[str, str], label: str) -> list[str]:
    """A label and the names that follow on it, up to one that comes again."""
    way = [label]
    while (label := names.get(label, label)) not in way:
        way.append(label)
    return way


def changes_places(names: dict[str, str], label: str) -> bool:
    way = ways(names, label)
    return len(way) > 1 and names.get(way[-1]) == label


def read(names: dict[str, str]) -> SpeakerNames:
    with TemporaryDirectory() as folder:
        return read_speaker_names(write(Path(folder), json.dumps(names)))


@given(st.dictionaries(LABELS, LABELS, min_size=1, max_size=6), st.lists(LABELS, max_size=8))
def test_any_map_either_names_everybody_or_is_refused(
    names: dict[str, str], labels: list[str]
) -> None:
    if any(
        changes_places(names, way[-1]) and not changes_places(names, label)
        for label in names
        for way in [ways(names, label)]
    ):
        with pytest.raises(UsageError, match="circle"):
            read(names)
        return
    made = read(names)
    first = renamed(source(*labels), made.everywhere, {})
    for label, speaker in zip(labels, speakers(first), strict=True):
        assert speaker == (names[label] if changes_places(names, label) else ways(names, label)[-1])
    again = renamed(source(*labels), {}, kept_names(first.meta))
    assert (speakers(again), json.dumps(dict(again.meta))) == (
        speakers(first),
        json.dumps(dict(first.meta)),
    )


@pytest.mark.parametrize(
    ("labels", "pairs"),
    [
        (["Vic", "Vic Vijayakumar", "Ann"], [("Vic", "Vic Vijayakumar")]),
        (["VIC", "Vic Vijayakumar"], [("VIC", "Vic Vijayakumar")]),
        (
            ["Ann Lee", "Ann Lee Fox", "Bo J.", "Bo J. O'Hara-Lim"],
            [("Ann Lee", "Ann Lee Fox"), ("Bo J.", "Bo J. O'Hara-Lim")],
        ),
        (["Vic", "Vic Reeves", "Vic Vijayakumar"], []),  # whose?
        (["Vic", "Victor Lim", "Lim", "Anna Vic"], []),  # no beginning by words
        (["Justice", "Justice Kagan"], []),
        (
            [
                "Speaker",
                "Speaker 1",
                "FLIGHT",
                "FLIGHT (off loop)",
                "CDR",
                "CDR / LMP",
                "A",
                "A Lee",
            ],
            [],
        ),
        (["VIC", "Vic"], []),  # one name already
        ([], []),
    ],
)
def test_labels_that_look_like_one_person_s(
    labels: list[str], pairs: list[tuple[str, str]]
) -> None:
    assert alike([*labels, *labels]) == pairs


def test_turns_without_a_speaker_are_given_to_somebody_and_kept_so() -> None:
    made = renamed(source("A", None, "A"), {"": "Anna Lee"}, {})
    assert speakers(made) == ["A", "Anna Lee", "A"]
    assert kept_names(made.meta) == {"": "Anna Lee"}
    later = renamed(source("A", None), {}, kept_names(made.meta))
    assert speakers(later) == ["A", "Anna Lee"]
    assert speakers(renamed(source("A", None), {"": ""}, {"": "Anna Lee"})) == ["A", None]


def test_what_is_left_out_stays_so_when_other_turns_are_given_to_somebody() -> None:
    left_out = renamed(source("News", None), {"News": ""}, {})
    made = renamed(source("News", None), {"": "Anna"}, kept_names(left_out.meta))
    assert speakers(made) == [None, "Anna"]


def test_a_dash_is_nobody_as_a_label_too(tmp_path: Path) -> None:
    names = read_speaker_names(write(tmp_path, "-,Anna Lee,talk.txt\nNews,-\n"))
    assert names.of_file("talk.txt") == {"": "Anna Lee", "News": ""}
    check_known(names, {"talk.txt": ["News", ""]})
    with pytest.raises(UsageError, match=r"nobody has in talk.txt: '-' \(known: News\)"):
        check_known(names, {"talk.txt": ["News"]})


def test_a_label_that_the_file_has_not_taken_for_a_speaker_becomes_one() -> None:
    text = "I agree. Reece, Psy.D: So do I, mostly. Host: Good."
    turns = (SourceTurn(text, "Host", 3.0, 9.0), SourceTurn("Reece, Psy.D: No: never.", None, 9.0))
    read = LoadedSource("talk.txt", "speaker-text", turns, sha256="s")
    made = renamed(read, {"Reece, Psy.D": "Dr. Reece", "Nobody's": "x"}, {})
    assert made.turns == (
        SourceTurn("I agree.", "Host", 3.0, 9.0),
        SourceTurn("So do I, mostly.", "Dr. Reece", None, 9.0),
        SourceTurn("Good.", "Host", None, 9.0),
        SourceTurn("No: never.", "Dr. Reece", 9.0),
    )
    assert renamed(read, {}, kept_names(made.meta)).turns == made.turns
    as_it_is = renamed(read, {"Reece, Psy.D": "Reece, Psy.D"}, {})
    assert speakers(as_it_is) == ["Host", "Reece, Psy.D", "Host", "Reece, Psy.D"]
    assert speakers(renamed(read, {}, kept_names(as_it_is.meta))) == speakers(as_it_is)


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        (["ann: it costs forty.", "ben: the roof is first.", "ann: so it is."], ["ann"]),
        (["ANN: it costs forty.", "BEN: the roof is first.", "CARL: we wait."], ["ANN", "CARL"]),
        (["ANN: it costs", "BEN: the roof is", "CARL: wait", "ANN: a", "BEN: no", "CARL: b"] * 2,
         ["ANN"]),
        (["ANN: it costs", "BEN: the roof is", "CARL: wait", "ANN: a", "BEN: no", "CARL: b"] * 2,
         ["ANN", "BEN", "CARL"]),
    ],
)  # fmt: skip
def test_words_behind_a_label_that_is_not_given_are_never_another_s(
    tmp_path: Path, lines: list[str], given: list[str]
) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = renamed(load_source(path), {label: f"{label} Lee" for label in given}, {})
    said = [(turn.speaker, turn.text) for turn in made.turns]
    wanted = [
        (f"{label} Lee", words) if label in given else (None, f"{label}: {words}")
        for label, words in (line.split(": ") for line in lines)
    ]
    assert said == wanted


def test_words_before_a_colon_within_a_sentence_are_no_label() -> None:
    turns = (SourceTurn("We asked Reece: he said no.", "Host"),)
    read = LoadedSource("talk.txt", "speaker-text", turns, sha256="s")
    assert with_labels(read, {"Reece": "Reece"}, {}) == read
