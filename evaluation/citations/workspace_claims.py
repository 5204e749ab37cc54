"""Claims made of a workspace's own lines: each statement as it stands or lightly reworded (true),
and changed in one thing (false).

The lines to check a claim against are the statement and its neighbours, so that a checker must find
the right one too.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.errors import WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import RecordStore
from dynagrag.core.schema import Claim, Line
from dynagrag.evaluation.citations.changed_claims import (
    ClaimChange,
    SourceSentence,
    Vocabulary,
    changes,
)
from dynagrag.evaluation.citations.claim_sets import ClaimSet, LabelledClaim
from dynagrag.evaluation.statements.rewordings import reworded, said_by
from dynagrag.evaluation.statements.statement import cleaned, is_statement
from dynagrag.language.english.names import names_in
from dynagrag.language.english.verb_places import verbs_in
from dynagrag.language.sentences import sentence_spans

MAX_CLAIMS = 600
"""By default: half true, half false. A model of 2 s a claim takes 20 minutes."""
_NUM_NEIGHBOURS = 5
_TRUE = ("as it stands", "as its speaker said", "reworded")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence of a document with who said it."""

    text: str
    speaker: str | None
    title: str
    document_id: str
    row: int


def workspace_claims(store: RecordStore, workspace: str, max_claims: int, seed: int) -> ClaimSet:
    """As many true as false claims, each pair of one statement, in an order that the seed decides.

    A false claim is of the kind that was made least so far, of those that can be made of its
    statement. Raises WorkspaceError where the workspace has no statement to make claims of.
    """
    sources = {document.id: document for document in store.documents()}
    documents: dict[str, list[SpokenSentence]] = {id_: [] for id_ in sources}
    for turn in store.turns():
        source, own = sources[turn.document_id], documents[turn.document_id]
        text = source.text[turn.start : turn.end]
        for start, end in sentence_spans(text):
            own.append(
                SpokenSentence(text[start:end], turn.speaker, source.title, source.id, len(own))
            )
    statements = [s for sentences in documents.values() for s in sentences if is_statement(s.text)]
    rng = random.Random(seed)
    rng.shuffle(statements)
    vocabularies = _vocabularies(documents)
    made = Counter[str]()
    claims: list[LabelledClaim] = []
    for statement in statements:
        if len(claims) + 1 >= max_claims:
            break
        claims.extend(
            _claims_of(
                statement,
                documents[statement.document_id],
                vocabularies[statement.document_id],
                made,
                rng,
            )
        )
    if not claims:
        raise WorkspaceError(
            f"workspace {workspace!r} has no statement to make claims of; ingest something with"
            " whole sentences first"
        )
    return ClaimSet(f"workspace {workspace}", tuple(claims))


def _claims_of(
    sentence: SpokenSentence,
    document: Sequence[SpokenSentence],
    vocabulary: Vocabulary,
    made: Counter[str],
    rng: random.Random,
) -> Iterator[LabelledClaim]:
    """A true and a false claim of a statement; none where no change can be made of it."""
    text = cleaned(sentence.text)
    # the sentence among some before and after it, at a place that differs, and its row there
    before = rng.randint(0, _NUM_NEIGHBOURS)
    first = max(0, min(sentence.row - before, len(document) - 1 - _NUM_NEIGHBOURS))
    near = document[first : first + 1 + _NUM_NEIGHBOURS]
    lines = tuple(Line(s.text, s.speaker, s.title) for s in near)
    row = sentence.row - first
    false = {
        change: claim
        for change, claim in changes(
            SourceSentence(text, sentence.speaker), vocabulary, rng
        ).items()
        if not any(
            _is_said(claim, line, without_speaker=change is ClaimChange.INVENTION) for line in lines
        )
    }
    if not false:
        return
    true = {_TRUE[0]: text}
    if sentence.speaker:
        true[_TRUE[1]] = said_by(sentence.speaker, text)
    if other := reworded(text):
        true[_TRUE[2]] = other
    form = min(true, key=lambda form: (made[form], _TRUE.index(form)))
    change = min(false, key=lambda change: (made[change], list(ClaimChange).index(change)))
    claim = false[change]
    if (
        form == _TRUE[1]
        and sentence.speaker
        and change not in {ClaimChange.SPEAKER, ClaimChange.MODALITY}
    ):
        claim = said_by(sentence.speaker, claim)
    for words, kind, is_true in ((true[form], form, True), (claim, change.value, False)):
        made[form if is_true else change] += 1
        source = content_id(sentence.document_id, sentence.row)
        label = "true" if is_true else "false"
        yield LabelledClaim(
            content_id(source, words),
            Claim(words, lines),
            is_true,
            kind,
            label,
            source,
            (frozenset([row]),),
        )


def _is_said(claim: str, line: Line, without_speaker: bool) -> bool:
    """Whether all words of a claim stand in a line, or in its speaker's name: then it may be true
    after all.
    """
    words = line.text if without_speaker else f"{line.speaker or ''} {line.text} said that"
    return Counter(_WORD.findall(claim.casefold())) <= Counter(_WORD.findall(words.casefold()))


def _vocabularies(documents: Mapping[str, Sequence[SpokenSentence]]) -> dict[str, Vocabulary]:
    """Names and verbs of the workspace, with the speakers of each document."""
    texts = [cleaned(s.text) for sentences in documents.values() for s in sentences]
    speakers = {
        id_: sorted({s.speaker for s in sentences if s.speaker})
        for id_, sentences in documents.items()
    }
    names = {m[0] for text in texts for m in names_in(text) if m.start() > 0}
    names.update(*speakers.values())
    verbs: dict[str, set[str]] = {}
    for text in texts:
        for form, span in verbs_in(text):
            verbs.setdefault(form, set()).add(text[slice(*span)])
    known = tuple(sorted(names))
    forms = {form: tuple(sorted(words)) for form, words in verbs.items()}
    return {id_: Vocabulary(known, forms, tuple(own)) for id_, own in speakers.items()}
