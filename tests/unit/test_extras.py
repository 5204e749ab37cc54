import pytest

from dynagrag.core.errors import SettingsError
from dynagrag.core.extras import check_extras, lacking_extras


def test_all_that_is_missing_is_named_with_the_extras_that_bring_it() -> None:
    wanted = {
        "numpy": "core",
        "no_such_module": "train",
        "another_one": "evaluate",
        "a_third": "train",
    }
    line = (
        "training needs no-such-module and another-one and a-third: pip install"
        " 'dynagrag[train,evaluate]'"
    )
    assert lacking_extras("training", wanted) == line
    with pytest.raises(SettingsError, match="no-such-module"):
        check_extras("training", wanted)


def test_nothing_is_said_where_all_is_there() -> None:
    assert lacking_extras("training", {"numpy": "core"}) is None
