"""Classifiers of claims by ONNX Runtime: three labels, two, and marks on tokens, without torch.

The models are tiny and made here: each word adds its own logits, so that the weights say which
words mean what; one has random weights.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.nli_checker import open_nli_checker
from dynagrag.models.hub import onnx_file
from tests.stand_ins.tiny_classifier import make_folder


def checked(folder: Path, *claims: Claim) -> list[ClaimCheck]:
    return open_nli_checker(str(folder), Settings()).check(claims)


def claim(*lines: str, text: str = "pump failed") -> Claim:
    return Claim(text, tuple(Line(line) for line in lines))


@pytest.mark.parametrize(
    ("labels", "logits", "bias"),
    [
        (
            ["entailment", "neutral", "contradiction"],
            {"failure": (9, 0, 0), "fine": (0, 0, 9)},
            (0, 4, 0),
        ),
        (
            ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"],
            {"failure": (0, 0, 9), "fine": (9, 0, 0)},
            (0, 4, 0),
        ),
    ],
)
def test_three_labels_are_read_by_their_names(
    tmp_path: Path, labels: list[str], logits: dict[str, tuple[float, ...]], bias: tuple[float, ...]
) -> None:
    folder = make_folder(tmp_path, labels, logits, bias)
    checks = checked(folder, claim("a b failure"), claim("a b fine"), claim("a b c"))
    assert [(check.verdict, check.lines) for check in checks] == [
        (Verdict.STATED, (0,)),
        (Verdict.CONTRADICTED, (0,)),
        (Verdict.NOT_FOUND, ()),
    ]


def test_two_labels_without_names_are_those_of_minicheck(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {"failure": (0, 9)}, (4, 0))
    checks = checked(folder, claim("a b failure"), claim("a b fine"))
    assert [check.verdict for check in checks] == [Verdict.STATED, Verdict.NOT_FOUND]


@pytest.mark.parametrize(
    "labels", [["LABEL_0", "LABEL_1"], ["supported", "hallucinated"]], ids=["bare", "named"]
)
def test_a_claim_is_stated_where_none_of_its_tokens_is_marked(
    tmp_path: Path, labels: list[str]
) -> None:
    folder = make_folder(tmp_path, labels, {"fine": (0, 9)}, (4, 0), is_of_tokens=True)
    checks = checked(
        folder,
        claim("a b fine"),  # marks within the lines count for nothing
        claim("a b", text="pump fine"),
        claim("a b", text="pump " * 10 + "fine"),
    )
    assert [check.verdict for check in checks] == [
        Verdict.STATED,
        Verdict.NOT_FOUND,
        Verdict.NOT_FOUND,
    ]
    assert (checks[0].score or 0) > 0.9 > 0.1 > (checks[1].score or 0)


def test_long_evidence_is_read_in_windows_and_the_best_window_counts(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {"failure": (0, 9)}, (4, 0))
    filler = ["a b c d e f g h"] * 12
    checks = checked(
        folder,
        claim(*filler, "pump failure", *filler),
        claim("a " * 200 + "failure"),
        claim(*filler),
    )
    assert [(check.verdict, check.lines) for check in checks] == [
        (Verdict.STATED, (12,)),
        (Verdict.STATED, (0,)),
        (Verdict.NOT_FOUND, ()),
    ]


def test_random_weights_give_the_same_scores_together_as_alone(tmp_path: Path) -> None:
    folder = make_folder(
        tmp_path, ["entailment", "neutral", "contradiction"], {}, (0, 0, 0), seed=7
    )
    claims = [claim("pump " + "a b c " * n, "a fine") for n in (0, 3, 20, 1)]
    alone = [checked(folder, own)[0] for own in claims]
    together = checked(folder, *claims)
    assert [check.score for check in together] == pytest.approx([c.score for c in alone], abs=1e-6)
    assert all(check.score is not None and 0 <= check.score <= 1 for check in together)
    assert [check.verdict for check in together] == [check.verdict for check in alone]


def test_neither_torch_nor_transformers_is_loaded(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {"failure": (0, 9)}, (4, 0))
    script = (
        "import sys\n"
        "from dynagrag.config.settings import Settings\n"
        "from dynagrag.core.schema import Claim, Line\n"
        "from dynagrag.generation.claims.nli_checker import open_nli_checker\n"
        f"checker = open_nli_checker({str(folder)!r}, Settings())\n"
        "print(checker.check([Claim('pump failed', (Line('failure'),))])[0].verdict)\n"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["stated", "[]"]


def test_an_onnx_file_beneath_the_folder_is_found(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {"failure": (0, 9)}, (4, 0))
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_quantized.onnx")
    assert checked(folder, claim("failure"))[0].verdict is Verdict.STATED


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["onnx/model_q4.onnx", "onnx/model.onnx", "model.safetensors"], "onnx/model.onnx"),
        (["onnx/model_q4.onnx", "onnx/model_quantized.onnx"], "onnx/model_quantized.onnx"),
        (["b.onnx", "a.onnx"], "a.onnx"),
        (["model.safetensors"], None),
    ],
)
def test_the_whole_model_is_taken_before_its_variants(names: list[str], chosen: str | None) -> None:
    assert onnx_file(names) == chosen


def test_labels_without_meaning_are_refused_with_the_remedy(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1", "LABEL_2"], {}, (0, 0, 0))
    with pytest.raises(SettingsError, match="id2label"):
        checked(folder, claim("a"))


def test_more_outputs_than_labels_are_refused_with_the_remedy(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["entailment", "neutral", "contradiction"], {}, (0, 0, 0))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {"0": "entailment", "1": "neutral"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(SettingsError, match="3 outputs and 2 labels"):
        checked(folder, claim("a"))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_one_line_that_says_what_is_needed(tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {}, (0, 0))
    (folder / name).write_bytes(b"no such thing")
    with pytest.raises(SettingsError, match="optimum-cli export onnx"):
        checked(folder, claim("a"))


def test_a_claim_that_leaves_no_room_for_lines_is_not_checked(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0", "LABEL_1"], {}, (0, 0))
    (check,) = checked(folder, claim("failure", text="pump " * 40))
    assert (check.verdict, check.score) == (Verdict.NOT_CHECKED, None)
    assert "too long" in check.note
