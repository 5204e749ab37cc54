"""The field's own sets, in the layout that docs/evaluation.md describes: a folder with multihop/
and transcript_qa/.

Gold follows each set: titles of supporting passages (MuSiQue, HotpotQA, 2Wiki), the chunks that
hold the facts (MultiHop-RAG), the turns of each query (QMSum; LoCoMo in a module of its own).
Nothing is counted on but the fields: other rows of the same sets may stand in the files.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.question_sets.json_rows import Row, find_file, read_rows, without_doubles
from dynagrag.evaluation.question_sets.locomo import locomo
from dynagrag.evaluation.question_sets.question_set import (
    CorpusDocument,
    EvalQuestion,
    EvaluationSet,
    Gold,
    GoldAnswer,
    Scope,
    TurnSpan,
)

Loader = Callable[[Path, str | None], EvaluationSet]
"""Reads a set from a folder, or a part of it."""
MULTIHOP, TRANSCRIPTS = "multihop", "transcript_qa"
_TAG = re.compile(r"\{[^{}\n]*\}")
_MAX_SHARE = 0.5
"""A query whose gold is this share of its meeting or more asks for a summary: it tells nothing of
which passages to bring.
"""


def load_set(name: str, folder: Path, part: str | None = None) -> EvaluationSet:
    """A set from a folder. `part` names QMSum's file: val (default), train_25 and so on.

    Raises UsageError for an unknown name, LoadError where a file is missing or a row lacks what it
    must have.
    """
    loaded = loaded_by(LOADERS, name, folder, part)
    if not loaded.questions:
        left_out = "; ".join(f"{count} {what}" for what, count in loaded.notes.items())
        raise LoadError(f"{name} in {folder} has no question that can be evaluated: {left_out}")
    return loaded


def loaded_by(
    loaders: Mapping[str, Loader], name: str, folder: Path, part: str | None
) -> EvaluationSet:
    """What the loader of a name makes of a folder. Raises UsageError for an unknown name, or a part
    where there is none, LoadError where the folder is missing, and what the loader raises.
    """
    if name not in loaders:
        raise UsageError(f"unknown data set {name!r}; known: {', '.join(loaders)}")
    if part is not None and name != "qmsum":
        raise UsageError(f"{name} has no parts; --part {part} is for qmsum alone")
    if not folder.is_dir():
        raise LoadError(
            f"there is no folder {folder}; --data names the folder that holds multihop/ and"
            " transcript_qa/"
        )
    return loaders[name](folder, part)


def musique(folder: Path, _: str | None, is_answered: bool = False) -> EvaluationSet:
    """MuSiQue. `is_answered`, as for all sets: whether it is read for its answers too."""
    return _titled(
        "musique",
        folder,
        ("musique_questions",),
        "musique_corpus",
        lambda row: row.texts("supporting_titles"),
        is_answered,
    )


def hotpotqa(folder: Path, _: str | None, is_answered: bool = False) -> EvaluationSet:
    """HotpotQA."""
    return _titled(
        "hotpotqa", folder, ("hotpotqa_questions",), "hotpotqa_corpus", fact_titles, is_answered
    )


def two_wiki(folder: Path, _: str | None, is_answered: bool = False) -> EvaluationSet:
    """2WikiMultihopQA. Of two files the one for retrieval has no answers."""
    stems = ("2wiki_retrieval_questions", "2wiki_questions")[:: -1 if is_answered else 1]
    return _titled(
        "2wiki",
        folder,
        stems,
        "2wiki_corpus",
        lambda row: row.texts("supporting_titles"),
        is_answered,
    )


def fact_titles(row: Row) -> tuple[str, ...]:
    """The titles of 'supporting_facts', each once."""
    facts = row.items("supporting_facts")
    if not all(isinstance(fact, list) and fact for fact in facts):
        raise LoadError(
            f"{row.place}: 'supporting_facts' must be a list of [title, sentence number]"
        )
    return row.strings([fact[0] for fact in facts], "supporting_facts")


def _titled(
    name: str,
    folder: Path,
    questions: Sequence[str],
    corpus: str,
    titles_of: Callable[[Row], tuple[str, ...]],
    is_answered: bool,
) -> EvaluationSet:
    rows, question_file = read_rows(find_file(folder / MULTIHOP, *questions))
    passages, corpus_file = read_rows(find_file(folder / MULTIHOP, corpus))
    notes: Counter[str] = Counter()
    found = [
        (_asked(row, lambda own: Gold(titles=titles_of(own)), row.word("type")), row)
        for row in rows
    ]
    documents = tuple(
        CorpusDocument(str(row.index), row.text("title"), row.text("text")) for row in passages
    )
    return EvaluationSet(
        name,
        without_doubles(found, notes, is_answered),
        documents,
        (question_file, corpus_file),
        notes,
    )


def _asked(row: Row, gold_of: Callable[[Row], Gold], kind: str) -> EvalQuestion:
    return EvalQuestion(
        id_of(row), row.text("question"), gold_of(row), row.index, answer=row.answer(), kind=kind
    )


def multihop_rag(folder: Path, _: str | None, is_answered: bool = False) -> EvaluationSet:
    """MultiHop-RAG. For answers, those that the articles don't answer (null_query) are kept, since
    to say so is right.
    """
    rows, question_file = read_rows(find_file(folder / MULTIHOP, "multihop_rag_questions"))
    chunks, chunk_file = read_rows(find_file(folder / MULTIHOP, "multihop_rag_chunks"))
    notes: Counter[str] = Counter()
    found = []
    for row in rows:
        kind = row.text("question_type")
        if kind == "null_query" and is_answered:
            question = _asked(row, lambda _: Gold(), kind)
            found.append((replace(question, answer=GoldAnswer(is_answerable=False)), row))
        elif kind == "null_query":
            notes["questions left out: there is no evidence to find (null_query)"] += 1
        elif row.flag("evidence_in_chunks"):
            found.append((_asked(row, _facts, kind), row))
        else:
            notes["questions left out: their evidence is not among the chunks"] += 1
    documents = tuple(
        CorpusDocument(
            str(row.index), row.text("title") if row.values.get("title") else "", row.text("text")
        )
        for row in chunks
    )
    return EvaluationSet(
        "multihop-rag",
        without_doubles(found, notes, is_answered),
        documents,
        (question_file, chunk_file),
        notes,
    )


def _facts(row: Row) -> Gold:
    return Gold(
        facts=row.strings(
            [
                item.get("fact") if isinstance(item, dict) else item
                for item in row.items("evidence_list")
            ],
            "fact",
        )
    )


def id_of(row: Row) -> str:
    """The row's own id, or one made of the question's words: a row number would name another
    question in another file.
    """
    for name in ("id", "_id"):
        if name in row.values:
            return row.id(name)
    return content_id("question", row.text("question"))[:12]


# -------------------------------------------------------------------------------------------- QMSum


def qmsum(folder: Path, part: str | None, is_answered: bool = False) -> EvaluationSet:
    """QMSum's specific queries, and for answers its general ones, whose gold is their meeting."""
    path = _qmsum_file(folder / TRANSCRIPTS, part)
    rows, file = read_rows(path)
    notes: Counter[str] = Counter()
    meetings = [_meeting(row) for row in rows]
    found = [
        pair
        for row, meeting in zip(rows, meetings, strict=True)
        for pair in _queries(row, meeting, notes)
    ]
    if is_answered:
        for row, meeting in zip(rows, meetings, strict=True):
            found += _general_queries(
                row, meeting, [pair for pair in found if pair[0].document == meeting.key]
            )
    both = (Scope.DOCUMENT, Scope.CORPUS)
    return EvaluationSet(
        "qmsum", without_doubles(found, notes, is_answered), tuple(meetings), (file,), notes, both
    )


