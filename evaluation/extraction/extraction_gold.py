"""Gold for extraction: chunks with the things in them and what is stated of these, as people marked
them.

README.md beside this file has the form and the guidelines.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id, entity_key
from dynagrag.core.text import collapse, cut
from dynagrag.evaluation.question_sets.json_rows import Row, read_rows
from dynagrag.evaluation.question_sets.question_set import DataFile

_MAX_SHOWN = 60


class _Marked(BaseModel):
    # `str_min_length` makes pydantic look at every string, and so refuse lone surrogates, which no
    # file can hold.
    model_config = ConfigDict(frozen=True, extra="forbid", str_min_length=0)


class GoldTurn(_Marked):
    """A turn, or a paragraph where nobody speaks."""

    text: str
    speaker: str | None = None


class GoldEntity(_Marked):
    """A mention of a thing. Without a span: every place where its text stands as whole words.
    `inner`: names in it of other things.
    """

    text: str = Field(min_length=1)
    type: str = ""
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=1)
    is_name: bool = True
    inner: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key that mentions of one name share."""
        return entity_key(self.text)

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands. Of a row that was read, every entity has a span."""
        assert self.start is not None
        assert self.end is not None
        return self.start, self.end

    @property
    def inner_spans(self) -> set[tuple[int, int]]:
        """Where the names in it stand."""
        first, _ = self.span
        return {
            (first + start, first + end)
            for name in self.inner
            for start, end in places(name, self.text)
        }


class GoldRelation(_Marked):
    """A relation that a quote states between two things, which are named by their texts."""

    head: str = Field(min_length=1)
    label: str = ""
    tail: str = Field(min_length=1)
    quote: str = Field(min_length=1)


class GoldChunk(_Marked):
    """A row: a chunk, marked. It is checked when it is made; entities then have spans and stand in
    order.
    """

    id: str = Field(min_length=1)
    document: str = ""
    turns: tuple[GoldTurn, ...] = Field(min_length=1)
    entities: tuple[GoldEntity, ...]
    relations: tuple[GoldRelation, ...]

    @model_validator(mode="before")
    @classmethod
    def _text_as_a_turn(cls, values: object) -> object:
        if not isinstance(values, dict) or "text" not in values:
            return values
        if "turns" in values:
            raise ValueError("give `text` or `turns`, not both")
        return {name: value for name, value in values.items() if name != "text"} | {
            "turns": [{"text": values["text"]}]
        }

    @model_validator(mode="after")
    def _checked_and_placed(self) -> Self:
        if not self.text.strip():
            raise ValueError("the text is empty")
        placed = [one for entity in self.entities for one in _placed(entity, self.text)]
        unique: dict[tuple[int, int], GoldEntity] = {}
        for entity in placed:
            first = unique.setdefault(entity.span, entity)
            if (first.type, first.is_name) != (entity.type, entity.is_name):
                start, end = entity.span
                raise ValueError(
                    f"the entity {_shown(entity.text)} at {start} to {end} is marked twice, as two"
                    " things; leave one of them out"
                )
        keys = {entity.key for entity in placed}
        for relation in self.relations:
            if missing := [
                end for end in (relation.head, relation.tail) if entity_key(end) not in keys
            ]:
                raise ValueError(
                    f"the relation's end {_shown(missing[0])} is the text of no entity of the row"
                )
            if relation.quote not in self.text:
                raise ValueError(f"the quote {_shown(relation.quote)} does not stand in the text")
        object.__setattr__(self, "entities", tuple(unique[span] for span in sorted(unique)))
        return self

    @property
    def text(self) -> str:
        """The turns' texts, joined by line breaks: what spans count in."""
        return "\n".join(turn.text for turn in self.turns)


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Marked chunks by id, in their order."""

    name: str
    chunks: tuple[GoldChunk, ...]
    file: DataFile

    @property
    def digest(self) -> str:
        """One hash of what is asked: the chunks and what is marked in them."""
        return content_id(*(chunk.model_dump_json() for chunk in self.chunks))


def shipped_gold() -> Path:
    """The gold that comes with the package."""
    return Path(str(resources.files("dynagrag.evaluation.extraction") / "gold.jsonl"))


def load_gold(path: Path) -> GoldSet:
    """Reads gold. LoadError where the file can't be read or a row is wrong: it says which, and
    what.
    """
    rows, file = read_rows(path)
    chunks = [_chunk(row) for row in rows]
    doubles = [id_ for id_, count in Counter(chunk.id for chunk in chunks).items() if count > 1]
    if doubles:
        raise LoadError(
            f"{path}: the id {doubles[0]!r} is used for several rows; give each its own"
        )
    return GoldSet(path.name.removesuffix(".gz").removesuffix(".jsonl"), tuple(chunks), file)


def _chunk(row: Row) -> GoldChunk:
    try:
        return GoldChunk.model_validate(
            dict(row.values)
            | {"id": str(row.index) if row.values.get("id") is None else row.id("id")}
        )
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise LoadError(
            f"{row.place}: {where + ': ' if where else ''}{what}; evaluation/extraction/README.md"
            " has the form of a row"
        ) from err


def _placed(entity: GoldEntity, text: str) -> Iterator[GoldEntity]:
    if not entity.key:
        raise ValueError(f"the entity {_shown(entity.text)} has no letter or digit")
    if odd := [
        name for name in entity.inner if name == entity.text or not any(places(name, entity.text))
    ]:
        raise ValueError(
            f"the inner name {_shown(odd[0])} is no part of the entity {_shown(entity.text)}"
        )
    if (entity.start is None) != (entity.end is None):
        raise ValueError(
            f"the entity {_shown(entity.text)} has only one of `start` and `end`; give both or none"
        )
    if entity.start is not None and entity.end is not None:
        if text[entity.start : entity.end] != entity.text:
            stands = _shown(text[entity.start : entity.end])
            raise ValueError(
                f"the entity {_shown(entity.text)} is not at {entity.start} to {entity.end}, where"
                f" {stands} stands"
            )
        yield entity
        return
    found = list(places(entity.text, text))
    if not found:
        raise ValueError(f"the entity {_shown(entity.text)} does not stand in the text")
    yield from (entity.model_copy(update={"start": start, "end": end}) for start, end in found)


def places(name: str, text: str, flags: int = 0) -> Iterator[tuple[int, int]]:
    """Where a name stands in a text as whole words, whatever the blank space between them. `flags`:
    of the expression.
    """
    spaced = r"\s+".join(re.escape(word) for word in name.split())
    if spaced:
        yield from (m.span() for m in re.finditer(rf"(?<!\w){spaced}(?!\w)", text, flags))


def _shown(text: str) -> str:
    return repr(cut(collapse(text), _MAX_SHOWN))
