"""The loop that trains: it ends where nothing gets better, keeps the best weights, and goes on
after a kill with the same numbers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from dynagrag.checkpoints import training_loop
from dynagrag.checkpoints.checkpoints import TrainingError, read_tensors, write_training
from dynagrag.checkpoints.training_loop import (
    Epoch,
    Training,
    TrainingFile,
    TrainingOptions,
    best_of,
)
from dynagrag.core.errors import LoadError, UsageError

pytestmark = pytest.mark.slow

OPTIONS = TrainingOptions(learning_rate=0.05, batch_size=4, max_epochs=6, patience=6, seed=3)
EXAMPLES = [(float(i), 2.0 * i + 1) for i in range(-5, 6)]


class LineTask:
    """y = 2x + 1 from noisy inputs, so that chance matters in every epoch."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.network: nn.Module = nn.Sequential(nn.Linear(1, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def loss(
        self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
    ) -> Tensor:
        x, y = torch.tensor(part).T
        return ((self.network(x[:, None]).squeeze(1) - y) ** 2).sum() / len(batch)

    def validate(self) -> float:
        with torch.no_grad():
            return -float(self.loss(EXAMPLES, EXAMPLES))


def losses(epochs: Sequence[Epoch]) -> list[tuple[float, float]]:
    return [(epoch.loss, epoch.validation) for epoch in epochs]


def test_a_line_is_learned_and_the_best_weights_stay() -> None:
    task = LineTask()
    epochs = Training(task, OPTIONS).run(EXAMPLES)
    assert len(epochs) == 6
    assert epochs[-1].loss < epochs[0].loss / 2
    task.network.eval()
    assert task.validate() == pytest.approx(best_of(epochs).validation)


def test_a_training_that_was_killed_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    whole, file = LineTask(), TrainingFile(tmp_path / "t.safetensors", {"data": "a"})
    expected = losses(Training(whole, OPTIONS).run(EXAMPLES))

    def kill(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Training(LineTask(), OPTIONS, file).run(EXAMPLES, kill)
    resumed, seen = LineTask(), list[int]()
    assert (
        losses(
            Training(resumed, OPTIONS, file).run(EXAMPLES, lambda epoch: seen.append(epoch.number))
        )
        == expected
    )
    assert seen == [4, 5, 6]
    for one, other in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(one, other)
    assert losses(Training(LineTask(), OPTIONS, file).run(EXAMPLES)) == expected, (
        "a finished one is not trained again"
    )


def test_a_training_that_was_killed_within_an_epoch_goes_on_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_loop, "_KEEP_SECONDS", 0.0)
    whole, file = LineTask(), TrainingFile(tmp_path / "t.safetensors", {"data": "a"})
    expected = losses(Training(whole, OPTIONS).run(EXAMPLES))

    def killed_at(stage: str, done: int) -> list[tuple[str, int]]:
        steps = list[tuple[str, int]]()

        def on_step(*step: object) -> None:
            steps.append(step[:2])  # type: ignore[arg-type]
            if steps[-1] == (stage, done):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Training(LineTask(), OPTIONS, file).run(EXAMPLES, on_step=on_step)
        torch.rand(7)  # what else draws between the two
        return steps

    assert killed_at("epoch 1", 8) == [("epoch 1", 0), ("epoch 1", 4), ("epoch 1", 8)]
    assert killed_at("epoch 3", 11)[:3] == [("epoch 1", 4), ("epoch 1", 8), ("epoch 1", 11)]
    assert killed_at("epoch 3", 11) == [("epoch 3", 8), ("epoch 3", 11)]
    resumed, seen = LineTask(), list[int]()
    epochs = Training(resumed, OPTIONS, file).run(EXAMPLES, lambda epoch: seen.append(epoch.number))
    assert (losses(epochs), seen) == (expected, [3, 4, 5, 6])
    for one, other in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_file_of_other_data_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)
    with pytest.raises(UsageError, match="other settings or data"):
        Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "b"})).run(EXAMPLES)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(LoadError, match="no whole safetensors file"):
        Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)


