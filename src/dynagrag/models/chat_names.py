"""Properties of a chat model that its name tells."""

import re

_SMALL_BILLIONS = 4.0
_PARAMETERS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*([bm])(?![a-z0-9])", re.IGNORECASE)


def is_small_name(name: str) -> bool:
    """Whether the name says that it has fewer than about four billion parameters: qwen2.5:1.5b,
    SmolLM2-135M. False if it says nothing.
    """
    sizes = [
        float(number) * (1 if unit in "bB" else 0.001) for number, unit in _PARAMETERS.findall(name)
    ]
    return bool(sizes) and max(sizes) < _SMALL_BILLIONS
