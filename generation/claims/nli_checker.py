"""A checker by a classifier: natural language inference, two labels as MiniCheck has, or marks on
the claim's own tokens as LettuceDetect sets them.

A claim's lines are read together. Where they are longer than what the model takes, they are read in
windows, each beginning with the end of the one before, and the window that states the claim best
counts (docs/papers.md, Checkers).
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.schema import Claim, ClaimCheck, Vectors, Verdict
from dynagrag.generation.claims.short_answers import whole_claim
from dynagrag.generation.claims.shown_lines import nearest_rows
from dynagrag.models.catalog import hub_model
from dynagrag.models.onnx_classifier import OnnxClassifier, check_classifier_source, has_onnx

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_LOG = logging.getLogger(__name__)
_MAX_TOKENS = 512
"""Of a window and its claim: classifiers that take more were trained on no more."""
_OVERLAP_SHARE = 0.125
_MAX_LINES, _LINE_TOKENS = 200, 4096
"""Of one claim's lines."""
_BATCH = 16
_STATED = frozenset(
    "entailment entails entailed entail supported supports support consistent yes true".split()
)
_CONTRADICTED = frozenset(
    "contradiction contradicts contradicted contradict refuted refutes".split()
)
_OTHER = frozenset(
    "neutral not_entailment unsupported not_supported inconsistent not_enough_info no false"
    " hallucinated hallucination".split()
)


class Classifier(Protocol):
    """A model that reads a text and a claim."""

    tokenizer: "Tokenizer"
    labels: tuple[str, ...]
    max_tokens: int | None

    def logits(self, windows: Sequence["Encoding"]) -> Vectors:
        """(n, labels) of a sequence classifier, (n, tokens, labels) of one of tokens."""


@dataclass(frozen=True, slots=True)
class LabelPlaces:
    """The outputs of a classifier for a claim that is stated, and for one that is contradicted
    (None: it doesn't tell).
    """

    stated: int
    contradicted: int | None

    @classmethod
    def of(cls, labels: Sequence[str], *, is_of_tokens: bool = False) -> "LabelPlaces | None":
        """By their names, in any order and case. Two without names are MiniCheck's: the second is
        "supported"; of tokens LettuceDetect's: the first is. None for any others.
        """
        names = [
            str(name).casefold().strip().replace("-", "_").replace(" ", "_") for name in labels
        ]
        if sorted(names) == ["label_0", "label_1"]:
            return cls(names.index("label_0" if is_of_tokens else "label_1"), None)
        stated = [i for i, name in enumerate(names) if name in _STATED]
        contradicted = [i for i, name in enumerate(names) if name in _CONTRADICTED]
        if (
            len(stated) != 1
            or len(contradicted) > 1
            or not set(names) <= _STATED | _CONTRADICTED | _OTHER
        ):
            return None
        return cls(stated[0], contradicted[0] if contradicted else None)


@dataclass(frozen=True, slots=True)
class _Window:
    claim: int
    rows: tuple[int, ...]
    """Of the claim's lines, those that it holds something of."""
    tokens: "Encoding"


