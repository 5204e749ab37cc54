"""Sequence classifiers as checkers: labels in any order, windows over long evidence, and folders
that hold no such model.

The models are tiny and made here: each word is a direction of the embedding, so that the
classifier's weights say which words mean what.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.nli_checker import LabelPlaces, NliChecker, open_nli_checker

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "pump",
    "failed",
    "fine",
    "failure",
    "said",
    "bob",
    "ada",
    ":",
    ".",
    *"abcdefgh",
]
EVIDENCE_OF = {"stated": "failure", "contradicted": "fine"}
"""The word of the lines that gives each verdict; without either, the third label wins."""
MakeFolder = Callable[..., Path]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group(
        "models"
    ),  # torch and transformers take seconds to load: once is enough
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """A folder with a classifier of these labels; `kinds` says what each means: stated,
    contradicted or other.
    """

    def make(labels: Sequence[str], kinds: Sequence[str], max_tokens: int = 32) -> Path:
        from transformers import BertForSequenceClassification

        model = BertForSequenceClassification(_config(labels, max_tokens)).eval()
        _set_weights(model, kinds)
        model.save_pretrained(tmp_path)
        _save_tokenizer(tmp_path, max_tokens)
        return tmp_path

    return make


def _config(labels: Sequence[str], max_tokens: int):  # type: ignore[no-untyped-def]
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=max_tokens,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
    )


def _set_weights(model, kinds: Sequence[str]) -> None:  # type: ignore[no-untyped-def]
    """One attention head of equal weights sums the words; the classifier reads the directions of
    the two words that matter.
    """
    import torch

    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if name.endswith("LayerNorm.weight") else 0.0)
        layer, size = model.bert.encoder.layer[0], model.config.hidden_size
        words = model.bert.embeddings.word_embeddings.weight
        for at, word in enumerate(EVIDENCE_OF.values(), start=1):
            words[WORDS.index(word), at] = 30.0
        layer.attention.self.value.weight.copy_(torch.eye(size))
        layer.attention.output.dense.weight.copy_(torch.eye(size) * 100)
        model.bert.pooler.dense.weight.copy_(torch.eye(size))
        for label, kind in enumerate(kinds):
            if kind in EVIDENCE_OF:
                model.classifier.weight[label, 1 + list(EVIDENCE_OF).index(kind)] = 40.0
            else:
                model.classifier.bias[label] = 8.0


def _save_tokenizer(folder: Path, max_tokens: int) -> None:
    from transformers import BertTokenizerFast

    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=max_tokens).save_pretrained(
        folder
    )


def checked(folder: Path, *claims: Claim) -> list[ClaimCheck]:
    return open_nli_checker(str(folder), Settings()).check(claims)


def claim(*lines: str) -> Claim:
    return Claim("pump failed", tuple(Line(line) for line in lines))


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        (["entailment", "neutral", "contradiction"], ["stated", "other", "contradicted"]),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], ["contradicted", "other", "stated"]),
        (["Neutral", "Supports", "Refutes"], ["other", "stated", "contradicted"]),
    ],
)
def test_labels_are_read_by_their_names_in_any_order(
    make_folder: MakeFolder, labels: list[str], kinds: list[str]
) -> None:
    checks = checked(
        make_folder(labels, kinds), claim("a b failure"), claim("a b fine"), claim("a b c")
    )
    assert [check.verdict for check in checks] == [
        Verdict.STATED,
        Verdict.CONTRADICTED,
        Verdict.NOT_FOUND,
    ]
    assert [check.lines for check in checks] == [(0,), (0,), ()]
    assert all((check.score or 0) >= 0.5 for check in checks[:1])
    assert all((check.score or 0) < 0.5 for check in checks[1:])


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        (["LABEL_0", "LABEL_1"], ["other", "stated"]),
        (["supported", "not supported"], ["stated", "other"]),
    ],
)
def test_two_labels_say_supported_or_not(
    make_folder: MakeFolder, labels: list[str], kinds: list[str]
) -> None:
    checks = checked(make_folder(labels, kinds), claim("a b failure"), claim("a b fine"))
    assert [check.verdict for check in checks] == [Verdict.STATED, Verdict.NOT_FOUND]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (("contradiction", "entailment", "neutral"), LabelPlaces(1, 0)),
        (("entailment", "not_entailment"), LabelPlaces(0, None)),
        (("LABEL_1", "LABEL_0"), LabelPlaces(0, None)),
        (("LABEL_0", "LABEL_1", "LABEL_2"), None),
        (("positive", "negative"), None),
        (("LABEL_0",), None),
        (("entailment", "support"), None),
    ],
)
def test_labels_that_mean_nothing_here_are_kept_apart(
    names: tuple[str, ...], labels: LabelPlaces | None
) -> None:
    assert LabelPlaces.of(names) == labels


def test_long_evidence_is_read_in_windows_and_the_best_line_of_the_best_window_is_named(
    make_folder: MakeFolder,
) -> None:
    folder = make_folder(["LABEL_0", "LABEL_1"], ["other", "stated"])
    filler = ["a b c d e f g h"] * 12
    checks = checked(
        folder,
        claim(*filler, "pump failure", *filler),
        claim("a " * 200 + "pump failure"),
        claim(*filler),
    )
    assert [(check.verdict, check.lines) for check in checks] == [
        (Verdict.STATED, (12,)),
        (Verdict.STATED, (0,)),
        (Verdict.NOT_FOUND, ()),
    ]


def test_windows_overlap_and_hold_everything(make_folder: MakeFolder) -> None:
    checker = NliChecker(str(make_folder(["LABEL_0", "LABEL_1"], ["other", "stated"])), Settings())
    long = Claim("pump failed", (Line(" ".join("abcdefgh" * 10)), Line("fine", "bob")))
    windows = checker._windows(0, long, checker._loaded())
    read = [[WORDS[i] for i in window.tokens.ids] for window in windows]
    inside = [words[1 : words.index("[SEP]")] for words in read]
    assert all(
        len(words) <= 32 and words[-4:] == ["[SEP]", "pump", "failed", "[SEP]"] for words in read
    )
    overlap = int(27 * 0.125)
    assert inside[0][-overlap:] == inside[1][:overlap]
    joined = inside[0] + [word for words in inside[1:] for word in words[overlap:]]
    assert "".join(joined) == "abcdefgh" * 10 + "bob:fine"
    assert [window.rows for window in windows] == [(0,)] * (len(windows) - 1) + [(0, 1)]


def test_claims_of_different_length_are_scored_together_as_alone(make_folder: MakeFolder) -> None:
    folder = make_folder(["LABEL_0", "LABEL_1"], ["other", "stated"])
    claims = [claim("failure " + "a " * n) for n in (0, 20, 3, 90)]
    alone = [checked(folder, one)[0].score for one in claims]
    assert [check.score for check in checked(folder, *claims)] == pytest.approx(alone, abs=1e-5)


def test_a_claim_that_leaves_no_room_for_lines_is_not_checked(make_folder: MakeFolder) -> None:
    (check,) = checked(
        make_folder(["LABEL_0", "LABEL_1"], ["other", "stated"]),
        Claim("pump " * 40, (Line("failure"),)),
    )
    assert (check.verdict, check.score) == (Verdict.NOT_CHECKED, None)
    assert "too long" in check.note


def test_a_folder_without_a_trained_classifier_is_refused(tmp_path: Path) -> None:
    from transformers import BertModel

    BertModel(_config(["entailment", "contradiction"], 32)).save_pretrained(tmp_path)
    _save_tokenizer(tmp_path, 32)
    with pytest.raises(SettingsError, match="no classifier"):
        checked(tmp_path, claim("a"))


def test_labels_without_meaning_are_refused_with_the_remedy(make_folder: MakeFolder) -> None:
    with pytest.raises(SettingsError, match="id2label"):
        checked(
            make_folder(["LABEL_0", "LABEL_1", "LABEL_2"], ["other", "stated", "contradicted"]),
            claim("a"),
        )


def test_pickled_weights_are_not_opened(make_folder: MakeFolder) -> None:
    folder = make_folder(["LABEL_0", "LABEL_1"], ["other", "stated"])
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(SettingsError, match="could not be loaded"):
        checked(folder, claim("a"))


@pytest.mark.parametrize("source", ["missing", "/missing/model", "", "a/b/c"])
def test_a_path_without_a_model_is_refused_at_once(source: str) -> None:
    with pytest.raises(SettingsError, match=r"config\.json"):
        open_nli_checker(source, Settings())


def test_a_hub_name_is_taken_without_asking_the_hub() -> None:
    assert open_nli_checker("org/model", Settings()).name == "nli:org/model"


def test_a_config_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"hello": 1}), encoding="utf-8")
    with pytest.raises(SettingsError, match="could not be loaded"):
        checked(tmp_path, claim("a"))