@pytest.mark.parametrize("epochs", [None, "[", "5", "[{}]"])
def test_a_file_without_epochs_is_no_training(epochs: str | None, tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    write_training(
        path,
        {"a": torch.ones(1)},
        {"made_with": '{"data": "a"}'} | ({} if epochs is None else {"epochs": epochs}),
    )
    with pytest.raises(LoadError, match="is no training's file"):
        Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: tensors.clear(),
        lambda tensors: tensors.pop("network.0.weight"),
        lambda tensors: tensors.pop("optimizer.0.exp_avg"),
        lambda tensors: tensors.update({"optimizer.9.exp_avg": torch.ones(1)}),
        lambda tensors: tensors.update({"optimizer.first.exp_avg": torch.ones(1)}),
        lambda tensors: tensors.update({"optimizer.0.exp_avg_sq": torch.ones(3)}),
        lambda tensors: tensors.update({"best.0.weight": torch.ones(3, 1)}),
        lambda tensors: tensors.update({"network.0.bias": torch.ones(8, dtype=torch.int8)}),
        lambda tensors: tensors["network.0.bias"].fill_(0),
    ],
)
def test_a_training_that_was_changed_is_refused_or_begins_anew(
    change: Callable[[dict[str, Tensor]], object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "t.safetensors"
    first = losses(Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES))
    tensors, notes = read_tensors(path)
    tensors = {name: value.clone() for name, value in tensors.items()}
    change(tensors)
    save_file(tensors, path, notes)
    changed = (
        f"{path} was changed after it was written, or an older version wrote it, so it can't be"
        " gone on with"
    )
    with pytest.raises(LoadError) as raised:
        Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)
    assert str(raised.value) == f"{changed}; delete it, or choose another folder with --out"
    assert (
        losses(
            Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"}, begins_anew=True)).run(
                EXAMPLES
            )
        )
        == first
    )
    assert [record.message for record in caplog.records] == [f"{changed}; the training begins anew"]