class NliChecker:
    """See the module. The weights are loaded at the first check; one check at a time."""

    def __init__(self, source: str, settings: Settings) -> None:
        """Raises SettingsError for a path that holds no model."""
        check_classifier_source(source, "a classifier")
        self.name = f"nli:{source}"
        self._path = Path(source).expanduser()
        self._source = source
        self._settings = settings
        self._lock = Lock()
        self._model: Classifier | None = None
        self._labels = LabelPlaces(0, None)

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim. Raises SettingsError where the model can't be loaded or isn't a
        classifier of this kind, ModelError else.
        """
        claims = [whole_claim(claim) for claim in claims]
        if not any(claim.lines for claim in claims):
            return [_not_found(0.0, "there are no lines") for _ in claims]
        with self._lock:
            model = self._loaded()
            windows = [
                window
                for number, claim in enumerate(claims)
                for window in self._windows(number, claim, model)
            ]
            shares = self._shares(windows, model)
        checks = []
        for number, claim in enumerate(claims):
            mine = [i for i, window in enumerate(windows) if window.claim == number]
            checks.append(self._checked(claim, [windows[i] for i in mine], shares[mine]))
        return checks

    # inside

    def _checked(self, claim: Claim, windows: Sequence[_Window], shares: Vectors) -> ClaimCheck:
        if not windows:
            return (
                ClaimCheck(
                    Verdict.NOT_CHECKED, (), None, "it is too long", "the claim is too long for it"
                )
                if claim.lines
                else _not_found(0.0, "there are no lines")
            )
        best = int(shares[:, self._labels.stated].argmax())
        score = float(shares[best, self._labels.stated])
        if score >= 0.5:
            return ClaimCheck(Verdict.STATED, _nearest(claim, windows[best]), score)
        if self._labels.contradicted is not None:
            worst = int(shares[:, self._labels.contradicted].argmax())
            if shares[worst, self._labels.contradicted] >= 0.5:
                return ClaimCheck(
                    Verdict.CONTRADICTED,
                    _nearest(claim, windows[worst]),
                    score,
                    "a line says otherwise",
                )
        return _not_found(score, "the lines do not say it")

    def _windows(self, number: int, claim: Claim, model: Classifier) -> list[_Window]:
        """The claim's lines as the model reads them, a line of text each; none where the claim
        itself takes half of the room.
        """
        rows = sorted(nearest_rows(claim, _MAX_LINES, _LINE_TOKENS))
        size = min(_MAX_TOKENS, model.max_tokens or _MAX_TOKENS)
        tokenizer = model.tokenizer
        tokenizer.no_truncation()
        num_claim = len(tokenizer.encode(claim.text, add_special_tokens=False).ids)
        room = size - num_claim - tokenizer.num_special_tokens_to_add(is_pair=True)
        if room < size // 2 or not rows:
            return []
        texts = [
            " ".join(f"{line.speaker + ': ' if line.speaker else ''}{line.text}".split())
            for line in (claim.lines[row] for row in rows)
        ]
        starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
        tokenizer.enable_truncation(size, stride=int(room * _OVERLAP_SHARE), strategy="only_first")
        encoded = tokenizer.encode("\n".join(texts), claim.text)
        windows = []
        for window in (encoded, *encoded.overflowing):
            spans = [
                span
                for span, part in zip(window.offsets, window.sequence_ids, strict=True)
                if part == 0
            ]
            ends = (spans[0][0], spans[-1][1] - 1) if spans else (0, 0)
            first, last = (int(np.searchsorted(starts, at, side="right")) - 1 for at in ends)
            windows.append(_Window(number, tuple(rows[first : last + 1]), window))
        return windows

    def _shares(self, windows: Sequence[_Window], model: Classifier) -> Vectors:
        """(n, labels): each label's probability for each window; of one that marks tokens those of
        the claim's token that is stated least.
        """
        shares = np.zeros((len(windows), len(model.labels)), dtype=np.float32)
        order = sorted(
            range(len(windows)), key=lambda i: len(windows[i].tokens.ids)
        )  # alike in length: little padding
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            logits = model.logits([windows[i].tokens for i in batch])
            if logits.shape[-1] != len(model.labels):
                raise SettingsError(
                    f"{self.name} has {logits.shape[-1]} outputs and {len(model.labels)} labels:"
                    ' name each in "id2label" of its config.json'
                )
            labels = LabelPlaces.of(model.labels, is_of_tokens=logits.ndim == 3)
            if labels is None:
                raise SettingsError(
                    f"{self.name} has the labels {', '.join(model.labels)}: give a classifier with"
                    " entailment, neutral and contradiction, or supported and unsupported, or name"
                    ' them so in "id2label" of its config.json'
                )
            self._labels = labels
            odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
            for i, row in zip(batch, odds / odds.sum(axis=-1, keepdims=True), strict=True):
                if logits.ndim == 3:
                    own = [k for k, part in enumerate(windows[i].tokens.sequence_ids) if part == 1]
                    row = row[min(own, key=lambda k: row[k, labels.stated])]
                shares[i] = row
        return shares

    def _loaded(self) -> Classifier:
        if self._model is not None:
            return self._model
        began = time.perf_counter()
        is_folder = self._path.exists()
        folder = (
            self._path if is_folder else hub_model(self._source, self._settings, prefers_onnx=True)
        )
        model: Classifier
        if has_onnx(folder):
            model = OnnxClassifier(folder)
        else:
            from dynagrag.generation.claims.torch_classifier import TorchClassifier

            model = TorchClassifier(folder)
        self._model = model
        _LOG.info("loaded %s in %.1f s", self.name, time.perf_counter() - began)
        return model


def open_nli_checker(source: str, settings: Settings) -> NliChecker:
    """The classifier in a folder, or of a hub name, which is fetched at the first check."""
    return NliChecker(source, settings)


def _nearest(claim: Claim, window: _Window) -> tuple[int, ...]:
    """The window's line that shares most content words with the claim."""
    part = Claim(claim.text, tuple(claim.lines[row] for row in window.rows))
    return (window.rows[nearest_rows(part, 1, _LINE_TOKENS)[0]],)


def _not_found(score: float | None, reason: str) -> ClaimCheck:
    return ClaimCheck(Verdict.NOT_FOUND, (), score, reason)
