"""Checkpoints of soft prompts: what is read back, and what is refused in a line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from dynagrag.checkpoints.checkpoints import Checkpoint, save_checkpoint
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.generation.soft_prompt import soft_checkpoint
from dynagrag.generation.soft_prompt.adapters import LoraOptions
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.soft_checkpoint import (
    network_of,
    open_network,
    open_soft_answerer,
    read_network,
)
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

pytestmark = pytest.mark.slow

DIMENSION = 8
EMBEDDER = EmbedderIdentity("fake", DIMENSION)
KIND = "soft-answers"
Changed = Callable[..., Path]


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Changed:
    """Writes a checkpoint whose network or weights were changed, and gives its folder."""
    from tiny_llama import tiny_llama

    lm = LanguageModel(*tiny_llama(), "tiny")
    monkeypatch.setattr(soft_checkpoint, "load_language_model", lambda *_: lm)

    def write(
        network: Callable[[dict[str, Any]], object] = lambda _: None,
        weights: Callable[[torch.Tensor], torch.Tensor] = lambda value: value,
        **options: Any,
    ) -> Path:
        encoder = EncoderOptions(DIMENSION, width=16, num_layers=2)
        model = SoftPromptModel(lm, SoftPromptOptions(encoder, projection=32, **options))
        made = network_of("g-retriever", lm, model.options)
        network(made)
        kept = Checkpoint(
            kind=KIND,
            network=made,
            embedder="fake",
            dimension=DIMENSION,
            made_with={},
            figures={},
            versions={},
        )
        save_checkpoint(
            tmp_path / "own",
            kept,
            {name: weights(value) for name, value in model.tokens.state_dict().items()},
        )
        return tmp_path / "own"

    return write


def test_a_g_retriever_of_before_grags_encoder_changed_is_read(changed: Changed) -> None:
    found = read_network(changed(lambda made: made.pop("version")), KIND, EMBEDDER)
    assert found.version == 1


def test_what_reads_no_text_is_read_of_any_version(changed: Changed) -> None:
    folder = changed(lambda made: made.update(version=2, method="graph-token"))
    assert open_soft_answerer(folder, Settings(), EMBEDDER).label == "graph-token with tiny"


def test_a_network_of_before_dropout_was_taken_out_is_read(changed: Changed) -> None:
    plain = read_network(changed(), KIND, EMBEDDER)
    assert (
        read_network(
            changed(lambda made: made["options"]["encoder"].update(dropout=0.0)), KIND, EMBEDDER
        )
        == plain
    )


@pytest.mark.parametrize("lora", [None, LoraOptions(rank=4)])
def test_a_network_is_read_as_it_was_kept(changed: Changed, lora: LoraOptions | None) -> None:
    folder = changed(lora=lora)
    network = read_network(folder, KIND, EMBEDDER)
    assert (network.method, network.lm, network.lm_width) == ("g-retriever", "tiny", 128)
    assert network.options == SoftPromptOptions(
        EncoderOptions(DIMENSION, width=16, num_layers=2), projection=32, lora=lora
    )
    opened = open_network(folder, KIND, network, Settings())
    assert opened.options == network.options
    assert open_soft_answerer(folder, Settings(), EMBEDDER).label == "g-retriever with tiny"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda made: made.update(num_layers=3),
            "the network option num_layers = '3', which this version doesn't know",
        ),
        (
            lambda made: made["options"].update(gate="on"),
            "the network option options.gate = 'on', which this version",
        ),
        (
            lambda made: made["options"]["encoder"].update(dropout=0.1),
            "the network option options.encoder.dropout = '0.1'",
        ),
        (
            lambda made: made["options"]["encoder"].update(num_hops=2),
            "the network option options.encoder.num_hops = '2'",
        ),
        (
            lambda made: made["options"]["encoder"].update(layer="gin"),
            "the network option options.encoder.layer = 'gin'",
        ),
        (
            lambda made: made["options"]["encoder"].update(width="16"),
            "the network option options.encoder.width = '16'",
        ),
        (
            lambda made: made["options"]["encoder"].update(width=-16),
            "the network option options.encoder.width = '-16'",
        ),
        (
            lambda made: made["options"]["encoder"].update(width=10_000_000),
            "the network option options.encoder.width = '10000000'",
        ),
        (
            lambda made: made["options"].update(num_virtual=10_000_000),
            "the network option options.num_virtual = '10000000'",
        ),
        (
            lambda made: made["options"]["encoder"].update(num_heads=3),
            "a width of 16 is not 3 heads of one width",
        ),
        (
            lambda made: made["options"]["encoder"].pop("dimension"),
            "its network lacks options.encoder.dimension",
        ),
        (
            lambda made: made["options"]["encoder"].update(dimension=9),
            "its encoder reads vectors of 9 numbers, and it was trained on 8",
        ),
        (
            lambda made: made["options"].update(layout=None),
            "the network option options.layout = None",
        ),
        (
            lambda made: (made.pop("version"), made["options"]["encoder"].update(is_pruned=True)),
            "an older version trained it, whose soft pruning or graph attention had other weights;"
            " train it again, or take the version that trained it",
        ),
        (
            lambda made: (made.pop("version"), made["options"]["encoder"].update(layer="gat")),
            "an older version trained it, whose soft pruning",
        ),
        (
            lambda made: made.update(version=2),
            "an older version trained it, on the text of the graph alone, and passages stand beside"
            " it now; train it again",
        ),
        (lambda made: made.pop("options"), "its network lacks options"),
        (lambda made: made.pop("lm"), "its network lacks lm"),
        (lambda made: made.update(lm_width="wide"), "the network option lm_width = 'wide'"),
        (lambda made: made.update(precision="int8"), "the network option precision = 'int8'"),
        (lambda made: made.update(method="gnn-rag"), "holds 'gnn-rag'; known: g-retriever, grag"),
    ],
)
def test_a_network_that_this_version_does_not_have_is_refused_in_one_line(
    changed: Changed, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    folder = changed(change)
    with pytest.raises(LoadError, match=rf"{folder} (can't be used: .*)?{said}") as raised:
        open_soft_answerer(folder, Settings(), EMBEDDER)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (
            lambda value: (100 * value).to(torch.int8),
            r"are of torch\.int8, and only floats are read",
        ),
        (lambda value: value / 0, "are no numbers"),
        (lambda value: value[:1], "are not those of its network"),
    ],
)
def test_weights_that_are_no_floats_or_of_another_network_are_refused(
    changed: Changed, weights: Callable[[torch.Tensor], torch.Tensor], said: str
) -> None:
    with pytest.raises(LoadError, match=said) as raised:
        open_soft_answerer(changed(weights=weights), Settings(), EMBEDDER)
    assert "\n" not in str(raised.value)


def test_another_width_of_the_language_model_or_embedder_is_refused(changed: Changed) -> None:
    with pytest.raises(
        UsageError, match="was trained before a model of width 64, and tiny has 128; train it again"
    ):
        open_soft_answerer(changed(lambda made: made.update(lm_width=64)), Settings(), EMBEDDER)
    with pytest.raises(
        UsageError, match=r"was trained on vectors of fake \(8 numbers\); these are of other"
    ):
        open_soft_answerer(changed(), Settings(), EmbedderIdentity("other", DIMENSION))


def test_another_model_of_the_same_name_and_width_is_refused_also_where_one_is_loaded(
    changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiny_llama import tiny_llama

    folder = changed()
    network, trained_before = (
        read_network(folder, KIND, EMBEDDER),
        soft_checkpoint.load_language_model("tiny", Settings()),
    )
    tuned = LanguageModel(*tiny_llama(seed=1), "tiny")
    assert open_network(folder, KIND, network, Settings(), known=[tuned]).lm is trained_before
    monkeypatch.setattr(soft_checkpoint, "load_language_model", lambda *_: tuned)
    with pytest.raises(
        UsageError,
        match=(
            rf"{folder} was trained before a model of other weights than tiny has now; put those"
            r" back"
        ),
    ):
        open_soft_answerer(folder, Settings(), EMBEDDER)


def test_a_checkpoint_of_an_older_version_is_read_and_told(
    changed: Changed, caplog: pytest.LogCaptureFixture
) -> None:
    folder = changed(lambda made: made.pop("lm_digest"))
    assert open_soft_answerer(folder, Settings(), EMBEDDER).label == "g-retriever with tiny"
    assert [record.message for record in caplog.records] == [
        f"{folder} is of an older version: whether tiny still has the weights that it was trained"
        " before isn't known"
    ]


def test_a_checkpoint_says_what_it_is_in_json_that_is_read_back(changed: Changed) -> None:
    kept = json.loads((changed() / "model.json").read_text(encoding="utf-8"))["network"]
    assert set(kept) == {
        "method",
        "lm",
        "lm_width",
        "lm_digest",
        "precision",
        "options",
        "version",
    }
    assert kept["options"]["encoder"]["num_layers"] == 2
