"""A sample of a graph's things and relations for readers who don't know where each is from: what of
it would a reader take for a thing, or for what the quote says?

Writes to OUT things.tsv (id, thing, quote), relations.tsv (id, subject, label, object, quote), both
shuffled, and key.tsv (id, corpus, how it was drawn, weight, what made it), which readers don't see.
Of each corpus half of the things are drawn uniformly and half by weight, its relations uniformly;
speakers are left out, since labels name them. The quote is one drawn of those that it was taken
from. A corpus is a published set or a folder of transcripts. Without an embedder.

With --judged, counts what readers wrote instead: files of lines "id<TAB>verdict" for the ids of
key.tsv, the verdict of a thing "thing" or "not", of a relation "relation" (the quote says it),
"empty" (it says nothing) or "wrong"; shares of "thing" and "relation" by corpus and kind, and how
far two readers agree (Cohen's kappa, of all verdicts).

Usage: python benchmarks/blind_sample.py CORPUS ... --data FOLDER --out FOLDER [--seed N]
       [--extractor spacy|fast] [--things 200] [--relations 100] [--judged FILE FILE]
"""

import argparse
import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from dynagrag import IngestOptions, load_settings
from dynagrag.core.schema import Entity, Flag, Mention, MentionKind
from dynagrag.evaluation.question_sets.published_sets import LOADERS, load_set
from dynagrag.evaluation.retrieval.evaluated_workspace import open_evaluated
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.fakes import FakeEmbedder
from dynagrag.workspace.facade import Workspace, open_workspace

COMPOUNDS = ("is a", "of")
GOOD = ("thing", "relation")


def main() -> None:
    """Draws a sample, or counts what readers made of one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="*", help="names of published sets, or folders")
    parser.add_argument("--data", type=Path, help="folder of the published sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--extractor", default="spacy")
    parser.add_argument("--things", type=int, default=200)
    parser.add_argument("--relations", type=int, default=100)
    parser.add_argument("--judged", type=Path, nargs="+")
    chosen = parser.parse_args()
    if chosen.judged:
        count(chosen.out, chosen.judged)
        return
    chosen.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(chosen.seed)
    things: list[list[str]] = []
    relations: list[list[str]] = []
    for corpus in chosen.corpora:
        with opened(corpus, chosen.data, chosen.extractor) as space:
            per_corpus = len(chosen.corpora)
            things += drawn_things(space, corpus, chosen.things // per_corpus, rng)
            relations += drawn_relations(space, corpus, chosen.relations // per_corpus, rng)
    key: list[list[str]] = []
    heads = (("thing", "quote"), ("subject", "label", "object", "quote"))
    for name, head, rows in zip(("things", "relations"), heads, (things, relations), strict=True):
        rng.shuffle(rows)
        shown = []
        for n, row in enumerate(rows, 1):
            id_ = f"{name[0]}{n:03}"
            shown.append([id_, *row[: len(head)]])
            key.append([id_, *row[len(head) :]])
        write(chosen.out / f"{name}.tsv", ("id", *head), shown)
    write(chosen.out / "key.tsv", ("id", "corpus", "drawn", "weight", "kind"), key)


@contextmanager
def opened(corpus: str, data: Path | None, extractor: str) -> Iterator[Workspace]:
    """The graph of a published set or a folder, made where it isn't there."""
    settings, embedder = load_settings(), FakeEmbedder()
    if corpus in LOADERS:
        options = EvaluateOptions(dataset=corpus, data=data, extractor=extractor)
        assert data is not None, "--data lacks"
        loaded = load_set(corpus, data)
        with open_evaluated(settings, options, loaded, lambda *_: None, embedder) as evaluated:
            yield evaluated.space
        return
    name = f"blind-{extractor}-{Path(corpus).name}"
    with open_workspace(name, settings=settings, embedder=embedder) as space:
        space.ingest([corpus], IngestOptions(extractor=extractor))
        yield space


