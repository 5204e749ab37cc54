"""Runs the demo live with Qwen and keeps its replies: what `dynagrag demo` shows by default. Half an hour on 2 cores.

    python benchmarks/record_demo.py FOLDER [REPLIES]

Move the two files that it writes to src/dynagrag/demo to ship them.
"""

import argparse
import tempfile
from pathlib import Path

from dynagrag import demo
from dynagrag.settings import load_settings


def main() -> None:
    """Records into a home of its own, with the models of the user's."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path, help="where replies.jsonl and recorded.json are written")
    parser.add_argument("replies", type=Path, nargs="?", help="earlier replies of the same model, used where the prompt is still the same")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)  # before the half hour, not after it
    settings = load_settings()
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / "models"
        models.symlink_to(settings.models_dir)
        demo.run_demo(
            settings.model_copy(update={"home": Path(home)}), True, print, lambda *_: None, record=asked.folder, reuse=asked.replies
        )


if __name__ == "__main__":
    main()
