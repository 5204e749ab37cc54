"""Replies of a model that is less honest than the shipped fake."""

import json
from typing import Any

from dynagrag.core.protocols import Prompt
from dynagrag.fakes import simple_reply


def unsettled_reply(prompt: Prompt, schema: Any) -> str:
    """As `simple_reply`, but each intermediate answer also claims what no line states: so none
    settles a question, and all prompts are asked.
    """
    reply = simple_reply(prompt, schema)
    if schema is None or "citations" not in schema.get("properties", {}):
        return reply
    told = json.loads(reply)
    return json.dumps(told | {"answer": f"{told['answer']} Ines resigned in Delft."})
