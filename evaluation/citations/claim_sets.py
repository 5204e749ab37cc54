"""Claims known to be stated by their lines or not: pairs of a file, claims by hand, WiCE's.

Those made of a workspace's own lines are in workspace_claims.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id
from dynagrag.core.schema import Claim, Line
from dynagrag.evaluation.question_sets.json_rows import SUFFIXES, Row, read_rows
from dynagrag.evaluation.question_sets.question_set import DataFile

WICE, GOLD, SHORT = "wice", "gold", "short"
_BY_HAND = {GOLD: "claims_gold.jsonl", SHORT: "short_answers.jsonl"}
_FOLDER = "citations"
_WICE_STEM = "wice_claim_dev"
_LABELS = {"supported": True, "partially_supported": False, "not_supported": False}
_META_TITLE = "(meta data) TITLE: "
_FALSE = "false"
_GOLD_LABELS = {"stated": True, _FALSE: False}


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim with its lines, and whether they state it.

    Args:
        id: Names it inside its set.
        claim: What a checker is given.
        is_true: Whether the lines state it, whatever the world says.
        kind: How it was made, such as `number`; empty where nobody says.
        label: What its set calls it, such as `partially_supported`.
        source: Claims of one source stand or fall together, so they are resampled together.
        gold: Sets of rows of the lines, each of which states the claim; empty where nobody says.
    """

    id: str
    claim: Claim
    is_true: bool
    kind: str
    label: str
    source: str
    gold: tuple[frozenset[int], ...] = ()

    @property
    def group(self) -> str:
        """Under what its verdicts are counted."""
        return self.kind or self.label

    @property
    def false_kind(self) -> str:
        """The kind a false claim is counted under; `false` where none is named."""
        return self.kind or _FALSE


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """Claims to check. `notes`: what was left out, by reason."""

    name: str
    claims: tuple[LabelledClaim, ...]
    files: tuple[DataFile, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """One hash of all claims with their lines."""
        parts: list[str | int] = []
        for own in self.claims:
            parts += [own.id, own.claim.text, int(own.is_true), own.kind]
            for line in own.claim.lines:
                parts += [line.text, line.speaker or "", line.title]
        return content_id(*parts)


def load_pairs(path: Path) -> ClaimSet:
    """Pairs of a claim and its evidence, JSON lines: docs/evaluation.md. LoadError where the file
    can't be read or a row is wrong.
    """
    rows, file = read_rows(path)
    return ClaimSet(
        path.name.removesuffix(".gz").removesuffix(".jsonl"),
        _with_unique_ids(map(_pair, rows)),
        (file,),
    )


def load_by_hand(name: str) -> ClaimSet:
    """Claims written by hand, on lines of transcripts and stories (`GOLD`) or as short answers to
    questions (`SHORT`): docs/evaluation.md.
    """
    folder = resources.files("dynagrag.evaluation.citations")
    rows, file = read_rows(Path(str(folder / _BY_HAND[name])))
    return ClaimSet(name, tuple(map(_gold_claim, rows)), (file,))


def load_wice(data: Path) -> ClaimSet:
    """WiCE's claims with all sentences of the page that is cited, from the folder of the sets, the
    folder citations/ in it, or the file.

    Raises LoadError where the file is missing or a row is wrong.
    """
    rows, file = read_rows(_wice_file(data))
    return ClaimSet(WICE, _with_unique_ids(map(_wice_claim, rows)), (file,))


def _with_unique_ids(claims: Iterable[LabelledClaim]) -> tuple[LabelledClaim, ...]:
    """The claims, each with an id of its own: one that stood before gets a number."""
    seen: Counter[str] = Counter()
    named = []
    for claim in claims:
        seen[claim.id] += 1
        named.append(
            claim if seen[claim.id] == 1 else replace(claim, id=f"{claim.id} ({seen[claim.id]})")
        )
    return tuple(named)


def _wice_file(data: Path) -> Path:
    if data.is_file():
        return data
    for folder in (data / _FOLDER, data):
        for suffix in SUFFIXES:
            if (folder / f"{_WICE_STEM}{suffix}").is_file():
                return folder / f"{_WICE_STEM}{suffix}"
    raise LoadError(
        f"there is no {_WICE_STEM}.jsonl[.gz] in {data / _FOLDER} or {data}; --data names the"
        f" folder that holds {_FOLDER}/"
    )


def _wice_claim(row: Row) -> LabelledClaim:
    label = row.text("label")
    if label not in _LABELS:
        raise LoadError(
            f"{row.place}: 'label' is {label!r}; it must be one of {', '.join(_LABELS)}"
        )
    items = row.items("evidence")
    if not all(isinstance(item, str) for item in items):
        raise LoadError(f"{row.place}: 'evidence' must be a list of texts")
    # sentences in their order, doubles too, since their numbers count
    evidence = [row.kept(item, "evidence") for item in items]
    has_title = evidence[0].startswith(_META_TITLE)
    title = evidence[0].removeprefix(_META_TITLE) if has_title else ""
    lines = tuple(Line(text.removeprefix(_META_TITLE), title=title) for text in evidence)
    return LabelledClaim(
        _id_of(row),
        Claim(row.text("claim"), lines),
        _LABELS[label],
        "",
        label,
        content_id(*evidence),
        _gold(row, len(lines)),
    )


def _gold(row: Row, num_lines: int) -> tuple[frozenset[int], ...]:
    """The alternative sets of sentences that state a claim, as far as the row names some."""
    sets = row.values.get("supporting_sentences") or []
    if not isinstance(sets, list) or not all(
        isinstance(s, list) and all(isinstance(n, int) and 0 <= n < num_lines for n in s)
        for s in sets
    ):
        raise LoadError(
            f"{row.place}: 'supporting_sentences' must be lists of numbers of the evidence, from 0"
            f" to {num_lines - 1}"
        )
    return tuple(frozenset(s) for s in sets if s)


def _gold_claim(row: Row) -> LabelledClaim:
    label = row.text("label")
    is_true = _GOLD_LABELS[label]
    lines = tuple(_line(row, item) for item in row.items("lines"))
    kind = "" if is_true else row.text("kind")
    return LabelledClaim(
        row.id("id"),
        _claim(row, lines),
        is_true,
        kind,
        label,
        content_id(*(line.text for line in lines)),
    )


def _pair(row: Row) -> LabelledClaim:
    is_true, label = _label(row)
    lines = _lines(row)
    kind = _optional(row, "kind") if not is_true else ""
    source = _optional(row, "document", "source") or content_id(*(line.text for line in lines))
    return LabelledClaim(_id_of(row), _claim(row, lines), is_true, kind, label, source)


def _claim(row: Row, lines: tuple[Line, ...]) -> Claim:
    """With its `question`, if the row has one: the claim is then a short answer to it."""
    text = row.text("claim")
    if row.values.get("question") is None:
        return Claim(text, lines)
    question = row.text("question")
    return Claim(f"{question} {text}", lines, question=question)


def _label(row: Row) -> tuple[bool, str]:
    value = row.values.get("label")
    labels = _LABELS | _GOLD_LABELS
    if isinstance(value, str) and value in labels:
        return labels[value], value
    if isinstance(value, (bool, int)) and value in (0, 1):
        return bool(value), "true" if value else _FALSE
    raise LoadError(f"{row.place}: 'label' must be 1, 0, or one of {', '.join(labels)}")


def _lines(row: Row) -> tuple[Line, ...]:
    """The evidence, or lines: a text, or a list of texts and of objects with text, speaker and
    title. It may be empty.
    """
    value = row.values.get("evidence", row.values.get("lines"))
    if isinstance(value, str):
        return (Line(row.kept(value, "evidence")),) if value.strip() else ()
    if not isinstance(value, list):
        raise LoadError(f"{row.place}: 'evidence' must be a text or a list of texts")
    return tuple(_line(row, item) for item in value)


def _line(row: Row, item: Any) -> Line:
    if isinstance(item, str):
        return Line(row.kept(item, "evidence"))
    if isinstance(item, dict) and isinstance(item.get("text"), str):
        parts = [item.get(name) for name in ("text", "speaker", "title")]
        text, speaker, title = (
            row.kept(part, "evidence") if isinstance(part, str) else "" for part in parts
        )
        return Line(text, speaker or None, title)
    raise LoadError(f"{row.place}: 'evidence' holds neither a text nor an object with a text")


def _optional(row: Row, *names: str) -> str:
    name = next((name for name in names if row.values.get(name) not in (None, "")), None)
    return row.id(name) if name else ""


def _id_of(row: Row) -> str:
    return row.id("id") if row.values.get("id") is not None else str(row.index)
