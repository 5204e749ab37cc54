"""Which trained soft prompts a workspace offers, and what is said against those that can't
answer.
"""

from pathlib import Path

import pytest

from dynagrag.checkpoints.checkpoints import DESCRIPTION, Checkpoint
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.generation.soft_prompt.soft_answers import KIND, VERSION
from dynagrag.workspace.workspace_soft_prompt import (
    own_soft_prompts,
    soft_identity,
    soft_prompt_folder,
)

MINE = EmbedderIdentity("minilm", 4)


def _keep(
    home: Path, lm: object, method: str = "grag", folder: str = "grag", version: int = VERSION
) -> Settings:
    settings = Settings(home=home)
    made = Checkpoint(
        kind=KIND,
        network={"method": method, "lm": lm, "lm_width": 8, "version": version},
        embedder=MINE.name,
        dimension=MINE.dimension,
        made_with={},
        figures={},
        versions={},
    )
    path = soft_prompt_folder(settings, "w", folder)
    path.mkdir(parents=True)
    (path / DESCRIPTION).write_text(made.model_dump_json(), encoding="utf-8")
    return settings


def test_one_that_fits_has_nothing_against_it(tmp_path: Path) -> None:
    (tmp_path / "lm").mkdir()
    (tmp_path / "lm" / "config.json").write_text('{"hidden_size": 8}')
    (own,) = own_soft_prompts(_keep(tmp_path, str(tmp_path / "lm")), "w", MINE)
    assert (own.name, own.why_not) == ("grag", "")
    assert own.label.startswith("grag with ")


@pytest.mark.parametrize(
    ("config", "why_not"),
    [
        (b"{bad", "can't be read"),
        (b"[1]", "can't be read"),
        (b"\xff\xfe\x00", "can't be read"),
        (b'{"hidden_size": 9}', "was trained before a model of width 8"),
    ],
)
def test_what_is_wrong_with_the_language_model_s_folder_is_said(
    tmp_path: Path, config: bytes, why_not: str
) -> None:
    (tmp_path / "lm").mkdir()
    (tmp_path / "lm" / "config.json").write_bytes(config)
    (own,) = own_soft_prompts(_keep(tmp_path, str(tmp_path / "lm")), "w", MINE)
    assert why_not in own.why_not


def test_one_that_learned_from_another_text_is_to_be_trained_again(tmp_path: Path) -> None:
    settings = _keep(tmp_path, "smollm2", version=2)
    (own,) = own_soft_prompts(settings, "w", MINE)
    assert own.why_not.endswith("passages stand beside it now; train it again")
    with pytest.raises(LoadError, match="train it again"):
        soft_identity(settings, "w", "grag", MINE)


@pytest.mark.parametrize("lm", ["~nosuchuser/x", "x" * 5000, "/no/such/folder"])
def test_a_language_model_that_is_nowhere_is_said_to_be(tmp_path: Path, lm: str) -> None:
    (own,) = own_soft_prompts(_keep(tmp_path, lm), "w", MINE)
    assert "can't be read" in own.why_not or "isn't here" in own.why_not


@pytest.mark.parametrize(
    ("lm", "method"), [(None, "grag"), ([1], "grag"), ("smollm2", "g-retriever")]
)
def test_a_checkpoint_of_something_else_is_none_of_it(
    tmp_path: Path, lm: object, method: str
) -> None:
    (own,) = own_soft_prompts(_keep(tmp_path, lm, method), "w", MINE)
    assert "is no checkpoint of grag" in own.why_not
