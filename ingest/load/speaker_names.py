"""The names a user gives the speakers of a file: labels renamed, joined to one person, or marked as
nobody.

A label is what the file has; the names are kept with the document, so that a later ingest of its
file keeps them.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.ids import entity_key
from dynagrag.core.schema import LoadedSource, SourceTurn
from dynagrag.core.text import collapse, cut, short
from dynagrag.graph_store.derived.speaker_roles import ROLES_KEY, roles_text, stored_roles
from dynagrag.ingest.load.encoding import decode
from dynagrag.ingest.load.parsed import CONTROLS
from dynagrag.language.words import HONORIFICS

NOBODY = ""
NAMES_KEY = "speaker_names"
"""Their key in a document's `meta`, where they are JSON."""
_NOBODY_SIGN = "-"
_MAX_BYTES = 4_000_000
_MAX_NAME_CHARS = 200
_MAX_SHOWN = 60
_MAX_WAY = 12
"""How many names of a way into a circle a message shows."""
_HEADS = frozenset({"label", "speaker", "from", "old"})
_PERSON = re.compile(r"[^\W\d_]{2,}\.?(?: (?:[^\W\d_]\.|[^\W\d_](?:[^\W\d_]|['’-])*))*")
"""A label of words alone: no number, no brackets, no two people with a stroke between them."""
_SHAPE = (
    "lines of `label,name` (or `label,name,file`) as CSV, or one JSON object {label: name}, or"
    " {file: {label: name}}; - stands for nobody, as label and as name"
)

Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """Label -> name, "" for nobody: those of all files, and those of single files by their
    names.
    """

    everywhere: Names = field(default_factory=dict)
    by_file: Mapping[str, Names] = field(default_factory=dict)

    def of_file(self, path: str) -> dict[str, str]:
        """The names in one file; what is said of it alone goes first."""
        return {**self.everywhere, **self.by_file.get(Path(path).name, {})}

    def __bool__(self) -> bool:
        return bool(self.everywhere or any(self.by_file.values()))


def read_speaker_names(*maps: str | Path) -> SpeakerNames:
    """The names that files give, or texts `LABEL=NAME` that are no file. UsageError where one can't
    be read, or they contradict each other or lead into a circle.
    """
    rows = [row for given in maps for row in _pair_rows(given) or _file_rows(Path(given))]
    what = f"the speaker map {', '.join(map(str, maps))}"
    by_file: dict[str, dict[str, str]] = {}
    for file, written, given in rows:
        if not written:
            raise UsageError(f"{what} has a name without a label: {short(given)}; write {_SHAPE}")
        label, name = (
            NOBODY if part == _NOBODY_SIGN else part for part in (written, collapse(given))
        )
        own = by_file.setdefault(file, {})
        if own.get(label, name) != name:
            raise UsageError(
                f"{what} names {short(label)} twice: {short(own[label])} and {short(name)}; leave"
                " one of them out"
            )
        _check_name(label, name, what)
        own[label] = name
    everywhere = by_file.pop("", {})
    return SpeakerNames(
        _followed(everywhere, what),
        {file: _followed({**everywhere, **own}, what, own) for file, own in by_file.items()},
    )


def _pair_rows(given: str | Path) -> list[tuple[str, str, str]]:
    """The row of a text `LABEL=NAME`; none of a file, whatever its name."""
    label, sign, name = str(given).partition("=")
    return [("", collapse(label), collapse(name))] if sign and not Path(given).exists() else []


def _file_rows(path: Path) -> list[tuple[str, str, str]]:
    """(file, label, name), at least one."""
    text = _text_of(path)
    try:
        rows = (
            _json_rows(json.loads(text, object_pairs_hook=_each_once))
            if text.lstrip()[:1] in {"{", "["}
            else _csv_rows(text)
        )
    except (ValueError, RecursionError, csv.Error) as err:
        raise UsageError(
            f"the speaker map {path} could not be read: {err}; write {_SHAPE}"
        ) from err
    if not rows:
        raise UsageError(f"the speaker map {path} names no speaker; write {_SHAPE}")
    return rows


