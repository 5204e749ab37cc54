"""True sentences of three workspaces, and false ones made of them, asked as claims beside the lines
of other questions: how many are found by the search of the whole workspace, and what it costs.

    python benchmarks/claim_search.py --data FOLDER [--claims 200] [--out FILE]

The demo's transcripts, a QMSum meeting and a LoCoMo conversation (`--data`: the folder of the
published sets), embedded by the default embedder. A true claim is a sentence as it stands, as its
speaker said, or lightly reworded; a false one has one thing changed. The lines that a claim is
checked against first are those of another sentence, so that none of them states it.
"""

import argparse
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from citations import make_workspaces
from result_lines import ResultLines

from dynagrag import load_settings, wiring
from dynagrag.core.schema import CheckedClaim, Verdict
from dynagrag.evaluation.citations.claim_sets import LabelledClaim
from dynagrag.evaluation.citations.workspace_claims import workspace_claims
from dynagrag.generation.claims.answer_claims import WrittenFrom, final_claims
from dynagrag.generation.claims.claim_search import ClaimSearch
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.facade import Workspace, open_workspace

SEED = 0
Row = tuple[LabelledClaim, CheckedClaim, CheckedClaim, float]
_FAR = 6
"""Claims between one and the one whose lines it is asked beside."""


def asked_beside_others(space: Workspace, claims: list[LabelledClaim]) -> list[Row]:
    """Each claim, checked without the search and with it, and the seconds that the search took."""
    snapshot = space.current_graph.snapshot()
    passages, embedder = PassageScores(snapshot), wiring.make_embedder(space.settings)
    rows = []
    for i, claim in enumerate(claims):
        others = claims[(i + _FAR) % len(claims)].claim.lines
        lines = {f"E{n}": line for n, line in enumerate(others, start=1)}
        text = WrittenFrom(claim.claim.text, lines)
        (without, *_) = final_claims(text, RulesChecker(), ()).claims or (None,)
        if without is None:
            continue  # a sentence of which the split makes no claim
        began = time.process_time()
        search = ClaimSearch(passages, embedder, {})
        (found, *_) = final_claims(text, RulesChecker(), (), search).claims
        rows.append((claim, without, found, time.process_time() - began))
    return rows


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--claims", type=int, default=200, help="true ones, of all workspaces")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    settings = load_settings()
    say = ResultLines(options.out).line
    say(
        f"# benchmarks/claim_search.py, {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores of a"
        f" shared {platform.system()} {platform.machine()} machine, Python"
        f" {platform.python_version()}; checked by rules; seed {SEED}"
    )
    names = list(make_workspaces(settings, options.data))
    names = [name for name in names if not name.endswith("-13")]
    share = -(-options.claims // len(names))
    all_rows: list[Row] = []
    for name in names:
        with open_workspace(name, settings=settings, create=False) as space:
            with space.store.reading():
                found = workspace_claims(space.store, name, 4 * share, SEED)
            true = [claim for claim in found.claims if claim.is_true][:share]
            false = [claim for claim in found.claims if not claim.is_true][:share]
            rows = asked_beside_others(space, [*true, *false])
            report(say, f"{name}, {len(space.current_graph.snapshot().passages)} passages", rows)
            all_rows += rows
    report(say, "all", all_rows)


def report(say: Callable[[str], None], name: str, rows: Sequence[Row]) -> None:
    """Shares of true and false claims by verdict, without the search and with it."""
    say("")
    say(f"{name}:")
    for is_true in (True, False):
        own = [row for row in rows if row[0].is_true is is_true]
        for how, place in (("without the search", 1), ("with it", 2)):
            counts = Counter(row[place].verdict for row in own)
            shares = ", ".join(
                f"{verdict.value} {100 * counts[verdict] / len(own):.1f} %"
                for verdict in Verdict
                if counts[verdict]
            )
            say(f"  {len(own)} {'true' if is_true else 'false'} claims, {how}: {shares}")
    kinds = sorted({row[0].kind for row in rows if row[0].is_true})
    for kind in kinds:
        own = [row for row in rows if row[0].kind == kind]
        num = sum(row[2].verdict is Verdict.STATED for row in own)
        say(f"  {kind}: {num} of {len(own)} found")
    seconds = sorted(row[3] for row in rows)
    say(f"  CPU time of a claim with the search: median {1000 * seconds[len(seconds) // 2]:.1f} ms")


if __name__ == "__main__":
    main()
