"""An evaluation of checkers from its options to its folder: each checks every claim, and what it
found out is written down as it comes.

Runs lie in HOME/evaluation/runs; the replies of a model in HOME/evaluation/citations, so that no
claim is asked about twice.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    CutOffReplyError,
    InvalidReplyError,
    ModelUnavailableError,
    SettingsError,
    UsageError,
)
from dynagrag.core.protocols import Asker, ClaimChecker
from dynagrag.core.schema import ClaimCheck, Verdict
from dynagrag.evaluation.batches import FailedInARow, in_batches
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.citations.checker_scores import Checked, checker_scores, difference
from dynagrag.evaluation.citations.checking_cost import CheckingCost, CountingAsker, checking_cost
from dynagrag.evaluation.citations.citation_folder import CheckLine, CitationRun, lines_by_checker
from dynagrag.evaluation.citations.citation_report import render_citation_report
from dynagrag.evaluation.citations.claim_sets import (
    GOLD,
    WICE,
    ClaimSet,
    LabelledClaim,
    load_gold,
    load_pairs,
    load_wice,
)
from dynagrag.evaluation.citations.workspace_claims import MAX_CLAIMS, workspace_claims
from dynagrag.evaluation.results.run_folder import check_folder
from dynagrag.ingest.pipeline import Progress
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.facade import open_workspace

_JOURNAL = Path("evaluation") / "citations"
MakeChecker = Callable[[str, Asker | None, Settings], ClaimChecker]


@dataclass(frozen=True, slots=True)
class CitationOptions:
    """What to check, one of the three: a `dataset` by name (wice from the folder `data`), a file of
    `pairs`, lines of a `workspace`.

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
    on_cost: Callable[[str, CheckingCost], None] | None = None,
    make: MakeChecker = wiring.make_checker,
) -> tuple[CitationRun, dict[str, Any]]:
    """Runs an evaluation, or resumes one; the run's folder and its summary.

    `on_cost` is told what each checker that asks a model will cost, before it asks. Raises
    UsageError, SettingsError and LoadError for what was given wrong, before anything is checked;
    StoppedRunError on Ctrl-C; ModelError and BudgetError when going on makes no sense.
    """
    options = replace(
        options,
        checkers=tuple(dict.fromkeys(_without_auto(spec, settings) for spec in options.checkers)),
    )
    _check(settings, options)
    claims = _load(settings, options)
    with ExitStack() as stack:
        chat, journal = _open_chat(settings, options, stack)
        checkers = {spec: make(spec, chat, settings) for spec in options.checkers}
        made_with = _made_with(claims, options, chat)
        run = CitationRun.begin(settings.home, f"citations-{claims.name}", made_with, options.out)
        with run.asking(len(claims.claims) * len(checkers)):
            work = _Work(run, claims, settings, chat, journal, progress or (lambda *_: None))
            for spec, checker in checkers.items():
                if (
                    on_cost
                    and chat is not None
                    and wiring.asks_model(spec)
                    and (left := work.left(spec))
                ):
                    asker = CountingAsker()
                    on_cost(
                        spec,
                        checking_cost(
                            make(wiring.without_weights(spec), asker, settings),
                            asker,
                            (c.claim for c in left),
                            settings,
                        ),
                    )
                work.check(spec, checker)
            summary = _summary(run, claims, options)
            run.finish(summary, claims)
            run.write_report(render_citation_report(run))
    return run, summary


def _without_auto(spec: str, settings: Settings) -> str:
    """The checker that answers use with the model of the settings, which is not started for
    that.
    """
    return wiring.chosen_checker(
        spec, wiring.make_chat_model(settings) if spec == wiring.AUTO else None
    )


def _check(settings: Settings, options: CitationOptions) -> None:
    if sum(given is not None for given in (options.dataset, options.pairs, options.workspace)) != 1:
        raise UsageError(
            "name what to check, one of: --dataset gold, --dataset wice --data FOLDER, --pairs"
            " FILE, --workspace NAME"
        )
    if options.dataset not in (None, GOLD, WICE):
        raise UsageError(f"unknown data set {options.dataset!r}; known: {GOLD}, {WICE}")
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


def _load(settings: Settings, options: CitationOptions) -> ClaimSet:
    if options.pairs is not None:
        found = load_pairs(options.pairs)
    elif options.dataset == GOLD:
        found = load_gold()
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
    return ClaimSet(found.name, found.claims[: options.limit], found.files, found.notes)


