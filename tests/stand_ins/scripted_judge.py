"""What tests of consolidation share: mentions and records, a judge that follows a script, verdicts
in memory, and a run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.core.errors import DynaGragError
from dynagrag.core.ids import content_id, entity_key
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Edit, Mention, MentionKind, RelationRecord, Vectors
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.derived.embedded_texts import mention_texts
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.consolidate.consolidation import ConsolidationResult, consolidate
from dynagrag.ingest.consolidate.consolidation_plan import ConsolidationInput
from dynagrag.ingest.consolidate.judge_calls import Judging
from dynagrag.ingest.consolidate.relation_labels import label_texts

T = TypeVar("T", bound=BaseModel)
Groups = Sequence[dict[str, object]]


def said(
    name: str,
    summary: str = "",
    *,
    doc: str = "d0",
    type_: str = "thing",
    kind: MentionKind = MentionKind.SAID,
) -> Mention:
    key = entity_key(name)
    return Mention(
        content_id("m", doc, name, summary, kind),
        doc,
        0,
        9,
        (),
        name,
        key,
        type_,
        summary,
        kind,
        "llm",
    )


def record(head: str, label: str, tail: str, doc: str = "d0") -> RelationRecord:
    id_ = content_id("r", doc, head, label, tail)
    return RelationRecord(
        id_, doc, 0, 9, "p", entity_key(head), entity_key(tail), label, "", 0, 9, 0, "llm"
    )


class ScriptedJudge:
    """Groups by a function of the prompt's user text, or an error; records what it was asked."""

    def __init__(self, reply: Callable[[str], Groups | DynaGragError] = lambda text: ()) -> None:
        self.reply = reply
        self.asked: list[tuple[Prompt, tuple[str, ...], int]] = []

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        assert stage == "consolidate"
        self.asked.append((prompt, tuple(documents), max_tokens))
        reply = self.reply(prompt.user)
        if isinstance(reply, DynaGragError):
            raise reply
        return schema.model_validate({"groups": reply})


class DictVerdicts:
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def verdict(self, key: str) -> str | None:
        return self.texts.get(key)

    def has_verdicts(self) -> bool:
        return bool(self.texts)

    def store_verdict(self, key: str, text: str, documents: Sequence[str] = ()) -> None:
        self.texts[key] = text

    def keep_verdicts(self, keys: Iterable[str]) -> int:
        kept = set(keys)
        gone = [k for k in self.texts if k not in kept]
        for key in gone:
            del self.texts[key]
        return len(gone)


def same(texts: Sequence[str]) -> Vectors:
    """An embedder for which everything is alike, so that only guards tell names apart."""
    return FakeEmbedder(16).embed_documents(["same"] * len(texts))


def run(
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord] = (),
    *,
    judge: ScriptedJudge | None = None,
    embed: Callable[[Sequence[str]], Vectors] = same,
    verdicts: DictVerdicts | None = None,
    edits: Sequence[Edit] = (),
    texts: Sequence[str] = (),
    judge_name: str = "judge",
    one_block_a_call: bool = False,
) -> ConsolidationResult:
    given = ConsolidationInput(
        mentions,
        records,
        vectors_of(mention_texts(mentions), embed),
        vectors_of(label_texts(records), embed),
        edits,
        texts,
    )
    return consolidate(given, Judging(judge, judge_name, verdicts, one_block_a_call))


def vectors_of(texts: Mapping[str, str], embed: Callable[[Sequence[str]], Vectors]) -> VectorTable:
    return VectorTable.of(list(texts), embed(list(texts.values())))


def merged(result: ConsolidationResult) -> list[tuple[str, tuple[str, ...], str]]:
    return [(m.canonical, m.members, m.rule) for m in result.consolidation.merges]


def group(*members: str, canonical: str = "") -> dict[str, object]:
    return {"canonical": canonical or members[0], "members": list(members)}
