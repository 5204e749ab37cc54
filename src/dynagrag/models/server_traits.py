"""What a model server wants otherwise than most, or can't do: learnt from its refusals, and kept as
long as the model is open.

A refusal that names what a request can do without is answered by the same request without it. A
refused request costs nothing, so neither budget nor ledger know of it.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock

_LOG = logging.getLogger(__name__)
_MIN_LIMIT = 256
"""Tokens of a reply below which no answer is worth asking for."""
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|size|window|limit)|available context"
    r"|(?:prompt|inputs?)(?: is| are)? too long|too many (?:input |prompt )?tokens"
    r"|reduce the length|shorten your (?:prompt|input)",
    re.IGNORECASE,
)


def is_about_context(detail: str) -> bool:
    """Whether a refusal says that the prompt is too long for the model."""
    return _CONTEXT.search(detail) is not None


class SchemaForm(Enum):
    """How a server is asked for a reply that fits a schema, best first."""

    JSON_SCHEMA = "a JSON schema"
    JSON_OBJECT = "the format json_object"
    WORDS = "no format"


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The form of one request, as the server was known when it was made."""

    max_tokens: int
    """Limit of the reply as it was asked for."""
    limit: int
    """The limit that is sent."""
    limit_name: str
    schema: SchemaForm | None
    """None: free text."""
    effort: str | None
    has_temperature: bool


@dataclass
class ServerTraits:
    """Begins with what most servers do. Thread-safe.

    Args:
        where: The model and its host, for what is said once.
        effort: How much the model shall think; None: not said.
        max_batch: Texts of one request for embeddings.
    """

    where: str
    effort: str | None = None
    max_batch: int = 256
    has_base64: bool = True
    limit_name: str = "max_tokens"
    schema: SchemaForm = SchemaForm.JSON_SCHEMA
    has_temperature: bool = True
    has_reply_in_thoughts: bool = False
    """Whether its replies come where thoughts belong."""
    lower_limits: dict[int, int] = field(default_factory=dict)
    """Limits in place of those that were refused as too high."""
    _said: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def form(self, max_tokens: int, *, has_schema: bool) -> RequestForm:
        """The form of the next request."""
        with self._lock:
            return RequestForm(
                max_tokens,
                self.lower_limits.get(max_tokens, max_tokens),
                self.limit_name,
                self.schema if has_schema else None,
                self.effort,
                self.has_temperature,
            )

    def adapt(self, refused: RequestForm, detail: str) -> bool:
        """Learns from a refusal in these words. True where the request is to be made again, in its
        new form; False where it names nothing that can be done without.
        """
        with self._lock:
            return any(
                pattern.search(detail) and change(self, refused) for pattern, change in _CHANGES
            )

    def say_once(self, what: str, kind: str = "") -> None:
        """Warns of something about this server, once. `kind`: what stays the same, where the words
        have figures that don't.
        """
        with self._lock:
            self._say_once(what, kind)

    def note_reply_in_thoughts(self) -> None:
        """A whole reply came where thoughts belong, and nothing in its own place."""
        with self._lock:
            self.has_reply_in_thoughts = True
            self._say_once(
                "puts its reply where a model's thoughts belong (reasoning_content), and it is read"
                " there; start the server without its reasoning parser, or with the model's own"
            )

    def halve_batch(self, num_texts: int) -> None:
        """A request for the vectors of so many texts was refused."""
        with self._lock:
            self.max_batch = min(self.max_batch, max(1, num_texts // 2))

    def _say_once(self, what: str, kind: str = "") -> None:
        if (kind or what) not in self._said:
            self._said.add(kind or what)
            _LOG.warning("%s %s", self.where, what)

    def _lower_limit(self, refused: RequestForm) -> bool:
        """Half of it, as often as it takes. Where no room is left the prompt is too long."""
        lower = refused.limit // 2
        if lower < _MIN_LIMIT:
            self.lower_limits.pop(refused.max_tokens, None)
            return False
        self.lower_limits[refused.max_tokens] = lower
        return True

    def _use_newer_limit(self, refused: RequestForm) -> bool:
        self.limit_name = "max_completion_tokens"
        return refused.limit_name != self.limit_name

    def _leave_effort(self, refused: RequestForm) -> bool:
        self.effort = None
        return refused.effort is not None

    def _leave_temperature(self, refused: RequestForm) -> bool:
        self.has_temperature = False
        if refused.has_temperature:
            self._say_once("takes only its own temperature, and is asked with that")
        return refused.has_temperature

    def _use_next_schema_form(self, refused: RequestForm) -> bool:
        if refused.schema in (None, SchemaForm.WORDS):
            return False
        if refused.schema is self.schema:  # else another thread has learnt it
            forms = list(SchemaForm)
            self.schema = forms[forms.index(self.schema) + 1]
            self._say_once(
                f"refuses {refused.schema.value}; it is asked with {self.schema.value} and the"
                " schema in the prompt, so more replies may need a repair"
            )
        return True


_CHANGES: tuple[tuple[re.Pattern[str], Callable[[ServerTraits, RequestForm], bool]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), change)
    for pattern, change in (
        (
            r"max_(?:completion_|new_|output_)?tokens\W.{0,60}"
            r"(?:too large|too high|at most|range|less than|must be|exceed|>)"
            r"|in the completion|(?:messages|prompt) or completion",
            ServerTraits._lower_limit,
        ),
        (r"max_completion_tokens", ServerTraits._use_newer_limit),
        (r"reasoning_effort|think value", ServerTraits._leave_effort),
        (r"temperature", ServerTraits._leave_temperature),
        (
            r"response_?format|json_schema|json_object|structured.?outputs?|grammar|guided",
            ServerTraits._use_next_schema_form,
        ),
    )
)
"""What a refusal may name, and what is done then; the first that is of use."""
