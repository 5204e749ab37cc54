"""An evaluation of checkers: each checks every claim, and what it found out is written down as it
comes.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import CutOffReplyError, InvalidReplyError, SettingsError, UsageError
from dynagrag.core.protocols import Asker, ClaimChecker
from dynagrag.core.schema import ClaimCheck, Verdict
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.citations.checker_scores import Checked, checker_scores, difference
from dynagrag.evaluation.citations.checking_cost import CountingAsker, checking_cost
from dynagrag.evaluation.citations.citation_report import (
    CLAIMS,
    CheckLine,
    CitationResult,
    CitationRun,
    known_claim,
)
from dynagrag.evaluation.citations.claim_sets import (
    GOLD,
    SHORT,
    WICE,
    ClaimSet,
    LabelledClaim,
    load_by_hand,
    load_pairs,
    load_wice,
)
from dynagrag.evaluation.citations.workspace_claims import MAX_CLAIMS, workspace_claims
from dynagrag.evaluation.frame.experiment import ItemExperiment, ItemTrial, Keep, Watch
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import MeteredModel, metered_model, run_experiment
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.reply_room import typical_thoughts
from dynagrag.workspace.facade import open_workspace

MakeChecker = Callable[[str, Asker | None, Settings], ClaimChecker]


@dataclass(frozen=True, slots=True)
class CitationOptions:
    """Claims to check, one of the three: a `dataset` by name (wice from the folder `data`), a file
    of `pairs`, lines of a `workspace`.

    `checkers`: specs such as `rules` or `rules+model`; the others are compared with the first.
    `limit`: so many claims at most.
    """

    dataset: str | None = None
    data: Path | None = None
    pairs: Path | None = None
    workspace: str | None = None
    checkers: tuple[str, ...] = ("rules",)
    limit: int | None = None
    seed: int = SEED
    out: Path | None = None
    max_calls: int | None = None


def evaluate_citations(
    settings: Settings,
    options: CitationOptions,
    progress: Progress | None = None,
    on_cost: Callable[[str, object], None] | None = None,
    make: MakeChecker = wiring.make_checker,
) -> tuple[CitationRun, CitationResult]:
    """Runs an evaluation, or resumes one; the run and its result.

    `on_cost` is told what each checker that asks a model will cost, before it asks. Raises
    UsageError, SettingsError and LoadError for what was given wrong, before anything is checked;
    StoppedRunError on Ctrl-C; ModelError and BudgetError when going on makes no sense.
    """
    # `auto` is the checker that answers use with the model of the settings, which isn't started
    # for that
    named = (
        wiring.chosen_checker(
            spec, wiring.make_chat_model(settings) if spec == wiring.AUTO else None
        )
        for spec in options.checkers
    )
    options = replace(options, checkers=tuple(dict.fromkeys(named)))
    _check(settings, options)
    if options.pairs is not None:
        found = load_pairs(options.pairs)
    elif options.dataset in (GOLD, SHORT):
        found = load_by_hand(options.dataset)
    elif options.dataset is not None and options.data is not None:
        found = load_wice(options.data)
    else:
        with (
            open_workspace(options.workspace, settings=settings, create=False) as space,
            space.store.reading(),
        ):
            found = workspace_claims(
                space.store, space.name, options.limit or MAX_CLAIMS, options.seed
            )
    claims = ClaimSet(found.name, found.claims[: options.limit], found.files, found.notes)
    asks_model = any(wiring.asks_model(spec) for spec in options.checkers)
    opened = metered_model(settings, "citations", options.max_calls)
    with opened if asks_model else nullcontext() as metered:
        experiment = CitationExperiment(claims, options, settings, metered, make)
        return run_experiment(experiment, settings.home, options.out, Watch(progress, on_cost))


class CitationExperiment(ItemExperiment[LabelledClaim, CheckLine, CitationResult, CitationRun]):
    """Checkers as arms, claims as items."""

    run_kind = CitationRun

    def __init__(
        self,
        claims: ClaimSet,
        options: CitationOptions,
        settings: Settings,
        metered: MeteredModel | None,
        make: MakeChecker,
    ) -> None:
        self.name = f"citations-{claims.name}"
        self.items, self.arms = claims.claims, options.checkers
        self._claims, self._options, self._settings = claims, options, settings
        self._metered, self._make = metered, make
        chat = metered.chat if metered else None
        self._checkers: Mapping[str, ClaimChecker] = {
            spec: make(spec, chat, settings) for spec in options.checkers
        }

    def made_with(self) -> Mapping[str, JsonValue]:
        """The claims, the checkers and their model."""
        return {
            "dataset": self._claims.name,
            "claims": len(self.items),
            "checkers": list(self.arms),
            "llm": self._metered.model.identity if self._metered else None,
            "files": {file.name: file.sha256 for file in self._claims.files},
            "asked": self._claims.digest,
            "seed": self._options.seed,
        }

    def stage(self, trial: ItemTrial[LabelledClaim]) -> str:
        """Checkers are followed one by one."""
        return f"check ({trial.arm})"

    def estimate(self, arm: str, items: Sequence[LabelledClaim]) -> object | None:
        """The cost of a checker that asks a model."""
        if self._metered is None or not wiring.asks_model(arm):
            return None
        asker = CountingAsker(typical_thoughts(self._metered.model))
        counting = self._make(wiring.without_weights(arm), asker, self._settings)
        return checking_cost(counting, asker, (item.claim for item in items), self._settings)

    def warm_up(self, arm: str, item: LabelledClaim) -> None:
        """Builds and loads what is made once, before time counts."""
        if not wiring.asks_model(arm):
            self._checkers[arm].check([item.claim])

    def num_at_once(self, arm: str) -> int:
        """As many as the model takes calls, where nothing but the model checks."""
        is_remote_alone = wiring.asks_model(arm) and wiring.without_weights(arm) == arm
        return (
            wiring.concurrency_of(self._metered.model, self._settings)
            if self._metered and is_remote_alone
            else 1
        )

    def measure_all(
        self, left: Sequence[ItemTrial[LabelledClaim]], keep: Keep[CheckLine], watch: Watch
    ) -> None:
        """A reply from the cache counts with the time that it took when it was made."""
        before = self._cached_seconds()

        def keep_with_cached(lines: Sequence[CheckLine]) -> None:
            nonlocal before
            after = self._cached_seconds()
            more = 1000 * (after - before) / len(lines)
            before = after
            keep([own.model_copy(update={"ms": round(own.ms + more, 3)}) for own in lines])

        super().measure_all(left, keep_with_cached, watch)

    def _cached_seconds(self) -> float:
        return self._metered.journal.cached_seconds() if self._metered else 0.0

    def measure(self, item: LabelledClaim, arm: str) -> CheckLine:
        """The checker's finding; a reply that can't be read is an error of this claim alone, which
        then counts as not checked.
        """
        begun = time.perf_counter()
        try:
            check = self._checkers[arm].check([item.claim])[0]
        except (InvalidReplyError, CutOffReplyError) as err:
            check = ClaimCheck(Verdict.NOT_CHECKED, note=str(err))
        return CheckLine.of(arm, item.id, check, 1000 * (time.perf_counter() - begun))

    def summarize(self, lines: Sequence[CheckLine], path: Path) -> CitationResult:
        """The figures of each checker, and its difference from the first."""
        claims, seed = {claim.id: claim for claim in self.items}, self._options.seed
        checked: dict[str, list[Checked]] = {spec: [] for spec in self.arms}
        errors = Counter[str]()
        for line in lines:
            checked[line.checker].append(Checked(claims[line.claim], line.check(), line.ms))
            errors[line.checker] += bool(line.error)
        scores = {
            spec: checker_scores(own, seed, errors=errors[spec]) for spec, own in checked.items()
        }
        baseline, *others = self.arms
        return CitationResult(
            dataset=self._claims.name,
            claims=len(claims),
            checkers=scores,
            baseline=baseline,
            differences={
                spec: difference(checked[spec], checked[baseline], seed)
                for spec in others
                if scores[spec].balanced is not None
            },
            seed=seed,
            notes=dict(self._claims.notes),
            run=str(path),
        )

    def write_rows(self, run: CitationRun, result: CitationResult) -> None:
        """The claims with the lines that matter."""
        named: dict[str, set[int]] = {}
        for line in run.lines():
            named.setdefault(line.claim, set()).update(line.rows)
        run.write_rows(
            CLAIMS, [known_claim(claim, named.get(claim.id, set())) for claim in self.items]
        )


def _check(settings: Settings, options: CitationOptions) -> None:
    if sum(given is not None for given in (options.dataset, options.pairs, options.workspace)) != 1:
        raise UsageError(
            "name what to check, one of: --dataset gold, --dataset short, --dataset wice --data"
            " FOLDER, --pairs FILE, --workspace NAME"
        )
    if options.dataset not in (None, GOLD, SHORT, WICE):
        raise UsageError(f"unknown data set {options.dataset!r}; known: {GOLD}, {SHORT}, {WICE}")
    if options.dataset == WICE and options.data is None:
        raise UsageError(
            f"say where {options.dataset} lies: --data FOLDER, the folder that holds citations/"
        )
    if not options.checkers:
        raise UsageError("name a checker, e.g. --checker rules")
    if any(wiring.asks_model(spec) for spec in options.checkers) and not settings.llm:
        raise SettingsError(
            "the checker `model` asks a language model: name one with --llm, e.g. --llm qwen, or"
            " take --checker rules"
        )
    if options.out is not None:
        check_folder(options.out)
