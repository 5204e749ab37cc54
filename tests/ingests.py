"""What tests of running ingests share: two small conversations, models that count what they are
asked, and what is held and said.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warm_python import WarmProcess

from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal

ONE = [("Leo", "Ada Byron founded Acme Works."), ("Maria", "Acme Works is located in Delft.")]
TWO = [("Leo", "Grace Hopper founded Fathom Labs."), ("Maria", "Fathom Labs acquired Acme Works.")]
PATIENCE_S = 120.0
"""How long a busy machine may take for what comes in a moment on an idle one."""


class WatchedModels:
    """A chat model and an embedder behind a server. A subclass may act, or wait, before a call is
    answered.

    `prompts`: what the chat model was asked, and how often.
    """

    def __init__(self) -> None:
        self.prompts: Counter[str] = Counter()
        self._counting = threading.Lock()

    def server(self) -> OpenAIStubServer:
        """Serves both."""
        watcher = self

        class Watched(FakeEmbedder):
            def embed_documents(self, texts: Any) -> Any:
                watcher.before_vectors(texts)
                return super().embed_documents(texts)

        return OpenAIStubServer(FakeChat(self._reply), Watched())

    def before_reply(self, num_asked: int) -> None:
        """Called, by several threads at once, with the number of prompts so far, this one
        included.
        """

    def before_vectors(self, texts: Sequence[str]) -> None:
        """Called with the texts that are about to be embedded."""

    def _reply(self, prompt: Any, schema: Any) -> str:
        with self._counting:
            self.prompts[prompt.user] += 1
            num_asked = self.prompts.total()
        self.before_reply(num_asked)
        return simple_reply(prompt, schema)


class Gate(WatchedModels):
    """Lets so many extraction calls through, and holds the others until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = threading.Event()
        self.num_free = 0

    def before_reply(self, num_asked: int) -> None:
        if num_asked > self.num_free:
            self.is_open.wait(300)

    def wait_for(self, num_calls: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while sum(self.prompts.values()) < num_calls and time.monotonic() < deadline:
            time.sleep(0.02)
        assert sum(self.prompts.values()) >= num_calls


def digest(cli: Any, name: str) -> str:
    """The digest of a workspace, as the command line says it."""
    return str(cli("graph", "stats", "-w", name, "--json").json["digest"])


def num_stored_replies(folder: Path) -> int:
    """How many replies the journal in a workspace's folder keeps."""
    if not (folder / "journal.sqlite").exists():
        return 0
    journal = Journal(folder / "journal.sqlite")
    try:
        return journal.export_replies(folder / "export.jsonl")
    finally:
        journal.close()


def run_together(
    script: str, arguments: Sequence[Mapping[str, Any]], timeout_s: float = 240
) -> None:
    """A Python process for each of the arguments (as JSON), all at once; the first complaint fails
    the test.
    """
    started = [WarmProcess(["-c", script, json.dumps(a)]) for a in arguments]
    try:
        for process in started:
            out, err = process.communicate(timeout=timeout_s)
            assert (process.returncode, err) == (0, ""), out + err
    finally:
        for process in started:
            process.kill()
            process.communicate()


_SO_FAR = re.compile(
    r"dynagrag: [\w ,]+(?:: [\d,]+(?:%| of [\d,]+))? after \d+ (?:s|min)(?:, [\w. ]+ left)?"
)
"""What a command says every ten seconds without a terminal; on a busy machine it does in any test.
"""


def without_progress(err: str) -> str:
    """All lines but those that tell how far the command is."""
    return "".join(
        line for line in err.splitlines(keepends=True) if not _SO_FAR.fullmatch(line.rstrip("\n"))
    )
