"""A workspace's questions as a pruner is trained on them: what each was made of, and what its
documents serve.

Questions that nothing answers are left out: they ask what answerable ones ask, so that labels of 0
would teach that what a question names supports nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from dynagrag.core.errors import LoadError, UsageError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.schema import Snapshot
from dynagrag.core.text import plural
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.question_sets.gold_resolver import Resolver, finder
from dynagrag.evaluation.question_sets.json_rows import Row, read_rows
from dynagrag.evaluation.question_sets.own_questions import gold_turns, is_answerable
from dynagrag.evaluation.question_sets.question_set import Gold
from dynagrag.evaluation.questions.document_splits import document_folds, document_splits
from dynagrag.evaluation.questions.drafts import SplitSayings
from dynagrag.evaluation.questions.made_question import Provenance, QuestionKind, Split
from dynagrag.evaluation.questions.record_questions import record_questions
from dynagrag.evaluation.questions.sayings import Sayings

NUM_MADE = 400
"""Questions that are made where no file gives any: training goes on gaining up to some hundreds."""
UNANSWERABLE, UNMADE = "nothing answers it", "it has neither provenance nor turns in the workspace"
SEVERAL_PARTS = "its documents serve several parts"
SEVERAL_FOLDS = "its documents lie in several folds"
_PURPOSES: Mapping[Part, str] = {
    Part.TRAIN: "to train on",
    Part.VALIDATION: "to choose the epoch by",
    Part.TEST: "to measure on",
}
_SEED = 0


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """`split`: what the file says that it serves; None where it says nothing. `answer`: empty where
    it isn't told. `gold`: the turns that answer it, of a question without provenance.
    """

    id: str
    text: str
    provenance: Provenance
    split: Split | None
    is_answerable: bool = True
    answer: str = ""
    gold: Gold = field(default_factory=Gold)


@dataclass(frozen=True, slots=True)
class SplitQuestions:
    """Questions by part, each with the id of the document that it is grouped by; documents with
    questions, and what was left out.
    """

    parts: Mapping[Part, Sequence[tuple[TrainingQuestion, str]]]
    num_documents: int
    left_out: Counter[str]


@dataclass(frozen=True, slots=True)
class FoldedQuestions:
    """Questions by fold, each with the id of the document that it is grouped by; how many documents
    have questions, and what was left out.
    """

    folds: Sequence[Sequence[tuple[TrainingQuestion, str]]]
    num_documents: int
    left_out: Counter[str]


def shortage(found: SplitQuestions, least: Mapping[Part, int]) -> str | None:
    """Message where a part has fewer questions than it needs at `least`; None where all have
    enough.
    """
    if all(len(found.parts[part]) >= num for part, num in least.items()):
        return None
    counts = ", ".join(
        f"{len(found.parts[part])} {_PURPOSES[part]} ({num} are needed)"
        for part, num in least.items()
    )
    why = "; ".join(
        f"{count} x {reason}" for reason, count in found.left_out.most_common() if count
    )
    return (
        f"{counts}, of"
        f" {plural(found.num_documents, 'document')}{f' (left out: {why})' if why else ''}"
    )


def read_questions(path: Path) -> list[TrainingQuestion]:
    """The questions of a file that `evaluate questions` wrote, edited or not. LoadError names the
    line that can't be read.
    """
    return [_question(row) for row in read_rows(path)[0]]


def make_questions_of(snapshot: Snapshot) -> list[TrainingQuestion]:
    """Questions of the workspace's records, without a model. WorkspaceError where it has no
    sentence to ask about.
    """
    sayings = Sayings(snapshot)
    evidence = SplitSayings(
        sayings, document_splits(Counter(saying.document_id for saying in sayings.every), _SEED)
    )
    kinds = tuple(kind for kind in QuestionKind if kind is not QuestionKind.UNANSWERABLE)
    made, _ = record_questions(evidence, kinds, NUM_MADE, _SEED)
    if not made:
        raise WorkspaceError(
            f"workspace {snapshot.workspace!r} has no sentence that questions can be made of;"
            " ingest something that has"
        )
    return [
        TrainingQuestion(q.id, q.question, q.provenance, q.split, answer=q.answer) for q in made
    ]


def split_questions(questions: Sequence[TrainingQuestion], snapshot: Snapshot) -> SplitQuestions:
    """Questions by what their documents serve: as their file says, else 70, 15 and 15 % of the
    questions.

    One without provenance has what its turns hold for it (`of_turns`). Raises UsageError where a
    file gives one document to two parts.
    """
    kept, left_out = _of_documents(questions, snapshot)
    known = _known_splits(kept, snapshot)
    splits = (
        document_splits(
            Counter(id_ for _, documents in kept for id_ in documents if id_ not in known), _SEED
        )
        | known
    )
    parts: dict[Part, list[tuple[TrainingQuestion, str]]] = {part: [] for part in Part}
    for question, documents in kept:
        own = {splits[id_] for id_ in documents}
        if len(own) > 1:
            left_out[SEVERAL_PARTS] += 1
        else:
            parts[Part(own.pop().value)].append((question, documents[0]))
    return SplitQuestions(parts, len({documents[0] for _, documents in kept}), left_out)


def fold_questions(
    questions: Sequence[TrainingQuestion], snapshot: Snapshot, num: int
) -> FoldedQuestions:
    """Questions by fold of whole documents, `num` folds or as many as there are documents; the same
    for the same questions. What their file says of splits isn't heeded: every document is tested.

    One without provenance is read as in `split_questions`; errors as in `of_turns`.
    """
    kept, left_out = _of_documents(questions, snapshot)
    sizes = Counter(documents[0] for _, documents in kept)
    sizes.update({id_: 0 for _, documents in kept for id_ in documents})
    fold_of = document_folds(sizes, num, _SEED)
    folds: list[list[tuple[TrainingQuestion, str]]] = [[] for _ in {*fold_of.values()}]
    for question, documents in kept:
        own = {fold_of[id_] for id_ in documents}
        if len(own) > 1:
            left_out[SEVERAL_FOLDS] += 1
        else:
            folds[own.pop()].append((question, documents[0]))
    return FoldedQuestions(folds, len({id_ for own in folds for _, id_ in own}), left_out)


def _of_documents(
    questions: Sequence[TrainingQuestion], snapshot: Snapshot
) -> tuple[list[tuple[TrainingQuestion, tuple[str, ...]]], Counter[str]]:
    """The questions that something answers, each with its documents, and what was left out."""
    left_out: Counter[str] = Counter()
    kept = []
    document_of = {passage.id: passage.document_id for passage in snapshot.passages}
    for question in of_turns(questions, snapshot):
        documents = tuple(
            dict.fromkeys(
                document_of[id_] for id_ in question.provenance.passages if id_ in document_of
            )
        )
        if not question.is_answerable:
            left_out[UNANSWERABLE] += 1
        elif not documents:
            left_out[UNMADE] += 1
        else:
            kept.append((question, documents))
    return kept, left_out


def of_turns(questions: Sequence[TrainingQuestion], snapshot: Snapshot) -> list[TrainingQuestion]:
    """The questions; those that people asked have no provenance, and get that of the turns which
    answer them: the passages that these touch, and all that is named and stated in them.

    Raises LoadError where a document has not so many turns, UsageError where two documents have the
    name that a question gives.
    """
    resolver = Resolver(snapshot, finder(snapshot.documents))
    records_in: dict[str, list[str]] = {}
    for id_, record in snapshot.records.items():
        records_in.setdefault(record.passage_id, []).append(id_)
    named_in: dict[str, list[str]] = {}
    for entity, passages in zip(
        snapshot.graph.entities, snapshot.graph.entity_passages, strict=True
    ):
        for id_ in passages:
            named_in.setdefault(id_, []).append(entity.id)
    found = []
    for question in questions:
        if question.gold.spans:
            own = resolver.gold_passage_ids(question.gold)
            records = tuple(record for id_ in own for record in records_in.get(id_, ()))
            entities = tuple(
                dict.fromkeys(entity for id_ in own for entity in named_in.get(id_, ()))
            )
            question = replace(
                question, provenance=Provenance(passages=own, records=records, entities=entities)
            )
        found.append(question)
    return found


def _known_splits(
    kept: Iterable[tuple[TrainingQuestion, tuple[str, ...]]], snapshot: Snapshot
) -> dict[str, Split]:
    """The parts of the documents, as far as the questions' file tells them."""
    found: dict[str, Split] = {}
    for question, documents in kept:
        for id_ in documents if question.split else ():
            if question.split and found.setdefault(id_, question.split) is not question.split:
                raise UsageError(
                    f"questions about {snapshot.documents[id_].title!r} have the splits"
                    f" {found[id_].value} and {question.split.value}, so that what is learned of"
                    " one would be measured on the other; give all of them one split, or take the"
                    " field out"
                )
    return found


