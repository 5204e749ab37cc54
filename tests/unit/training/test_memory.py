"""What is told where memory doesn't suffice."""

import pytest
import torch

from dynagrag.cli import main
from dynagrag.core.errors import ModelError
from dynagrag.models.memory_errors import is_out_of_memory, within_memory

pytestmark = pytest.mark.slow

ON_CPU = (
    "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you"
    " tried to allocate 9 bytes."
)


@pytest.mark.parametrize(
    ("err", "found"),
    [
        (MemoryError(), True),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB"), True),
        (RuntimeError(ON_CPU), True),
        (
            RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
            True,
        ),
        (RuntimeError("Storage size calculation overflowed with sizes=[9, 9]"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("shapes differ"), False),
        (OSError(2, "No such file or directory"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_errors_for_want_of_memory_are_told_from_others(err: Exception, found: bool) -> None:
    assert is_out_of_memory(err) is found
    with (
        pytest.raises(ModelError if found else type(err)) as raised,
        within_memory("it", "take less"),
    ):
        raise err
    assert not found or str(raised.value) == "it doesn't fit into memory; take less"


def test_a_size_that_no_memory_has_is_told_by_torch_itself() -> None:
    with (
        pytest.raises(ModelError, match="it doesn't fit into memory; take less"),
        within_memory("it", "take less"),
    ):
        torch.empty(2**30, 2**20)
    with (
        pytest.raises(ModelError, match="it doesn't fit into memory; take less"),
        within_memory("it", "take less"),
    ):
        torch.empty(2**40, 2**40)


def test_what_no_part_translates_is_one_line_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(**_: object) -> None:
        raise RuntimeError(f"{ON_CPU}\nException raised from posix_memalign")

    monkeypatch.setattr(main, "_app_of", lambda words: full)
    assert main.run(["ask"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "out of memory ([enforce fail" in said
    assert "free some of the machine's, or ask for less" in said
