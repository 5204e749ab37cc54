"""The scale of an embedder's cosines: MiniLM's, else the one kept with the workspace's vectors,
else measured with some hundred short texts (a second of bge-small's CPU time) and kept.
"""

import json
import logging
from base64 import b64decode, b64encode
from contextlib import suppress

import numpy as np

from dynagrag.core.protocols import Embedder, GraphStore, ScaledEmbedder, ServedEmbedder
from dynagrag.core.schema import MINILM_SCALE, CosineScale, EmbedderIdentity
from dynagrag.models.known_embedders import known_by_name
from dynagrag.models.scale_texts import ANSWERED, THINGS

_LOG = logging.getLogger(__name__)
SCALE_NOTE = "cosine-scale"
LEAST_GAP = 1.5
"""How many standard deviations of the cosines of unrelated pairs lie between these and answers, at
least, where cosines tell anything: MiniLM has 4.8, bge-small 3.8, e5-small 3.0, weights drawn at
random about 0.
"""
_NUM_ASKED = 24
"""Questions."""
_MAX_MEAN = 0.99
"""Of names: where all lie together, nothing but the same vector is near."""


def scale_of(store: GraphStore, embedder: Embedder) -> CosineScale:
    """That of the workspace's embedder, which is `embedder` where it must be measured."""
    if found := kept_scale(store):
        return found
    scale, identity = scale_of_embedder(embedder), embedder.identity
    if store.embedder() == identity and not isinstance(embedder, ScaledEmbedder):
        store.set_note(SCALE_NOTE, _text(scale, identity))
    return scale


def kept_scale(store: GraphStore) -> CosineScale | None:
    """That of the workspace's embedder, where it is MiniLM or the workspace has it."""
    identity = store.embedder()
    if identity is None or _is_minilm(identity):
        return MINILM_SCALE if identity else None
    with suppress(ValueError, KeyError, TypeError, AttributeError):  # a damaged note is none
        return _read(store.note(SCALE_NOTE), identity)
    return None


def _read(note: str | None, identity: EmbedderIdentity) -> CosineScale | None:
    kept = json.loads(note or "{}")
    if (kept.get("name"), kept.get("dimension")) != (identity.name, identity.dimension):
        return None  # of the embedder before
    questions = np.frombuffer(b64decode(kept["questions"]), dtype=np.float16)
    answers = None if kept["answers"] is None else float(kept["answers"])
    return CosineScale(
        float(kept["names"]),
        float(kept["apart"]),
        answers,
        questions.reshape(-1, identity.dimension).astype(np.float32),
    )


def _text(scale: CosineScale, identity: EmbedderIdentity) -> str:
    """As the note of a store: of the questions half the digits, which are enough for a mean."""
    questions = scale.questions.astype(np.float16).tobytes()
    return json.dumps(
        {
            "name": identity.name,
            "dimension": identity.dimension,
            "names": scale.names,
            "apart": scale.apart,
            "answers": scale.answers,
            "questions": b64encode(questions).decode("ascii"),
        }
    )


def scale_of_embedder(embedder: Embedder) -> CosineScale:
    """The embedder's own, MiniLM's, or measured now."""
    if isinstance(embedder, ScaledEmbedder):
        return embedder.scale
    return MINILM_SCALE if _is_minilm(embedder.identity) else measure_scale(embedder)


def _is_minilm(identity: EmbedderIdentity) -> bool:
    row = known_by_name(identity.name)
    return row is not None and row.name == "minilm"


def measure_scale(embedder: Embedder) -> CosineScale:
    """Embeds the texts and compares each with all others. Raises the embedder's errors."""
    asked = [question for question, _ in ANSWERED[:_NUM_ASKED]]
    questions = (
        embedder.embed_queries(asked)
        if isinstance(embedder, ServedEmbedder)
        else np.array([embedder.embed_query(question) for question in asked])
    )
    texts = embedder.embed_documents([text for _, text in ANSWERED])
    things = embedder.embed_documents(THINGS)
    cosines, is_answer = questions @ texts.T, np.eye(len(asked), len(texts), dtype=bool)
    apart, answers = cosines[~is_answer], cosines[is_answer]
    of_names = (things @ things.T)[np.triu_indices(len(THINGS), 1)]
    gap = float(answers.mean() - apart.mean())
    is_telling = gap >= LEAST_GAP * float(apart.std()) and gap > 0
    scale = CosineScale(
        names=round(min(float(of_names.mean()), _MAX_MEAN), 3),
        apart=round(float(apart.mean()), 3),
        answers=round(float(answers.mean()), 3) if is_telling else None,
        questions=questions,
    )
    _LOG.info("the scale of %s's cosines: %s", embedder.identity.name, scale)
    return scale
