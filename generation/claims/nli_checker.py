"""A checker by a sequence classifier through transformers: natural language inference, or two
labels as MiniCheck has.

A claim's lines are read together. Where they are longer than what the model takes, they are read in
windows, each beginning with the end of the one before, and the window that states the claim best
counts (docs/papers.md, Checkers).
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelUnavailableError, SettingsError
from dynagrag.core.schema import Claim, ClaimCheck, Vectors, Verdict
from dynagrag.generation.claims.shown_lines import nearest_rows
from dynagrag.models.catalog import hub_model

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
    "neutral not_entailment unsupported not_supported inconsistent not_enough_info no false".split()
)


@dataclass(frozen=True, slots=True)
class LabelPlaces:
    """The outputs of a classifier for a claim that is stated, and for one that is contradicted
    (None: it doesn't tell).
    """

    stated: int
    contradicted: int | None

    @classmethod
    def of(cls, id2label: Mapping[int, str]) -> "LabelPlaces | None":
        """By their names, in any order and case. Two without names are MiniCheck's: the second is
        "supported". None for any others.
        """
        names = {
            int(i): str(name).casefold().strip().replace("-", "_").replace(" ", "_")
            for i, name in id2label.items()
        }
        if set(names.values()) == {"label_0", "label_1"}:
            return cls(next(i for i, name in names.items() if name == "label_1"), None)
        stated = [i for i, name in names.items() if name in _STATED]
        contradicted = [i for i, name in names.items() if name in _CONTRADICTED]
        if (
            len(stated) != 1
            or len(contradicted) > 1
            or not set(names.values()) <= _STATED | _CONTRADICTED | _OTHER
        ):
            return None
        return cls(stated[0], contradicted[0] if contradicted else None)


@dataclass(frozen=True, slots=True)
class _Window:
    claim: int
    rows: tuple[int, ...]
    """Of the claim's lines, those that it holds something of."""
    tokens: Mapping[str, list[int]]


class NliChecker:
    """See the module. The weights are loaded at the first check; one check at a time."""

    def __init__(self, source: str, settings: Settings) -> None:
        """Raises SettingsError for a path that holds no model."""
        path = Path(source).expanduser()
        is_hub_id = source.count("/") == 1 and not source.startswith((".", "/", "~"))
        if not (path / "config.json").is_file() and not (is_hub_id and not path.exists()):
            raise SettingsError(
                f"{source} holds no config.json: give the folder of a sequence classifier, or a hub"
                " name like org/model"
            )
        self.name = f"nli:{source}"
        self._path = path
        self._source = source
        self._settings = settings
        self._lock = Lock()
        self._model: Any = None
        self._tokenizer: Any = None
        self._labels = LabelPlaces(0, None)

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim. Raises SettingsError where the model can't be loaded or isn't a
        classifier of this kind, ModelError else.
        """
        if not any(claim.lines for claim in claims):
            return [_not_found(0.0, "there are no lines") for _ in claims]
        with self._lock:
            self._load()
            windows = [
                window
                for number, claim in enumerate(claims)
                for window in self._windows(number, claim)
            ]
            shares = self._shares(windows)
        checks = []
        for number, claim in enumerate(claims):
            mine = [i for i, window in enumerate(windows) if window.claim == number]
            checks.append(self._checked(claim, [windows[i] for i in mine], shares[mine]))
        return checks

    # inside

    def _checked(self, claim: Claim, windows: Sequence[_Window], shares: Vectors) -> ClaimCheck:
        if not windows:
            return (
                _not_found(None, "not checked", "the claim is too long for it")
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

    def _windows(self, number: int, claim: Claim) -> list[_Window]:
        """The claim's lines as the model reads them, a line of text each; none where the claim
        itself takes half of the room.
        """
        rows = sorted(nearest_rows(claim, _MAX_LINES, _LINE_TOKENS))
        size = self._max_tokens()
        num_claim = len(self._tokenizer(claim.text, add_special_tokens=False)["input_ids"])
        room = size - num_claim - self._tokenizer.num_special_tokens_to_add(pair=True)
        if room < size // 2 or not rows:
            return []
        texts = [
            " ".join(f"{line.speaker + ': ' if line.speaker else ''}{line.text}".split())
            for line in (claim.lines[row] for row in rows)
        ]
        starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
        encoded = self._tokenizer(
            "\n".join(texts),
            claim.text,
            truncation="only_first",
            max_length=size,
            stride=int(room * _OVERLAP_SHARE),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        windows = []
        for i in range(len(encoded["input_ids"])):
            spans = [
                span
                for span, part in zip(
                    encoded["offset_mapping"][i], encoded.sequence_ids(i), strict=True
                )
                if part == 0
            ]
            first, last = (
                (
                    int(np.searchsorted(starts, at, side="right")) - 1
                    for at in (spans[0][0], spans[-1][1] - 1)
                )
                if spans
                else (0, 0)
            )
            tokens = {
                name: encoded[name][i]
                for name in self._tokenizer.model_input_names
                if name in encoded
            }
            windows.append(_Window(number, tuple(rows[first : last + 1]), tokens))
        return windows

    def _shares(self, windows: Sequence[_Window]) -> Vectors:
        """(n, labels): each label's probability for each window."""
        import torch

        shares = np.zeros((len(windows), self._model.config.num_labels), dtype=np.float32)
        order = sorted(
            range(len(windows)), key=lambda i: len(windows[i].tokens["input_ids"])
        )  # alike in length: little padding
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            padded = self._tokenizer.pad(
                [windows[i].tokens for i in batch], return_tensors="pt"
            ).to(self._model.device)
            with torch.inference_mode():
                shares[batch] = self._model(**padded).logits.float().softmax(-1).cpu().numpy()
        return shares

    def _max_tokens(self) -> int:
        limits = [
            _MAX_TOKENS,
            self._tokenizer.model_max_length,
            getattr(self._model.config, "max_position_embeddings", None),
        ]
        return int(min(limit for limit in limits if limit and limit > 0))

    def _load(self) -> None:
        if self._model is not None:
            return
        began = time.perf_counter()
        folder = self._path if self._path.exists() else hub_model(self._source, self._settings)
        tokenizer, model = _loaded(folder)
        labels = LabelPlaces.of(model.config.id2label)
        if labels is None:
            named = ", ".join(map(str, model.config.id2label.values()))
            raise SettingsError(
                f"{self.name} has the labels {named}: give a classifier with entailment, neutral"
                ' and contradiction, or supported and unsupported, or name them so in "id2label"'
                " of its config.json"
            )
        self._tokenizer, self._labels, self._model = tokenizer, labels, model
        _LOG.info("loaded %s in %.1f s", self.name, time.perf_counter() - began)


def open_nli_checker(source: str, settings: Settings) -> NliChecker:
    """The classifier in a folder, or of a hub name, which is fetched at the first check."""
    return NliChecker(source, settings)


def _loaded(folder: Path) -> tuple[Any, Any]:
    try:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging as transformers_logging
    except ImportError as err:
        raise SettingsError(
            "a classifier of claims needs transformers and torch: pip install 'dynagrag[local]'"
        ) from err
    transformers_logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        # Safetensors only: other weights are pickles.
        model, loading = AutoModelForSequenceClassification.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
        if loading["missing_keys"]:
            raise SettingsError(
                f"{folder} has no classifier (its weights lack"
                f" {sorted(loading['missing_keys'])[0]}): give one that was trained"
            )
        device = (
            "cuda"
            if torch.cuda.is_available()
            else "mps"
            if torch.backends.mps.is_available()
            else "cpu"
        )
        return tokenizer, model.to(device).eval()
    except (OSError, ValueError, ImportError) as err:
        raise SettingsError(
            f"{folder} could not be loaded as a sequence classifier:"
            f" {' '.join(str(err).split())[:200]}"
        ) from err
    except (MemoryError, RuntimeError) as err:
        raise ModelUnavailableError(
            f"{folder} could not be loaded: {' '.join(str(err).split())[:200]}"
        ) from err


def _nearest(claim: Claim, window: _Window) -> tuple[int, ...]:
    """The window's line that shares most content words with the claim."""
    part = Claim(claim.text, tuple(claim.lines[row] for row in window.rows))
    return (window.rows[nearest_rows(part, 1, _LINE_TOKENS)[0]],)


def _not_found(score: float | None, reason: str, note: str = "") -> ClaimCheck:
    return ClaimCheck(Verdict.NOT_FOUND, (), score, reason, note)