def drawn_things(space: Workspace, corpus: str, num: int, rng: random.Random) -> list[list[str]]:
    """Rows of (thing, quote, corpus, drawn, weight, kind)."""
    mentions: dict[str, list[Mention]] = defaultdict(list)
    for mention in space.store.mentions():
        if mention.kind is MentionKind.SAID and Flag.CONTENT_WORD not in mention.flags:
            mentions[mention.key].append(mention)
    text_of = {document.id: document.text for document in space.store.documents()}
    pool = {
        entity: said
        for entity in space.store.graph().entities
        if not entity.is_speaker and (said := [m for key in entity.keys for m in mentions[key]])
    }
    left = list(pool)
    uniform = rng.sample(left, num // 2)
    left = [entity for entity in left if entity not in set(uniform)]
    heavy: list[Entity] = []
    while len(heavy) < num - num // 2:
        one = rng.choices(left, [entity.weight for entity in left])[0]
        heavy.append(one)
        left.remove(one)
    rows = []
    for drawn, entities in (("uniform", uniform), ("weight", heavy)):
        for entity in entities:
            one = rng.choice(pool[entity])
            quote = text_of[one.document_id][one.chunk_start : one.chunk_end]
            kind = "talked about" if Flag.TALKED_ABOUT in one.flags else "name"
            rows.append([entity.name, quote, corpus, drawn, str(entity.weight), kind])
    return rows


def drawn_relations(space: Workspace, corpus: str, num: int, rng: random.Random) -> list[list[str]]:
    """Rows of (subject, label, object, quote, corpus, drawn, weight, kind)."""
    graph = space.store.graph()
    name_of = {entity.id: entity.name for entity in graph.entities}
    text_of = {document.id: document.text for document in space.store.documents()}
    rows = []
    for relation in rng.sample(graph.relations, num):
        (record,) = space.store.records_of([rng.choice(relation.record_ids)])
        quote = text_of[record.document_id][record.quote_start : record.quote_end]
        ends = (name_of[relation.head], relation.label, name_of[relation.tail])
        kind = relation.label if relation.label in (*COMPOUNDS, "mentioned with") else "clause"
        rows.append([*ends, quote, corpus, "uniform", str(relation.weight), kind])
    return rows


def count(folder: Path, judged: Sequence[Path]) -> None:
    """Prints each reader's shares of good verdicts, and how far two agree."""
    key = {row["id"]: row for row in read(folder / "key.tsv")}
    verdicts = []
    for path in judged:
        lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        said = {line[0]: line[1].strip().lower() for line in lines if line[0] in key}
        verdicts.append(said)
    for what, letter in (("things", "t"), ("relations", "r")):
        ids = [id_ for id_ in key if id_.startswith(letter)]
        parts = {"all": ids} | {
            f"{field} {value}": [id_ for id_ in ids if key[id_][field] == value]
            for field in ("corpus", "drawn", "kind")
            for value in sorted({key[id_][field] for id_ in ids})
        }
        for part, own in parts.items():
            shares = [f"{share(said, own):5.1f}" for said in verdicts]
            print(f"{what:<10} {part:<28} {len(own):>4}  {'  '.join(shares)}")
        for (a, first), (b, second) in combinations(enumerate(verdicts, 1), 2):
            both = [id_ for id_ in ids if id_ in first and id_ in second]
            print(f"{what}: readers {a} and {b}: {agreement(first, second, both)}")


def share(said: dict[str, str], ids: Sequence[str]) -> float:
    """Good ones among those that were judged, in points."""
    judged = [said[id_] in GOOD for id_ in ids if id_ in said]
    return 100 * sum(judged) / max(1, len(judged))


def agreement(first: dict[str, str], second: dict[str, str], ids: Sequence[str]) -> str:
    """The share on which two agree, and Cohen's kappa."""
    num = max(1, len(ids))
    same = sum(first[id_] == second[id_] for id_ in ids) / num
    by_first, by_second = (Counter(said[id_] for id_ in ids) for said in (first, second))
    chance = sum(count * by_second[verdict] for verdict, count in by_first.items()) / num**2
    kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
    both = sum(first[id_] in GOOD and second[id_] in GOOD for id_ in ids) / num
    return (
        f"{len(ids)} judged by both, same {100 * same:.1f} %, kappa {kappa:.2f}; good to both"
        f" {100 * both:.1f} %"
    )


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a file that `write` wrote."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def write(path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A file of columns, each field in one line."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        out = csv.writer(handle, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None)
        out.writerow(head)
        out.writerows([" ".join(field.split()) for field in row] for row in rows)


if __name__ == "__main__":
    main()
