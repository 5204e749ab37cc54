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


_REASONING = re.compile(
    r"""(?<![a-z0-9])(?:
        gpt-5(?!.*chat) | gpt-oss | o[134](?:-mini|-pro|-preview)?(?![a-z0-9])
        | deepseek-(?:r1|reasoner) | qwq | magistral | r1-distill
        | qwen3(?!.*(?:instruct|coder|embed)) | (?:\w+-)?(?:thinking|reasoning|reasoner)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_TAKES_EFFORT = re.compile(
    r"(?<![a-z0-9])(?:gpt-5(?!.*chat)|gpt-oss|o[34](?![a-z0-9]))", re.IGNORECASE
)


def is_reasoning_name(name: str) -> bool:
    """Whether the name is of a model known to think before it answers. Others show it by their
    replies.
    """
    return _REASONING.search(name) is not None


def takes_effort(name: str) -> bool:
    """Whether the name is of a model whose API says how much it shall think."""
    return _TAKES_EFFORT.search(name) is not None
