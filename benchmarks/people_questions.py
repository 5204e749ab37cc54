"""QMSum's questions, which people asked, as a file for a workspace of its meetings: benchmarks/people_questions.py --data FOLDER --out FILE

Each line has `question`, `answer` and `turns`, for `dynagrag train pruner` and `evaluate pruner` with --workspace and --questions: of the
workspace that `dynagrag evaluate retrieval --dataset qmsum --data FOLDER --scope corpus` made in HOME/evaluation/workspaces.
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
    chosen = parser.parse_args()
    lines = []
    for question in load_answer_set("qmsum", chosen.data, chosen.part).questions:
        if question.gold.spans and question.answer:
            turns = [
                {"document": f"qmsum#{1 + int(span.document)}", "first": span.first, "last": span.last} for span in question.gold.spans
            ]
            lines.append({"question": question.text, "answer": question.answer.texts[0], "turns": turns})
    chosen.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} questions: {chosen.out}")


if __name__ == "__main__":
    main()