def _question(row: Row) -> TrainingQuestion:
    text, split = row.text("question"), row.values.get("split")
    if split is not None and split not in [own.value for own in Split]:
        raise LoadError(
            f"{row.place}: 'split' is {str(split)[:60]!r}; it must be {', '.join(Split)}, or"
            " left out"
        )
    try:
        provenance = Provenance.model_validate(row.values.get("provenance") or {})
    except ValidationError as err:
        raise LoadError(
            f"{row.place}: 'provenance' must hold lists of ids: passages, records, entities"
        ) from err
    id_ = row.id("id") if row.values.get("id") is not None else content_id("question", text)[:12]
    answer = row.values.get("answer")
    answer_text = answer.strip() if isinstance(answer, str) else ""
    gold = Gold() if provenance.passages else gold_turns(row)
    return TrainingQuestion(
        id_,
        text,
        provenance,
        Split(split) if split else None,
        is_answerable(row),
        answer_text,
        gold,
    )


def digest_questions(questions: Iterable[TrainingQuestion]) -> str:
    """A hash of what is asked, what it was made of or is answered by, and what it serves."""
    fields = (
        (
            q.id,
            q.text,
            q.provenance.model_dump_json(),
            q.split,
            q.is_answerable,
            *([q.gold.spans] if q.gold.spans else []),
        )
        for q in questions
    )
    return content_id(*("\t".join(map(str, own)) for own in fields))
