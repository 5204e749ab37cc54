"""Answers as a judge is shown them: their facts, and nothing that tells its arm."""

import pytest

from dynagrag.evaluation.judge.blind_answers import BlindAnswer, blind, levels_of, metrics_of
from dynagrag.evaluation.judge.judge_replies import METRICS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It failed [E7][E21].", "It failed."),
        ("It failed [E7, E21] at noon (E3).", "It failed at noon."),
        ("It failed [found: E7].", "It failed."),
        ("It failed (see E7 and E11.1).", "It failed."),
        ("It failed [E7, E2", "It failed"),
        ("It failed [E", "It failed"),
        ("According to the subgraph, it failed.", "It failed."),
        ("According to the provided passages it failed.", "It failed."),
        ("According to E7 and E8, it failed.", "It failed."),
        ("Based on the evidence, it failed.", "It failed."),
        ("The evidence shows that it failed.", "It failed."),
        ("In E12 he said no.", "He said no."),
        ("Subgraph 3 says it failed.", "It failed."),
        ("Passage E12 states it failed.", "It failed."),
        ("In line E4, he spoke.", "He spoke."),
        ("It failed, E7, and ended E8.", "It failed, and ended."),
        ("The evidence doesn't say why.", "The text does not say why."),
        ("The provided passages do not say why.", "The text does not say why."),
        ("- **It** failed\n- then `MAIN B`", "It failed then MAIN B"),
        ("1. It failed.\n2. It ended.", "It failed. It ended."),
        ("", ""),
    ],
)
def test_an_answer_is_shown_without_what_tells_its_arm(text: str, shown: str) -> None:
    assert blind(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "In 1970 (April) it failed.",
        "It failed in April (1970).",
        "The oxygen (O2) was at (300) psi.",
        "It read 5 [sic] volts, then [3, 4].",
        "He was interested in relations with China.",
        "In the context of the war it failed.",
        "It rests on evidence of fraud.",
        "They took the E40 to Ghent.",
        "The context matters, and so do entities in law.",
    ],
)
def test_facts_stay(text: str) -> None:
    assert blind(text) == text


def test_a_list_of_labels_without_an_end_is_cut_at_once() -> None:
    """A pattern that nests a repeat takes twice as long for each label more."""
    labels = ", ".join(f"E{i}" for i in range(35, 95))
    assert blind(f"It failed [{labels}") == "It failed"
    assert blind(f"It failed [{labels}, and more") == "It failed [, and more"
    assert blind("E1 and " * 2000 + "it failed.") == "And it failed."


def test_samples_ask_in_other_orders() -> None:
    answer = BlindAnswer("What failed?", "A bus.")
    assert len({levels_of(sample) for sample in range(3)}) == 3
    assert all(sorted(levels_of(sample)) == [1, 2, 3, 4, 5] for sample in range(6))
    assert len({metrics_of(answer, sample) for sample in range(4)}) > 1
    assert all(sorted(metrics_of(answer, sample)) == sorted(METRICS) for sample in range(4))
