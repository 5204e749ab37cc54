"""Claims from files of pairs, written by hand and from WiCE: labels, kinds, lines, sources, and
what is refused with file and line.
"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import Line
from dynagrag.evaluation.citations.claim_sets import load_by_hand, load_pairs, load_wice

WICE = {
    "id": "dev1",
    "claim": "The board met in May.",
    "label": "partially_supported",
    "evidence": ["(meta data) TITLE: The Board", "It met.", "In May.", ""],
    "supporting_sentences": [[1, 2], [1]],
}


def pairs(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def wice(folder: Path, *rows: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wice_claim_dev.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    )
    return folder


@pytest.mark.parametrize(
    ("label", "is_true", "group"),
    [
        (1, True, "true"),
        (0, False, "false"),
        (True, True, "true"),
        ("supported", True, "supported"),
        ("partially_supported", False, "partially_supported"),
        ("not_supported", False, "not_supported"),
    ],
)
def test_labels_are_one_and_zero_or_those_of_wice(
    label: Any, is_true: bool, group: str, tmp_path: Path
) -> None:
    (claim,) = load_pairs(
        pairs(tmp_path / "a.jsonl", {"claim": "C.", "evidence": "E.", "label": label})
    ).claims
    assert (claim.is_true, claim.group, claim.false_kind) == (is_true, group, "false")


def test_evidence_is_a_text_or_a_list_of_texts_and_of_lines(tmp_path: Path) -> None:
    rows = [
        {"claim": "C.", "evidence": evidence, "label": 1}
        for evidence in (
            "One.",
            ["One.", {"text": "Two.", "speaker": "Ada", "title": "Talk"}, {"text": "Three."}],
            [],
            " ",
        )
    ]
    found = load_pairs(pairs(tmp_path / "mine.jsonl", *rows))
    assert [c.claim.lines for c in found.claims] == [
        (Line("One."),),
        (Line("One."), Line("Two.", "Ada", "Talk"), Line("Three.")),
        (),
        (),
    ]
    assert (found.name, [c.id for c in found.claims]) == ("mine", ["0", "1", "2", "3"])


def test_only_false_claims_have_a_kind_and_claims_on_the_same_evidence_or_document_have_one_source(
    tmp_path: Path,
) -> None:
    rows = [
        {"claim": "A.", "evidence": "One.", "label": 1, "kind": "true"},
        {"claim": "B.", "evidence": "One.", "label": 0, "kind": "neg"},
        {"claim": "C.", "evidence": "Two.", "label": 0, "document": "d", "id": "x"},
        {"claim": "D.", "evidence": "Three.", "label": 0, "document": "d", "id": "x"},
    ]
    claims = load_pairs(pairs(tmp_path / "a.jsonl", *rows)).claims
    assert [c.group for c in claims] == ["true", "neg", "false", "false"]
    assert claims[0].source == claims[1].source != claims[2].source == claims[3].source
    assert [c.id for c in claims] == ["0", "1", "x", "x (2)"]


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"claim": "C.", "evidence": "E."}, "'label' must be 1, 0, or one of supported"),
        ({"claim": "C.", "evidence": "E.", "label": 2}, "'label' must be"),
        ({"claim": " ", "evidence": "E.", "label": 1}, "'claim' is"),
        ({"claim": "C.", "label": 1}, "'evidence' must be a text or a list"),
        ({"claim": "C.", "evidence": [3], "label": 1}, "'evidence' holds neither a text nor"),
    ],
)
def test_a_wrong_row_is_named_by_file_and_line(row: Any, wanted: str, tmp_path: Path) -> None:
    path = pairs(tmp_path / "a.jsonl", {"claim": "C.", "evidence": "E.", "label": 1}, row)
    with pytest.raises(LoadError, match=rf"a\.jsonl, line 2.*{wanted}"):
        load_pairs(path)


def test_claims_by_hand_can_be_read_as_pairs(tmp_path: Path) -> None:
    row = {"id": "a", "source": "b", "kind": "verb", "claim": "C.", "lines": [{"text": "L."}]}
    path = pairs(tmp_path / "a.jsonl", row | {"label": "stated"}, row | {"label": "false"})
    true, false = load_pairs(path).claims
    assert (true.is_true, true.kind, false.is_true, false.kind) == (True, "", False, "verb")
    assert true.claim.lines == false.claim.lines == (Line("L."),)


def test_claims_by_hand_are_half_true_and_false_ones_have_a_kind_each() -> None:
    found = load_by_hand("gold")
    num_true = sum(c.is_true for c in found.claims)
    kinds = Counter(c.kind for c in found.claims if not c.is_true)
    assert (found.name, len(found.claims), num_true) == ("gold", 507, 230)
    assert kinds == Counter(
        order=29,
        binding=33,
        object=29,
        subject=23,
        pair=24,
        run=25,
        negation=19,
        number=14,
        speaker=11,
        name=8,
        verb=28,
        attribute=34,
    )
    first = found.claims[0]
    assert (first.id, first.is_true, first.kind, first.claim.lines[0].speaker) == (
        "gold-001",
        True,
        "",
        "Hon. Ed Fast",
    )
    assert first.claim.lines[0].text.startswith(
        "On May 4, the Government of Taiwan delivered 25,000 surgical masks"
    )
    assert found.claims[1].source == first.source


@pytest.mark.parametrize("given", [".", "citations", "citations/wice_claim_dev.jsonl.gz"])
def test_wice_is_found_in_the_folder_of_the_sets_its_own_or_as_a_file(
    given: str, tmp_path: Path
) -> None:
    wice(tmp_path / "citations", WICE, WICE | {"label": "supported", "supporting_sentences": [[]]})
    found = load_wice(tmp_path / given)
    assert found.name == "wice"
    first, second = found.claims
    assert (first.is_true, first.group, first.false_kind, second.is_true) == (
        False,
        "partially_supported",
        "false",
        True,
    )
    assert [line.text for line in first.claim.lines] == ["The Board", "It met.", "In May.", ""]
    assert {line.title for line in first.claim.lines} == {"The Board"}
    assert (first.gold, second.gold) == ((frozenset({1, 2}), frozenset({1})), ())
    assert (first.id, second.id, first.source) == ("dev1", "dev1 (2)", second.source)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"label": "maybe"}, "'label' is 'maybe'; it must be one of supported, "),
        (
            {"supporting_sentences": [[4]]},
            "'supporting_sentences' must be lists of numbers of the evidence, from 0 to 3",
        ),
        ({"evidence": ["E.", 3]}, "'evidence' must be a list of texts"),
    ],
)
def test_a_wrong_row_of_wice_is_named(change: dict[str, Any], wanted: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=wanted):
        load_wice(wice(tmp_path, WICE | change))


def test_a_folder_without_wice_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        LoadError,
        match=r"there is no wice_claim_dev.*--data names the folder that holds citations/",
    ):
        load_wice(tmp_path)


def test_the_digest_tells_other_claims_and_other_lines(tmp_path: Path) -> None:
    row = {"claim": "C.", "evidence": "E.", "label": 1}
    sets = [
        load_pairs(pairs(tmp_path / "a.jsonl", row | change))
        for change in ({}, {"label": 0}, {"evidence": "F."}, {"claim": "D."}, {})
    ]
    digests = [found.digest for found in sets]
    assert digests[0] == digests[-1]
    assert len(set(digests)) == 4
