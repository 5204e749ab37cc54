"""Which options change anything for what answers a question, as a table: a row for each option and
each reason why it would do nothing.

What a user names for a question is refused where it would do nothing; a setting, which holds for
every question, is only told. So are choices that need a language model where there is none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dynagrag import wiring
from dynagrag.config.settings import PROFILES, Profile, Settings, where_set
from dynagrag.core.errors import UsageError
from dynagrag.generation.soft_prompt.soft_answers import SoftSystem
from dynagrag.registry.choices import chosen
from dynagrag.registry.retrievers import DYNAGRAG
from dynagrag.registry.traversals import TRAVERSALS

if TYPE_CHECKING:
    from dynagrag.workspace.asking import AskOptions

NEEDS_MODEL = "that needs a language model"
"""The end of each sentence about a choice that does nothing without one."""


@dataclass(frozen=True, slots=True)
class WayToAnswer:
    """What answers a question: a retriever under a profile, or a trained system, `soft`, with those
    of its own. `named`: the retriever as the question names it, `has_model`: whether there is a
    language model.
    """

    retriever: str
    profile: Profile
    named: str | None = None
    soft: SoftSystem | None = None
    has_model: bool = True

    @property
    def brings_subgraphs(self) -> bool:
        """Whether subgraphs are retrieved, which a pruner scores."""
        return wiring.brings_subgraphs(self.retriever, self.profile)

    @property
    def reads_subgraphs(self) -> bool:
        """Whether subgraphs are put into words, which a traversal orders."""
        has_text = self.soft is None or self.soft.parts.has_text
        return has_text and self.brings_subgraphs


@dataclass(frozen=True, slots=True)
class OptionUse:
    """A row: an option, and why it may do nothing.

    Attributes:
        option: As the command line has it.
        field: Of `AskOptions`.
        reason: Why it would do nothing, in a clause, and how it would do something; empty where it
        does.
        is_refused: Whether it is refused where it is named for a question; else it is told.
        setting: Of `Settings`, which stands in where no question names one; empty for none.
    """

    option: str
    field: str
    reason: Callable[[WayToAnswer], str]
    is_refused: bool = True
    setting: str = ""

    def is_named(self, options: "AskOptions") -> bool:
        """Whether the options of the question name it."""
        return getattr(options, self.field) not in (None, False)

    def set_in(self, settings: Settings) -> str:
        """Where a setting stands in for the option; empty where none does."""
        if not self.setting:
            return ""
        default = Settings.model_fields[self.setting].default
        return "" if getattr(settings, self.setting) == default else where_set(self.setting)


def _of_soft(option: str) -> Callable[[WayToAnswer], str]:
    def reason(way: WayToAnswer) -> str:
        return (
            f"a trained system (--soft) retrieves by itself; leave out {option}" if way.soft else ""
        )

    return reason


def _plain_retriever(way: WayToAnswer) -> str:
    if way.soft or way.profile.name != "graph" or way.brings_subgraphs:
        return ""
    return (
        f"profile graph answers as default does, since retriever {way.retriever} brings no"
        " ego-graphs; leave out --retriever"
    )


def _no_ego_graphs(way: WayToAnswer) -> str:
    if way.soft or way.named != DYNAGRAG or way.profile.has_ego_graphs:
        return ""
    return (
        f"profile {way.profile.name} reads no ego-graphs, so its passages are those of bridge-ppr;"
        " for ego-graphs take --profile graph"
    )


def _subgraphs_unread(way: WayToAnswer) -> str:
    if way.soft or way.brings_subgraphs:
        return ""
    others = [name for name, own in PROFILES.items() if wiring.brings_subgraphs(way.retriever, own)]
    if not others:
        return ""
    return (
        f"profile {way.profile.name} reads passages alone, and no subgraphs of retriever"
        f" {way.retriever}; take --profile {' or '.join(others)}"
    )


def _no_subgraphs(what: str) -> Callable[[WayToAnswer], str]:
    def reason(way: WayToAnswer) -> str:
        if way.reads_subgraphs:
            return ""
        if way.soft:
            return f"the trained system reads no text of subgraphs, which {what}; leave it out"
        return (
            f"no subgraphs are read under profile {way.profile.name} with retriever"
            f" {way.retriever}, which {what}; leave it out, or take --profile graph"
        )

    return reason


def _asked_whole(way: WayToAnswer) -> str:
    if way.soft:
        return "a trained system reads a question whole; leave out --split-question, or --soft"
    if wiring.can_split(way.retriever, way.profile):
        return ""
    return (
        "a question can be split for dynagrag, dynagrag-cosine (profile graph) and bridge-ppr, not"
        f" for {way.retriever} under the profile {way.profile.name}"
    )


def _without_model(what: str) -> Callable[[WayToAnswer], str]:
    def reason(way: WayToAnswer) -> str:
        return "" if way.has_model or way.soft else f"it {what}: {NEEDS_MODEL}"

    return reason


def _parts_without_model(way: WayToAnswer) -> str:
    what = "writes an answer from parts of all the sources"
    return _without_model(what)(way) if way.profile.num_spread else ""


def _graph_without_model(way: WayToAnswer) -> str:
    what = "shows the lines of default, and puts ego-graphs (--trace) into an answer's prompts"
    is_graph = way.profile.name == "graph" and way.brings_subgraphs
    return _without_model(what)(way) if is_graph else ""


OPTION_USES = (
    OptionUse("--profile", "profile", _of_soft("--profile"), setting="profile"),
    OptionUse("--profile", "profile", _graph_without_model, is_refused=False, setting="profile"),
    OptionUse("--profile", "profile", _plain_retriever, is_refused=False, setting="profile"),
    OptionUse("--profile", "profile", _parts_without_model, is_refused=False, setting="profile"),
    OptionUse("--retriever", "retriever", _of_soft("--retriever")),
    OptionUse("--retriever", "retriever", _no_ego_graphs, is_refused=False),
    OptionUse("--retriever", "retriever", _subgraphs_unread),
    OptionUse("--traversal", "traversal", _no_subgraphs("a traversal orders")),
    OptionUse("--pruner", "pruner", _no_subgraphs("a pruner scores"), setting="pruner"),
    OptionUse("--split-question", "is_split", _asked_whole),
    OptionUse(
        "--strict",
        "is_strict",
        _without_model("leaves out of a written answer what no line states"),
        is_refused=False,
    ),
    OptionUse(
        "--max-calls", "max_calls", _without_model("limits a model's calls"), is_refused=False
    ),
)
"""Filters, the embedder, the store, the reranker and the checker do something under every profile,
and so have no row.
"""


def changes_something(field: str, way: WayToAnswer) -> bool:
    """Whether an option of that field changes anything."""
    return not any(row.reason(way) for row in OPTION_USES if row.field == field)


def without_unused(options: "AskOptions", way: WayToAnswer) -> "AskOptions":
    """The options without those that would change nothing and be refused."""
    unread = {row.field for row in OPTION_USES if row.is_refused and row.reason(way)}
    default = type(options)()
    return replace(options, **{name: getattr(default, name) for name in unread})


def unused(options: "AskOptions", settings: Settings, way: WayToAnswer) -> Iterator[str]:
    """A sentence for each choice that changes nothing and isn't refused. UsageError for one that
    is.
    """
    if options.traversal is not None:
        chosen("traversal", options.traversal, TRAVERSALS)  # what is none is refused as that
    for row in OPTION_USES:
        reason = row.reason(way)
        if not reason:
            continue
        if row.is_named(options):
            value = getattr(options, row.field)
            named = row.option if value is True else f"{row.option} {value}"
            if row.is_refused:
                raise UsageError(f"{named} would change nothing: {reason}")
            yield f"{named} changes nothing: {reason}"
        elif where := row.set_in(settings):
            yield f"the setting {row.setting} ({where}) changes nothing here: {reason}"
