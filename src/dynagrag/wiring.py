"""Chooses the implementations that a workspace uses: settings and words of the command line in,
objects behind the protocols out. What there is to choose from stands in `registry/`.
"""

import re
from dataclasses import replace
from pathlib import Path

from dynagrag.config.settings import CHUNK_PROFILES, PROFILES, ChunkProfile, Profile, Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.files.private_files import close_to_others
from dynagrag.core.protocols import (
    Asker,
    ChatModel,
    ClaimChecker,
    Embedder,
    Extractor,
    Pruner,
    Reranker,
    Retriever,
    Traversal,
)
from dynagrag.core.schema import Snapshot
from dynagrag.generation.claims.combined_checker import CombinedChecker
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.models.known_models import CATALOG
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.registry.checkers import CHECKERS
from dynagrag.registry.choices import chosen, chosen_with_place
from dynagrag.registry.extractors import EXTRACTORS, ExtractorChoice
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import (
    BRIDGE_PPR,
    DYNAGRAG,
    RETRIEVERS,
    MakeIndex,
    of_profile,
)
from dynagrag.registry.traversals import TRAVERSALS
from dynagrag.retrieval.passages import PassageScores

JOURNAL_FILE = "journal.sqlite"
"""The journal's file in a workspace's folder."""


def make_journal(folder: Path) -> Journal:
    """The workspace's own journal: reply cache, ledger, set-aside list, jobs. Others are shut out
    of the folder first.
    """
    close_to_others(folder)
    return Journal(folder / JOURNAL_FILE)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings."""
    return open_embedder(settings.embedder, settings)


def make_chat_model(settings: Settings) -> ChatModel | None:
    """The language model of the settings; None where none is configured."""
    return open_chat_model(settings.llm, settings) if settings.llm else None


def make_metered(
    model: ChatModel,
    journal: Journal,
    workspace: str,
    max_calls: int | None,
    max_tokens: int | None,
) -> MeteredChat:
    """A model with cache, ledger, budget and repair around it."""
    budget = None if max_calls is None and max_tokens is None else Budget(max_calls, max_tokens)
    return MeteredChat(model, journal, workspace=workspace, budget=budget)


def make_chunk_profile(name: str | None, model: ChatModel | None) -> ChunkProfile:
    """The sizes asked for; by default `small` for small local models."""
    if name is None:
        name = "small" if model is not None and model.is_small else "default"
    if name not in CHUNK_PROFILES:
        raise UsageError(f"unknown chunk profile {name!r}; known: {', '.join(CHUNK_PROFILES)}")
    return CHUNK_PROFILES[name]


def concurrency_of(model: ChatModel | None, settings: Settings) -> int:
    """Calls at once: one for a model on this machine, which answers one at a time anyway."""
    return 1 if runs_here(model) else settings.max_concurrency


def runs_here(model: ChatModel | None) -> bool:
    """Whether a model runs in this process, so that a call costs nothing but time."""
    return model is not None and (
        model.name in CATALOG or model.name.startswith(("gguf:", "local:"))
    )


def make_profile(name: str, chat: Asker | ChatModel | None = None) -> Profile:
    """The answering profile asked for; under `default` a small model, which runs where time is
    short, first looks at the best lines alone.
    """
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    profile = PROFILES[name]
    looks_first = name == "default" and chat is not None and chat.is_small
    return replace(profile, stops_early=True) if looks_first else profile


def extractor_choice(kind: str) -> ExtractorChoice:
    """An extractor's description before it is made."""
    return chosen_with_place("extractor", kind, EXTRACTORS)[0]


def make_extractor(
    kind: str,
    chat: MeteredChat | None,
    model: ChatModel | None,
    profile: ChunkProfile,
    options: ExtractionOptions,
    settings: Settings,
) -> Extractor:
    """The extractor asked for."""
    max_concurrency = concurrency_of(model, settings)
    row, place = chosen_with_place("extractor", kind, EXTRACTORS)
    return row.make(place, chat, model, profile, options, max_concurrency)


