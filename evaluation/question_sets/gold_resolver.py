"""From what a set calls gold to what a workspace holds, and from ranked passages to what is
counted.

What is counted (a unit) follows the gold: passages where gold are turns, documents else, each at
the place of its best passage. A title counts once, with the first document that has it; later ones
are units that nobody asked for.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import Document, Passage, Retrieval, ScoredPassage, Snapshot
from dynagrag.evaluation.question_sets.question_set import Gold, TurnSpan
from dynagrag.ingest.plan import uri_of

FindDocument = Callable[[str], str | None]
"""The id of a document by the name that a set has for it; None where there is none, or several."""
GoldWords = Sequence[Sequence[tuple[str, int, int]]]
"""Where the words of one thing to be found stand: any of several places will do, each one or more
spans (document id, start, end).
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Gold in a workspace: its units, and the names of gold that is not in it, which nobody can
    find.
    """

    units: frozenset[str]
    missing: tuple[str, ...]

    @property
    def num_gold(self) -> int:
        """How much there is to find, what can't be found included."""
        return len(self.units) + len(self.missing)


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """A unit at its place, with the best of its passages."""

    unit: str
    passage: Passage
    score: float


class Resolver:
    """Gold and rankings of one set on one snapshot."""

    def __init__(self, snapshot: Snapshot, find: FindDocument) -> None:
        self._snapshot = snapshot
        self._find = find

    def target(self, gold: Gold) -> Target:
        """The units of a question's gold."""
        if gold.titles:
            return _sorted_out(
                (title, {title} if title in self._titles else set()) for title in gold.titles
            )
        if gold.facts:
            return _sorted_out((fact, self._holding(fact)) for fact in gold.facts)
        if gold.documents:
            return _sorted_out((name, self._document(name)) for name in gold.documents)
        if gold.is_of_documents:
            names = dict.fromkeys(span.document for span in gold.spans)
            return _sorted_out((name, self._document(name)) for name in names)
        return _sorted_out(
            (f"turns {s.first} to {s.last} of {s.document!r}", self._touching(s))
            for s in gold.spans
        )

    def ranking(self, gold: Gold, passages: Sequence[ScoredPassage]) -> tuple[RankedUnit, ...]:
        """The units of ranked passages, each at its first place."""
        if gold.counts_passages:
            return tuple(RankedUnit(p.passage.id, p.passage, p.score) for p in passages)
        units: dict[str, RankedUnit] = {}
        documents, titles = set(), set()
        for scored in passages:
            id_ = scored.passage.document_id
            title = self._snapshot.documents[id_].title
            if id_ not in documents:
                unit = title if gold.titles and title not in titles else id_
                units[unit] = RankedUnit(unit, scored.passage, scored.score)
                documents.add(id_)
                titles.add(title)
        return tuple(units.values())

    def gold_turns(self, gold: Gold) -> frozenset[tuple[str, int]]:
        """The turns of a question's gold that are there: id of the document, number of the turn."""
        return frozenset(
            (id_, turn)
            for span in gold.spans
            if (id_ := self._holding_turns(span)) is not None
            for turn in range(span.first, span.last + 1)
        )

    def turns(self, found: Retrieval) -> list[tuple[str, int]]:
        """The best turns, each once: where a retriever ranks passages alone, the turns with words
        of one passage after the other.
        """
        if found.turns:
            return [(turn.document_id, turn.index) for turn in found.turns]
        turns = self._snapshot.turns
        held = (
            (p.passage.document_id, turn.index)
            for p in found.passages
            for turn in turns.get(p.passage.document_id, ())[
                p.passage.first_turn : p.passage.last_turn + 1
            ]
            if turn.start < turn.end
        )
        return list(dict.fromkeys(held))

    def gold_passages(self, target: Target) -> tuple[str, ...]:
        """A passage for each unit of a target, by id: the first that stands for it."""
        return tuple(self._first[unit] for unit in sorted(target.units))

    def gold_words(self, gold: Gold) -> list[GoldWords]:
        """The words of what should be found and is there: stretches of turns are one thing
        together; a title, a fact's document and a document are one each.
        """
        if gold.spans:
            spans = [span for stretch in gold.spans for span in self._turns_of(stretch)]
            return [[list(dict.fromkeys(spans))]] if spans else []
        return self._document_words(gold)

    def gold_things(self, gold: Gold) -> list[GoldWords]:
        """The same, but each stretch of turns is a thing of its own."""
        stretches = [self._turns_of(stretch) for stretch in dict.fromkeys(gold.spans)]
        return [[spans] for spans in stretches if spans] + self._document_words(gold)

    def gold_passage_ids(self, gold: Gold) -> tuple[str, ...]:
        """All passages that hold what should be found, in their order."""
        spans = [span for thing in self.gold_things(gold) for place in thing for span in place]
        wanted: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for document, start, end in spans:
            wanted[document].append((start, end))
        return tuple(
            p.id
            for p in self._snapshot.passages
            if any(p.start < end and start < p.end for start, end in wanted.get(p.document_id, ()))
        )

    def _document_words(self, gold: Gold) -> list[GoldWords]:
        found = [
            {d for d in self._passages if self._snapshot.documents[d].title == title}
            for title in gold.titles
        ]
        found += [self._holding(fact) for fact in gold.facts]
        found += [self._document(name) for name in gold.documents]
        lengths = {
            d: len(self._snapshot.documents[d].text) for documents in found for d in documents
        }
        return [
            [[(d, 0, lengths[d])] for d in sorted(documents)] for documents in found if documents
        ]

    def _turns_of(self, stretch: TurnSpan) -> list[tuple[str, int, int]]:
        id_ = self._holding_turns(stretch)
        turns = self._snapshot.turns.get(id_ or "", ())[stretch.first : stretch.last + 1]
        return [(turn.document_id, turn.start, turn.end) for turn in turns]

    def _holding_turns(self, stretch: TurnSpan) -> str | None:
        """The document of a stretch; None where it isn't there. LoadError where it has not so many
        turns.
        """
        id_ = self._find(stretch.document)
        if id_ is None or id_ not in self._passages:
            return None
        # the last turns may have no words, and so no passage
        with_words = max(passage.last_turn for passage in self._passages[id_]) + 1
        num = max(with_words, len(self._snapshot.turns.get(id_, ())))
        if stretch.last >= num:
            raise LoadError(
                f"a question names turn {stretch.last} of {stretch.document!r}, which has {num},"
                " counted from 0; correct it"
            )
        return id_

    @cached_property
    def _first(self) -> Mapping[str, str]:
        """Passage id, document id or title -> the first passage that stands for it."""
        first: dict[str, str] = {}
        for passage in self._snapshot.passages:
            for unit in (
                passage.id,
                passage.document_id,
                self._snapshot.documents[passage.document_id].title,
            ):
                first.setdefault(unit, passage.id)
        return first

    @cached_property
    def _titles(self) -> frozenset[str]:
        return frozenset(
            self._snapshot.documents[p.document_id].title for p in self._snapshot.passages
        )

    @cached_property
    def _letters(self) -> Mapping[str, str]:
        """Document id -> its lower-cased letters and digits."""
        return {
            p.document_id: letters(self._snapshot.documents[p.document_id].text)
            for p in self._snapshot.passages
        }

    @cached_property
    def _passages(self) -> Mapping[str, list[Passage]]:
        """Document id -> its passages."""
        found: dict[str, list[Passage]] = defaultdict(list)
        for passage in self._snapshot.passages:
            found[passage.document_id].append(passage)
        return found

    def _holding(self, fact: str) -> set[str]:
        wanted = letters(fact)
        return {id_ for id_, text in self._letters.items() if wanted and wanted in text}

    def _document(self, name: str) -> set[str]:
        id_ = self._find(name)
        return {id_} if id_ is not None and id_ in self._passages else set()

    def _touching(self, span: TurnSpan) -> set[str]:
        found = self._passages.get(self._holding_turns(span) or "", ())
        return {p.id for p in found if p.first_turn <= span.last and p.last_turn >= span.first}