def check_names(names: SpeakerNames) -> None:
    """UsageError for a name that nobody can have, wherever the names come from."""
    for own in (names.everywhere, *names.by_file.values()):
        for label, name in own.items():
            _check_name(label, name, "the list of speakers")


# ------------------------------------------------------------------------------------------ reading


def _text_of(path: Path) -> str:
    if is_irregular(path):
        raise UsageError(f"the speaker map {path} {IRREGULAR}")
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        text = decode(data).text
    except (OSError, ValueError) as err:
        reason = (err.strerror if isinstance(err, OSError) else None) or str(err)
        raise UsageError(
            f"the speaker map {path} could not be read: {reason.lower()}; check the path"
        ) from err
    except LoadError as err:
        raise UsageError(f"the speaker map {path} {err}") from err
    if len(data) > _MAX_BYTES:
        raise UsageError(f"the speaker map {path} is larger than {_MAX_BYTES:,} bytes; {_SHAPE}")
    return text


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; ValueError where it has a key twice with other values, of which json would
    keep the last.
    """
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise ValueError(f"it names {short(key)} twice")
        made[key] = value
    return made


def _csv_rows(text: str) -> list[tuple[str, str, str]]:
    """(file, label, name) of each line; a head `label,name` may stand first."""
    rows: list[tuple[str, str, str]] = []
    for number, cells in enumerate(csv.reader(io.StringIO(text), skipinitialspace=True), 1):
        if any("\n" in cell for cell in cells):
            raise ValueError(
                f"row {number} has a name of several lines; is a quotation mark left open?"
            )
        filled = [collapse(cell) for cell in cells]
        if not any(filled):
            continue
        if not 2 <= len(filled) <= 3:
            raise ValueError(f"line {number} has {len(filled)} columns")
        label, name, file = (*filled, "")[:3]
        is_head = label.casefold() in _HEADS and name.casefold() in {"name", "to", "new"}
        if rows or not is_head:
            rows.append((file, label, name))
    return rows


def _json_rows(data: Any) -> list[tuple[str, str, str]]:
    if not isinstance(data, dict):
        raise ValueError("it is no JSON object")
    rows: list[tuple[str, str, str]] = []
    for key, value in data.items():
        if isinstance(value, dict):
            if deeper := [label for label, name in value.items() if isinstance(name, dict)]:
                raise ValueError(f"in {short(key)} the name of {short(deeper[0])} is no text")
            rows += [(collapse(key), label, name) for _, label, name in _json_rows(value)]
        elif value is None or isinstance(value, str):
            rows.append(("", collapse(key), collapse(value or "")))
        else:
            raise ValueError(f"the name of {short(key)} is no text")
    return rows


def _check_name(label: str, name: str, what: str) -> None:
    if len(name) > _MAX_NAME_CHARS:
        raise UsageError(
            f"{what} gives {short(label)} a name of {len(name)} characters; at most"
            f" {_MAX_NAME_CHARS}"
        )
    if CONTROLS.search(name) or (
        name and not any(c.isprintable() and not c.isspace() for c in name)
    ):
        raise UsageError(
            f"{what} gives {short(label)} a name with control or broken characters, or with none to"
            " be seen; mend it"
        )


def _followed(names: Names, what: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """Each label with the name at the end of its way: A to B and B to C makes both C. Labels that
    change places (A to B, B to A) do so at once, each with the next one's name. UsageError for a
    way that leads into such a circle: who is meant at its end can't be told.
    """
    wanted = list(names if only is None else only)
    ends = {label: names[label] for label in _changing_places(names)}
    round_ = frozenset(ends)
    for label in wanted:
        way: dict[str, None] = {}
        last = label
        while last not in ends and (name := names.get(last, NOBODY)) not in {NOBODY, last}:
            way[last] = None
            last = name
        if way and last in round_:
            steps = [cut(step, _MAX_SHOWN) for step in (*way, last, ends[last])]
            shown = steps if len(steps) <= _MAX_WAY else [*steps[: _MAX_WAY - 2], "...", steps[-1]]
            raise UsageError(
                f"{what} leads into a circle: {' -> '.join(shown)}, and {short(last)} changes"
                f" places itself; give {steps[-3]!r} another name"
            )
        end = ends.get(last, names.get(last, last))
        ends.update(dict.fromkeys((*way, last), end))
    return {label: ends[label] for label in wanted}


def _changing_places(names: Names) -> set[str]:
    """The labels that lead back to themselves over others."""
    found: set[str] = set()
    seen: set[str] = set()
    for label in names:
        way: dict[str, None] = {}
        while label in names and label not in seen:
            seen.add(label)
            way[label] = None
            label = names[label]
        if label in way and names[label] != label:
            steps = list(way)
            found.update(steps[steps.index(label) :])
    return found


# ----------------------------------------------------------------------------------------- applying


def labels_of(source: LoadedSource) -> tuple[str, ...]:
    """The labels that a file has, in order of speech; NOBODY where turns have none."""
    return tuple(dict.fromkeys(turn.speaker or NOBODY for turn in source.turns))


def with_labels(source: LoadedSource, given: Names, kept: Names) -> LoadedSource:
    """The source with those labels as speakers that are given or kept and that it hasn't taken for
    any: a turn is cut where one of them stands before a colon at its beginning, or at that of a
    line or sentence. The words behind it are the label's, to the turn's end or to the next head:
    those behind one that nobody gave are nobody's, or those of the speaker that it is. When words
    begin that don't open a turn isn't known.
    """
    names_of_others = {name for label, name in kept.items() if name != label}
    new = {*given, *kept} - {NOBODY, *labels_of(source)} - names_of_others
    if not new:
        return source
    first, every = _head_of(new, source), _head_of(new | _other_labels(new, source), source)
    speakers = new | {turn.speaker for turn in source.turns if turn.speaker}
    turns: list[SourceTurn] = []
    for turn in source.turns:
        head = first.search(turn.text)
        before = turn.text[: head.start()].strip() if head else turn.text
        if before or head is None:
            turns.append(replace(turn, text=before))
        _, *found = every.split(turn.text[head.start() :]) if head else ("",)
        for number, (label, words) in enumerate(zip(found[::2], found[1::2], strict=True)):
            start_s = turn.start_s if not number and not before else None
            speaker, said = (label, words) if label in speakers else (None, f"{label}: {words}")
            turns.append(SourceTurn(said.strip(), speaker, start_s, turn.end_s))
    return replace(source, turns=tuple(turn for turn in turns if turn.text))


def _head_of(labels: Iterable[str], source: LoadedSource) -> re.Pattern[str]:
    """Any of the labels where it may head words. One that stands before a colon as often as lines
    of the file begin with it heads them everywhere, since a turn's line breaks may be lost.
    """
    num_heads = {label.text: label.num_turns for label in source.labels}
    text = "\n".join(turn.text for turn in source.turns)
    anywhere = {
        label
        for label in labels
        if len(re.findall(rf"(?<!\S){re.escape(label)}\s?[:：]", text)) == num_heads.get(label)
    }
    listed = {
        "anywhere": "|".join(map(re.escape, sorted(anywhere, key=len, reverse=True))) or "(?!)",
        "at_starts": "|".join(map(re.escape, sorted(labels, key=len, reverse=True))),
    }
    begins = r"(?:^|(?<=\n)|(?<=[.!?…]\s))[*_]*"
    return re.compile(
        rf"(?:{begins}(?={listed['at_starts']})|(?<!\S)(?={listed['anywhere']}))"
        rf"({listed['at_starts']})[*_]*\s?[:：][*_]*\s*"
    )


def _other_labels(new: Iterable[str], source: LoadedSource) -> set[str]:
    """What else heads words: the file's own labels, and single words at the beginnings of sentences
    that are all in capitals, or in small letters, as a label that is given is.
    """
    found = {label.text for label in source.labels}.union(labels_of(source)) - {NOBODY}
    text = "\n".join(turn.text for turn in source.turns)
    for word in re.findall(r"(?:^|(?<=[.!?…]\s))([^\W\d_]{2,20})\s?[:：]\s", text, re.MULTILINE):
        if any(
            (word.isupper(), word.islower()) == (n.isupper(), n.islower()) != (False, False)
            for n in new
        ):
            found.add(word)
    return found.difference(new)


def kept_names(meta: Mapping[str, str]) -> dict[str, str]:
    """The names that a document keeps."""
    try:
        kept = json.loads(meta.get(NAMES_KEY, "{}"))
    except ValueError:
        return {}
    return {str(label): str(name) for label, name in kept.items()} if isinstance(kept, dict) else {}


def renamed(source: LoadedSource, given: Names, kept: Names) -> LoadedSource:
    """The source with its speakers' names: `given` now, else as `kept`. A given label may also be a
    kept name, unless it is the label of somebody who is kept under another name; a label that is
    given itself as its name is as the file has it again. The label NOBODY names the speaker of
    turns without one; one that the file hasn't taken for a speaker becomes one (`with_labels`).
    """
    own = labels_of(source)
    source = with_labels(source, given, kept)
    labels = labels_of(source)
    moved = {label for label in labels if kept.get(label, label) != label}
    made: dict[str, str] = {}
    for label in labels:
        before = kept.get(label, label)
        is_settled = before in moved or before == NOBODY
        name = given.get(label, before if is_settled else given.get(before, before))
        if name != label or label not in own:
            made[label] = name
    if not made:
        return source
    turns = tuple(
        replace(t, speaker=made.get(t.speaker or NOBODY, t.speaker) or None) for t in source.turns
    )
    meta = {**source.meta, NAMES_KEY: json.dumps(made, ensure_ascii=False, sort_keys=True)}
    if ROLES_KEY in meta:
        # Of labels that are one person now, the role of the one who speaks first.
        roles: dict[str, str] = {}
        stored = stored_roles(source.meta)
        for label in labels:
            if label in stored:
                roles.setdefault(made.get(label, label), stored[label])
        roles.pop(NOBODY, None)
        meta[ROLES_KEY] = roles_text(roles)
    return replace(source, turns=turns, meta=meta)


def check_known(names: SpeakerNames, known: Mapping[str, Sequence[str]]) -> None:
    """`known`: the labels of each file, by its name. UsageError for a label that no file has, and
    for a file that isn't there.
    """
    every = sorted({label for labels in known.values() for label in labels})
    for file, own in names.by_file.items():
        if file not in known:
            raise UsageError(
                f"the speaker map names a file {short(file)} that isn't"
                f" read{_near(file, sorted(known))}"
            )
        _check_labels(own, known[file], f" in {file}")
    _check_labels(names.everywhere, every, "")


def _check_labels(names: Names, known: Sequence[str], where: str) -> None:
    unknown = [label for label in names if label not in known]
    if unknown:
        listed = "; ".join(
            f"{short(label or _NOBODY_SIGN)}{_near(label, known)}" for label in unknown[:5]
        )
        more = f" (and {len(unknown) - 5} more)" if len(unknown) > 5 else ""
        raise UsageError(
            f"the speaker map names labels that nobody has{where}: {listed}{more};"
            " `dynagrag inspect` lists the labels"
        )


def _near(word: str, known: Sequence[str]) -> str:
    folded = {label.casefold(): label for label in known}
    near = [
        folded[found] for found in get_close_matches(word.casefold(), list(folded), n=3, cutoff=0.6)
    ]
    if near:
        return f" (near: {', '.join(near)})"
    named = [label for label in known if label]
    return f" (known: {', '.join(named[:8])}{' ...' if len(named) > 8 else ''})" if named else ""


def alike(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Labels that look like one person's, the shorter one first: it is the beginning, by words, of
    one other label alone, as "Vic" is of "Vic Vijayakumar".
    """
    words = {
        label: tuple(entity_key(word) for word in label.split())
        for label in sorted(set(labels))
        if _PERSON.fullmatch(label)
    }
    found = []
    for short_, own in words.items():
        longer = [
            label
            for label, other in words.items()
            if len(other) > len(own) and other[: len(own)] == own
        ]
        if len(longer) == 1 and not HONORIFICS.issuperset(own):
            found.append((short_, longer[0]))
    return found
