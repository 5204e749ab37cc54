"""Sets that say which names are one entity: pairs in Ditto form, and lists of aliases.

    ditto-NAME        pairs of records with a label, a line each, plain or gzipped:
                      COL name VAL value ... tab COL ... tab 0 or 1
    apollo13-aliases  canonical names with their aliases and a definition, a JSON line each
    spacelog-aliases  the same by mission, all missions as one corpus
    spacelog-MISSION  one of these missions

A record's first column is its name; the others, joined, its summary, as an extractor would give
them. The Ditto sets label some pairs of two tables and no others; a list of aliases says of all
pairs what they are. Lines that can't be used are set aside with their reason.
"""

import gzip
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import entity_key

ENTITY_SETS = ("ditto-NAME", "apollo13-aliases", "spacelog-aliases", "spacelog-MISSION")
MAX_SUMMARY_WORDS = 40
"""As many as extraction keeps of a summary (`ingest/extract/reply_records.py`)."""
_FOLDER = "entity_resolution"
_COLUMN = re.compile(r"(?<!\S)COL (\S+) VAL(?!\S)")
_NOT_WORDS = re.compile(r"[^a-z0-9]+")
_MAX_LISTED = 12


@dataclass(frozen=True, slots=True)
class Item:
    """A record or name of the set. `key`: the product's; empty where the name has neither letter
    nor digit. `cluster`: items of one number are one entity.
    """

    name: str
    summary: str
    type: str
    key: str
    cluster: int


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two items by their places, and whether the set says that they are the same."""

    i: int
    j: int
    is_same: bool


@dataclass(frozen=True, slots=True)
class EntitySet:
    """`is_complete`: every pair is labelled. `set_aside`: reason -> how many lines or pairs were
    left out for it. `num_repeats`: lines whose pair stood there already, which count once.
    """

    name: str
    items: tuple[Item, ...]
    pairs: tuple[LabelledPair, ...]
    is_complete: bool
    set_aside: Mapping[str, int]
    num_repeats: int = 0


def load_entity_set(dataset: str, data: Path) -> EntitySet:
    """Reads a set by its name.

    Args:
        dataset: See `ENTITY_SETS`. NAME is a part of a file's name that fits one file alone, in any
        case: `ditto-Beer`.
        data: The folder of the data, or that of the sets of entities in it; or the file itself.

    Raises:
        UsageError: No such set, or several.
        LoadError: The file can't be read, or nothing in it can be used.
    """
    kind, _, rest = dataset.partition("-")
    if kind == "ditto":
        path = _ditto_file(rest, data)
        return read_ditto(_lines(path), _stem(path))
    if kind == "apollo13" and rest == "aliases":
        return read_aliases(_lines(_file("apollo13_glossary_aliases.jsonl", data)), dataset)
    if kind == "spacelog" and rest:
        mission = None if rest == "aliases" else rest
        return read_aliases(_lines(_file("spacelog_aliases.jsonl", data)), dataset, mission)
    raise UsageError(f"unknown set {dataset!r}; known: {', '.join(ENTITY_SETS)}")


# -------------------------------------------------------------------------------------------- files


def _folder(data: Path) -> Path:
    return data / _FOLDER if (data / _FOLDER).is_dir() else data


def _file(name: str, data: Path) -> Path:
    path = data if data.is_file() else _folder(data) / name
    if not path.is_file():
        raise LoadError(
            f"{path} is not there; name with --data the folder that holds {_FOLDER}/{name}, or the"
            " file itself"
        )
    return path


def _ditto_file(name: str, data: Path) -> Path:
    if data.is_file():
        return data
    files = sorted(p for p in _folder(data).glob("*.txt*") if p.is_file())
    if not files:
        raise LoadError(
            f"no set in Ditto form (*.txt, *.txt.gz) is in {data}; name the data's folder, or a"
            " file, with --data"
        )
    wanted = _plain(name)
    fitting = [p for p in files if f"-{wanted}-" in f"-{_plain(_stem(p))}-"]
    exact = [p for p in fitting if _plain(_stem(p)).removeprefix("ditto-") == wanted]
    best = exact or fitting
    if len(best) == 1:
        return best[0]
    what = "fits several sets" if fitting else "fits no set"
    listed = ", ".join(map(_stem, (fitting or files)[:_MAX_LISTED]))
    raise UsageError(f"ditto-{name} {what} in {data}: {listed}")


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt")


def _plain(text: str) -> str:
    return _NOT_WORDS.sub("-", text.casefold()).strip("-")


def _lines(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        return [line for line in text.decode("utf-8-sig").split("\n") if line.strip()]
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as err:
        raise LoadError(f"{path} can't be read as text: {err}") from err


# -------------------------------------------------------------------------------------------- ditto


def read_ditto(lines: Iterable[str], name: str) -> EntitySet:
    """A set of labelled pairs. Records of one side with the same columns are one item; items that
    pairs make the same, directly or over others, are one cluster. A pair that stands twice counts
    once; one that is labelled both ways not at all.
    """
    aside: dict[str, int] = defaultdict(int)
    items: dict[tuple[str, str, str], int] = {}
    labels: dict[tuple[int, int], set[bool]] = defaultdict(set)
    num_repeats = 0
    for line in lines:
        parts = line.rstrip("\r\n").split("\t")
        records = [_record(part) for part in parts[:2]]
        label = parts[2].strip() if len(parts) == 3 else ""
        if (
            label not in ("0", "1")
            or len(records) < 2
            or not all(record and record[0] for record in records)
        ):
            aside["line without two records whose first column is filled, and a label 0 or 1"] += 1
            continue
        i, j = (
            items.setdefault((side, *record), len(items))
            for side, record in zip("ab", records, strict=True)
            if record
        )
        num_repeats += (label == "1") in labels[i, j]
        labels[i, j].add(label == "1")
    contradicted = [pair for pair, said in labels.items() if len(said) > 1]
    if contradicted:
        aside["pair labelled both ways"] = len(contradicted)
    pairs = tuple(
        LabelledPair(i, j, True in said) for (i, j), said in labels.items() if len(said) == 1
    )
    if not pairs:
        raise LoadError(
            f"{name} holds no pair in Ditto form: two records COL name VAL value ..., and 0 or 1,"
            " with tabs between"
        )
    clusters = _components(len(items), [(p.i, p.j) for p in pairs if p.is_same])
    made = tuple(
        _item(n, s, "", cluster) for (_, n, s), cluster in zip(items, clusters, strict=True)
    )
    return EntitySet(
        name, made, pairs, is_complete=False, set_aside=dict(aside), num_repeats=num_repeats
    )


def _record(text: str) -> tuple[str, str] | None:
    """(name, summary) of a record; None where it has no column."""
    parts = [part.strip() for part in _COLUMN.split(text.strip())]
    if len(parts) < 3 or parts[0]:
        return None
    columns = zip(parts[3::2], parts[4::2], strict=True)
    return parts[2], "; ".join(f"{column} {value}" for column, value in columns if value)


def _item(name: str, summary: str, type_: str, cluster: int) -> Item:
    return Item(
        name, " ".join(summary.split()[:MAX_SUMMARY_WORDS]), type_, entity_key(name), cluster
    )


def _components(size: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """The number of each one's component: its smallest member."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    _, labels = connected_components(
        coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size)),
        directed=False,
    )
    first: dict[int, int] = {}
    return [first.setdefault(label, i) for i, label in enumerate(labels.tolist())]


