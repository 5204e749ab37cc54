"""Who is asked which names are one, and when it is asked again."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.ingest.graph_deriver import Deriver
from dynagrag.wiring import concurrency_of
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

TEXTS = {
    "one": "Solar Panel founded Solar Array. Solar Wing founded Lunar Panel.",
    "two": "Solar Panel acquired Solar Wing. Lunar Array acquired Lunar Wing.",
}


def _filled(
    tmp_path: Path, merges: str | None, is_small: bool = False
) -> tuple[Workspace, FakeChat]:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    chat = FakeChat(is_small=is_small)
    space = open_workspace("w", chat_model=chat, embedder=FakeEmbedder(64))
    space.ingest([tmp_path], IngestOptions(merges=merges))
    return space, chat


def _num_judged(chat: FakeChat) -> int:
    return sum(prompt.name.endswith("_groups") for prompt in chat.prompts)


def test_the_model_is_asked_unless_it_is_small_or_rules_alone_were_wanted(tmp_path: Path) -> None:
    for merges, is_small, is_asked in (
        (None, False, True),
        (None, True, False),
        ("rules", False, False),
        ("model", True, True),
    ):
        folder = tmp_path / f"{merges}-{is_small}"
        folder.mkdir()
        space, chat = _filled(folder, merges, is_small)
        assert (_num_judged(chat) > 0) is is_asked, (merges, is_small)
        for document in space.store.documents():
            space.documents.delete(document.id)
        space.close()


def test_a_deletion_does_not_ask_a_model_that_was_not_asked_before(tmp_path: Path) -> None:
    space, chat = _filled(tmp_path, "rules")
    calls = chat.num_calls
    space.documents.delete("one")
    assert chat.num_calls == calls


def test_a_repeated_deletion_asks_what_the_one_that_was_killed_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    space, _ = _filled(tmp_path, None)
    with monkeypatch.context() as patch:
        patch.setattr(Deriver, "rederive", killed)
        with pytest.raises(KeyboardInterrupt):
            space.documents.delete("one")
    chat = FakeChat()
    with open_workspace("w", chat_model=chat, embedder=FakeEmbedder(64)) as again:
        assert [d.title for d in again.store.documents()] == ["two"]
        assert chat.num_calls == 0, "an opening asks no model"
        again.documents.delete("one")
    assert _num_judged(chat) > 0


def test_an_unknown_way_to_merge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="known: rules, model"):
        _filled(tmp_path, "magic")


def test_only_a_model_on_this_machine_answers_one_at_a_time() -> None:
    settings = load_settings(max_concurrency=5)
    assert concurrency_of(FakeChat(name="openai:small-1.5b", is_small=True), settings) == 5
    assert concurrency_of(FakeChat(name="gguf:model.gguf"), settings) == 1
    assert concurrency_of(FakeChat(name="qwen"), settings) == 1
    assert concurrency_of(None, settings) == 5


def test_a_model_on_this_machine_is_asked_one_question_at_a_time(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    at_once = 0
    most = 0
    guard = Lock()

    def rule(prompt: Prompt, schema: Any) -> str:
        nonlocal at_once, most
        with guard:
            at_once += 1
            most = max(most, at_once)
        sleep(0.01)
        with guard:
            at_once -= 1
        return simple_reply(prompt, schema)

    for name, is_here in (("openai:big", False), ("local:folder", True)):
        space = open_space(name.partition(":")[0], FakeChat(rule, name=name, identity=name))
        space.ingest(corpus.many(4, num_turns=12))
        most = 0
        space.ask(
            "Who founded which company, and who works at Acme Works?", AskOptions(profile="graph")
        )
        assert (most == 1) == is_here, name
