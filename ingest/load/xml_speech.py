"""XML transcripts of corpora, editors and parliaments.

A form is a row of `FORMS`: which elements are turns, who speaks in them, what in them is no speech.
One walk through the tree reads them all. ELAN's and EXMARaLDA's tiers are turned into those of
`tiers`. What no row knows is read as a table is (`xml_table`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, collapse, plural
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none
from dynagrag.ingest.load.tiers import Tier, TimedSpan, turns_of_tiers

Element = ElementTree.Element

_MILLI_S = 0.001
_UNITS_S = {"s": 1.0, "ms": _MILLI_S, "min": 60.0}
"""Of TEI's timelines."""
TOO_DEEP = "is nested too deeply; save it as text, SRT or VTT"
_NEXT_S = 1e-6
MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class XmlForm:
    """How a tool's or an archive's XML has its turns; tags without their namespaces.

    Attributes:
        name: The format that users see.
        turns: Elements that are a turn, with the attributes of their speaker, start and end.
        words: Elements that are a paragraph of words; none where all words of a turn are one.
        heads: Elements whose text is the speaker from there on, in their turn.
        left: Elements that are no speech: counted, and named in a note.
        silent: Elements that are about the file, left without a word.
        names: Elements with a speaker's id, the attribute that has it, and the elements or
            attributes that have the name, best first.
        points: Elements of a timeline, with the attributes of their id and time.
        cuts: Elements within the words at which a new stretch begins, with the attribute of its
            time.
        titles: Elements whose text is the title.
    """

    name: str
    turns: tuple[tuple[str, tuple[str, ...], str, str], ...] = ()
    words: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    names: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    points: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    cuts: tuple[tuple[str, str], ...] = ()
    titles: frozenset[str] = frozenset()


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


FORMS = {
    "Trans": XmlForm(
        "transcriber-xml",
        turns=(("Turn", ("speaker",), "startTime", "endTime"),),
        left=_set("Event Comment Background"),
        silent=_set("Speakers Topics"),
        names=(("Speaker", "id", ("name",)),),
        cuts=(("Sync", "time"), ("Who", "")),
    ),
    "folker-transcription": XmlForm(
        "folker-xml",
        turns=(("contribution", ("speaker-reference",), "start-reference", "end-reference"),),
        left=_set("non-phonological breathe pause"),
        silent=_set("head speakers timeline recording"),
        names=(("speaker", "speaker-id", ("name",)),),
        points=(("timepoint", "timepoint-id", ("absolute-time",)),),
        cuts=(("time", "timepoint-reference"),),
    ),
    "TEI": XmlForm(
        "tei-xml",
        turns=(
            ("annotationBlock", ("who",), "start", "end"),
            ("u", ("who",), "start", "end"),
            ("sp", ("who",), "start", "end"),
        ),
        words=_set("seg p l ab lg"),
        heads=_set("speaker"),
        left=_set("note stage kinesic vocal incident gap desc spanGrp pause writing shift head"),
        silent=_set("teiHeader standOff front back timeline listPerson"),
        names=(("person", "id", ("persName", "name")),),
        points=(("when", "id", ("absolute", "interval")),),
        titles=_set("title"),
    ),
    "dbtplenarprotokoll": XmlForm(
        "bundestag-xml",
        turns=(("rede", (), "", ""), ("sitzungsbeginn", (), "", "")),
        words=_set("p zitat"),
        heads=_set("redner name"),
        left=_set("kommentar"),
        silent=_set("vorspann anlagen rednerliste kopfdaten inhaltsverzeichnis"),
        titles=_set("plenarprotokoll-nummer"),
    ),
    "akomaNtoso": XmlForm(
        "akoma-ntoso",
        turns=(
            ("speech", ("by",), "startTime", "endTime"),
            ("question", ("by",), "startTime", "endTime"),
            ("answer", ("by",), "startTime", "endTime"),
        ),
        words=_set("p"),
        heads=_set("from"),
        left=_set("heading num scene narrative summary subheading remark"),
        silent=_set("meta coverPage preface"),
        names=(("TLCPerson", "eId", ("showAs",)), ("TLCPerson", "id", ("showAs",))),
        titles=_set("docTitle"),
    ),
    "compteRendu": XmlForm(
        "assemblee-xml",
        turns=(("paragraphe", (), "", ""),),
        words=_set("texte"),
        heads=_set("nom"),
        left=_set("italique"),
        silent=_set("metadonnees id qualite sommaire"),
    ),
    "publicwhip": XmlForm(
        "hansard-xml",
        turns=(("speech", ("speakername", "speakerid"), "", ""),),
        words=_set("p"),
        left=_set("major-heading minor-heading oral-heading"),
        silent=_set("division"),
    ),
    "Hansard": XmlForm(
        "hansard-xml",
        turns=(
            ("Intervention", (), "", ""),
            ("Question", (), "", ""),
            ("Response", (), "", ""),
        ),
        words=_set("ParaText"),
        heads=_set("PersonSpeaking Questioner Responder"),
        left=_set(
            "ProceduralText SubjectOfBusinessTitle OrderOfBusinessTitle CatchLine FloorLanguage"
        ),
        silent=_set("ExtractedInformation StartPageNumber Division"),
    ),
}
FORMS |= {
    "teiCorpus": FORMS["TEI"],
    "akomantoso": FORMS["akomaNtoso"],
    "HansardDocument": FORMS["Hansard"],
}
REMARKS = frozenset({"note", "comment", "kommentar"}).union(
    *(
        form.left - _set("head shift writing italique heading num question")
        for form in FORMS.values()
    )
)
"""Elements within words that hold none of who speaks, in any tool's XML."""
_ENDED = re.compile(r"[.!?…][\"'”’)\]]*\s*$")
_PARTED = _set("w pc br lb seg l")
"""Elements with a blank between them."""
_SPACED_SIGN = re.compile(r"\s+([.,;:!?…)])")
_NAME_PARTS = _set("titel vorname namenszusatz nachname forename surname")


