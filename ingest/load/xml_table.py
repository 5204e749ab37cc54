"""XML of a tool that nobody knows, as a table: its rows are the elements with the most words that
come again, its columns their attributes and the short elements beside the words.

So one decision about values (`table_columns`) says who speaks and when, here as in tables.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from xml.etree import ElementTree

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, collapse
from dynagrag.ingest.load.clocks import lone_clock
from dynagrag.ingest.load.field_names import PEOPLE_STEMS, field_name
from dynagrag.ingest.load.json_forms import parse_data
from dynagrag.ingest.load.json_people import names_of, with_names
from dynagrag.ingest.load.label_shapes import ends_sentence
from dynagrag.ingest.load.parsed import Parsed, has_letter
from dynagrag.ingest.load.tables import Columns, columns_of, parse_table, told_by_cells, with_cells
from dynagrag.ingest.load.xml_speech import MAX_DEPTH, REMARKS, TOO_DEEP, local

Element = ElementTree.Element

_FEWEST_ROWS = 2
_SHARE_OF_KIND = 0.1
"""Of the words of the elements with most, that another kind of element beside them must have."""
_LEAST_SENTENCES = 0.3
"""The share of rows that end a sentence where no clock and no end says that somebody spoke."""
_MOST_SINGLE = 1.2
"""Words a row, where each is a single word."""
_ROLES = frozenset({"text", "speaker", "start", "end", "duration"})
_PEOPLE = (*PEOPLE_STEMS, "voice")
_RATES = frozenset({"rate", "fps", "framerate", "timebase", "frames"})
_MAX_PEOPLE = 500
_FEWEST_WORDS_LEFT, _MOST_LEFT, _MAX_COLUMNS = 10, 4, 200


@dataclass(slots=True)
class _XmlNode:
    """An element that is read: its tags from the root, what stands in it, what it lies in."""

    element: Element
    path: str
    parent: "_XmlNode | None"
    words: str = ""
    """Of its own, with those of elements in their midst."""
    children: list["_XmlNode"] = field(default_factory=list)

    @property
    def tag(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def attributes(self) -> dict[str, str]:
        return {local(key): collapse(value) for key, value in self.element.attrib.items()}

    @property
    def named_attributes(self) -> dict[str, str]:
        """By its name and theirs."""
        return {f"{self.tag} {key}": value for key, value in self.attributes.items()}

    def fields(self) -> dict[str, str]:
        """Its attributes, its words as its name, and those of the short elements in it."""
        own = {"name": self.words} if self.words else {}
        inner = {node.tag: node.words for node in self.children if node.words}
        return {**own, **inner, **self.attributes}

    def above(self) -> Iterator["_XmlNode"]:
        """The elements around it, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self) -> Iterator["_XmlNode"]:
        """Itself and all that lies in it, in order."""
        to_see = [self]
        while to_see:
            node = to_see.pop()
            yield node
            to_see += reversed(node.children)


@dataclass(slots=True)
class _XmlContent:
    """A file's elements, and what of their mixed content is no column and no word."""

    root: _XmlNode
    num_remarks: Counter[str] = field(default_factory=Counter)
    marks: dict[str, None] = field(default_factory=dict)
    """Elements within words whose attributes aren't read."""


def parse_unknown(root: Element) -> Parsed | None:
    """The turns of XML of any tool, None where no element's values say who speaks or when.

    Raises:
        LoadError: It is nested beyond reason, or two columns could be the text or the speaker.
    """
    tree = _tree(root)
    nodes = list(tree.root.within())
    spoken = _spoken(nodes)
    if len(spoken) < _FEWEST_ROWS:
        return None
    records = _records(spoken, nodes)
    rows, is_read = _rows(records, nodes)
    lists = _lists(nodes, is_read)
    rows = _resolved(rows, lists)
    try:
        parsed = _of_table(rows, [id(own.parent) for own in records])
    except LoadError as err:
        raise LoadError(f"an unknown XML form, read from {records[0].path}: {err}") from err
    if parsed is None or not _is_said(parsed, rows):
        return None
    turns, notes_of_frames = _without_frames(parsed.turns, lists)
    turns = with_names(turns, lists)
    notes = [
        f"an unknown XML form: read from {records[0].path}",
        *parsed.notes,
        *notes_of_frames,
        *_left(tree, nodes, is_read),
    ]
    titles = [
        own.words for own in nodes if own.tag.casefold() == "title" and id(own) not in is_read
    ]
    title = titles[0] if len(titles) == 1 else ""
    return replace(parsed, turns=turns, notes=tuple(notes), title=title, format="other-xml")


