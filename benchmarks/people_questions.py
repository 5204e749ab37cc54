"""QMSum's questions, which people asked, as a file for a workspace of its meetings:
benchmarks/people_questions.py --data FOLDER --out FILE

Each line has `question`, `answer` and `turns`, for `dynagrag train pruner` and `evaluate pruner`
with --workspace and --questions: of the workspace that `dynagrag evaluate retrieval --dataset qmsum
--data FOLDER --scope corpus` made in HOME/evaluation/workspaces.
"""

import argparse
import json
from pathlib import Path

from dynagrag.evaluation.question_sets.answer_sets import load_answer_set


def main() -> None:
    """Writes the questions that name their turns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="folder that holds transcript_qa/")
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines to write")
    parser.add_argument("--part", help="of QMSum: train_25")
    parser.add_argument(
        "--splits",
        type=Path,
        help=(
            "file of questions of the workspace, whose documents keep the splits that they have"
            " there"
        ),
    )
    chosen = parser.parse_args()
    lines, split_of = [], splits_of(chosen.splits) if chosen.splits else {}
    for question in load_answer_set("qmsum", chosen.data, chosen.part).questions:
        if question.gold.spans and question.answer:
            turns = [
                {
                    "document": f"qmsum#{1 + int(span.document)}",
                    "first": span.first,
                    "last": span.last,
                }
                for span in question.gold.spans
            ]
            line = {"question": question.text, "answer": question.answer.texts[0], "turns": turns}
            lines.append(
                line
                | (
                    {"split": split_of[document]}
                    if (document := turns[0]["document"]) in split_of
                    else {}
                )
            )
    chosen.out.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    print(f"{len(lines)} questions: {chosen.out}")


def splits_of(path: Path) -> dict[object, str]:
    """Document -> the split of the questions about it."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {turn["document"]: row["split"] for row in rows for turn in row.get("turns", ())}


if __name__ == "__main__":
    main()