def local(tag: object) -> str:
    """A tag without its namespace; "" for a comment."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _attributes(element: Element) -> dict[str, str]:
    return {local(key): value for key, value in element.attrib.items()}


def parse_speech(root: Element) -> Parsed | None:
    """The turns of XML of a known form; None for another one."""
    name = local(root.tag)
    if name == "ANNOTATION_DOCUMENT":
        return turns_of_tiers(_elan_tiers(root), "elan")
    if name == "basic-transcription":
        return turns_of_tiers(_exmaralda_tiers(root), "exmaralda", _text_of(root, "project-name"))
    form = FORMS.get(name)
    if form is None:
        return None
    walk = _Walk(form, _names(root, form), _points(root, form))
    walk.enter(root, 0)
    title = next((_text_of(root, tag) for tag in form.titles if _text_of(root, tag)), "")
    notes = (
        (f"{plural(walk.num_left, 'remark or heading', 'remarks and headings')} left out",)
        if walk.num_left
        else ()
    )
    return Parsed(tuple(walk.turns), title=title, notes=notes, format=form.name)


def _text_of(root: Element, tag: str) -> str:
    found = next((own for own in root.iter() if local(own.tag) == tag), None)
    return "" if found is None else collapse("".join(found.itertext()))


def _names(root: Element, form: XmlForm) -> dict[str, str]:
    names: dict[str, str] = {}
    for tag, id_key, places in form.names:
        for element in root.iter():
            own = _attributes(element)
            if local(element.tag) != tag or id_key not in own:
                continue
            texts = (own.get(place) or _person_in(element, place) for place in places)
            name = next((collapse(text) for text in texts if text and text.strip()), "")
            if name:
                names.setdefault(own[id_key], name)
    return names


def _person_in(element: Element, tag: str) -> str:
    inner = next((own for own in element.iter() if local(own.tag) == tag), None)
    return "" if inner is None else _person(inner)


def _person(element: Element) -> str:
    """A name in parts (first name before surname, whatever their order) or as one text."""
    parts = [own for own in element.iter() if local(own.tag) in _NAME_PARTS]
    if not parts:
        return collapse("".join(element.itertext()))
    last = _set("surname nachname")
    ordered = sorted(parts, key=lambda own: local(own.tag) in last)
    return collapse(" ".join("".join(own.itertext()) for own in ordered))


def _points(root: Element, form: XmlForm) -> dict[str, float]:
    """Seconds of a timeline's points. TEI's may count from another point (`since`)."""
    points: dict[str, float] = {}
    timeline = next((own for own in root.iter() if local(own.tag) == "timeline"), root)
    unit_s = _UNITS_S.get(timeline.get("unit", "s"), 1.0)
    for tag, id_key, keys in form.points:
        for element in root.iter():
            own = _attributes(element)
            if local(element.tag) != tag or id_key not in own:
                continue
            value = next((own[key] for key in keys if key in own), "")
            seconds = any_seconds(value)
            if seconds is not None:
                seconds *= 1.0 if ":" in value else unit_s
                points[own[id_key]] = seconds + points.get(own.get("since", "").lstrip("#"), 0.0)
            elif not points:
                points[own[id_key]] = 0.0
    return points


@dataclass(slots=True)
class _Walk:
    """A walk through a tree in order. `speaker`, `start_s` and `end_s` are those of the turn
    that it is in.
    """

    form: XmlForm
    names: Mapping[str, str]
    points: Mapping[str, float]
    turns: list[SourceTurn] = field(default_factory=list)
    num_left: int = 0
    speaker: str | None = None
    voices: list[str | None] = field(default_factory=list)
    """The speakers of a turn in which several speak at once."""
    start_s: float | None = None
    end_s: float | None = None
    is_within: bool = False

    def enter(self, element: Element, depth: int) -> None:
        """Reads an element and what is in it."""
        tag = local(element.tag)
        if depth > MAX_DEPTH:
            raise LoadError(TOO_DEEP)
        if not tag or tag in self.form.silent:
            return
        if tag in self.form.left:
            self.num_left += 1
            return
        row = next((own for own in self.form.turns if own[0] == tag), None)
        if row is not None:
            self._turn(element, row, depth)
        elif self.is_within and tag in self.form.heads:
            label = _person(element).rstrip(":, ")
            self.speaker = speaker_or_none(label.rstrip(".") if label.isupper() else label)
        elif _attributes(element).get("klasse") == "redner":  # the name in parts and as it is read
            for inner in element:
                self.enter(inner, depth + 1)
        elif self.is_within and self._is_words(element, tag):
            self._say(element)
        else:
            self._enter_all(element, depth)

    def _enter_all(self, element: Element, depth: int) -> None:
        """Reads what is in an element; in a turn also the words that stand loose in it."""
        self._say_loose(element.text)
        for inner in element:
            self.enter(inner, depth + 1)
            self._say_loose(inner.tail)

    def _say_loose(self, text: str | None) -> None:
        words = collapse(text or "") if self.is_within else ""
        if any(ch.isalnum() for ch in words):
            self.turns.append(SourceTurn(words, self.speaker, self.start_s, self.end_s))

    def _turn(
        self, element: Element, row: tuple[str, tuple[str, ...], str, str], depth: int
    ) -> None:
        own = _attributes(element)
        before = (self.speaker, self.voices, self.start_s, self.end_s, self.is_within)
        ids = next((own[key] for key in row[1] if own.get(key)), "")
        self.voices = [self._name(id_) for id_ in self._ids(ids)]
        named = [name for name in self.voices if name]
        if named or not self.is_within or not ids:
            self.speaker = ", ".join(named) or (self.speaker if self.is_within else None)
        start, end = self._time(own.get(row[2])), self._time(own.get(row[3]))
        self.start_s = self.start_s if start is None and self.is_within else start
        self.end_s = self.end_s if end is None and self.is_within else end
        self.is_within = True
        inside = {local(inner.tag) for inner in element.iter()} - {local(element.tag)}
        if inside & self.form.words or inside & {own[0] for own in self.form.turns}:
            self._enter_all(element, depth)
        else:
            self._say(element)
        self.speaker, self.voices, self.start_s, self.end_s, self.is_within = before

    def _ids(self, ids: str) -> list[str]:
        parts = [part.lstrip("#") for part in ids.split()]
        whole = ids.strip().lstrip("#")
        known = all(part in self.names for part in parts)
        return parts if known or ids.strip().startswith("#") else [whole]

    def _name(self, id_: str) -> str | None:
        return speaker_or_none(self.names.get(id_, id_))

    def _time(self, value: str | None) -> float | None:
        if not value:
            return None
        return self.points.get(value.lstrip("#"), any_seconds(value))

    def _is_words(self, element: Element, tag: str) -> bool:
        if tag not in self.form.words:
            return False
        return not any(local(inner.tag) in self.form.words for inner in element)

    def _say(self, element: Element) -> None:
        """The words of an element, parted where its speaker or time changes."""
        pieces: list[tuple[str | None, float | None, list[str]]] = [(self.speaker, None, [])]
        for cut, text in self._pieces(element):
            if cut is not None:
                pieces.append(self._cut(cut, pieces[-1]))
            pieces[-1][2].append(text)
        said = [own for own in pieces if collapse("".join(own[2]))]
        for at, (speaker, start, texts) in enumerate(said):
            start = start if start is not None else self.start_s if at == 0 else None
            times = [own[1] for own in said[at + 1 :] if own[1] is not None and own[1] != start]
            following = times[0] if times else self.end_s
            text = collapse("".join(texts))
            text = _SPACED_SIGN.sub(r"\1", text) if element.find(".//{*}w") is not None else text
            self.turns.append(SourceTurn(text, speaker, start, following))

    def _cut(
        self, cut: Element, last: tuple[str | None, float | None, list[str]]
    ) -> tuple[str | None, float | None, list[str]]:
        own = _attributes(cut)
        number = own.get("nb", "")
        if number.isdigit() and 0 < int(number) <= len(self.voices):
            return self.voices[int(number) - 1], last[1], []
        key = next(key for tag, key in self.form.cuts if tag == local(cut.tag))
        time = self._time(own.get(key))
        return last[0], last[1] if time is None else time, []

    def _pieces(self, element: Element) -> Iterator[tuple[Element | None, str]]:
        """(where a stretch begins, words) in order."""
        yield None, element.text or ""
        cuts = {tag for tag, _ in self.form.cuts}
        for inner in element:
            tag = local(inner.tag)
            if tag in cuts:
                yield inner, ""
            elif tag in self.form.left:
                self.num_left += 1
            elif tag and tag not in self.form.silent and tag not in self.form.heads:
                yield from self._pieces(inner)
                is_joined = _attributes(inner).get("join") == "right"
                yield None, " " if tag in _PARTED and not is_joined else ""
            yield None, inner.tail or ""


# -------------------------------------------------------------------------------------------- tiers


def _elan_tiers(root: Element) -> list[Tier]:
    """ELAN's tiers. One that depends on another says something about it, unless that one holds no
    words.
    """
    slots = {
        own.get("TIME_SLOT_ID", ""): _milliseconds(own.get("TIME_VALUE", ""))
        for own in root.iter("TIME_SLOT")
    }
    places = _places(slots)
    spans: dict[str, TimedSpan] = {}
    tiers: dict[str, Tier] = {}
    parents: dict[str, str] = {}
    for element in root.iter("TIER"):
        name = element.get("TIER_ID", "")
        tier = Tier(name, collapse(element.get("PARTICIPANT", "")) or None)
        for own in element.iter():
            if own.tag not in {"ALIGNABLE_ANNOTATION", "REF_ANNOTATION"}:
                continue
            above = spans.get(own.get("ANNOTATION_REF", ""), TimedSpan(None, None, ""))
            span = TimedSpan(
                slots.get(own.get("TIME_SLOT_REF1", ""), above.start_s),
                slots.get(own.get("TIME_SLOT_REF2", ""), above.end_s),
                own.findtext("ANNOTATION_VALUE") or "",
                places.get(own.get("TIME_SLOT_REF1", ""), above.order),
            )
            spans[own.get("ANNOTATION_ID", "")] = span
            tier.spans.append(span)
        tiers[name] = tier
        parents[name] = element.get("PARENT_REF", "")
    for name, parent in parents.items():
        tiers[name].is_remark = parent in tiers and _has_words(tiers[parent])
        if parent in tiers and not _has_words(tiers[parent]):
            tiers[parent].is_remark = True
    return list(tiers.values())


def _milliseconds(value: str) -> float | None:
    return int(value) * _MILLI_S if value.isdigit() else None


def _places(points: Mapping[str, float | None]) -> dict[str, float]:
    """Where each point of a timeline stands: at its time, or a little after the one before it."""
    places, known = {}, 0.0
    for id_, seconds in points.items():
        known = known + _NEXT_S if seconds is None else seconds
        places[id_] = known
    return places


def _has_words(tier: Tier) -> bool:
    """Whether a tier holds more than ids, such as `ref.001`."""
    filled = tier.filled
    num_words = sum(" " in span.text.strip() or span.text.strip().isalpha() for span in filled)
    return num_words > 0.5 * len(filled)


def _exmaralda_tiers(root: Element) -> list[Tier]:
    """EXMARaLDA's tiers; type `t` is what is said."""
    points = {own.get("id", ""): any_seconds(own.get("time", "")) for own in root.iter("tli")}
    places = _places(points)
    names = {
        own.get("id", ""): collapse(own.findtext("abbreviation") or "")
        for own in root.iter("speaker")
    }
    tiers = []
    for element in root.iter("tier"):
        id_ = element.get("speaker", "")
        tier = Tier(
            element.get("display-name", "") or element.get("category", ""),
            names.get(id_) or id_ or None,
            is_remark=element.get("type", "t") != "t",
        )
        last = ""
        for event in element.iter("event"):
            start, end = (points.get(event.get(key, "")) for key in ("start", "end"))
            place = places.get(event.get("start", ""))
            text = "".join(event.itertext())
            before = tier.spans[-1] if tier.spans else None
            # An utterance is cut wherever somebody else begins.
            if before is not None and event.get("start") == last and not _ENDED.search(before.text):
                text = before.text + text
                tier.spans[-1] = TimedSpan(before.start_s, end, text, before.order)
            else:
                tier.spans.append(TimedSpan(start, end, text, place))
            last = event.get("end", "")
        tiers.append(tier)
    return tiers