def _open_chat(
    settings: Settings, options: CitationOptions, stack: ExitStack
) -> tuple[MeteredChat | None, Journal | None]:
    """The model of the settings with cache, ledger and budget, and its journal; None where no
    checker asks it.
    """
    model = (
        wiring.make_chat_model(settings)
        if any(wiring.asks_model(spec) for spec in options.checkers)
        else None
    )
    if model is None:
        return None, None
    stack.callback(model.close)
    journal = wiring.make_journal(settings.home / _JOURNAL)
    stack.callback(journal.close)
    return (
        wiring.make_metered(model, journal, "evaluate-citations", options.max_calls, None),
        journal,
    )


def _made_with(
    claims: ClaimSet, options: CitationOptions, chat: MeteredChat | None
) -> dict[str, Any]:
    return {
        "dataset": claims.name,
        "claims": len(claims.claims),
        "checkers": list(options.checkers),
        "llm": chat.model.identity if chat else None,
        "files": {file.name: file.sha256 for file in claims.files},
        "asked": claims.digest,
        "seed": options.seed,
    }


@dataclass(frozen=True, slots=True)
class _Work:
    """What is left to check in a run."""

    run: CitationRun
    claims: ClaimSet
    settings: Settings
    chat: MeteredChat | None
    journal: Journal | None
    progress: Progress

    def left(self, spec: str) -> list[LabelledClaim]:
        """The claims that this checker has not checked, or not without an error."""
        lines = lines_by_checker(self.run.lines()).get(spec, {})
        done = {id_ for id_, line in lines.items() if not line.error}
        return [claim for claim in self.claims.claims if claim.id not in done]

    def check(self, spec: str, checker: ClaimChecker) -> None:
        """Checks what is left, as many claims at once as the model takes calls, and writes down
        what was found out.
        """
        left, total = self.left(spec), len(self.claims.claims)
        if left and not wiring.asks_model(spec):
            checker.check([left[0].claim])  # what is built or loaded once is, before it counts
        failed = FailedInARow()
        for done, lines in _checked(spec, checker, left, self._num_at_once(spec), self.journal):
            self.run.append(lines)
            for line in lines:
                if failed.are_enough(bool(line.error)):
                    raise ModelUnavailableError(
                        f"the last {failed.num} claims that {spec} checks failed: {line.error}"
                    )
            self.progress(f"check ({spec})", total - len(left) + done, total)

    def _num_at_once(self, spec: str) -> int:
        is_remote_alone = wiring.asks_model(spec) and wiring.without_weights(spec) == spec
        return (
            wiring.concurrency_of(self.chat.model, self.settings)
            if self.chat is not None and is_remote_alone
            else 1
        )


def _checked(
    spec: str,
    checker: ClaimChecker,
    claims: Sequence[LabelledClaim],
    num_at_once: int,
    journal: Journal | None,
) -> Iterator[tuple[int, list[CheckLine]]]:
    """(How many are done, the lines of the last few). A reply from the cache counts with the time
    that it took when it was made.
    """
    done, before = 0, journal.cached_seconds() if journal else 0.0
    for lines in in_batches(claims, partial(_line, spec, checker), num_at_once):
        done += len(lines)
        after = journal.cached_seconds() if journal else 0.0
        if more := 1000 * (after - before) / len(lines):
            lines = [line.model_copy(update={"ms": round(line.ms + more, 3)}) for line in lines]
        before = after
        yield done, lines


def _line(spec: str, checker: ClaimChecker, claim: LabelledClaim) -> CheckLine:
    """What the checker found out; a reply that can't be read is an error of this claim alone, which
    then counts as not found.
    """
    begun = time.perf_counter()
    try:
        check = checker.check([claim.claim])[0]
    except (InvalidReplyError, CutOffReplyError) as err:
        check = ClaimCheck(Verdict.NOT_FOUND, note=str(err))
    return CheckLine.of(spec, claim.id, check, 1000 * (time.perf_counter() - begun))


def _summary(run: CitationRun, claims: ClaimSet, options: CitationOptions) -> dict[str, Any]:
    """What `--json` prints."""
    lines = lines_by_checker(run.lines())
    checked = {
        spec: [
            Checked(claim, own.check(), own.ms)
            for claim in claims.claims
            for own in [lines[spec][claim.id]]
        ]
        for spec in options.checkers
    }
    scores = {spec: checker_scores(own, options.seed) for spec, own in checked.items()}
    for spec, own in scores.items():
        own["errors"] = sum(bool(line.error) for line in lines[spec].values())
    baseline = options.checkers[0]
    against = {
        spec: difference(checked[spec], checked[baseline], options.seed)
        for spec in options.checkers[1:]
        if scores[spec]["balanced"] is not None
    }
    return {
        "dataset": claims.name,
        "claims": len(claims.claims),
        "checkers": scores,
        "baseline": baseline,
        "differences": against,
        "seed": options.seed,
        "notes": dict(claims.notes),
        "run": str(run.path),
    }
