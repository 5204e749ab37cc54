"""What a frozen language model gains from hard prompts, soft prompts and both, on a workspace's
questions with known answers.

    python benchmarks/soft_prompt_answers.py --workspace NAME --questions FILE --kept FILE
    [--systems g-retriever,graph-token] [--no-replies] [--out FILE]

The systems must have been trained (`dynagrag train NAME --workspace NAME`). Arms: `hard`, the
language model as it is before the text; `soft:NAME`; and `bare`, the question alone. With
`--swapped` also `swapped:NAME`, the same before the same text with the graph of the question before
it: what is then lost is what the graph tells, and not what learning alone gives. Of each
question first the loss over the answer's tokens, which needs one pass, then the reply and the share
of the answer's words in it. `--kept` takes a line for each question, arm and measure, and the same
command goes on where it was stopped; what is there is reported, with paired differences from
`hard`, over questions that have all arms.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from result_lines import ResultLines
from torch.nn import functional

from dynagrag import load_settings
from dynagrag.core.schema import Question
from dynagrag.evaluation.bootstrap_intervals import intervals
from dynagrag.evaluation.qa.answer_scores import word_recall
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.citations import without_marks
from dynagrag.generation.soft_prompt.prompt_layout import lay_out
from dynagrag.generation.soft_prompt.soft_answers import soft_example, text_budget
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel
from dynagrag.generation.soft_prompt.soft_reading import soft_reading
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace, open_workspace

HARD, BARE, SWAPPED = "hard", "bare", "swapped"


@dataclass(frozen=True)
class Arm:
    """A model, and the plan whose text it reads; None: no text. `is_swapped`: its graph is another
    question's.
    """

    name: str
    model: SoftPromptModel
    plan: AnswerPlan | None
    is_swapped: bool = False


def arms_of(space: Workspace, systems: Sequence[str], has_swapped: bool) -> list[Arm]:
    """The bare model, hard prompts alone, each system, and these with another's graph."""
    soft = []
    for name in systems:
        plan = space.questions.plan(AskOptions(soft=name), None)
        assert plan.soft, "it was named"
        soft.append(Arm(f"soft:{name}", plan.soft.model, plan))
        if name == systems[0]:
            alone = plan.soft.hard_alone().model
    swapped = [
        replace(arm, name=arm.name.replace("soft", SWAPPED), is_swapped=True) for arm in soft
    ]
    first = [Arm(BARE, alone, None), Arm(HARD, alone, soft[0].plan)]
    return [*first, *soft, *(swapped if has_swapped else ())]


def examples(
    space: Workspace, arms: Sequence[Arm], row: dict[str, Any], before: dict[str, Any]
) -> Iterator[SoftExample]:
    """What each arm reads of a question, with its answer to be said. `before`: the row whose graph
    is taken where graphs are swapped.
    """
    asked = Question(row["question"], space.questions.query_vector(row["question"]))
    snapshot = space.current_graph.snapshot()
    read: dict[str, SoftExample] = {}
    for arm in arms:
        if arm.plan is None:
            yield soft_example(snapshot, asked, (), "", row["answer"])
            continue
        key = arm.plan.retriever.name
        if key not in read:
            reading = soft_reading(asked, arm.plan, text_budget(arm.model))
            subgraphs, text = reading.retrieval.subgraphs, reading.text.text
            read[key] = soft_example(snapshot, asked, subgraphs, text, row["answer"])
        if not arm.is_swapped:
            yield read[key]
            continue
        other = Question(before["question"], space.questions.query_vector(before["question"]))
        subgraphs = arm.plan.retrieve(other).subgraphs
        yield replace(read[key], graphs=soft_example(snapshot, other, subgraphs, "").graphs)