def _tree(root: Element) -> _XmlContent:
    tree = _XmlContent(_XmlNode(root, local(root.tag), None))
    to_see = [(tree.root, 0)]
    while to_see:
        node, depth = to_see.pop()
        if depth > MAX_DEPTH:
            raise LoadError(TOO_DEEP)
        element = node.element
        loose = [element.text, *(own.tail for own in element)]
        if any(text and text.strip() for text in loose):
            node.words = collapse("".join(_words(element, tree, 0)))
            continue
        for inner in element:
            tag = local(inner.tag)
            if tag:
                node.children.append(_XmlNode(inner, f"{node.path}.{tag}", node))
        to_see += [(own, depth + 1) for own in node.children]
    return tree


def _words(element: Element, tree: _XmlContent, depth: int) -> Iterator[str]:
    """The words of an element in order, but for remarks in their midst."""
    if depth > MAX_DEPTH:
        raise LoadError(TOO_DEEP)
    yield element.text or ""
    for inner in element:
        tag = local(inner.tag)
        if tag in REMARKS:
            tree.num_remarks[tag] += 1
        elif tag:
            if inner.attrib:
                tree.marks[tag] = None
            yield from _words(inner, tree, depth + 1)
        yield inner.tail or ""


def _spoken(nodes: Sequence[_XmlNode]) -> list[_XmlNode]:
    """The elements with the words, in order: those of the path with most that comes again, and
    elements of other names beside them that hold sentences, as questions and answers do. Where no
    element has words, those of an attribute.
    """
    by_path: dict[str, list[_XmlNode]] = defaultdict(list)
    for node in nodes:
        if has_letter(node.words) or not node.children:
            by_path[node.path].append(node)
    sizes = {
        path: sum(len(own.words.split()) for own in found)
        for path, found in by_path.items()
        if len(found) >= _FEWEST_ROWS
    }
    best = max(sizes, key=sizes.__getitem__, default="")
    if not sizes.get(best):
        sizes = {
            path: sum(
                len(cell.split()) for own in by_path[path] for cell in own.attributes.values()
            )
            for path in sizes
        }
        best = max(sizes, key=sizes.__getitem__, default="")
        return by_path[best] if sizes.get(best) else []
    beside = {
        path
        for path in sizes
        if path.rpartition(".")[0] == best.rpartition(".")[0]
        and sizes[path] >= _SHARE_OF_KIND * sizes[best]
        and _are_sentences(own.words for own in by_path[path])
    }
    if not any(len(own.parent.children) > 2 for own in by_path[best] if own.parent):
        beside = set()  # a text and its translation in each record
    return [own for own in nodes if own.path in beside | {best} and own.words]


def _are_sentences(texts: Iterable[str]) -> bool:
    found = [ends_sentence(text) for text in texts]
    return 2 * sum(found) >= len(found)


def _records(spoken: Sequence[_XmlNode], nodes: Sequence[_XmlNode]) -> list[_XmlNode]:
    """The elements that are rows: of each text the outermost that holds no other one."""
    num = Counter(own.path for own in nodes)
    records = list(spoken)
    while len({own.path for own in records}) == 1:
        above = [own.parent for own in records if own.parent is not None]
        is_each = len({id(own) for own in above}) == len(records)
        if not is_each or len({own.path for own in above}) > 1 or num[above[0].path] < _FEWEST_ROWS:
            break
        records = above
    return records


