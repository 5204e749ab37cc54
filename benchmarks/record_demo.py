"""Runs the demo live with Qwen and keeps its replies in the package: what `dynagrag demo` shows by default. Half an hour on 2 cores.

Usage: python benchmarks/record_demo.py FOLDER [REPLIES]: writes replies.jsonl and recorded.json into FOLDER; REPLIES are earlier ones
of the same model to begin with, used where the prompt is still the same. Move the two files to src/dynagrag/demo to ship them.
"""

import sys
import tempfile
from pathlib import Path

from dynagrag import demo
from dynagrag.settings import load_settings


def main() -> None:
    """Records into a home of its own, with the models of the user's."""
    folder = Path(sys.argv[1])
    reuse = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    settings = load_settings()
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / "models"
        models.symlink_to(settings.models_dir)
        demo.run_demo(settings.model_copy(update={"home": Path(home)}), True, print, lambda *_: None, record=folder, reuse=reuse)


if __name__ == "__main__":
    main()