def loss(model: SoftPromptModel, example: SoftExample) -> float:
    """Of the answer's tokens, without the end."""
    model.tokens.eval()
    lm, layout = model.lm, model.options.layout
    label = lm.ids(example.label, layout.max_label)
    with torch.no_grad():
        soft = model.tokens([example])
        has_text = model.options.has_text
        laid = lay_out(lm, [example], soft, layout, has_text=has_text, has_labels=True)
        logits = lm.model(
            inputs_embeds=laid.embeddings, use_cache=False, logits_to_keep=len(label) + 2
        ).logits[0, : len(label)]
        return float(functional.cross_entropy(logits.float(), torch.tensor(label)))


def measure(
    space: Workspace, arms: Sequence[Arm], rows: Sequence[dict[str, Any]], kept: Path, what: str
) -> None:
    """Measures what isn't kept yet."""
    done = {(line["question"], line["arm"], line["what"]) for line in read_lines(kept)}
    for before, row in zip([*rows[-1:], *rows[:-1]], rows, strict=True):
        if all((row["id"], arm.name, what) in done for arm in arms):
            continue
        for arm, example in zip(arms, examples(space, arms, row, before), strict=True):
            if (row["id"], arm.name, what) in done:
                continue
            read = len(arm.model.lm.ids(arm.model.text_read(example)))
            line = {"question": row["id"], "arm": arm.name, "what": what, "tokens": read}
            if what == "loss":
                line["value"] = loss(arm.model, example)
            else:
                reply = without_marks(arm.model.replies([replace(example, label="")])[0].text)
                line |= {"reply": reply, "value": word_recall(reply, row["answer"])}
            with kept.open("a", encoding="utf-8") as handle:
                handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines that are kept."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines()]


def report(
    out: ResultLines, kept: Sequence[dict[str, Any]], arms: Sequence[str], baseline: str = HARD
) -> None:
    """Means by arm over the questions that all have, and differences from the baseline."""
    for what, scale, digits in (("loss", 1.0, 3), ("recall", 100.0, 1)):
        values = {(own["question"], own["arm"]): own for own in kept if own["what"] == what}
        asked = [
            q for q in dict.fromkeys(q for q, _ in values) if all((q, a) in values for a in arms)
        ]
        if not asked:
            continue
        columns = {arm: [values[q, arm]["value"] for q in asked] for arm in arms}
        for arm, own in intervals(columns).items():
            tokens = np.mean([values[q, arm]["tokens"] for q in asked])
            line = f"{what + ', ' + arm:<28}  {own.times(scale).text(digits=digits)}  {tokens:.0f}"
            difference = np.subtract(columns[arm], columns[baseline]).tolist()
            paired = intervals({"": difference})[""].times(scale).text(sign="+", digits=digits)
            out.line(f"{line}  {'-' if arm == baseline else paired}  {len(asked)}")


def main() -> None:
    """Measures, and reports."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--workspace", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--systems", default="g-retriever,graph-token")
    parser.add_argument("--swapped", action="store_true")
    parser.add_argument("--no-replies", action="store_true")
    parser.add_argument("--report", action="store_true", help="only report what is kept")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    systems = options.systems.split(",")
    if not options.report:
        rows = read_lines(options.questions)
        with open_workspace(options.workspace, settings=load_settings(), create=False) as space:
            arms = arms_of(space, systems, options.swapped)
            measure(space, arms, rows, options.kept, "loss")
            if not options.no_replies:
                own = [arm for arm in arms[1:] if not arm.is_swapped]
                measure(space, own, rows, options.kept, "recall")
    out, kept = ResultLines(options.out), read_lines(options.kept)
    out.line(f"# python benchmarks/soft_prompt_answers.py, {time.strftime('%Y-%m-%d')}; 95 %")
    out.line(f"{'measure, arm':<28}  mean  tokens  difference  questions")
    names = [HARD, *(f"soft:{name}" for name in systems)]
    losses = [own for own in kept if own["what"] == "loss"]
    report(out, losses, [BARE, *names])
    if options.swapped:
        for name in names[1:]:
            report(out, losses, [HARD, name, name.replace("soft", SWAPPED)], baseline=name)
    report(out, [own for own in kept if own["what"] == "recall"], names)


if __name__ == "__main__":
    main()
