"""The extractor without a model: what counts as a name, who is paired with whom, and what the
corpus decides.
"""

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.ids import plain_quotes
from dynagrag.core.protocols import Extraction, Extractor
from dynagrag.core.schema import (
    ChunkWork,
    Document,
    Flag,
    LoadedSource,
    Mention,
    MentionKind,
    SourceTurn,
    Turn,
)
from dynagrag.graph_store.derived.live_mentions import live_mentions
from dynagrag.ingest.extract.case_use import CaseUse, case_use
from dynagrag.ingest.extract.fast_extractor import LABEL, FastExtractor, pairs
from dynagrag.ingest.extract.fast_rules import EntityCandidate, candidates
from dynagrag.ingest.split import chunk_passages, make_document, split_passages

SHARED = Path(__file__).parents[3].parent / "shared"
NO_USE = CaseUse({}, {}, True)


def names(sentence: str, use: CaseUse = NO_USE) -> list[str]:
    return [c.name for c in candidates(sentence, use) if not c.is_word]


def words(sentence: str, use: CaseUse = NO_USE) -> list[str]:
    return [c.name for c in candidates(sentence, use) if c.is_word]


def extract(
    turns: list[str],
    title: str = "x",
    uri: str = "x.txt",
    titles: tuple[str, ...] = (),
    sha: str = "s",
    speaker: str = "CDR",
) -> tuple[Document, tuple[Turn, ...], list[Extraction]]:
    source = LoadedSource(
        uri, "plain", tuple(SourceTurn(t, speaker) for t in turns), sha256=sha, title=title
    )
    document, parts = make_document(source, "w", uri)
    passages = split_passages(document, parts, CHUNK_PROFILES["default"])
    chunks = chunk_passages(document, passages, CHUNK_PROFILES["default"])
    done: list[Extraction] = []
    assert (
        FastExtractor(titles).extract([ChunkWork(document, parts, c) for c in chunks], done.append)
        == []
    )
    assert [(e.start, e.end) for e in done] == [(c.start, c.end) for c in chunks]
    return document, parts, done


