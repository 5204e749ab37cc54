"""`dynagrag serve`."""

import tomllib
from pathlib import Path
from typing import Any

from dynagrag.cli_serve import OPTIONS


def test_the_command_and_streamlit_run_start_the_app_alike() -> None:
    file = Path(__file__).parents[2] / ".streamlit" / "config.toml"

    def flat(found: dict[str, Any], before: str = "") -> dict[str, str]:
        made: dict[str, str] = {}
        for name, value in found.items():
            made |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: str(value).lower()}
        return made

    assert flat(tomllib.loads(file.read_text(encoding="utf-8"))) == {name: value.lower() for name, value in OPTIONS.items()}
    assert OPTIONS["server.address"] == "127.0.0.1"
    assert OPTIONS["server.enableXsrfProtection"] == "true"
    assert OPTIONS["client.showErrorDetails"] == "none"
