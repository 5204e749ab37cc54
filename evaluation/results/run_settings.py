"""What a run was made with: whatever changes one of its lines. A run is only gone on with where all
of it is the same.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run, in the order in which run.json has them.

    `llm`: the model that split the questions, None without one. `extractor` None: the workspace was
    there. `graph`: its digest. `files`: the hash of each file that was read. `asked`: one hash of
    all questions, `questions` their number. `depth`: passages asked of each arm. `seed`: of the
    intervals. `prompts`: whether the arms wrote prompts. `pruner`: the hash of the weights of the
    arm `gcn`. `RunFolder.begin` adds what all runs have.
    """

    dataset: str
    half: str
    scopes: tuple[str, ...]
    questions: int
    measure: str
    arms: tuple[str, ...]
    baseline: str
    extractor: str | None
    llm: str | None
    embedder: str
    workspace: str
    passages: int
    entities: int
    relations: int
    graph: str
    files: Mapping[str, str]
    asked: str
    depth: int
    seed: int
    profiles: Mapping[str, Mapping[str, Any]]
    prompts: bool = False
    pruner: str = ""

    def to_json(self) -> dict[str, Any]:
        """As run.json holds it: without `llm` and `pruner` where there was none, and without
        `prompts` where none were written.
        """
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in ("llm", "prompts", "pruner") or value
        }
