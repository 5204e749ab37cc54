"""Fakes that ship with the package, for tests and trials: a chat model and an embedder that need no
weights and no network.

Both are deterministic and mean something: texts that share words are near each other, and sentences
like "Ada founded Acme." become relations, so that a whole run from transcript to cited answer can
be checked against what the text says.
"""

import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from pydantic import BaseModel

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import FirstWord, ModelReply, Prompt
from dynagrag.core.schema import UNMEASURED, CosineScale, EmbedderIdentity, Vector, Vectors

JsonSchema: TypeAlias = Mapping[str, Any]
Rule: TypeAlias = Callable[[Prompt, JsonSchema | None], str]
"""Makes a reply's text of a prompt and the JSON schema asked for (None: free text)."""
Step: TypeAlias = str | ModelReply | BaseModel | BaseException
"""One scripted reply, or the error to raise in its place."""

_WORDS = r"[\w&'’-]*(?:\.\w+)*"
_NAME = (
    rf"(?!(?:And|But|So|Then)\b)[A-Z]{_WORDS}(?:[ ](?:(?:of|the|for|and|&)[ ])?[A-Z0-9]{_WORDS})*"
)
_FACTS = {
    "works at": ("person", "organization"),
    "founded": ("person", "organization"),
    "acquired": ("organization", "organization"),
    "is located in": ("organization", "place"),
    "partners with": ("organization", "organization"),
    "invested in": ("organization", "organization"),
}
_SENTENCE = re.compile(
    rf"\b({_NAME})\s+({'|'.join(v.replace(' ', chr(92) + 's+') for v in _FACTS)})\s+({_NAME})\.?"
)
_BLOCK = re.compile(r"<(\w+)[^>]*>(.*?)</\1>", re.DOTALL)
_LABEL = re.compile(r"\[([A-Z]\d+)\]")
_LABELLED_LINE = re.compile(r"^\s*[-*]?\s*\[([A-Z]\d+)\](.*)", re.MULTILINE)
_JUDGED = re.compile(r"\bid=\"?(\w+)")
_NUMBERED_LINE = re.compile(r"^\[(\d+)\] (.*)", re.MULTILINE)
_NUMBERED_CLAIM = re.compile(r"^(\d+)\. (.*)", re.MULTILINE)
_QUESTION = re.compile(r"question:\s*(.*)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SUFFIX = re.compile(r"(?:'s|ing|ed|es|s|ly)$")


class FakeEmbedder:
    """A hashed bag of word stems: unit vectors, the more shared words the higher the cosine. Counts
    what it embeds.
    """

    def __init__(self, dimension: int = 32, name: str = "fake") -> None:
        self._identity = EmbedderIdentity(name, dimension)
        self.num_texts = 0
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        """Name and dimension as given."""
        return self._identity

    @property
    def scale(self) -> CosineScale:
        """None was measured, and none is: what it embeds is counted."""
        return UNMEASURED

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32 unit rows."""
        with self._lock:
            self.num_texts += len(texts)
        vectors = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            words = _WORD.findall(text.casefold()) or [""]
            for word in words:
                row += _word_vector(_SUFFIX.sub("", word) or word, self._identity.dimension)
            row /= np.linalg.norm(row) or 1.0
        return vectors

    def embed_query(self, text: str) -> Vector:
        """(d,) float32; the same as the document's."""
        vector: Vector = self.embed_documents([text])[0]
        return vector


@lru_cache(maxsize=100_000)
def _word_vector(word: str, dimension: int) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


class FakeChat:
    """A chat model that reads simple sentences (see `simple_reply`), obeys a rule, or follows a
    script. Records what it was asked.

    Args:
        rule: Makes each reply; without one, `simple_reply`.
        script: Replies and errors for the first calls, in order; afterwards the rule.
        delay_s: What each call takes.
        name, identity: As the protocol has them.
        is_small: As the protocol has it.
    """

    def __init__(
        self,
        rule: Rule | None = None,
        *,
        script: Sequence[Step] = (),
        delay_s: float = 0.0,
        name: str = "fake",
        identity: str | None = None,
        is_small: bool = False,
    ) -> None:
        self._rule = rule or simple_reply
        self._script = list(script)
        self.delay_s = delay_s
        self._name = name
        self._identity = identity or f"{name} temperature=0"
        self._is_small = is_small
        self.prompts: list[Prompt] = []
        self.max_tokens: list[int] = []
        self.is_closed = False
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def identity(self) -> str:
        """As given."""
        return self._identity

    @property
    def is_small(self) -> bool:
        """As given."""
        return self._is_small

    @property
    def num_calls(self) -> int:
        """How often it was asked, failures included."""
        return len(self.prompts)

    def then(self, *steps: Step) -> None:
        """Adds steps to the script."""
        with self._lock:
            self._script.extend(steps)

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """The next scripted step, else the rule's reply; cut off where it is longer than
        `max_tokens`.
        """
        return self.reply(prompt, schema.model_json_schema() if schema else None, max_tokens)

    def reply(self, prompt: Prompt, schema: JsonSchema | None, max_tokens: int) -> ModelReply:
        """`complete` for callers that hold a JSON schema rather than a type."""
        with self._lock:
            self.prompts.append(prompt)
            self.max_tokens.append(max_tokens)
            step = self._script.pop(0) if self._script else None
        if self.delay_s:
            time.sleep(self.delay_s)
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, ModelReply):
            return step
        if isinstance(step, BaseModel):
            step = step.model_dump_json()
        text = self._rule(prompt, schema) if step is None else step
        is_cut_off = estimate_tokens(text) > max_tokens
        text = text[: max_tokens * 4] if is_cut_off else text
        asked = prompt.system + prompt.user + (json.dumps(schema) if schema else "")
        return ModelReply(
            text, is_cut_off, estimate_tokens(asked), estimate_tokens(text), self.delay_s
        )

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The reply word by word."""
        yield from re.findall(r"\S+\s*|\s+", self.reply(prompt, None, max_tokens).text)

    def close(self) -> None:
        """Notes that it was called."""
        self.is_closed = True


class FakeYesNoChat(FakeChat):
    """A FakeChat that also compares yes with no: `judge` makes log p(yes) - log p(no) of a prompt,
    or None where it doesn't tell.

    Small, since only such a model is asked so.
    """

    def __init__(
        self, judge: Callable[[Prompt], float | None], rule: Rule | None = None, **options: Any
    ) -> None:
        super().__init__(rule, **{"is_small": True} | options)
        self._judge = judge

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """The judge's log probabilities of yes and no, in this order, and none of other words;
        recorded like any other question.
        """
        with self._lock:
            self.prompts.append(prompt)
            self.max_tokens.append(1)
        judged = self._judge(prompt) if tuple(words) == ("yes", "no") else None
        logprobs = None if judged is None else (min(judged, 0.0), min(-judged, 0.0))
        return FirstWord(logprobs, estimate_tokens(prompt.system + prompt.user), self.delay_s)


class FakeWordChat(FakeChat):
    """A FakeChat that tells how likely words are as a reply's first: `shares` makes their
    probabilities of a prompt, or None where it doesn't tell. Small unless told otherwise.
    """

    def __init__(
        self,
        shares: Callable[[Prompt], Mapping[str, float] | None],
        rule: Rule | None = None,
        **options: Any,
    ) -> None:
        super().__init__(rule, **{"is_small": True} | options)
        self._shares = shares

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """The probabilities of these words; recorded like any other question."""
        with self._lock:
            self.prompts.append(prompt)
            self.max_tokens.append(1)
        if self.delay_s:
            time.sleep(self.delay_s)
        shares = self._shares(prompt)
        found: tuple[float, ...] | None = None
        if shares is not None:
            found = (
                tuple(math.log(shares.get(word, 1e-9)) for word in words)
                if shares.keys() & set(words)
                else ()
            )
        return FirstWord(found, estimate_tokens(prompt.system + prompt.user), self.delay_s)


def simple_reply(prompt: Prompt, schema: JsonSchema | None) -> str:
    """The reply of a modest, honest model; the schema is known by its fields.

    entities + relations: those of sentences "X works at | founded | acquired | is located in |
    partners with | invested in Y." in the last <fenced> part of the user text. citations: the label
    of the first line like `[E1] words`; enough evidence if there is one. scores: 3 for each
    id="..." of the user text. checks: yes for a numbered claim whose words are all in one of the
    numbered lines, else no. steps: the parts between "and" of the user text. groups: none, so each
    member stays alone. question: the last line "question: ...", as it is. Another schema: its
    smallest valid instance. Free text: one sentence that cites the first labelled line.
    """
    if schema is None:
        return _free_text(prompt)
    fields = set(schema.get("properties", {}))
    if {"entities", "relations"} <= fields:
        return json.dumps(_extraction(_last_block(prompt.user)))
    if "steps" in fields:
        return json.dumps({"steps": prompt.user.split(" and ")[:4]})
    instance = _instance(schema, schema)
    if "citations" in fields:
        labels = [label for label, _ in _LABELLED_LINE.findall(prompt.user)[:1]]
        instance["citations"] = labels
        instance["answer"] = _free_text(prompt)
        instance.update({name: bool(labels) for name in fields if "enough" in name})
    elif "scores" in fields:
        instance["scores"] = _scores(prompt, schema)
    elif "checks" in fields:
        instance["checks"] = _checks(prompt)
    elif "groups" in fields:
        instance["groups"] = []
    elif "question" in fields:
        asked = _QUESTION.findall(prompt.user)
        instance["question"] = asked[-1].strip() if asked else prompt.user
    return json.dumps(instance)


def unsettled_reply(prompt: Prompt, schema: JsonSchema | None) -> str:
    """As `simple_reply`, but each intermediate answer also claims what no line states: so none
    settles a question, and all prompts are asked.
    """
    reply = simple_reply(prompt, schema)
    if schema is None or "citations" not in schema.get("properties", {}):
        return reply
    told = json.loads(reply)
    return json.dumps(told | {"answer": f"{told['answer']} Ines resigned in Delft."})


def _last_block(text: str) -> str:
    blocks = _BLOCK.findall(text)
    return str(blocks[-1][1]) if blocks else text


def _extraction(text: str) -> dict[str, list[dict[str, str]]]:
    entities: dict[str, dict[str, str]] = {}
    relations: list[dict[str, str]] = []
    for match in _SENTENCE.finditer(text):
        source, tail = match[1], match[3]
        label = " ".join(match[2].split())
        for name, kind in zip((source, tail), _FACTS[label], strict=True):
            entities.setdefault(
                name, {"name": name, "type": kind, "summary": " ".join(match[0].split())}
            )
        relations.append(
            {
                "source": source,
                "target": tail,
                "label": label,
                "summary": " ".join(match[0].split()),
                "quote": match[0],
            }
        )
    return {"entities": list(entities.values()), "relations": relations}


def _free_text(prompt: Prompt) -> str:
    line = _LABELLED_LINE.search(prompt.user)
    if line is None:
        return "The evidence does not say."
    said = " ".join(_LABEL.sub(" ", line[2]).split()).strip(" -:.\"“”'")[:200]
    return f"The transcript says: {said} [{line[1]}]."


def _scores(prompt: Prompt, schema: JsonSchema) -> list[dict[str, Any]]:
    item = _resolved(schema["properties"]["scores"], schema).get("items", {})
    scored: list[dict[str, Any]] = []
    for label in dict.fromkeys(_JUDGED.findall(prompt.user)):
        score = _instance(item, schema)
        kind = _resolved(_resolved(item, schema)["properties"]["id"], schema).get("type")
        if kind == "integer" and not label.isdigit():
            continue
        score["id"] = int(label) if kind == "integer" else label
        score.update(
            {name: 3 for name, value in score.items() if name != "id" and isinstance(value, int)}
        )
        scored.append(score)
    return scored


def _checks(prompt: Prompt) -> list[dict[str, Any]]:
    blocks = dict(_BLOCK.findall(prompt.user))
    lines = {
        int(number): set(_WORD.findall(text.casefold()))
        for number, text in _NUMBERED_LINE.findall(blocks.get("lines", ""))
    }
    claims = [
        (int(number), set(_WORD.findall(text.casefold())))
        for number, text in _NUMBERED_CLAIM.findall(blocks.get("claims", ""))
    ]
    found = {
        number: [line for line, words in lines.items() if claim <= words]
        for number, claim in claims
    }
    return [
        {"id": number, "lines": rows, "verdict": "yes" if rows else "no"}
        for number, rows in found.items()
    ]


def _resolved(schema: JsonSchema, root: JsonSchema) -> JsonSchema:
    """A part of a JSON schema without its reference or alternatives (the first that is not
    null).
    """
    while "$ref" in schema or "anyOf" in schema or "allOf" in schema:
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
        else:
            options = schema.get("anyOf") or schema["allOf"]
            schema = next((o for o in options if o.get("type") != "null"), options[0])
    return schema


def _instance(schema: JsonSchema, root: JsonSchema) -> Any:
    """The smallest sensible instance of a JSON schema of the kind that pydantic writes."""
    schema = _resolved(schema, root)
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _instance(part, root) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [
            _instance(schema.get("items", {"type": "string"}), root)
            for _ in range(schema.get("minItems", 0))
        ]
    if kind == "string":
        return "none".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 4)]
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return False if kind == "boolean" else None