def _qmsum_file(folder: Path, part: str | None) -> Path:
    if part is not None:
        return find_file(folder, f"qmsum_{part}")
    try:
        return find_file(folder, "qmsum_val")
    except LoadError:
        others = sorted(folder.glob("qmsum*.jsonl*"))
        if len(others) == 1:
            return others[0]
        if others:
            raise UsageError(
                f"which of {', '.join(p.name for p in others)}? name it with --part, e.g. --part"
                " train_25"
            ) from None
        raise


def _meeting(row: Row) -> CorpusDocument:
    turns = []
    for number, turn in enumerate(row.items("meeting_transcripts")):
        if not isinstance(turn, dict) or not isinstance(turn.get("content"), str):
            raise LoadError(
                f"{row.place}: turn {number} of 'meeting_transcripts' must have 'content'"
            )
        said, speaker = row.kept(turn["content"], "content"), turn.get("speaker")
        name = row.kept(speaker, "speaker") if isinstance(speaker, str) else None
        turns.append(SourceTurn(" ".join(_TAG.sub(" ", said).split()), name))
    # a made-up title would be embedded, and become an entity
    return CorpusDocument(str(row.index), "", turns=tuple(turns))


def _queries(
    row: Row, meeting: CorpusDocument, notes: Counter[str]
) -> list[tuple[EvalQuestion, Row]]:
    found: list[tuple[EvalQuestion, Row]] = []
    specific = row.values.get("specific_query_list")
    if not isinstance(specific, list):
        raise row.lacks("specific_query_list")
    for number, query in enumerate(specific):
        if (
            not isinstance(query, dict)
            or not isinstance(query.get("query"), str)
            or "relevant_text_span" not in query
        ):
            raise LoadError(
                f"{row.place}: query {number} of 'specific_query_list' must have 'query' and"
                " 'relevant_text_span'"
            )
        asked, named = row.kept(query["query"], "query"), query["relevant_text_span"]
        if not isinstance(named, list):
            raise LoadError(
                f"{row.place}: 'relevant_text_span' of query {number} is {named!r}; it must be a"
                " list of [first turn, last turn]"
            )
        spans = [span for item in named if (span := _span(row, item, meeting, notes)) is not None]
        num_gold = len({turn for span in spans for turn in range(span.first, span.last + 1)})
        if num_gold >= _MAX_SHARE * len(meeting.turns):
            notes["questions left out: their gold is half of the meeting or more"] += 1
        elif not num_gold:
            notes["questions left out: they name no turn"] += 1
        else:
            gold = Gold(spans=tuple(spans))
            id_, answer = _query_id(row, number, asked, gold, found), _given(query)
            found.append(
                (EvalQuestion(id_, asked, gold, row.index, meeting.key, answer, "specific"), row)
            )
    return found


