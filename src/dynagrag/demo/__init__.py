"""The demo: eleven minutes of both Apollo 13 loops (CC0) into a graph, and three questions, with a
real model.

By default the model's replies come from a recorded run that ships here, so that nothing has to be
fetched but the embedder; `no_cache` does it all live. Another CPU may round a ranking differently
and so need a reply that was not recorded: the demo says how many were missing, and shows the
evidence where no answer could be made.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from dynagrag.core.errors import ModelError, ModelUnavailableError, UsageError
from dynagrag.core.schema import Answer
from dynagrag.core.text import plural
from dynagrag.workspace.conversations import ConversationBook, Exchange, KeptAnswer, now
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions
from dynagrag.workspace.text_reports import answer_lines, ingest_report_lines

if TYPE_CHECKING:
    from pydantic import BaseModel

    from dynagrag.config.settings import Settings
    from dynagrag.core.protocols import ModelReply, Prompt
    from dynagrag.ingest.pipeline import Progress

WORKSPACE = "demo"
MODEL = "qwen"
QUESTIONS = (
    "What happened to MAIN B?",
    "What low pressures did GNC report, and what would explain them?",
    "Which fuel cells were offline, and what did EECOM want to try?",
)
_LIVE = "`dynagrag demo --no-cache` asks the model itself"


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """A chat model that only has recorded replies; they are in the cache, so every call that
    reaches it is one that was not recorded.

    `missing`: the names of those calls' prompts.
    """

    name: str
    identity: str
    is_small: bool = True
    missing: list[str] = field(default_factory=list)

    def complete(
        self, prompt: "Prompt", schema: "type[BaseModel] | None", max_tokens: int
    ) -> "ModelReply":
        """Raises ModelUnavailableError: there is no model."""
        raise self._not_recorded(prompt)

    def stream(self, prompt: "Prompt", max_tokens: int) -> Iterator[str]:
        """Raises ModelUnavailableError: there is no model."""
        raise self._not_recorded(prompt)

    def close(self) -> None:
        """Holds nothing."""

    def _not_recorded(self, prompt: "Prompt") -> ModelUnavailableError:
        self.missing.append(prompt.name)
        return ModelUnavailableError(
            f"no reply was recorded for this {prompt.name} prompt; {_LIVE}"
        )


def _folder() -> Path:
    with resources.as_file(resources.files(__package__)) as folder:
        return folder


def transcripts() -> list[Path]:
    """The two transcripts that ship."""
    return sorted(_folder().glob("apollo13-*.txt"))


def run_demo(
    settings: "Settings",
    no_cache: bool,
    out: Callable[[str], None],
    progress: "Progress",
    record: Path | None = None,
    reuse: Path | None = None,
) -> None:
    """Builds the workspace `demo` afresh and asks the three questions.

    `record` keeps the replies of a live run in that folder; `reuse` is a file of earlier replies of
    the same model to begin with.

    Raises:
        UsageError: A workspace `demo` holds documents or corrections of yours.
    """
    settings = settings.model_copy(
        update={"llm": MODEL, "checker": "rules"}
    )  # the verdicts are the same, recorded or live
    _remove_last_demo(settings)
    with _open(settings, no_cache, out, progress) as space:
        if reuse is not None:
            space.journal.import_replies(reuse)
        out("1. Two transcripts into a graph: " + ", ".join(p.name for p in transcripts()))
        prepared = space.prepare_ingest(
            [str(p) for p in transcripts()], IngestOptions(chunk_profile="small")
        )
        report = prepared.run(progress)
        for line in ingest_report_lines(report, prepared.chat.usage() if prepared.chat else None):
            out("   " + line)
        _say_missing(space, out)
        for number, question in enumerate(QUESTIONS, 2):
            out(f"\n{number}. {question}")
            answer = _ask(space, question, out)
            model = space.models.chat_model.name if space.models.chat_model else ""
            kept = KeptAnswer(
                answer.trace.retriever, answer, llm=model, seconds=answer.usage.seconds
            )
            ConversationBook(space.folder).put(
                "0" * 16, Exchange(f"{number:016x}", answer.question, now(), (kept,))
            )
            _say_missing(space, out)
        if record is not None:
            _record(space, record)
    print_next_steps(out)


def _remove_last_demo(settings: "Settings") -> None:
    folder = settings.workspaces_dir / WORKSPACE
    if not folder.exists():
        return
    shipped = {sha256(path.read_bytes()).hexdigest() for path in transcripts()}
    with open_workspace(WORKSPACE, settings=settings, create=False) as space:
        store = space.store
        own = [doc.title for doc in store.documents() if doc.sha256 not in shipped]
        num_edits = len(store.edits())
    if own or num_edits:
        held = own[:1] or [plural(num_edits, "correction")]
        raise UsageError(
            f"the workspace {WORKSPACE!r} holds work of yours ({held[0]}), and the demo makes it"
            f" afresh: `dynagrag workspaces rename {WORKSPACE} NAME` keeps it under another name"
        )
    shutil.rmtree(folder)


def print_next_steps(out: Callable[[str], None]) -> None:
    """The commands that follow, and how a shell finds them that only the environment has."""
    out("\nThis graph is the workspace `demo`. Look at it, and ask it something else:")
    if shutil.which("dynagrag") is None:
        out(
            f"  source {shlex.quote(os.path.relpath(Path(sys.prefix) / 'bin' / 'activate'))}   (so"
            " that your shell finds dynagrag)"
        )
    out("  dynagrag graph show --workspace demo")
    out('  dynagrag ask --workspace demo "What did EECOM report?"')
    out("Your own files (look first; then with a model of yours, or with none):")
    out("  dynagrag inspect PATH")
    out("  dynagrag ingest PATH --extractor fast")
    out("  dynagrag models pull qwen   then   dynagrag ingest PATH --llm qwen")
    out('  dynagrag ask "..." --llm qwen')


def _open(
    settings: "Settings", no_cache: bool, out: Callable[[str], None], progress: "Progress"
) -> Workspace:
    if no_cache:
        from dynagrag.models.catalog import model_path, pull

        if model_path(MODEL, settings) is None:
            out(f"fetching the model {MODEL} (1.1 GB), once")
            pull(MODEL, settings)
        return open_workspace(WORKSPACE, settings=settings)
    recorded = json.loads((_folder() / "recorded.json").read_text(encoding="utf-8"))
    out(
        f"Model replies: recorded on {recorded['date']} from {recorded['title']}; it is not asked"
        " now (--no-cache asks it)."
    )
    model = RecordedModel(f"{MODEL} (recorded)", recorded["identity"])
    space = open_workspace(WORKSPACE, settings=settings, chat_model=model)
    space.journal.import_replies(_folder() / "replies.jsonl")
    return space


def _ask(space: Workspace, question: str, out: Callable[[str], None]) -> Answer:
    try:
        answer = space.ask(question)
    except ModelError as err:
        out(f"   {err}")
        answer = space.evidence(question)
    for line in answer_lines(answer):
        out("   " + line)
    return answer


def _say_missing(space: Workspace, out: Callable[[str], None]) -> None:
    """How many replies of this step were not recorded: the pipeline goes on without most of them,
    and would not say so.
    """
    model = space.models.chat_model
    if isinstance(model, RecordedModel) and model.missing:
        out(
            f"   {plural(len(model.missing), 'model call')} had no recorded reply"
            f" ({', '.join(sorted(set(model.missing)))}); {_LIVE}"
        )
        model.missing.clear()


def _record(space: Workspace, folder: Path) -> None:
    from datetime import UTC, datetime

    from dynagrag.models.known_models import CATALOG

    space.journal.export_replies(folder / "replies.jsonl")
    model = space.models.chat_model
    assert model is not None
    value = {
        "title": CATALOG[MODEL].title,
        "identity": model.identity,
        "date": datetime.now(UTC).date().isoformat(),
    }
    (folder / "recorded.json").write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
