"""What a run was made with, as run.json holds it: folders of earlier runs must open and be gone on
with.
"""

import json
from dataclasses import replace
from pathlib import Path

from dynagrag.evaluation.results.run_folder import RunFolder
from dynagrag.evaluation.results.run_settings import RunSettings

SETTINGS = RunSettings(
    dataset="musique",
    half="all",
    scopes=("corpus",),
    questions=6,
    measure="recall@5",
    arms=("default", "naive"),
    baseline="naive",
    extractor="fast",
    llm=None,
    embedder="fake (32 dimensions)",
    workspace="musique-fast-698dee7f3155",
    passages=12,
    entities=18,
    relations=12,
    graph="7ad6",
    files={"musique_questions.jsonl": "8ea0"},
    asked="5b4e",
    depth=100,
    seed=0,
    profiles={"default": {"name": "default", "decay": 0.7}},
)
MADE_WITH = SETTINGS.to_json() | {"resamples": 10_000, "dynagrag": "0.1.0"}
KEPT = """{
 "format": 1,
 "begun": "2026-11-22T19:34:58+00:00",
 "settings": {
  "dataset": "musique",
  "half": "all",
  "scopes": [
   "corpus"
  ],
  "questions": 6,
  "measure": "recall@5",
  "arms": [
   "default",
   "naive"
  ],
  "baseline": "naive",
  "extractor": "fast",
  "embedder": "fake (32 dimensions)",
  "workspace": "musique-fast-698dee7f3155",
  "passages": 12,
  "entities": 18,
  "relations": 12,
  "graph": "7ad6",
  "files": {
   "musique_questions.jsonl": "8ea0"
  },
  "asked": "5b4e",
  "depth": 100,
  "seed": 0,
  "resamples": 10000,
  "profiles": {
   "default": {
    "name": "default",
    "decay": 0.7
   }
  },
  "dynagrag": "0.1.0"
 },
 "versions": {
  "python": "3.11.7"
 }
}"""


def test_a_run_is_written_as_earlier_ones_were(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", MADE_WITH, {"python": "3.11.7"})
    written, kept = (
        json.loads(text)
        for text in ((tmp_path / "run" / "run.json").read_text(encoding="utf-8"), KEPT)
    )
    assert written | {"begun": ""} == kept | {"begun": ""}


def test_an_earlier_run_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(KEPT, encoding="utf-8")
    assert RunFolder.is_unfinished(tmp_path, MADE_WITH)
    assert RunFolder.open(tmp_path, MADE_WITH, {}).settings == MADE_WITH | {
        "scopes": ["corpus"],
        "arms": ["default", "naive"],
    }


def test_a_model_that_split_the_questions_stands_behind_the_extractor() -> None:
    assert "llm" not in SETTINGS.to_json()
    names = list(replace(SETTINGS, llm="openai:fake temperature=0").to_json())
    assert names[names.index("extractor") + 1] == "llm"
