"""How well consolidation joins the names of one entity, on the eight Ditto sets and the lists of
aliases, without a model: one table.

Runs `dynagrag evaluate entities` for each set, in this process, with the embedder of the settings.
"by cosine" joins whatever reaches a cosine, at the threshold that is best for that set, as far as
the guards let it: what vectors alone could do, told the answer.

With --rules only the rules' own figures are made, without vectors: a minute for all sets, with a
glossary where one is named.

Usage: python benchmarks/entities.py DATA_FOLDER [SET ...] [--with-summaries] [--rules
[--glossary=FILE]]
"""

import os
import platform
import sys
import time
from pathlib import Path

from dynagrag import load_settings
from dynagrag.evaluation.entities.entity_resolution import EntityResult, evaluate_entities
from dynagrag.evaluation.entities.entity_run import run_entities
from dynagrag.evaluation.entities.entity_sets import load_entity_set
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.load.glossary_file import GlossaryFile, read_glossary_file

SETS = (
    "ditto-Structured_Fodors-Zagats",
    "ditto-Structured_DBLP-ACM",
    "ditto-Structured_Beer",
    "ditto-Structured_iTunes-Amazon",
    "ditto-Structured_Amazon-Google",
    "ditto-Textual_Abt-Buy",
    "ditto-Dirty_DBLP-ACM",
    "ditto-Dirty_iTunes-Amazon",
    "apollo13-aliases",
    "spacelog-aliases",
)
HEAD = (
    f"{'set':<26} {'keys':>6} {'pairs':>7} {'pos.':>5} | {'recall':>6} {'guards':>6} {'other':>5}"
    f" {'compared':>8} {'calls':>5} | {'P':>5} {'R':>5} {'F1':>5} {'B3 F1':>5} | {'best':>4}"
    f" {'P':>5} {'R':>5} {'F1':>5} {'B3 F1':>5}"
)
LEGEND = """
recall: blocking recall, the share of the positive pairs with one key, joined by a rule, or in one
block; guards / other: positive pairs missed because a guard tells them apart (numbers and letters,
mostly) / for another reason; compared: pairs of names in blocks; calls: what a model would be
asked. P, R, F1: of the labelled pairs, by the rules alone, then by the cosine at the threshold that
is best for the set. B3: B-cubed over all items; pairs that a Ditto set doesn't label count as
different.
""".strip()


def row(report: EntityResult) -> str:
    """A set's line of the table."""
    blocking, rules = report.blocking, report.without_model
    guarded = sum(m.reason.startswith("guard") for m in report.missed)
    best = max(report.thresholds, key=lambda r: (r.joined_by_cosine.pair.f1, -r.cosine))
    by_cosine = best.joined_by_cosine
    name = report.dataset.removeprefix("ditto_").removesuffix("_valid")
    return (
        f"{name:<26} {report.num_keys:>6,} {report.num_pairs:>7,} {report.num_positives:>5,} |"
        f" {blocking.recall:>6.3f} {guarded:>6} {len(report.missed) - guarded:>5}"
        f" {blocking.num_compared:>8,} {blocking.num_calls:>5} | {rules.pair.precision:>5.3f}"
        f" {rules.pair.recall:>5.3f} {rules.pair.f1:>5.3f} {rules.cluster.f1:>5.3f} |"
        f" {best.cosine:>4.2f} {by_cosine.pair.precision:>5.3f} {by_cosine.pair.recall:>5.3f}"
        f" {by_cosine.pair.f1:>5.3f} {by_cosine.cluster.f1:>5.3f}"
    )


RULES_HEAD = (
    f"{'set':<26} {'P':>5} {'R':>5} {'F1':>5} {'B3 F1':>5} | without homonyms: {'pairs':>6}"
    f" {'P':>5} {'R':>5} {'F1':>5}\nhomonym: a name that the set has, letter for letter, for two"
    " things; no method that goes by names can tell these"
)


def rules_row(dataset: str, data: Path, has_summaries: bool, glossaries: list[GlossaryFile]) -> str:
    """A set's line by the rules alone."""
    report = evaluate_entities(
        load_entity_set(dataset, data),
        FakeEmbedder(),
        has_summaries=has_summaries,
        glossaries=glossaries,
        thresholds=(),
    )
    pair, telling, cluster = (
        report.without_model.pair,
        report.without_model.telling,
        report.without_model.cluster,
    )
    return (
        f"{dataset.removeprefix('ditto-'):<26} {pair.precision:>5.3f} {pair.recall:>5.3f}"
        f" {pair.f1:>5.3f} {cluster.f1:>5.3f} | {'':<17} {report.num_telling:>6,}"
        f" {telling.precision:>5.3f} {telling.recall:>5.3f} {telling.f1:>5.3f}"
    )


def rules_table(argv: list[str], data: Path, sets: list[str]) -> None:
    """Prints the figures of the rules alone."""
    files = [
        read_glossary_file(Path(a.partition("=")[2])) for a in argv if a.startswith("--glossary=")
    ]
    has_summaries = "--with-summaries" in argv
    names = (
        "names with the other columns as summary, which are searched for definitions"
        if has_summaries
        else "bare names"
    )
    print(
        f"# benchmarks/entities.py --rules, {time.strftime('%Y-%m-%d')}; {names}; glossary:"
        f" {', '.join(f.name for f in files) or 'none'}"
    )
    print(RULES_HEAD)
    for dataset in sets or SETS:
        print(rules_row(dataset, data, has_summaries, files), flush=True)


def main(argv: list[str]) -> None:
    """Prints the table."""
    has_summaries = "--with-summaries" in argv
    data, *sets = [a for a in argv if not a.startswith("--")]
    if "--rules" in argv:
        rules_table(argv, Path(data), sets)
        return
    settings = load_settings()
    machine = (
        f"{os.cpu_count()} cores of a shared {platform.system()} {platform.machine()} machine,"
        f" Python {platform.python_version()}"
    )
    names = (
        "names with the other columns as summary"
        if has_summaries
        else "bare names, the first column"
    )
    print(
        f"# benchmarks/entities.py, {time.strftime('%Y-%m-%d')}, {machine}; embedder"
        f" {settings.embedder}; {names}; no model"
    )
    print(f"{'':<26} {'':>6} {'':>7} {'':>5} | {'blocking':<34} | {'rules alone':<23} | by cosine")
    print(HEAD)
    for dataset in sets or SETS:
        _, result = run_entities(
            dataset, Path(data), settings.model_copy(update={"llm": None}), has_summaries
        )
        print(row(result), flush=True)
    print(LEGEND)


if __name__ == "__main__":
    main(sys.argv[1:])
