"""LoCoMo (Maharana and others, ACL 2024): questions about what two people said over months.

A file is a JSON list of conversations, each with its sessions (a document each: its date is the
title) and questions whose evidence names turns ("D3:12": session 3, turn 12). A question is asked
of the sessions of its conversation, or of all; sessions that hold evidence count as found, and
turns beside them. Category 5 asks one person about what the other said: nothing answers it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.question_sets.json_rows import Row, read_json
from dynagrag.evaluation.question_sets.question_set import (
    CorpusDocument,
    DataFile,
    EvalQuestion,
    EvaluationSet,
    Gold,
    GoldAnswer,
    Scope,
    TurnSpan,
)

FOLDER = "talk/locomo"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
"""As the paper names them."""
ADVERSARIAL = CATEGORIES[5]
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")


def locomo(folder: Path, _: str | None, is_answered: bool = False) -> EvaluationSet:
    """LoCoMo's conversations, of all files that a folder has. `is_answered`: read for its answers
    too.
    """
    notes: Counter[str] = Counter()
    files: list[DataFile] = []
    corpus: list[CorpusDocument] = []
    questions: list[EvalQuestion] = []
    known: set[str] = set()
    for path in _paths(folder):
        rows, file = _rows(path, len(known))
        files.append(file)
        for row in rows:
            name = row.id("sample_id")
            if name in known:
                notes["conversations that stand there twice, read once"] += 1
                continue
            known.add(name)
            sessions, places = _sessions(row, name)
            corpus += sessions
            keys = tuple(session.key for session in sessions)
            for question in _questions(row, name, places, notes):
                questions.append(replace(question, conversation=keys))
    if not is_answered:
        questions = [replace(question, answer=None) for question in questions]
    return EvaluationSet(
        "locomo",
        tuple(questions),
        tuple(corpus),
        tuple(files),
        notes,
        (Scope.CONVERSATION, Scope.CORPUS),
        kinds_apart=(ADVERSARIAL,),
    )


def _paths(folder: Path) -> list[Path]:
    for place, pattern in ((folder / FOLDER, "*.json*"), (folder, "locomo*.json*")):
        found = sorted(p for p in place.glob(pattern) if p.name.endswith((".json", ".json.gz")))
        if found:
            return found
    raise LoadError(
        f"there is no {FOLDER}/*.json[.gz] and no locomo*.json[.gz] in {folder}; --data names the"
        " folder that holds one of them"
    )


def _rows(path: Path, first: int) -> tuple[list[Row], DataFile]:
    """The conversations of a file as rows, numbered from `first`; a row's line is its place."""
    items, file = read_json(path)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise LoadError(f"{path} must hold a list of conversations, an object each")
    return [Row(path, first + i, i + 1, item) for i, item in enumerate(items)], file


def _sessions(row: Row, name: str) -> tuple[list[CorpusDocument], dict[str, tuple[str, int]]]:
    """The sessions with words, in their order, and where each turn stands: its `dia_id` -> (key of
    the session, number of the turn).
    """
    conversation = row.values.get("conversation")
    if not isinstance(conversation, dict):
        raise row.lacks("conversation")
    numbers = sorted(int(m.group(1)) for key in conversation if (m := _SESSION.fullmatch(key)))
    sessions, places = [], {}
    for number in numbers:
        turns = conversation[f"session_{number}"]
        if not isinstance(turns, list):
            raise LoadError(f"{row.place}: 'session_{number}' must be a list of turns")
        spoken = [_turn(row, number, turn) for turn in turns]
        if not spoken:
            continue
        key = f"{name} session {number}"
        for place, turn in enumerate(turns):
            if isinstance(turn.get("dia_id"), str):
                places[turn["dia_id"]] = key, place
        date = conversation.get(f"session_{number}_date_time")
        title = row.kept(date, "date") if isinstance(date, str) else ""
        sessions.append(CorpusDocument(key, title, turns=tuple(spoken)))
    if not sessions:
        raise LoadError(f"{row.place}: 'conversation' has no session (session_1, session_2, ...)")
    return sessions, places


def _turn(row: Row, session: int, turn: Any) -> SourceTurn:
    """A turn's words; a picture that is sent with it is what its caption says."""
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str):
        raise LoadError(f"{row.place}: every turn of 'session_{session}' must have 'text'")
    text, caption = row.kept(turn["text"], "text"), turn.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        text = f"{text} [{row.kept(caption, 'blip_caption')}]"
    speaker = turn.get("speaker")
    name = row.kept(speaker, "speaker") if isinstance(speaker, str) else None
    return SourceTurn(" ".join(text.split()), name)


def _questions(
    row: Row, name: str, places: Mapping[str, tuple[str, int]], notes: Counter[str]
) -> Iterator[EvalQuestion]:
    for number, item in enumerate(row.items("qa"), start=1):
        if not isinstance(item, dict) or not isinstance(item.get("question"), str):
            raise LoadError(f"{row.place}: question {number} of 'qa' must have 'question'")
        category = item.get("category", "")
        kind = CATEGORIES.get(category, str(category))
        spans = _spans(item.get("evidence"), places, notes)
        if not spans:
            notes["questions left out: their evidence names no turn that is there"] += 1
            continue
        yield EvalQuestion(
            f"{name}-{number}",
            row.kept(item["question"].strip(), "question"),
            Gold(spans=spans, is_of_documents=True),
            row.index,
            answer=_answer(row, item, kind),
            kind=kind,
        )


def _spans(
    evidence: Any, places: Mapping[str, tuple[str, int]], notes: Counter[str]
) -> tuple[TurnSpan, ...]:
    """The turns that evidence names, each once. Some entries name several turns, some none."""
    named: Sequence[Any] = evidence if isinstance(evidence, list) else [evidence]
    ids = [f"D{m.group(1)}:{m.group(2)}" for text in named for m in _TURN.finditer(str(text))]
    notes["turns named as evidence that are not there"] += sum(id_ not in places for id_ in ids)
    there = dict.fromkeys(places[id_] for id_ in ids if id_ in places)
    return tuple(TurnSpan(key, turn, turn) for key, turn in there)


def _answer(row: Row, item: Mapping[str, Any], kind: str) -> GoldAnswer | None:
    if kind == ADVERSARIAL:
        return GoldAnswer(is_answerable=False)
    answer = item.get("answer")
    text = row.kept(str(answer).strip(), "answer") if isinstance(answer, str | int | float) else ""
    return GoldAnswer((text,)) if text else None
