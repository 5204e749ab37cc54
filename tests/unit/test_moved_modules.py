"""Modules by their old names: what docs/library.md named once, and what scripts import."""

import importlib
import sys

import pytest

from dynagrag.moved_modules import MOVED


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_name_gives_the_module_of_today_and_a_warning(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=rf"{old} is {MOVED[old]} now"):
        module = importlib.import_module(old)
    today = importlib.import_module(MOVED[old])
    assert module is today
    assert today.__spec__ is not None
    assert today.__spec__.name == MOVED[old]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_was_documented_once_is_there_under_its_old_name() -> None:
    backup = importlib.import_module("dynagrag.upkeep.backup")
    assert {"back_up", "restore", "copy_between"} <= set(dir(backup))


def test_a_name_that_never_was_is_missing_as_ever() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"dynagrag\.shema"):
        importlib.import_module("dynagrag.shema")