def test_a_training_of_another_network_is_refused_or_begins_anew(tmp_path: Path) -> None:
    class Wide(LineTask):
        def __init__(self) -> None:
            torch.manual_seed(0)
            self.network = nn.Sequential(nn.Linear(1, 9), nn.Dropout(0.5), nn.Linear(9, 1))

    path = tmp_path / "t.safetensors"
    Training(Wide(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)
    with pytest.raises(
        LoadError,
        match=(
            rf"{path} holds the weights of another network than this version makes.*; delete it, or"
            r" choose"
        ),
    ):
        Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"})).run(EXAMPLES)
    anew = Training(LineTask(), OPTIONS, TrainingFile(path, {"data": "a"}, begins_anew=True)).run(
        EXAMPLES
    )
    assert losses(anew) == losses(Training(LineTask(), OPTIONS).run(EXAMPLES))


def test_it_stops_where_nothing_gets_better() -> None:
    task = LineTask()
    figures = iter([0.1, 0.5, 0.5, 0.4, 0.9])
    task.validate = lambda: next(figures)  # type: ignore[method-assign]
    epochs = Training(task, TrainingOptions(patience=2)).run(EXAMPLES)
    assert [epoch.validation for epoch in epochs] == [0.1, 0.5, 0.5, 0.4]
    assert best_of(epochs).number == 2, "of equals the first"


def test_without_a_patience_all_epochs_are_trained_and_the_last_ones_weights_are_kept() -> None:
    task, last = LineTask(), dict[str, Tensor]()

    def keep() -> float:
        last.update({name: value.clone() for name, value in task.network.state_dict().items()})
        return -float(len(last))

    task.validate = keep  # type: ignore[method-assign]
    assert len(Training(task, TrainingOptions(max_epochs=3, patience=None)).run(EXAMPLES)) == 3
    for name, value in task.network.state_dict().items():
        assert torch.equal(value, last[name])


def test_a_loss_that_is_no_number_and_an_empty_set_end_it() -> None:
    with pytest.raises(TrainingError, match="nan"):
        Training(LineTask(), OPTIONS).run([(math.nan, 1.0)])
    task = LineTask()
    task.validate = lambda: math.nan  # type: ignore[method-assign]
    with pytest.raises(TrainingError, match="gives no numbers: the learning rate is too high"):
        Training(task, OPTIONS).run(EXAMPLES)
    with pytest.raises(UsageError, match="nothing to train on"):
        Training(LineTask(), OPTIONS).run([])


def test_every_epoch_has_an_order_of_its_own() -> None:
    class Watched(LineTask):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[tuple[float, float]] = []

        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            self.seen += part
            return super().loss(part, batch)

        def validate(self) -> float:
            return 0.0

    task, count = Watched(), len(EXAMPLES)
    Training(task, TrainingOptions(max_epochs=2, patience=9)).run(EXAMPLES)
    first, second = task.seen[:count], task.seen[count:]
    assert sorted(first) == sorted(second) == sorted(EXAMPLES)
    assert first != second


def test_a_batch_that_does_not_fit_is_halved_and_gives_the_same_gradient() -> None:
    class Narrow(LineTask):
        most = 0

        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            if len(part) > 3:
                raise torch.OutOfMemoryError("full")
            self.most = max(self.most, len(part))
            return super().loss(part, batch)

        def validate(self) -> float:
            return 0.0

    options = TrainingOptions(batch_size=11, max_epochs=1)
    wide, narrow = LineTask(), Narrow()
    for task in (wide, narrow):
        task.network[1].p = 0.0  # type: ignore[index]
    whole, parts = Training(wide, options).run(EXAMPLES), Training(narrow, options).run(EXAMPLES)
    assert narrow.most <= 3
    assert parts[0].loss == pytest.approx(whole[0].loss, rel=1e-5)
    for one, other in zip(wide.network.parameters(), narrow.network.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)

    class Late(LineTask):
        """Runs out of memory when the later half of the network has its gradient already."""

        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            loss = super().loss(part, batch)
            if len(part) > 3:
                loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
                raise torch.OutOfMemoryError("full")
            return loss

        def validate(self) -> float:
            return 0.0

    late = Late()
    late.network[1].p = 0.0  # type: ignore[index]
    Training(late, options).run(EXAMPLES)
    for one, other in zip(wide.network.parameters(), late.network.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)

    for task in (wide, narrow, late):
        Training(task, replace(options, batch_size=4)).run(EXAMPLES)
    gradients = [[p.grad for p in task.network.parameters()] for task in (wide, narrow, late)]
    for others in gradients[1:]:  # of the last batch alone, and of it once
        torch.testing.assert_close(others, gradients[0], rtol=1e-3, atol=1e-5)


def test_a_single_example_that_does_not_fit_ends_it() -> None:
    class Tight(LineTask):
        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            raise torch.OutOfMemoryError("full")

    with pytest.raises(TrainingError, match="--device cpu"):
        Training(Tight(), OPTIONS).run(EXAMPLES)


def test_what_did_not_fit_is_told_once_and_later_batches_begin_in_parts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from dynagrag.checkpoints.memory import Halving

    halving, sizes = Halving(), list[int]()

    def work(parts: Sequence[Sequence[int]]) -> list[int]:
        sizes.append(max(map(len, parts)))
        if sizes[-1] > 2:
            raise RuntimeError(
                "[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you"
                " tried to allocate 9 bytes"
            )
        return [sum(part) for part in parts]

    assert halving.do(range(8), work) == [1, 5, 9, 13]
    assert halving.do(range(8), work) == [1, 5, 9, 13]
    assert sizes == [8, 4, 2, 2]
    assert [record.message for record in caplog.records] == [
        f"out of memory: a batch of 8 examples is done in {num} parts from now on" for num in (2, 4)
    ]
    assert halving.do([], lambda parts: len(parts)) == 0

    def never_fits(parts: Sequence[Sequence[int]]) -> None:
        raise MemoryError

    with pytest.raises(TrainingError, match="free some of the machine's, or take shorter texts"):
        halving.do(range(2), never_fits)

    def wrong(parts: Sequence[Sequence[int]]) -> None:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        halving.do(range(8), wrong)


def test_examples_of_like_length_share_a_batch_each_stands_in_one_and_the_order_is_the_seeds() -> (
    None
):
    class Told(LineTask):
        def __init__(self) -> None:
            super().__init__()
            self.batches: list[list[tuple[float, float]]] = []

        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            if self.network.training:
                self.batches.append(list(part))
            return super().loss(part, batch)

    def length(example: tuple[float, float]) -> int:
        return EXAMPLES.index(example)

    def batches(seed: int, is_sorted: bool = True) -> list[list[int]]:
        task = Told()
        Training(
            task,
            TrainingOptions(batch_size=4, max_epochs=1, seed=seed),
            length=length if is_sorted else None,
        ).run(EXAMPLES)
        found = [[length(example) for example in batch] for batch in task.batches]
        assert sorted(place for batch in found for place in batch) == list(range(len(EXAMPLES)))
        return found

    assert sorted(batches(0)) == [
        list(range(i, min(i + 4, len(EXAMPLES)))) for i in range(0, len(EXAMPLES), 4)
    ]
    assert batches(0) == batches(0) != batches(1)
    assert sorted(map(sorted, batches(0, False))) != sorted(batches(0))


def test_an_epoch_s_begin_each_batch_and_the_validation_are_told() -> None:
    told: list[tuple[str, int, int]] = []
    Training(LineTask(), TrainingOptions(batch_size=len(EXAMPLES) - 1, max_epochs=2)).run(
        EXAMPLES, on_step=lambda *step: told.append(step)
    )
    num = len(EXAMPLES)
    of_epoch = [[(f"epoch {number}", done, num) for done in (0, num - 1, num)] for number in (1, 2)]
    validated = [("validate", 0, 1), ("validate", 1, 1)]
    assert told == [*of_epoch[0], *validated, *of_epoch[1], *validated]


def test_the_rate_rises_over_the_first_epoch_and_falls_by_a_cosine_to_the_least() -> None:
    options = TrainingOptions(learning_rate=1e-3, max_epochs=9, is_warmed_up=True, least_rate=1e-4)
    assert [options.rate(e) for e in (0, 0.5, 1, 5, 9)] == pytest.approx(
        [0, 5e-4, 1e-3, 5.5e-4, 1e-4]
    )
    assert TrainingOptions(learning_rate=1e-6, is_warmed_up=True).rate(20) == 1e-6, (
        "a rate below the least doesn't rise"
    )
    assert TrainingOptions(learning_rate=1e-3).rate(7.5) == 1e-3


def test_a_step_is_no_longer_than_the_clipped_gradient_and_the_rate_allow() -> None:
    """AdamW's first step has the length of the rate in each weight, whatever the gradient; the
    gradient itself is clipped.
    """
    task = LineTask()
    Training(task, TrainingOptions(batch_size=11, max_epochs=1, max_norm=0.1)).run(EXAMPLES)
    gradients = [value.grad for value in task.network.parameters() if value.grad is not None]
    assert float(torch.cat([grad.flatten() for grad in gradients]).norm()) == pytest.approx(
        0.1, rel=1e-3
    )


def test_a_training_with_a_rate_that_changes_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    options, file = (
        TrainingOptions(0.05, batch_size=4, max_epochs=5, seed=3, is_warmed_up=True),
        TrainingFile(tmp_path / "t", {}),
    )
    expected = losses(Training(LineTask(), options).run(EXAMPLES))

    def kill(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Training(LineTask(), options, file).run(EXAMPLES, kill)
    assert losses(Training(LineTask(), options, file).run(EXAMPLES)) == expected


def test_a_training_that_goes_on_begins_with_as_many_parts_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Narrow(LineTask):
        num_tried = 0

        def loss(
            self, part: Sequence[tuple[float, float]], batch: Sequence[tuple[float, float]]
        ) -> Tensor:
            self.num_tried += 1
            if len(part) > 2:
                raise torch.OutOfMemoryError("full")
            return super().loss(part, batch)

        def validate(self) -> float:
            return 0.0

    options, file = (
        TrainingOptions(batch_size=8, max_epochs=2, patience=5),
        TrainingFile(tmp_path / "t", {}),
    )

    def kill(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    first, second = Narrow(), Narrow()
    with pytest.raises(KeyboardInterrupt):
        Training(first, options, file).run(EXAMPLES, kill)
    Training(second, options, file).run(EXAMPLES)
    assert (first.num_tried, second.num_tried) == (
        4 + 2 + 3,
        4 + 3,
    ), "whole, in halves, then in quarters; later in quarters at once"
    assert [record.message for record in caplog.records] == [
        "out of memory: a batch of 8 examples is done in 2 parts from now on",
        "out of memory: a batch of 8 examples is done in 4 parts from now on",
        "batches are done in 4 parts, as before the training was stopped",
    ]