def _rows(
    records: Sequence[_XmlNode], nodes: Sequence[_XmlNode]
) -> tuple[list[list[str]], set[int]]:
    """A header and a row for each record, and the ids of the nodes that are read for them.

    Beside what lies in a record, those of its elements above that come again say of it what their
    attributes are, and the last of the short elements before it (a name above its paragraphs).
    """
    num = Counter(own.path for own in nodes)
    own_records = {id(own) for own in records}
    inside = {id(own) for record in records for own in record.within()}
    holding = {id(above) for record in records for above in record.above()}
    kinds = {own.tag for own in records}
    is_read = set[int]()
    views: list[dict[str, str]] = []
    heads: dict[int, dict[str, str]] = defaultdict(dict)
    for node in nodes:
        if id(node) in own_records:
            view = _around(node, num, heads) | _inside(node, is_read)
            views.append(view | ({"element": node.tag} if len(kinds) > 1 else {}))
        elif _is_head(node, inside, holding) and num[node.path] >= _FEWEST_ROWS:
            heads[id(node.parent)] |= {node.tag: node.words} | node.named_attributes
            is_read.add(id(node))
    keys = list(dict.fromkeys(key for view in views for key in view if view[key]))[:_MAX_COLUMNS]
    return [keys, *([view.get(key, "") for key in keys] for view in views)], is_read | holding


def _is_head(node: _XmlNode, inside: set[int], holding: set[int]) -> bool:
    """Whether it is a short element between records, as a name above its paragraphs."""
    return not node.children and id(node) not in inside and id(node.parent) in holding


def _around(
    node: _XmlNode, num: Mapping[str, int], heads: Mapping[int, dict[str, str]]
) -> dict[str, str]:
    """What the elements around a record say of it; nearer ones come first."""
    view: dict[str, str] = {}
    for above in node.above():
        own = above.attributes if num[above.path] >= _FEWEST_ROWS else {}
        view = own | heads.get(id(above), {}) | view
    return view


def _inside(record: _XmlNode, is_read: set[int]) -> dict[str, str]:
    """A record's attributes, and the words and attributes of what lies once in it."""
    view = dict(record.attributes)
    is_read.add(id(record))
    if record.words:
        view["text"] = record.words
    inner = [own for own in record.within() if own is not record]
    num = Counter(own.path for own in inner)
    for own in inner:
        if num[own.path] == 1:
            is_read.add(id(own))
            view |= own.named_attributes | ({own.tag: own.words} if own.words else {})
    return view


# -------------------------------------------------------------------------------- What a table says


def _resolved(
    rows: Sequence[Sequence[str]], lists: Mapping[str, Sequence[Mapping[str, str]]]
) -> list[list[str]]:
    """Rows in which ids of a timeline's points are their times, and ids of people their names."""
    points = _points(lists)
    of_people = {
        path: own for path, own in lists.items() if any(word in path.casefold() for word in _PEOPLE)
    }
    columns = list(zip(*rows, strict=True))
    for at, (name, *cells) in enumerate(columns):
        ids = {cell.lstrip("#") for cell in cells if cell}
        names = names_of(of_people, ids) if 1 < len(ids) <= _MAX_PEOPLE else {}
        if ids and ids <= points.keys():
            columns[at] = (name, *(points.get(own.lstrip("#"), "") for own in cells))
        elif ids and ids <= names.keys() and "speaker" not in rows[0]:
            columns[at] = ("speaker", *(names.get(own.lstrip("#"), "") for own in cells))
    return [list(row) for row in zip(*columns, strict=True)]


def _points(lists: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, str]:
    """Times by ids, of elements that have nothing else."""
    points: dict[str, str] = {}
    for fields in (own for listed in lists.values() for own in listed if len(own) == 2):
        times = [value for value in fields.values() if any_seconds(value) is not None]
        if len(times) == 1:
            points |= {value: times[0] for value in fields.values() if value != times[0]}
    return points


def _of_table(rows: Sequence[Sequence[str]], groups: Sequence[int]) -> Parsed | None:
    """The turns of a header and rows; single words are gathered into turns. `groups`: in which
    element each row lies.
    """
    columns = columns_of(rows)
    body = rows[1:]
    if columns is not None:
        num_words = sum(len(row[columns.text].split()) for row in body)
        if num_words <= _MOST_SINGLE * len(body) and len(body) >= _FEWEST_WORDS_LEFT:
            return _of_words(rows, groups, columns)
    elif len(rows[0]) < 2:
        return None
    return parse_table(list(enumerate(rows, 1)), ",")


