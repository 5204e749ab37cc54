"""The field's own sets with their answers: those of `published_sets`, and sets that have answers
and no evidence.

SQuALITY's questions are about a whole story, each with several people's answers; GraphRAG-Bench
asks of one long text.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.question_sets.json_rows import (
    Row,
    find_file,
    read_json,
    read_rows,
    without_doubles,
)
from dynagrag.evaluation.question_sets.locomo import locomo
from dynagrag.evaluation.question_sets.published_sets import (
    MULTIHOP,
    TRANSCRIPTS,
    Loader,
    hotpotqa,
    id_of,
    loaded_by,
    multihop_rag,
    musique,
    qmsum,
    two_wiki,
)
from dynagrag.evaluation.question_sets.question_set import (
    CorpusDocument,
    DataFile,
    EvalQuestion,
    EvaluationSet,
    Gold,
    GoldAnswer,
    Scope,
)

_BLANK_LINES = re.compile(r"\n\s*\n")


def load_answer_set(name: str, folder: Path, part: str | None = None) -> EvaluationSet:
    """A set with its answers from a folder. `part` as for `load_set`.

    Questions without an answer are left out and counted. Raises UsageError for an unknown name,
    LoadError where a file is missing, a row lacks what it must have, or no question has an answer.
    """
    loaded = loaded_by(ANSWER_LOADERS, name, folder, part)
    kept = tuple(question for question in loaded.questions if question.answer is not None)
    if not kept:
        raise LoadError(
            f"{name} in {folder} has questions without answers alone, which can't be scored; name a"
            " folder that has answers"
        )
    notes = Counter(loaded.notes)
    if left_out := len(loaded.questions) - len(kept):
        notes["questions left out: they have no answer"] += left_out
    return replace(loaded, questions=kept, notes=notes)


def _squality(folder: Path, _: str | None) -> EvaluationSet:
    rows, file = read_rows(find_file(folder / TRANSCRIPTS, "squality_stories"))
    notes: Counter[str] = Counter()
    stories = tuple(
        CorpusDocument(
            str(row.index),
            "",
            turns=tuple(
                SourceTurn(" ".join(part.split()), None)
                for part in _BLANK_LINES.split(row.text("document"))
                if part.strip()
            ),
        )
        for row in rows
    )
    found = [
        (question, row)
        for row, story in zip(rows, stories, strict=True)
        for question in _story_questions(row, story.key)
    ]
    return EvaluationSet(
        "squality",
        without_doubles(found, notes, by_answer=True),
        stories,
        (file,),
        notes,
        (Scope.DOCUMENT,),
    )


def _story_questions(row: Row, story: str) -> Iterator[EvalQuestion]:
    metadata = row.values.get("metadata")
    of_story = (
        str(metadata.get("passage_id", row.index)) if isinstance(metadata, dict) else str(row.index)
    )
    for number, item in enumerate(row.items("questions"), start=1):
        if (
            not isinstance(item, dict)
            or not isinstance(item.get("question_text"), str)
            or not isinstance(item.get("responses"), list)
        ):
            raise LoadError(
                f"{row.place}: question {number} of 'questions' must have 'question_text' and"
                " 'responses'"
            )
        responses = [r.get("response_text") for r in item["responses"] if isinstance(r, dict)]
        texts = tuple(
            row.kept(text.strip(), "response_text")
            for text in responses
            if isinstance(text, str) and text.strip()
        )
        answer = GoldAnswer(tuple(dict.fromkeys(texts))) if texts else None
        text = row.kept(item["question_text"], "question_text")
        yield EvalQuestion(
            f"{of_story}-{number}", text, Gold(documents=(story,)), row.index, story, answer
        )


def _graphrag_bench(folder: Path, _: str | None) -> EvaluationSet:
    rows, question_file = read_rows(
        find_file(folder / MULTIHOP, "graphrag_bench_medical_questions")
    )
    text, corpus_file = _context(folder / MULTIHOP / "graphrag_bench_medical_corpus.json")
    notes: Counter[str] = Counter()
    found = [
        (
            EvalQuestion(
                id_of(row),
                row.text("question"),
                Gold(),
                row.index,
                answer=row.answer(),
                kind=row.word("question_type"),
            ),
            row,
        )
        for row in rows
    ]
    turns = tuple(
        SourceTurn(" ".join(line.split()), None) for line in text.splitlines() if line.strip()
    )
    corpus = (CorpusDocument("medical", "", turns=turns),)
    return EvaluationSet(
        "graphrag-bench",
        without_doubles(found, notes, by_answer=True),
        corpus,
        (question_file, corpus_file),
        notes,
    )


def _context(path: Path) -> tuple[str, DataFile]:
    """The one text of GraphRAG-Bench's corpus: JSON, a list of {corpus_name, context}."""
    path = next((p for p in (path.with_name(f"{path.name}.gz"), path) if p.is_file()), path)
    items, file = read_json(path)
    found = (
        [item.get("context") if isinstance(item, dict) else None for item in items]
        if isinstance(items, list)
        else []
    )
    texts = [text for text in found if isinstance(text, str) and text.strip()]
    if not texts or len(texts) < len(found):
        raise LoadError(f"{path} must hold a list of objects with 'context'")
    return "\n".join(texts), file


ANSWER_LOADERS: dict[str, Loader] = {
    "musique": partial(musique, is_answered=True),
    "hotpotqa": partial(hotpotqa, is_answered=True),
    "2wiki": partial(two_wiki, is_answered=True),
    "multihop-rag": partial(multihop_rag, is_answered=True),
    "qmsum": partial(qmsum, is_answered=True),
    "locomo": partial(locomo, is_answered=True),
    "squality": _squality,
    "graphrag-bench": _graphrag_bench,
}