def _general_queries(
    row: Row, meeting: CorpusDocument, before: Sequence[tuple[EvalQuestion, Row]]
) -> list[tuple[EvalQuestion, Row]]:
    found: list[tuple[EvalQuestion, Row]] = []
    general = row.values.get("general_query_list")
    for number, query in enumerate(general if isinstance(general, list) else ()):
        if not isinstance(query, dict) or not isinstance(query.get("query"), str):
            raise LoadError(
                f"{row.place}: query {number} of 'general_query_list' must have 'query'"
            )
        asked, gold = row.kept(query["query"], "query"), Gold(documents=(meeting.key,))
        id_ = _query_id(row, number, asked, gold, [*before, *found])
        found.append(
            (EvalQuestion(id_, asked, gold, row.index, meeting.key, _given(query), "general"), row)
        )
    return found


def _given(query: Mapping[str, Any]) -> GoldAnswer | None:
    """The answer of a query; None where it has none."""
    answer = query.get("answer")
    return (
        GoldAnswer((" ".join(_TAG.sub(" ", answer).split()),))
        if isinstance(answer, str) and answer.strip()
        else None
    )


def _query_id(
    row: Row, number: int, asked: str, gold: Gold, before: Sequence[tuple[EvalQuestion, Row]]
) -> str:
    """The meeting and the words of a query, which name it in any file; where the meeting's earlier
    queries have the same words and other gold, its number too, counted from 1.
    """
    of_meeting = (
        row.id("meeting_id") if row.values.get("meeting_id") else f"meeting-{row.index + 1}"
    )
    id_ = f"{of_meeting}-{content_id('question', asked)[:8]}"
    same = {question.gold: question.id for question, _ in before if question.text == asked}
    return same.get(gold, f"{id_}-{number + 1}") if same else id_


def _span(row: Row, span: Any, meeting: CorpusDocument, notes: Counter[str]) -> TurnSpan | None:
    """The span, its ends in order and cut to the meeting; None where nothing is left of it."""
    try:
        first, last = int(span[0]), int(span[1])
    except (TypeError, ValueError, IndexError, KeyError, OverflowError) as err:
        raise LoadError(
            f"{row.place}: 'relevant_text_span' holds {span!r}; it must be [first turn, last turn]"
        ) from err
    first, last = min(first, last), max(first, last)
    end = len(meeting.turns) - 1
    if last < 0 or first > end:
        notes["turn spans wholly outside their meeting, left out"] += 1
        return None
    if first < 0 or last > end:
        notes["turn spans that reach over their meeting's ends, cut"] += 1
    return TurnSpan(meeting.key, max(first, 0), min(last, end))


LOADERS: dict[str, Loader] = {
    "musique": musique,
    "hotpotqa": hotpotqa,
    "2wiki": two_wiki,
    "multihop-rag": multihop_rag,
    "qmsum": qmsum,
    "locomo": locomo,
}