# ------------------------------------------------------------------------------------------ aliases


class _AliasRow(BaseModel):
    """A line of a list of aliases. Without a canonical name the aliases stand for somebody whom the
    list doesn't name.
    """

    canonical: str | None
    aliases: list[str]
    kind: str = ""
    definition: str = ""
    mission: str = ""


def read_aliases(lines: Iterable[str], name: str, mission: str | None = None) -> EntitySet:
    """A set of all pairs of the names in a list. Rows with one canonical name are one entity; a
    name that stands for two entities is two items, which no method that goes by names can tell
    apart.
    """
    aside: dict[str, int] = defaultdict(int)
    rows = list(_alias_rows(lines, aside))
    missions = sorted({row.mission for row in rows})
    if mission is not None and mission not in missions:
        raise UsageError(f"no mission {mission!r} in {name}; known: {', '.join(missions)}")
    clusters: dict[str, int] = {}
    items: dict[tuple[int, str], Item] = {}
    for number, row in enumerate(rows):
        if mission not in (None, row.mission):
            continue
        whose = entity_key(row.canonical or "") or f"\n{number}"  # no key holds a line break
        cluster = clusters.setdefault(whose, len(clusters))
        for alias in (row.canonical or "", *row.aliases):
            if alias.strip():
                items.setdefault(
                    (cluster, alias),
                    _item(
                        alias, row.definition if alias == row.canonical else "", row.kind, cluster
                    ),
                )
    made = tuple(items.values())
    pairs = tuple(
        LabelledPair(i, j, made[i].cluster == made[j].cluster)
        for i, j in combinations(range(len(made)), 2)
    )
    if not pairs:
        raise LoadError(
            f"{name} holds no two names; a line is an object with `canonical` (text or null) and"
            " `aliases` (a list)"
        )
    return EntitySet(name, made, pairs, is_complete=True, set_aside=dict(aside))


def _alias_rows(lines: Iterable[str], aside: dict[str, int]) -> Iterator[_AliasRow]:
    for line in lines:
        try:
            yield _AliasRow.model_validate(json.loads(line))
        except (json.JSONDecodeError, ValidationError):
            aside["line that is no object with `canonical` and `aliases`"] += 1


def num_positives(pairs: Sequence[LabelledPair]) -> int:
    """How many pairs are the same."""
    return sum(p.is_same for p in pairs)