def _of_words(
    rows: Sequence[Sequence[str]], groups: Sequence[int], columns: Columns
) -> Parsed | None:
    """The turns of single words. Who speaks is told from those of one element as one row."""
    gathered: dict[int, list[str]] = {}
    for group, row in zip(groups, rows[1:], strict=True):
        own = gathered.setdefault(group, [*row[: columns.text], "", *row[columns.text + 1 :]])
        own[columns.text] += f" {row[columns.text]}"
    told = with_cells(columns, rows)
    if len(gathered) > 1:
        blocks: list[Sequence[str]] = [rows[0], *gathered.values()]
        told = replace(told, speaker=with_cells(columns, blocks).speaker)
    keys = {key: at for key, at in asdict(told).items() if key in _ROLES and at is not None}
    with suppress(LoadError):
        parsed = parse_data([{key: row[at] for key, at in keys.items()} for row in rows[1:]])
        note = told_by_cells(columns, told, rows[0])
        return replace(parsed, notes=(*filter(None, [note]), *parsed.notes))
    return None


def _is_said(parsed: Parsed, rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table's turns are talk: by their speakers in sentences, or by their times, where
    one number of a record may count anything.
    """
    turns = parsed.turns
    sentences = sum(ends_sentence(turn.text) for turn in turns) >= _LEAST_SENTENCES * len(turns)
    is_timed = any(turn.start_s is not None for turn in turns)
    is_sure = any(turn.end_s is not None for turn in turns) or any(
        lone_clock(cell) for cell in rows[1]
    )
    return (is_timed and (is_sure or sentences)) or (
        sentences and any(turn.speaker for turn in turns)
    )


def _without_frames(
    turns: Sequence[SourceTurn], lists: Mapping[str, Sequence[Mapping[str, str]]]
) -> tuple[tuple[SourceTurn, ...], tuple[str, ...]]:
    """Turns whose whole numbers count frames, as a rate beside them says, in seconds; a note."""
    rates = {
        float(value)
        for path, listed in lists.items()
        for fields in listed
        for key, value in fields.items()
        if field_name(path.rpartition(".")[2] if key == "name" else key) in _RATES
        and re.fullmatch(r"\d{2,3}(?:\.\d{1,3})?", value)
    }
    times = [own for turn in turns for own in (turn.start_s, turn.end_s) if own is not None]
    if len(rates) != 1 or not times or any(own % 1 for own in times):
        return tuple(turns), ()
    rate = rates.pop()
    made = (
        replace(
            turn,
            start_s=None if turn.start_s is None else turn.start_s / rate,
            end_s=None if turn.end_s is None else turn.end_s / rate,
        )
        for turn in turns
    )
    return tuple(made), (f"times count frames, {rate:g} a second as the file says",)


def _lists(nodes: Sequence[_XmlNode], is_read: set[int]) -> dict[str, list[dict[str, str]]]:
    """The elements that aren't read, by their paths, where names may stand for ids."""
    lists: dict[str, list[dict[str, str]]] = defaultdict(list)
    for node in nodes:
        if id(node) not in is_read:
            lists[node.path].append(node.fields())
    return lists


def _left(tree: _XmlContent, nodes: Sequence[_XmlNode], is_read: set[int]) -> list[str]:
    """Notes on remarks, on marks within words, and on words that aren't read."""
    notes = []
    if tree.num_remarks:
        told = ", ".join(f"{num} {tag}" for tag, num in tree.num_remarks.most_common(_MOST_LEFT))
        notes.append(f"remarks left out: {told}")
    if tree.marks:
        told = ", ".join(list(tree.marks)[:_MOST_LEFT])
        notes.append(f"not read: what marks within words say ({told})")
    words = Counter[str]()
    for node in nodes:
        if id(node) not in is_read:
            words[node.path] += len(node.words.split())
    told = ", ".join(
        f"{path} ({num:,} words)"
        for path, num in words.most_common(_MOST_LEFT)
        if num >= _FEWEST_WORDS_LEFT
    )
    return [*notes, f"not read: {told}"] if told else notes
