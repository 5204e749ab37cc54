"""What every checker of claims does, by the protocol `ClaimChecker`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.protocols import ClaimChecker
from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.fakes import FakeChat, FakeYesNoChat
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.registry.checkers import CHECKERS
from dynagrag.wiring import make_checker

PUMP = Line("The pump failed at noon.", "EECOM", "loop", "doc1")
VALVE = Line("The valve is closed.", None, "", "doc2")
CLAIMS = (
    Claim("The pump failed at noon.", (VALVE, PUMP)),
    Claim("Nobody knows.", ()),
    Claim("The valve is closed.", (PUMP, VALVE, Line("Go ahead.", "CAPCOM"))),
    Claim("The choir sang in Vienna in 1791.", (PUMP, VALVE)),
    Claim("", (PUMP,)),
    Claim("The pump failed at noon.", (Line(""), Line(" \n"))),
)
YES_AND_NO = "model by yes and no"
NAMES = [*CHECKERS, YES_AND_NO, "rules+model"]
"""Every checker of the registry, and two more ways."""


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny sequence classifier with random weights."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("classifier")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "pump", "valve", "failed", "closed"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=24).save_pretrained(folder)
    labels = {0: "neutral", 1: "contradiction", 2: "entailment"}
    size = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "intermediate_size": 4,
        "max_position_embeddings": 24,
    }
    torch.manual_seed(0)
    BertForSequenceClassification(
        BertConfig(vocab_size=len(words), id2label=labels, **size)
    ).save_pretrained(folder)
    return folder


def _needs_weights(name: str) -> bool:
    return name in CHECKERS and CHECKERS[name].needs_weights


_LOADS_TORCH = pytest.mark.xdist_group("models")


@pytest.fixture(
    params=[
        pytest.param(name, marks=_LOADS_TORCH if _needs_weights(name) else ()) for name in NAMES
    ]
)
def checker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClaimChecker]:
    name = str(request.param)
    spec = name.partition(" ")[0]
    if _needs_weights(name):
        spec += f":{request.getfixturevalue('classifier')}"
    chat = FakeChat()
    if name == YES_AND_NO:
        chat = FakeYesNoChat(lambda prompt: 3.0 if "pump" in prompt.user else -3.0)
    journal = Journal(tmp_path / "journal.db")
    yield make_checker(spec, MeteredChat(chat, journal, workspace="w"), Settings())
    journal.close()


pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def test_it_names_itself(checker: ClaimChecker) -> None:
    assert checker.name


def test_there_is_one_check_for_each_claim_in_order(checker: ClaimChecker) -> None:
    together = checker.check(CLAIMS)
    assert [(check.verdict, check.lines) for check in together] == [
        (check.verdict, check.lines) for claim in CLAIMS for check in checker.check([claim])
    ]
    assert [check.verdict for check in checker.check(CLAIMS[::-1])] == [
        check.verdict for check in together[::-1]
    ]


def test_no_claims_give_no_checks(checker: ClaimChecker) -> None:
    assert checker.check([]) == []


def test_a_claim_without_lines_is_not_found(checker: ClaimChecker) -> None:
    (check,) = checker.check([CLAIMS[1]])
    assert (check.verdict, check.lines) == (Verdict.NOT_FOUND, ())
    assert check.reason


def test_lines_are_rows_of_the_claim_and_stand_where_there_is_something_to_show(
    checker: ClaimChecker,
) -> None:
    for claim, check in zip(CLAIMS, checker.check(CLAIMS), strict=True):
        assert set(check.lines) <= set(range(len(claim.lines)))
        assert len(set(check.lines)) == len(check.lines)
        if check.verdict is not Verdict.NOT_CHECKED:  # then the nearest may be named
            assert bool(check.lines) == (check.verdict is not Verdict.NOT_FOUND)


def test_scores_are_shares_and_a_stated_claim_has_no_reason(checker: ClaimChecker) -> None:
    for check in checker.check(CLAIMS):
        assert check.score is None or 0 <= check.score <= 1
        assert bool(check.reason) == (check.verdict is not Verdict.STATED)
