"""Settings: argument > command line > environment (DYNAGRAG_...) > .env > keyring (keys alone) >
settings file > default. Read here, passed down as values.

`Settings` is what a machine or user sets once; `ChunkProfile` and `Profile` are named bundles of
numbers, explained in docs/papers.md.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import platformdirs
from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from dynagrag.config.scrubbing import address_secrets
from dynagrag.config.settings_file import kept_in_keyring, saved_settings, unreadable
from dynagrag.config.store_logins import LOGINS
from dynagrag.config.system_keyring import KEYS, keys_seen, read_key
from dynagrag.core.errors import SettingsError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular

_NAMES_A_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_MIN_SECRET_CHARS = 6
"""Shorter values of other programs' variables would be taken out of ordinary words."""
_REFERENCE = re.compile(r"\$\{([^\}:]*)(?::-[^\}]*)?\}")
_HARMLESS = {"HOME", "USER", "LOGNAME", "PWD", "TMPDIR", "XDG_DATA_HOME"}
"""Variables of the environment that a line of `.env` may refer to."""
_WEEK_S = 7 * 24 * 3600


class Settings(BaseSettings):
    """Everything that is read from the environment, `.env` and `settings.toml` in the home
    folder.
    """

    model_config = SettingsConfigDict(
        env_prefix="DYNAGRAG_",
        env_file=".env",
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )

    home: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("dynagrag", appauthor=False)),
        description="Folder of workspaces, models and settings.toml.",
    )
    workspace: str = Field(default="default", description="Workspace that commands use.")
    profile: str = Field(
        default="default",
        description=(
            "How questions are answered. `evaluate` and `train` have profiles of their own."
        ),
    )
    llm: str | None = Field(
        default=None,
        description=(
            "Language model: openai:NAME, gguf:PATH, gguf:hf:ORG/REPO/FILE, local:NAME; or none."
        ),
    )
    embedder: str = Field(
        default="minilm",
        description=(
            "Embedder: minilm, another of `dynagrag models list`, a folder or hub name of any"
            " sentence embedder, or openai:NAME."
        ),
    )
    query_prefix: str | None = Field(
        default=None,
        description="Text put before every question to embed (default: the model's own).",
    )
    document_prefix: str | None = Field(
        default=None,
        description="Text put before every passage, mention and relation that is embedded.",
    )
    temperature: float = Field(
        default=0.0, ge=0, description="Sampling temperature of the language model."
    )
    thinking_tokens: int | None = Field(
        default=None,
        ge=0,
        description=(
            "Room for a reasoning model's thoughts in each reply, beside the answer's; 0: none"
            " (default: 16000 for a model that thinks, as its name or its replies show)."
        ),
    )
    max_embedding_batch: int = Field(
        default=256,
        ge=1,
        le=2048,
        description=(
            "Texts in one request to a server's embedder; one that refuses as many is asked with"
            " half of them."
        ),
    )
    max_concurrency: int = Field(
        default=8, ge=1, description="Model calls at once (local models: always 1)."
    )
    requests_per_minute: float | None = Field(
        default=None, gt=0, description="Rate limit of model calls."
    )
    timeout_s: float = Field(
        default=600,
        gt=0,
        le=_WEEK_S,
        description="Seconds one model call may take, its retries included.",
    )
    max_retries: int = Field(
        default=4, ge=0, description="Retries of a call that met a 429, a 5xx or no connection."
    )
    price_per_million_prompt_tokens: float | None = Field(
        default=None, ge=0, description="Price for the estimate, in your currency."
    )
    price_per_million_completion_tokens: float | None = Field(
        default=None, ge=0, description="Price for the estimate, in your currency."
    )
    checker: str = Field(
        default="auto",
        description=(
            "What checks the claims of answers: a checker, or several with + between them; auto:"
            " rules, and the language model where there is one that isn't small."
        ),
    )
    reranker: str | None = Field(
        default=None,
        description=(
            "A cross-encoder that reads the best 50 passages and stretches of talk again and puts"
            " them in order: a folder with an .onnx file, or a hub name. Off by default: those of"
            " web search can lower talk; `evaluate` measures it on yours."
        ),
    )
    pruner: str = Field(
        default="auto",
        description=(
            "What scores the entities and relations of ego-graphs: a pruner, trained (the"
            " workspace's own, which `train pruner` makes) or a checkpoint's folder; auto: for"
            " DynaGRAG's ego-graphs trained, where it has beaten the untrained ones on held-out"
            " documents (profile paper: wherever there is one), else prior."
        ),
    )
    store: str | None = Field(
        default=None,
        description=(
            "Where graphs live: a store's address. Default: where the workspace was last, else"
            f" {' or '.join(login.address.upper() for login in LOGINS)}, else sqlite."
        ),
    )
    media: Path | None = Field(
        default=None, description="Folder of recordings that the app plays: talk.mp3 for talk.vtt."
    )
    neo4j_uri: str | None = Field(
        default=None, validation_alias="NEO4J_URI", description="Neo4j server for new workspaces."
    )
    neo4j_username: str = Field(
        default="neo4j", validation_alias="NEO4J_USERNAME", description="Its user."
    )
    neo4j_password: SecretStr | None = Field(
        default=None, validation_alias="NEO4J_PASSWORD", description="Its password."
    )
    neo4j_database: str = Field(
        default="neo4j", validation_alias="NEO4J_DATABASE", description="Its database."
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Base URL of an OpenAI-compatible server.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="Its key."
    )
    keys_in_keyring: str | None = Field(
        default=None,
        description=(f"Which keys the system's keyring keeps: {', '.join(KEYS)}. Set by the app."),
    )
    password: SecretStr | None = Field(
        default=None, description="Password that the app asks for; it beats password_hash."
    )
    password_hash: SecretStr | None = Field(
        default=None, description="What `dynagrag serve --password` keeps of a password."
    )

    @field_validator("profile")
    @classmethod
    def _profile(cls, value: str) -> str:
        if value not in PROFILES:
            raise ValueError(f"there is no profile {value!r}; known: {', '.join(PROFILES)}")
        return value

    @field_validator("openai_api_key")
    @classmethod
    def _key(cls, value: SecretStr | None) -> SecretStr | None:
        return SecretStr(clean_key(value.get_secret_value())) if value else None

    @field_validator(*(login.password for login in LOGINS))
    @classmethod
    def _password(cls, value: SecretStr | None) -> SecretStr | None:
        return SecretStr(value.get_secret_value().strip("\r\n")) if value else None

    @field_validator("openai_base_url")
    @classmethod
    def _base_url(cls, value: str | None) -> str | None:
        return _clean_url(value) if value and value.strip() else None

    @field_validator("store", *(login.address for login in LOGINS))
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        return value.strip() if value else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The order of precedence, highest first; the settings file is the lowest."""
        home = os.environ.get("DYNAGRAG_HOME") or platformdirs.user_data_dir(
            "dynagrag", appauthor=False
        )
        file = TomlConfigSettingsSource(settings_cls, toml_file=Path(home) / "settings.toml")
        return (
            init_settings,
            env_settings,
            _OwnDotEnv(dotenv_settings),
            _Keyring(settings_cls),
            file,
        )

    @property
    def models_dir(self) -> Path:
        """Where pulled models lie."""
        return self.home / "models"

    @property
    def workspaces_dir(self) -> Path:
        """Where workspaces lie, a folder each."""
        return self.home / "workspaces"

    def price_of(self, prompt_tokens: float, reply_tokens: float) -> float | None:
        """In the currency of the prices; None where none is set."""
        prices = self.price_per_million_prompt_tokens, self.price_per_million_completion_tokens
        return (
            None
            if prices == (None, None)
            else (prompt_tokens * (prices[0] or 0) + reply_tokens * (prices[1] or 0)) / 1e6
        )


OTHERS_NAMES = frozenset(
    str(field.validation_alias)
    for field in Settings.model_fields.values()
    if field.validation_alias
)
"""Environment variables that other programs read too; every other one begins with DYNAGRAG_."""


class _Keyring(PydanticBaseSettingsSource):
    """Keys that the user has kept in the system's keyring; asked only for those that settings.toml
    names and nothing above has set.
    """

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """A key, under the name that its variable has."""
        return read_key(field_name), field_name.upper(), False

    def __call__(self) -> dict[str, Any]:
        """The keys."""
        already_set = {name.lower() for name in self.current_state}
        wanted = [name for name in kept_in_keyring() if name not in already_set]
        found = {name: read_key(name) for name in wanted}
        return {name.upper(): key for name, key in found.items() if key}


class _OwnDotEnv(PydanticBaseSettingsSource):
    """The .env source without other programs' lines: a project's .env may hold anything; only
    DYNAGRAG_ names must be known.
    """

    def __init__(self, inner: PydanticBaseSettingsSource) -> None:
        super().__init__(inner.settings_cls)
        self._inner = inner

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Asks the wrapped source."""
        return self._inner.get_field_value(field, field_name)

    def __call__(self) -> dict[str, Any]:
        """The wrapped source's values, but for keys that are neither fields nor DYNAGRAG_ names."""
        known = set(self.settings_cls.model_fields) | OTHERS_NAMES
        own = {
            k: v
            for k, v in self._inner().items()
            if k in known or k.lower().startswith("dynagrag_")
        }
        if own:
            _check_references()
        return own