def make_retriever(
    name: str, snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
) -> Retriever:
    """The retriever asked for; the ego-graph index is made only for those that use it. Under a
    profile that has passages beside subgraphs, Bridge-PPR ranks these.
    """

    def make(name: str) -> Retriever:
        return chosen("retriever", name, RETRIEVERS).make(snapshot, profile, passages, make_index)

    if not profile.has_passages_beside:
        return make(name)
    from dynagrag.retrieval.union_search import PassagesBesideSubgraphs

    return PassagesBesideSubgraphs(make(BRIDGE_PPR), make(name))


def retriever_name(name: str | None, profile: Profile) -> str:
    """The retriever asked for; by default, and for `dynagrag`, which had that name under every
    profile, the profile's own.
    """
    return of_profile(profile) if name in (None, DYNAGRAG) else str(name)


def can_split(retriever: str, profile: Profile) -> bool:
    """Whether a retriever ranks passages by the steps of a question that was split too."""
    return chosen("retriever", retriever, RETRIEVERS).reads_steps(profile)


def brings_subgraphs(retriever: str, profile: Profile) -> bool:
    """Whether a retriever brings subgraphs, which a pruner scores."""
    return chosen("retriever", retriever, RETRIEVERS).brings_subgraphs(profile)


def make_traversal(name: str, profile: Profile) -> Traversal:
    """The traversal asked for."""
    return chosen("traversal", name, TRAVERSALS).make(profile)


def make_reranker(settings: Settings) -> Reranker | None:
    """The reranker of the settings; None where there is none. SettingsError for a path that holds
    no model; its weights are loaded at the first use.
    """
    if not settings.reranker:
        return None
    from dynagrag.models.cross_encoder import CrossEncoder

    return CrossEncoder(settings.reranker, settings)


def make_pruner(name: str = "prior") -> Pruner:
    """The untrained pruner asked for."""
    return chosen("pruner", name, PRUNERS).make()


AUTO = "auto"
"""Rules, and a language model that is not small: docs/decisions/0015-claims.md."""
_NEXT_CHECKER = re.compile(rf"\+(?=(?:{'|'.join(CHECKERS)})(?:[+:]|$))")


def chosen_checker(spec: str, chat: Asker | ChatModel | None) -> str:
    """The names behind `auto`: the rules, and a language model where there is one that isn't
    small.
    """
    return spec if spec != AUTO else "rules" if chat is None or chat.is_small else "rules+model"


def asks_model(spec: str) -> bool:
    """Whether a checker, which isn't `auto`, asks the language model."""
    return any(
        (choice := CHECKERS.get(name.partition(":")[0])) and choice.needs_model
        for name in _NEXT_CHECKER.split(spec)
    )


def without_weights(spec: str) -> str:
    """The same checker without its parts that load a model of their own: it asks the language model
    as often.
    """
    names = _NEXT_CHECKER.split(spec)
    return "+".join(
        name
        for name in names
        if not ((choice := CHECKERS.get(name.partition(":")[0])) and choice.needs_weights)
    )


def make_checker(spec: str, chat: Asker | None, settings: Settings) -> ClaimChecker:
    """The checker of claims asked for: names of `CHECKERS` with + between them, or `auto`, the best
    that was measured for what is there.

    Raises UsageError for a name that is none, SettingsError where a model is missing.
    """
    names = _NEXT_CHECKER.split(chosen_checker(spec, chat))
    if len(set(names)) < len(names):
        raise UsageError(f"checker {spec!r} names one twice; name each once, with + between them")
    made: list[ClaimChecker] = []
    for part in names:
        row, place = chosen_with_place("checker", part, CHECKERS)
        made.append(row.make(place, chat, settings))
    return made[0] if len(made) == 1 else CombinedChecker(made)
