"""Soft prompts that nothing trained, as a workspace's own: checkpoints before a tiny language model
of random weights.
"""

import pytest
from tiny_llama import tiny_llama

from dynagrag.checkpoints.checkpoints import Checkpoint, save_checkpoint
from dynagrag.config.settings import load_settings
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.generation.soft_prompt import soft_checkpoint
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_answers import KIND
from dynagrag.generation.soft_prompt.soft_checkpoint import network_of
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_soft_prompt import soft_prompt_folder


class UntrainedSoftPrompts:
    """Called with a system's name, puts its checkpoint into the workspace `default`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._lm = LanguageModel(*tiny_llama(max_tokens=2048), "smollm2")
        monkeypatch.setattr(soft_checkpoint, "load_language_model", lambda *_: self._lm)
        monkeypatch.setattr("dynagrag.workspace.workspace_soft_prompt.CATALOG", {})
        with open_workspace("default") as space:
            identity = space.store.embedder()
        assert identity
        self._embedder = identity

    def __call__(self, method: str, embedder: EmbedderIdentity | None = None) -> None:
        """`embedder`: the one whose vectors it reads; None: the workspace's."""
        of = embedder or self._embedder
        is_grag = method == "grag"
        encoder = EncoderOptions(
            of.dimension,
            "edge-gat" if is_grag else "transformer",
            width=16,
            num_layers=1,
            is_pruned=is_grag,
            is_two_way=is_grag,
        )
        model = SoftPromptModel(
            self._lm, SoftPromptOptions(encoder, projection=32, layout=LayoutOptions(768, 48, 8))
        )
        network = network_of(method, self._lm, model.options)
        kept = Checkpoint(
            kind=KIND,
            network=network,
            embedder=of.name,
            dimension=of.dimension,
            made_with={},
            figures={},
            versions={},
        )
        save_checkpoint(
            soft_prompt_folder(load_settings(), "default", method), kept, model.tokens.state_dict()
        )
