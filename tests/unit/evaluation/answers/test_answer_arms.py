"""Arms that are known, and the room that they have."""

from contextlib import closing
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.answers.answer_arms import _equal_profile, make_answer_arms
from dynagrag.fakes import FakeChat
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.registry.retrievers import RETRIEVERS


@pytest.mark.parametrize("name", ["paper", "graph", "default"])
def test_arms_score_and_merge_with_the_room_of_default(name: str, tmp_path: Path) -> None:
    default = PROFILES["default"]
    with closing(wiring.make_journal(tmp_path)) as journal:
        equal = _equal_profile(name, MeteredChat(FakeChat(), journal, workspace="w"))
    assert equal.judge_token_budget == default.judge_token_budget
    assert equal.merge_token_budget == default.merge_token_budget


@pytest.mark.parametrize(
    "names",
    [[], ["dynagrag"], ["rerank:"], ["pruner:"], ["soft:"], ["hard:"], ["default", "nothing"]],
)
def test_an_arm_that_is_none_is_refused(names: list[str]) -> None:
    with pytest.raises(UsageError, match="arm"):
        make_answer_arms(names)


def test_a_folder_with_and_without_its_last_slash_is_one_arm() -> None:
    assert [
        arm.name for arm in make_answer_arms(["pruner:my-pruner/", "pruner:my-pruner", "default"])
    ] == ["pruner:my-pruner", "default"]


def test_every_retriever_that_no_profile_changes_is_an_arm() -> None:
    alone = [name for name in RETRIEVERS if not name.startswith("dynagrag")]
    assert [arm.name for arm in make_answer_arms(alone)] == alone