def finder(documents: Mapping[str, Document]) -> FindDocument:
    """Finds documents by id, path, title or file name. UsageError where several have the name."""
    names: dict[str, set[str]] = defaultdict(set)
    for id_, document in documents.items():
        for name in (id_, document.uri, document.title.casefold(), PurePath(document.uri).name):
            names[name].add(id_)

    def find(name: str) -> str | None:
        found = next((names[n] for n in (name, _uri(name), name.casefold()) if n in names), set())
        if len(found) > 1:
            ids = ", ".join(sorted(id_[:12] for id_ in found))
            raise UsageError(
                f"{len(found)} documents are called {name!r}; name one by its id or path in the"
                f" file of questions: {ids}"
            )
        return next(iter(found), None)

    return find


def _uri(name: str) -> str:
    """The uri of a name that can be a path; else the name."""
    try:
        return uri_of(name)
    except (ValueError, OSError):  # a null character or a lone surrogate; a name that is too long
        return name


def missing_gold(targets: Mapping[str, Target]) -> list[str]:
    """The names of gold that is not in the corpus, each once, in order."""
    return list(dict.fromkeys(name for target in targets.values() for name in target.missing))


def letters(text: str) -> str:
    """Lower-cased letters and digits alone: what two copies of a text share whatever happened to
    their marks and spaces.
    """
    return "".join(c for c in text.lower() if c.isalnum())


def _sorted_out(found: Iterable[tuple[str, set[str]]]) -> Target:
    units: set[str] = set()
    missing = []
    for name, own in found:
        units |= own
        if not own:
            missing.append(name)
    return Target(frozenset(units), tuple(missing))