def live_keys(*extractions: Extraction, num_passages: int = 100) -> set[str]:
    mentions = [m for e in extractions for m in e.mentions]
    live = live_mentions(mentions, num_passages)
    return {m.key for m in mentions if m.id in live}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("He saw the University of the Arts in New York.", ["University of the Arts", "New York"]),
        ("FLIGHT, EECOM.", ["FLIGHT", "EECOM"]),
        ("Okay FLIGHT, you read his pitch?", ["FLIGHT"]),
        ("Understand FLIGHT, we copy.", ["FLIGHT"]),
        ("Jettison FLIGHT, we do.", ["Jettison", "FLIGHT"]),
        ("Tell Houston that.", ["Houston"]),
        ("I'm sure Jim's crew saw O2 and S-IVB.", ["Jim", "O2", "S-IVB"]),
        ("This is Apollo 13 on Main Bus B.", ["Apollo 13", "Main Bus B"]),
        (
            "It was 1970 and 36,000 feet, 060 degrees, 5.5 volts.",
            ["1970", "36,000 feet", "060 degrees", "5.5 volts"],
        ),
        ("That's Let's We're I'll You'd Don't.", []),
        ("Yeah, Roger. Thank you, Okay?", []),
        (
            "We met Mr. Fisher from AT&T and J. Smith in the U.S. Senate.",
            ["Fisher", "AT&T", "J. Smith", "U.S. Senate"],
        ),
        ("The First Amendment binds the US.", ["First Amendment", "US"]),
        ("Go B or C.", []),
    ],
)
def test_names_of_a_sentence(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


def test_content_words_are_lower_case_and_say_something() -> None:
    assert words("We really need the battery charger and the tank quickly, they're 4th.") == [
        "battery",
        "charger",
        "tank",
    ]


def test_a_word_that_only_opens_its_sentence_is_marked() -> None:
    (first, second) = [c for c in candidates("Jim saw Fred.", NO_USE) if not c.is_word]
    assert first.flags == (Flag.SENTENCE_START,)
    assert second.flags == (Flag.SEEN_CAPITALISED,)
    again = next(c for c in candidates("Jim saw it, said Jim.", NO_USE) if not c.is_word)
    assert again.flags == (Flag.SEEN_CAPITALISED,)
    call_sign = candidates("EECOM.", NO_USE)[0]
    assert call_sign.flags == (Flag.SEEN_CAPITALISED,)


def test_a_capital_after_a_quotation_mark_or_dash_opens_a_clause() -> None:
    found = {
        c.name: c.flags for c in candidates('He said "Jettison it" - Jettison the tank.', NO_USE)
    }
    assert found["Jettison"] == (Flag.SENTENCE_START,)


def test_the_document_tells_ordinary_words_from_names() -> None:
    use = case_use(
        "Battery two is low. The battery is low, and so is that battery. We asked Jim. Jim left."
    )
    assert names("Battery two is low.", use) == []
    assert words("Battery two is low.", use) == ["battery"]
    assert names("Jim left.", use) == ["Jim"]


@pytest.mark.parametrize("shape", [str.upper, str.lower])
def test_text_without_case_gives_content_words_alone(shape: object) -> None:
    assert callable(shape)
    text = shape(
        "The crew opened the valve of the tank in Houston. Then the crew closed the valve."
    )
    use = case_use(text)
    assert names(text, use) == []
    assert words(text, use) == ["crew", "opened", "valve", "tank", "houston"]


def test_a_sentence_shouted_inside_other_text_gives_no_names() -> None:
    use = case_use(
        "We met Jim and asked him about the long report that he had written on the tank. " * 5
    )
    assert names("THE COURT OF APPEALS REVERSED AND REMANDED THE CASE.", use) == []
    assert names("FLIGHT, EECOM.", use) == ["FLIGHT", "EECOM"]


@given(st.lists(st.booleans(), max_size=80))
@example([False] * 30)
def test_pairs_are_unique_and_linear_and_complete_for_a_dozen_names(kinds: list[bool]) -> None:
    found = [
        EntityCandidate(i, i, str(i), str(i), "x", (Flag.CONTENT_WORD,) if is_word else ())
        for i, is_word in enumerate(kinds)
    ]
    made = [(a.key, b.key) for a, b in pairs(found)]
    assert len({frozenset(p) for p in made}) == len(made)
    assert not any(kinds[int(a)] or kinds[int(b)] for a, b in made)
    num_names = kinds.count(False)
    assert len(made) == sum(min(11, num_names - 1 - i) for i in range(num_names)), (
        "each with the next 11: all of a dozen"
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet=st.sampled_from("abC dé.,'’\"-\n19&É#"), max_size=60), max_size=6))
def test_every_record_stays_within_its_sentence_turn_and_passage(turns: list[str]) -> None:
    document, parts, done = extract(turns)
    passages = {p.id: p for p in split_passages(document, parts, CHUNK_PROFILES["default"])}
    ids = [r.id for e in done for r in (*e.mentions, *e.relations)]
    assert len(set(ids)) == len(ids)
    for extraction in done:
        keys = {(m.chunk_start, m.key) for m in extraction.mentions}
        for mention in extraction.mentions:
            assert mention.key
            assert (
                plain_quotes(mention.name) in plain_quotes(document.text) or mention.type == "word"
            )
            (passage_id,) = mention.passage_ids
            assert (
                passages[passage_id].start
                <= mention.chunk_start
                < mention.chunk_end
                <= passages[passage_id].end
            )
        for record in extraction.relations:
            assert record.head < record.tail
            assert {(record.chunk_start, record.head), (record.chunk_start, record.tail)} <= keys
            assert (record.quote_start, record.quote_end) == (record.chunk_start, record.chunk_end)
            turn = parts[record.turn_index]
            assert turn.start <= record.quote_start < record.quote_end <= turn.end


def test_a_chunk_alone_gives_the_records_it_gives_among_others() -> None:
    turns = [
        f"So Jim asked Fred about Odyssey number {i} and the battery. Battery low."
        for i in range(300)
    ]
    document, parts, done = extract(turns)
    assert len(done) > 3
    passages = split_passages(document, parts, CHUNK_PROFILES["default"])
    chunk = chunk_passages(document, passages, CHUNK_PROFILES["default"])[2]
    extractor: Extractor = FastExtractor()
    alone: list[Extraction] = []
    extractor.extract([ChunkWork(document, parts, chunk)], alone.append)
    assert alone == [done[2]]


def test_the_sentence_is_the_quote_of_a_pair() -> None:
    document, _, (extraction,) = extract(["We are fine.", "So Jim asked Fred about Odyssey."])
    made = {(r.head, r.tail) for r in extraction.relations}
    assert made == {("fred", "jim"), ("jim", "odyssey"), ("fred", "odyssey")}
    record = extraction.relations[0]
    assert (
        document.text[record.quote_start : record.quote_end] == "So Jim asked Fred about Odyssey."
    )
    assert (record.label, record.turn_index, record.extractor) == (LABEL, 1, "fast-4")


def test_two_who_speak_are_no_couple() -> None:
    line = "So we thank Rick and Morty."
    _, _, (extraction,) = extract([line] * 3)
    assert "rick and morty" in {m.key for m in extraction.mentions}
    _, _, (extraction,) = extract([line] * 3, speaker="Morty")
    assert {"rick", "morty"} <= {m.key for m in extraction.mentions}
    assert "rick and morty" not in {m.key for m in extraction.mentions}


def test_a_title_that_says_something_is_mentioned_for_every_passage() -> None:
    _, _, done = extract(["Some words."], title="Green (album)", uri="a/green_album.txt")
    (title,) = [m for m in done[0].mentions if m.kind is MentionKind.TITLE]
    assert (title.name, title.key, title.type) == ("Green", "green", "title")
    for uri in ("a/green_album.txt", "green_album"):
        _, _, done = extract(["Some words."], title="green_album", uri=uri)
        assert not any(m.kind is MentionKind.TITLE for m in done[0].mentions)


