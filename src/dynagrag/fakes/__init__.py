"""Fakes that ship with the package, for tests and trials. The server that speaks the OpenAI
protocol is `dynagrag.fakes.fake_server`.
"""

from dynagrag.fakes.fake_models import (
    FakeChat,
    FakeEmbedder,
    FakeWordChat,
    FakeYesNoChat,
    simple_reply,
    unsettled_reply,
)

__all__ = [
    "FakeChat",
    "FakeEmbedder",
    "FakeWordChat",
    "FakeYesNoChat",
    "simple_reply",
    "unsettled_reply",
]
