"""PathQuestion and PathQuestion-Large: questions of two or three facts in a row over one knowledge
base (docs/papers.md, GraphQA).

Read, split and given their graphs as pruners' questions are (evaluation/pruning/pruning_sets.py):
by the entity that is asked about, whose ego-graph is the question's graph. Underscores and dots of
names are blanks.
"""

from pathlib import Path

from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, TextGraph
from dynagrag.evaluation.pruning.pruning_example import part_of
from dynagrag.evaluation.pruning.pruning_sets import TripleQuestion, load_pathquestion
from dynagrag.evaluation.pruning.triple_graph import Triple, TripleGraph, words
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

_TREE = TreeOptions()


def load_path_questions(data: Path, part: str) -> tuple[list[GraphQuestion], tuple[DataFile, ...]]:
    """All questions of a part (PQ-2H, PQ-3H, PQL-2H, PQL-3H). LoadError for files that are missing
    or a broken row.
    """
    found = load_pathquestion(data, part)
    graph = TripleGraph(found.triples)
    near = {
        topic: TextGraph.of_triples(map(_worded, graph.near([topic])))
        for topic in {own.topic for own in found.questions}
    }
    return [_question(own, near[own.topic]) for own in found.questions], found.files


def _question(own: TripleQuestion, graph: TextGraph) -> GraphQuestion:
    answers = tuple(dict.fromkeys(words(answer) for answer in own.answers))
    return GraphQuestion(
        id=own.id,
        question=f"Question: {own.text}\nAnswer: ",
        query=own.text,
        graph=graph,
        answers=answers,
        label="|".join(answers),
        part=part_of(own.group),
        form=AnswerForm.LIST,
        tree=_TREE,
        path=tuple(map(_worded, own.support)),
    )


def _worded(triple: Triple) -> Triple:
    head, relation, tail = map(words, triple)
    return head, relation, tail