def _check_references() -> None:
    """ValueError where a line of `.env` for us takes in a variable of the environment, also by way
    of other lines: a folder that came from elsewhere would so send what it names, such as another
    program's key, to a server of its choice.
    """
    lines: dict[str, list[str]] = {}
    with open(".env", encoding="utf-8-sig") as file:
        for line in parse_stream(file):
            lines.setdefault(line.key or "", []).append(line.value or "")
    taken_in = set(os.environ) - _HARMLESS
    for name in lines:
        if name.upper() not in OTHERS_NAMES and not name.upper().startswith("DYNAGRAG_"):
            continue
        waiting, seen = [name], set[str]()
        while waiting:
            seen.add(at := waiting.pop())
            found = set[str]().union(*map(_REFERENCE.findall, lines.get(at, ())))
            if taken := sorted(found & taken_in):
                raise ValueError(
                    f"{name} in .env takes {taken[0]} from the environment; write its value there,"
                    f" or set {name} elsewhere"
                )
            waiting += found - seen


def clean_key(key: str) -> str:
    """A key without the white space around it, which files and copies bring along. ValueError,
    without the key, where it can be none.
    """
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        place = next(i for i, c in enumerate(key, start=1) if not (c.isascii() and c.isprintable()))
        raise ValueError(
            f"character {place} of {len(key)} can be in no key, since HTTP takes printable ASCII"
            " alone; set it again"
        )
    return key