def test_given_titles_are_found_in_any_case_and_change_the_name() -> None:
    _, _, done = extract(
        ["they watched the fuel cell story (again)"], titles=("Fuel Cell Story (film)",)
    )
    assert [m.name for m in done[0].mentions if m.type == "title"] == ["the fuel cell story"]
    assert len({FastExtractor(titles).name for titles in ((), ("Big Bang",), ("Big Ben",))}) == 3


def test_another_document_decides_whether_a_sentence_start_is_a_name() -> None:
    _, _, (alone,) = extract(["Lovell went out."], sha="1")
    _, _, (other,) = extract(["They saw Lovell there."], sha="2")
    _, _, (titled,) = extract(["Some words."], title="Lovell", uri="3.txt", sha="3")
    assert "lovell" not in live_keys(alone)
    assert "lovell" in live_keys(alone, other)
    assert len(live_mentions([*alone.mentions, *other.mentions], 100)) == 2
    assert live_mentions(alone.mentions, 100) < live_mentions(
        [*alone.mentions, *titled.mentions], 100
    )


def _word(
    passage: int,
    key: str = "valve",
    flags: tuple[Flag, ...] = (Flag.CONTENT_WORD,),
    document: str = "d",
) -> Mention:
    name = key if Flag.CONTENT_WORD in flags else key.title()
    id_ = f"{document}{name}{passage}{flags}"
    return Mention(
        id_,
        document,
        0,
        1,
        (f"p{passage}",),
        name,
        key,
        "word",
        "",
        MentionKind.SAID,
        "fast-4",
        flags,
    )


@pytest.mark.parametrize(
    ("num_heard", "num_passages", "counts"),
    [(1, 100, False), (2, 3, True), (3, 3, False), (8, 100, True), (9, 100, False)],
)
def test_a_content_word_counts_inside_its_band(
    num_heard: int, num_passages: int, counts: bool
) -> None:
    mentions = [_word(i) for i in range(num_heard)]
    assert bool(live_mentions(mentions, num_passages)) == counts
    assert len(live_mentions(mentions, num_passages)) in (0, num_heard)


def test_a_content_word_that_is_also_a_name_counts_as_that_name_where_nothing_has_capitals() -> (
    None
):
    named = _word(1, flags=(Flag.SEEN_CAPITALISED,))
    opening = _word(1, flags=(Flag.SENTENCE_START,))
    caption = _word(2, document="captions")
    assert live_mentions([caption, named], 100) == {caption.id, named.id}
    assert live_mentions([_word(2), named], 100) == {named.id}
    assert live_mentions([_word(2), opening], 100) == set()


def test_a_word_of_a_text_with_capitals_is_no_name_that_another_text_has() -> None:
    _, _, (cased,) = extract(
        ["So Jim took control of the ship, and Fred had control too."], sha="1"
    )
    _, _, (other,) = extract(
        ["The ENGINE CONTROL is on, said Jim, and CONTROL said so."], uri="2.txt", sha="2"
    )
    _, _, (captions,) = extract(["so they asked control what to do"], uri="3.txt", sha="3")
    mentions = [m for e in (cased, other, captions) for m in e.mentions]
    live = live_mentions(mentions, 100)
    assert {m.document_id for m in mentions if m.key == "control" and m.id in live} == {
        other.document_id,
        captions.document_id,
    }


def test_the_flight_directors_loop_makes_a_graph_of_call_signs_in_seconds() -> None:
    path = SHARED / "data" / "transcripts" / "apollo13_two_loops" / "flight-director-loop.json"
    if not path.exists():
        pytest.skip("the development data is not beside the repository")
    data = json.loads(path.read_text())
    turns = [t["message"] for t in data]
    start = time.process_time()
    _, _, done = extract(turns)
    assert time.process_time() - start < 5
    mentions = [m for e in done for m in e.mentions]
    live = live_mentions(mentions, 370)
    counts = Counter(m.key for m in mentions if m.id in live)
    top = [key for key, _ in counts.most_common(15)]
    assert {"flight", "eecom", "capcom", "telmu", "inco", "gnc", "lm"} <= set(top)
    assert not {"okay", "roger", "go", "stand", "i'm", "copy", "that's", "we", "yeah"} & set(counts)


def test_a_letter_before_two_blanks_or_an_acronym_ends_its_sentence() -> None:
    """A language called C is no initial of what the next sentence begins with."""
    assert "C. DC" not in names("It was written in C.  DC, the desk calculator, came first.")
    assert "C. DC" not in names("It was written in C. DC came before it.")
    assert "C. Ruiz" not in names("It was written in C.  Ruiz came before it.")
    assert "J. R. Smith" in names("We met J. R. Smith there.")
    assert "J. EINSTEIN" in names("We met J. EINSTEIN there.")
