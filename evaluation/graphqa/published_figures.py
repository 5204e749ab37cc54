"""What papers print for GraphQA, in percent, with whose figures they are. Models and splits differ from ours: see each note."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of a paper: accuracy of ExplaGraphs, with a Llama 2 7B, on the authors' 554 test rows."""

    value: float
    source: str


_G, _GRAG = "G-Retriever, table 3", "GRAG, table 2"
PUBLISHED: Mapping[str, Mapping[str, tuple[Published, ...]]] = {
    "explagraphs": {
        "majority": (Published(58.84, "326 of the 554 test rows"),),
        "zero-shot": (Published(56.50, _G),),
        "prompt-tuning": (Published(57.63, _G),),
        "graph-token": (Published(85.08, _G),),
        "g-retriever": (Published(85.16, _G), Published(88.25, _GRAG)),
        "grag": (Published(92.23, _GRAG),),
    }
}