def _clean_url(url: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_good = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and url.isprintable()
        )
    except ValueError:
        is_good = False
    if not is_good:
        raise ValueError(
            "it is no address of a server; write it as http://HOST:PORT/v1 or https://HOST/v1"
        )
    return url


def known_secrets() -> tuple[str, ...]:
    """Secrets that must be shown nowhere, wherever they were set: keys, tokens and passwords in the
    environment, `.env` and settings.toml, those of other programs too, and passwords in addresses
    there.
    """
    found: list[str] = []
    for values in (os.environ, _readable(_dotenv_lines), _readable(saved_settings)):
        for name, value in values.items():
            if isinstance(value, str) and value:
                found += address_secrets(value) if "://" in value else ()
                found += [value] if _NAMES_A_SECRET.search(name) else []
    found += keys_seen()
    return tuple(
        dict.fromkeys(secret for secret in found if len(secret.strip()) >= _MIN_SECRET_CHARS)
    )


def _dotenv_lines() -> Mapping[str, str | None]:
    """The lines of the `.env` of this folder; none where it is a pipe, which may never end."""
    return {} if is_irregular(Path(".env")) else dotenv_values(".env")


def _readable(read: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """A file's text, or nothing where it can't be read: the caller is about to report another
    error.
    """
    try:
        return read()
    except (OSError, ValueError, SettingsError):
        return {}


def load_settings(**overrides: Any) -> Settings:
    """Settings with the given overrides (None = not given). Raises SettingsError naming the
    setting.
    """
    values = {k: v for k, v in overrides.items() if v is not None}
    for variable in os.environ:
        is_ours = variable.startswith("DYNAGRAG_")
        if is_ours and variable[9:].lower() not in Settings.model_fields:
            names = [n.upper() for n in Settings.model_fields if n.upper() not in OTHERS_NAMES]
            known = ", ".join(f"DYNAGRAG_{name}" for name in names)
            raise SettingsError(f"unknown setting {variable} in the environment; known: {known}")
    if "_env_file" not in values and is_irregular(Path(".env")):
        raise SettingsError(f"the .env of this folder {IRREGULAR}, or start dynagrag elsewhere")
    try:
        return Settings(**values)
    except ValidationError as err:
        first = err.errors()[0]
        name = ".".join(str(p) for p in first["loc"]) or "settings"
        reason = first["msg"].removeprefix("Value error, ")
        raise SettingsError(
            f"setting {name}: {reason}; see `.env.example` for what can be set"
        ) from err
    except (OSError, ValueError) as err:
        # of the two, the one that is wrong: settings.toml by itself says so
        saved_settings()
        raise unreadable(Path(".env"), err) from err


def own_settings() -> Settings:
    """Settings without the `.env` of the current folder: the user's own word. Raises SettingsError
    as `load_settings` does.
    """
    return load_settings(_env_file=())


def where_set(name: str) -> str:
    """Where a setting's value comes from, in words: a variable of the environment, .env, the
    keyring, settings.toml, or "default".
    """
    variable = name.upper() if name.upper() in OTHERS_NAMES else f"DYNAGRAG_{name.upper()}"
    if any(key.upper() == variable for key in os.environ):
        return f"{variable} in the environment"
    if any(key.upper() == variable for key in _dotenv_lines()):
        return f"{variable} in .env"
    if name in kept_in_keyring() and read_key(name):
        return "the system's keyring"
    return "settings.toml" if name in saved_settings() else "default"


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """Sizes of passages and chunks (docs/papers.md, Extraction). `chunk_tokens` None: one passage a
    chunk.
    """

    name: str
    passage_words: int = 120
    chunk_tokens: int | None = 600
    is_small: bool = False
    max_entities: int = 40
    max_relations: int = 40
    max_reply_tokens: int = 4000


CHUNK_PROFILES: dict[str, ChunkProfile] = {
    "default": ChunkProfile("default"),
    "small": ChunkProfile(
        "small",
        passage_words=100,
        chunk_tokens=None,
        is_small=True,
        max_entities=8,
        max_relations=5,
        max_reply_tokens=700,
    ),
}
"""`small` is for local models of a few billion parameters: docs/decisions/0004-small-models.md.
"""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a question is answered: `default` (recommended: passages alone), `graph` (a few lines of
    ego-graphs above passages, in several prompts), `global` (many passages, answered part by part)
    or `paper` (DynaGRAG by the letter); docs/papers.md, Ego-graphs to Answers.
    """

    name: Literal["default", "graph", "global", "paper", "grag"]
    num_hops: int = 3
    weight: Literal["raw", "log1p", "one"] = "log1p"
    pool: Literal["separate", "joint"] = "separate"
    decay: float = 0.7
    has_hub_cut: bool = True
    max_ego_nodes: int | None = 512
    prevalence_ceiling: float | None = 0.05
    """Nodes that more than this share of the ego-graphs hold are no top nodes, the most held first,
    at most this share of the nodes.
    """
    pool_factor: int | None = 20
    has_fallback: bool = True
    num_top_nodes: int = 3
    num_subgraphs: int = 4
    level_penalty: float = 0.15
    walk_follows_pruner: bool = True
    """A walk's key has a trained pruner's score of an entity in place of the cosine."""
    walks_all: bool = False
    """A walk visits every node of an ego-graph, and lines without room in the prompt are cut by the
    pruner's scores; else it ends at the first node that has none.
    """
    has_all_summaries: bool = False
    """Nodes and relations have all their summaries, as far as the prompt has room; else two."""
    merges_all: bool = False
    """All intermediate answers that say anything are merged, the most helpful first; else those
    that cite a line or are stated by one, and the best stands in for a merge that no line states.
    """
    stops_early: bool = False
    """The first prompt is asked alone, and the others only where its answer doesn't settle the
    question (`generation.early_stop`). Where one prompt of passages is all, its best lines are such
    a first one.
    """
    subgraph_token_budget: int = 750
    judge_token_budget: int = 900
    merge_token_budget: int = 1200
    passage_ranking: Literal["bridge", "ego"] = "bridge"
    """Passages by Bridge-PPR with a prompt of their own, or those of the ego-graphs alone."""
    has_ego_graphs: bool = True
    """Whether ego-graphs have prompts; else passages have all the room."""
    graph_share: float | None = None
    """Of a prompt's room, what an ego-graph's lines have, the rest being ranked passages; None:
    what evidence leaves, at least half.
    """
    has_passages_beside: bool = False
    """Ranked passages stand in the subgraphs' own prompts, whatever retriever brings these, and
    have none of their own: what trained systems read.
    """
    num_spread: int = 0
    """Prompts of passages spread over documents and stretches, each answered for itself; 0: one
    prompt of the best.
    """
    num_dealt: int = 0
    """Prompts to which passages alone are dealt, each answered for itself; 0: one prompt of all.
    Evaluations have it.
    """

    @property
    def num_prompts(self) -> int:
        """How many prompts of `subgraph_token_budget` a question has room for: one a subgraph, and
        one of passages where they have one.
        """
        if self.num_spread:
            return self.num_spread
        has_own = self.passage_ranking == "bridge" and not self.has_passages_beside
        return self.num_subgraphs + has_own


PROFILES: dict[str, Profile] = {
    "default": Profile("default", has_ego_graphs=False),
    "graph": Profile("graph", graph_share=0.15, stops_early=True),
    "global": Profile(
        "global",
        has_ego_graphs=False,
        num_spread=8,
        subgraph_token_budget=1500,
        judge_token_budget=2000,
        merge_token_budget=3000,
    ),
    "paper": Profile(
        "paper",
        num_subgraphs=5,
        weight="raw",
        decay=1.0,
        has_hub_cut=False,
        max_ego_nodes=None,
        prevalence_ceiling=None,
        pool_factor=None,
        has_fallback=False,
        walk_follows_pruner=False,
        walks_all=True,
        has_all_summaries=True,
        merges_all=True,
        subgraph_token_budget=1500,
        judge_token_budget=3000,
        merge_token_budget=3000,
        passage_ranking="ego",
    ),
}
