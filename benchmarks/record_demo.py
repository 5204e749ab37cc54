"""Runs the demo live with Qwen and keeps its replies: what `dynagrag demo` shows by default. Half
an hour on 2 cores.

    python benchmarks/record_demo.py FOLDER [REPLIES]

Move the two files that it writes to src/dynagrag/demo to ship them.
"""

import argparse
import json
import tempfile
from pathlib import Path
from unittest.mock import patch

from dynagrag import demo
from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.protocols import ModelReply
from dynagrag.journal.workspace_journal import Journal


def main() -> None:
    """Records into a home of its own, with the models of the user's."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "folder", type=Path, help="where replies.jsonl and recorded.json are written"
    )
    parser.add_argument(
        "replies",
        type=Path,
        nargs="?",
        help="earlier replies of the same model, used where the prompt is still the same",
    )
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)  # before the half hour, not after it
    settings = load_settings()
    _run(settings, asked.replies, asked.folder)
    num_left_out = _leave_out_unused(settings, asked.folder / "replies.jsonl")
    print(f"{num_left_out} earlier replies left out, which no prompt asks for any more")


def _run(settings: Settings, reuse: Path | None, record: Path | None = None) -> None:
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / "models"
        models.symlink_to(settings.models_dir)
        own = settings.model_copy(update={"home": Path(home)})
        demo.run_demo(
            own,
            True,
            print if record else lambda _: None,
            lambda *_: None,
            record=record,
            reuse=reuse,
        )


def _leave_out_unused(settings: Settings, replies: Path) -> int:
    """Runs the demo again from the replies, and keeps those that were looked up; how many were
    not.
    """
    used: set[str] = set()
    look_up = Journal.cached_reply

    def noting(journal: Journal, key: str) -> ModelReply | None:
        found = look_up(journal, key)
        if found is not None:
            used.add(key)
        return found

    with patch.object(Journal, "cached_reply", noting):
        _run(settings, replies)
    lines = replies.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["key"] in used]
    replies.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return len(lines) - len(kept)


if __name__ == "__main__":
    main()
