"""A pydantic type as the JSON schema that providers are asked to hold a reply to."""

import json
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

# Strict structured output refuses the first three, grammars of local servers grow with the other
# two; titles are only tokens.
_DROPPED = {"default", "examples", "format", "minLength", "maxLength", "title", "description"}


class StrictReply(BaseModel):
    """Base of what models reply: every field is asked for (`strict_schema`), while validation
    forgives a missing one that has a default.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def whole_part(cls, reply: str) -> str | None:
        """The usable part of a reply that was cut off, as a whole reply; None where only a whole
        one is of use.
        """
        return None


@cache
def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema with every property required and no others allowed, as strict structured output
    wants it, and as short as it can be.

    What it leaves out (defaults, lengths of strings) is still checked when the reply is validated.
    Shared: not to be changed.
    """
    made = _strict(schema.model_json_schema())
    assert isinstance(made, dict)
    return made


@cache
def schema_text(schema: type[BaseModel]) -> str:
    """The JSON schema as it is sent, as text: part of the cache key (a new docstring is no miss)
    and of a prompt's tokens.
    """
    return json.dumps(strict_schema(schema), sort_keys=True, separators=(",", ":"))


@cache
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema as the OpenAI protocol wants it. Shared: not to be changed."""
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "schema": strict_schema(schema), "strict": True},
    }


def _strict(part: Any) -> Any:
    if isinstance(part, list):
        return [_strict(item) for item in part]
    if not isinstance(part, dict):
        return part
    # Under these two, keys are names of fields and types, not keywords.
    named = {
        k: {name: _strict(inner) for name, inner in part[k].items()}
        for k in ("properties", "$defs")
        if k in part
    }
    made = {k: _strict(v) for k, v in part.items() if k not in _DROPPED and k not in named} | named
    if "properties" in made:
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made
