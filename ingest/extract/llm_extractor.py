"""The language-model extractor: one call per chunk, records whose every quote is found in the
source (DynaGRAG, section 3).

What a chunk goes through:

    prompt -> reply (schema-checked, one repair in MeteredChat) -> gleaning passes -> quotes
    checked, one repair for all bad ones -> records
        cut off, or too long for the model: the chunk's two halves instead
        anything else that fails: the chunk is set aside with its reason, the others go on

Nothing is lost silently: everything dropped is counted by reason in `ExtractionCounts`.
"""

import logging
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.errors import (
    BudgetError,
    ContextTooShortError,
    CutOffReplyError,
    EmptyReplyError,
    InvalidReplyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Asker, Extraction, Prompt
from dynagrag.core.schema import Chunk, ChunkWork, Document, Mention, RelationRecord, Turn
from dynagrag.ingest.extract.reply_records import (
    ExtractionReply,
    RecordBuilder,
    RelationReply,
    SmallExtractionReply,
)
from dynagrag.ingest.split import halve, turn_at
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render

_LOG = logging.getLogger(__name__)
_RULES_VERSION = "extract-2"
"""Goes up when reply_records.py accepts or drops other things."""
_MAX_SPLITS = 4
_MIN_TURN_WORDS = 3
_MAX_UNREACHABLE_AT_FIRST = 3
_MAX_UNREACHABLE_IN_A_ROW = 8
"""So many chunks in a row to which the model gave no reply, beyond those asked at once, and it is
taken to be gone, or its context to be too short for any.
"""
_LOOK_EVERY_S = 0.2
"""How often `check` is called while replies are waited for."""


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """A user's choices for the extraction. `relation_labels` are asked of GLiNER2 alone: a language
    model writes its own.
    """

    entity_types: tuple[str, ...] = ()
    focus: str = ""
    num_gleanings: int = 0
    relation_labels: tuple[str, ...] = ()


@dataclass(slots=True)
class ExtractionCounts:
    """Counts of what was dropped, by reason, and mended. Guarded by the extractor's lock."""

    dropped: Counter[str] = field(default_factory=Counter)
    num_repaired_quotes: int = 0
    num_halved: int = 0


def chunk_text(
    document: Document, turns: Sequence[Turn], chunk: Chunk, is_small: bool = False
) -> str:
    """The chunk as the model reads it, one line per turn, `SPEAKER: words`; no times, so that equal
    words make equal prompts.

    For small models `- words`, without turns of one or two words: they take every label for an
    entity and every turn for a relation "said" (seen with a 1.5-billion-parameter model), and code
    knows who spoke anyway.
    """
    lines = []
    for turn in turns[turn_at(turns, chunk.start).index :]:
        if turn.start >= chunk.end:
            break
        words = document.text[max(turn.start, chunk.start) : min(turn.end, chunk.end)].strip()
        if is_small and len(words.split()) < _MIN_TURN_WORDS:
            continue
        if is_small:
            words = f"- {words}"
        elif turn.speaker:
            words = f"{turn.speaker}: {words}"
        if words:
            lines.append(words)
    return "\n".join(lines)


class LLMExtractor:
    """Implements `Extractor` over a metered chat model."""

    def __init__(
        self,
        chat: Asker,
        model_identity: str,
        profile: ChunkProfile,
        options: ExtractionOptions | None = None,
        max_concurrency: int = 8,
    ) -> None:
        self._chat = chat
        self._profile = profile
        self._options = options or ExtractionOptions()
        self._max_concurrency = max_concurrency
        self._schema: type[ExtractionReply] | type[SmallExtractionReply] = (
            SmallExtractionReply if profile.is_small else ExtractionReply
        )
        self._lock = threading.Lock()
        self._too_long: float = math.inf
        """Characters of the shortest chunk that was too long for the model's context."""
        self.counts = ExtractionCounts()
        self.unreached: ModelError | None = None
        """The last failure, where no chunk of the last extraction got any reply."""
        settings = (
            profile.name,
            profile.is_small,
            profile.max_entities,
            profile.max_relations,
            profile.max_reply_tokens,
        )
        prompt = self._prompt("").system
        self._name = (
            "llm-"
            + content_id(
                _RULES_VERSION, model_identity, repr(settings), repr(self._options), prompt
            )[:16]
        )

    @property
    def name(self) -> str:
        """Identity of the extraction: model, prompt and settings."""
        return self._name

    @property
    def remarks(self) -> Mapping[str, int]:
        """Nothing: a model reads any text."""
        return {}

    @property
    def mended(self) -> Mapping[str, int]:
        """Counts of what a second call saved, by how."""
        counts = {
            "quotes repaired": self.counts.num_repaired_quotes,
            "chunks halved": self.counts.num_halved,
        }
        return {how: number for how, number in counts.items() if number}

    @property
    def dropped(self) -> Mapping[str, int]:
        """Counts of what was refused so far, by reason."""
        return self.counts.dropped

    def prompt_tokens(self, work: ChunkWork) -> int:
        """Estimated prompt tokens of the chunk's first call, schema included."""
        prompt = self._prompt(
            chunk_text(work.document, work.turns, work.chunk, self._profile.is_small)
        )
        return prompt_tokens(prompt, self._schema)

    def ask_once(self, work: ChunkWork) -> None:
        """The chunk's first call, so that it can be timed."""
        self._call(
            self._prompt(chunk_text(work.document, work.turns, work.chunk, self._profile.is_small)),
            work.document,
        )

    def extract(
        self,
        work: Sequence[ChunkWork],
        on_chunk: Callable[[Extraction], None],
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[Chunk, str]]:
        """See `Extractor.extract`."""
        set_aside: list[tuple[Chunk, str]] = []
        waiting = list(reversed(work))
        running: dict[Future[Extraction], Chunk] = {}
        is_any_done = False
        self.unreached = None
        num_unreachable = 0
        pool = ThreadPoolExecutor(self._max_concurrency, thread_name_prefix="extract")
        try:
            while waiting or running:
                while waiting and len(running) < self._max_concurrency:
                    item = waiting.pop()
                    running[pool.submit(self._extract_chunk, item)] = item.chunk
                finished, _ = wait(running, timeout=_LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                check()
                for future in finished:
                    chunk = running.pop(future)
                    try:
                        on_chunk(future.result())
                        is_any_done, num_unreachable = True, 0
                    except (InvalidReplyError, CutOffReplyError) as err:
                        is_any_done, num_unreachable = True, 0  # it answers, if badly
                        set_aside.append((chunk, str(err)))
                    except (ModelUnavailableError, ContextTooShortError) as err:
                        num_unreachable += 1
                        is_gone = (
                            num_unreachable >= _MAX_UNREACHABLE_IN_A_ROW + self._max_concurrency
                        )
                        if is_gone or (
                            not is_any_done and num_unreachable >= _MAX_UNREACHABLE_AT_FIRST
                        ):
                            raise
                        set_aside.append((chunk, str(err)))
                        self.unreached = err
        except (BudgetError, ModelRefusedError, ModelUnavailableError):
            self._finish(running, on_chunk)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        if is_any_done:
            self.unreached = None
        return set_aside

    def _finish(
        self, running: dict[Future[Extraction], Chunk], on_chunk: Callable[[Extraction], None]
    ) -> None:
        """Hands on what is still in flight, so that a paid reply is not lost; further failures of a
        run that already failed are logged.
        """
        for future, chunk in running.items():
            if future.cancel():
                continue
            try:
                on_chunk(future.result())
            except (
                BudgetError,
                ModelRefusedError,
                ModelUnavailableError,
                InvalidReplyError,
                CutOffReplyError,
            ) as err:
                _LOG.info(
                    "chunk %d-%d was in flight when the run stopped: %s",
                    chunk.start,
                    chunk.end,
                    err,
                )

    def _prompt(
        self, text: str, found: Sequence[str] = (), bad_quotes: Sequence[RelationReply] = ()
    ) -> Prompt:
        system, user = render(
            "extract",
            text=text,
            entity_types=self._options.entity_types,
            focus=self._options.focus,
            is_small=self._profile.is_small,
            max_entities=self._profile.max_entities,
            max_relations=self._profile.max_relations,
            found=found,
            bad_quotes=bad_quotes,
        )
        return Prompt("extract", system, user)

    def _extract_chunk(self, work: ChunkWork) -> Extraction:
        document, turns, chunk = work.document, work.turns, work.chunk
        mentions: dict[str, Mention] = {}
        relations: dict[str, RelationRecord] = {}
        dropped = Counter[str]()
        for piece, replies in self._replies(document, turns, chunk, _MAX_SPLITS):
            builder = RecordBuilder(
                document, turns, piece, self._name, is_small=self._profile.is_small
            )
            for reply in replies:
                builder.add(reply)
            dropped.update(builder.dropped)
            mentions.update((m.id, m) for m in builder.mentions())
            relations.update((r.id, r) for r in builder.relations())
        with self._lock:
            self.counts.dropped.update(dropped)
        return Extraction(
            chunk.document_id,
            chunk.start,
            chunk.end,
            self._name,
            tuple(mentions.values()),
            tuple(relations.values()),
            dropped,
        )

    def _replies(
        self, document: Document, turns: Sequence[Turn], chunk: Chunk, splits_left: int
    ) -> list[tuple[Chunk, list[ExtractionReply]]]:
        """The chunk's replies, or those of its halves where the reply was cut off or the prompt too
        long. Chunks as long as one that was too long are halved unasked.
        """
        length = chunk.end - chunk.start
        halves = halve(document, chunk) if splits_left else None
        if halves is None or length < self._too_long:
            try:
                return [(chunk, self._ask(document, turns, chunk))]
            except EmptyReplyError:
                raise  # a shorter text needs no fewer thoughts
            except ContextTooShortError:
                if halves is None:
                    raise
                self._too_long = min(self._too_long, length)
            except CutOffReplyError as err:
                if halves is None:
                    raise CutOffReplyError(
                        f"the reply was cut off at {self._profile.max_reply_tokens} tokens even on"
                        " a part of the chunk"
                    ) from err
        assert halves is not None
        with self._lock:
            self.counts.num_halved += 1
        return [
            pair
            for half in halves
            for pair in self._replies(document, turns, half, splits_left - 1)
        ]

    def _ask(
        self, document: Document, turns: Sequence[Turn], chunk: Chunk
    ) -> list[ExtractionReply]:
        text = chunk_text(document, turns, chunk, self._profile.is_small)
        if not text:
            return []
        replies = [self._call(self._prompt(text), document)]
        for _ in range(self._options.num_gleanings):
            found = [entity.name for reply in replies for entity in reply.entities]
            more = self._call(self._prompt(text, found=found), document)
            if not (more.entities or more.relations):
                break
            replies.append(more)
        return [
            self._with_repaired_quotes(reply, text, document, turns, chunk) for reply in replies
        ]

    def _call(self, prompt: Prompt, document: Document) -> ExtractionReply:
        max_tokens = self._profile.max_reply_tokens
        if self._profile.is_small:
            small = self._chat.ask(
                prompt,
                SmallExtractionReply,
                stage="extract",
                max_tokens=max_tokens,
                documents=(document.id,),
            )
            return small.full()
        return self._chat.ask(
            prompt,
            ExtractionReply,
            stage="extract",
            max_tokens=max_tokens,
            documents=(document.id,),
        )

    def _with_repaired_quotes(
        self,
        reply: ExtractionReply,
        text: str,
        document: Document,
        turns: Sequence[Turn],
        chunk: Chunk,
    ) -> ExtractionReply:
        """One more call for the relations whose quote is not in the chunk; those it does not mend
        are dropped later, and counted.
        """
        checker = RecordBuilder(document, turns, chunk, self._name, self._profile.is_small)
        good: list[RelationReply] = []
        bad: list[RelationReply] = []
        for relation in reply.relations:
            is_bad = checker.quote_span(relation) is None and checker.is_usable(relation)
            (bad if is_bad else good).append(relation)
        if not bad:
            return reply
        try:
            mended = self._call(self._prompt(text, bad_quotes=bad), document)
        except (CutOffReplyError, InvalidReplyError, ContextTooShortError) as err:
            _LOG.info(
                "quotes of chunk %d-%d could not be repaired: %s", chunk.start, chunk.end, err
            )
            return reply
        repaired: list[RelationReply] = []
        still_bad = list(bad)
        for relation in mended.relations:
            ends = (relation.source, relation.target)
            same = [r for r in still_bad if (r.source, r.target) == ends]
            if same and checker.quote_span(relation):
                still_bad.remove(next((r for r in same if r.label == relation.label), same[0]))
                repaired.append(relation)
        with self._lock:
            self.counts.num_repaired_quotes += len(repaired)
        return reply.model_copy(update={"relations": [*good, *repaired, *still_bad]})
