"""SceneGraphs: questions about an image, of which only its scene graph is given (G-Retriever,
section 4; GQA).

    scene_graphs*.jsonl[.gz]            an image a line, as in GQA's sceneGraphs.json: image_id, and
                                        objects by id, each with name, attributes, x, y, w, h and
                                        relations (name, object)
    scene_graph_questions*.jsonl[.gz]   q_id, image_id, question, answer

Rows whose `answer_rule` is guess or none are left out: nobody stated their answer. Images are split
as the authors split theirs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.graphqa.graph_question import (
    AnswerForm,
    GraphQuestion,
    Part,
    TextGraph,
    shuffled_parts,
)
from dynagrag.evaluation.question_sets.json_rows import SUFFIXES, Row, read_rows
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

_TREE = TreeOptions(num_nodes=3, num_edges=3, cost=1.0)
_SEED = 42
_GUESSED = ("guess", "none")


def load_scene_graphs(data: Path) -> tuple[list[GraphQuestion], tuple[DataFile, ...], Counter[str]]:
    """All questions whose answer is known, the files, and how many rows were left out, by reason.
    LoadError for what is missing or broken.
    """
    images, graph_files = _rows(data, "scene_graphs")
    graphs = {row.id("image_id"): _graph(row) for row in images}
    rows, asked_files = _rows(data, "scene_graph_questions")
    parts = parts_of_images([row.id("image_id") for row in rows])
    left_out: Counter[str] = Counter()
    questions = []
    for row in rows:
        if row.values.get("answer_rule") in _GUESSED:
            left_out["rows whose answer is guessed or unknown"] += 1
            continue
        image = row.id("image_id")
        if image not in graphs:
            raise LoadError(
                f"{row.place}: there is no scene graph of the image {image!r}; add it to"
                " scene_graphs.jsonl"
            )
        questions.append(_question(row, graphs[image], parts[image]))
    return questions, (*graph_files, *asked_files), left_out


def parts_of_images(asked_of: Sequence[str]) -> dict[str, Part]:
    """The split of each image: as G-Retriever's code has it, in an order of chance of the images in
    the order of their questions, cut as ExplaGraphs' rows are.
    """
    images = list(dict.fromkeys(asked_of))
    order = np.random.RandomState(_SEED).permutation(len(images))
    return dict(zip((images[number] for number in order), shuffled_parts(len(images)), strict=True))


def _rows(data: Path, stem: str) -> tuple[list[Row], tuple[DataFile, ...]]:
    found = sorted(
        {
            path
            for folder in (data, data / "graphqa")
            for suffix in SUFFIXES
            for path in folder.glob(f"{stem}*{suffix}")
        }
    )
    if not found:
        raise LoadError(f"no {stem}*.jsonl[.gz] in {data} or its graphqa/; see --data")
    read = [read_rows(path) for path in found]
    return [row for rows, _ in read for row in rows], tuple(file for _, file in read)


def _question(row: Row, graph: TextGraph, part: Part) -> GraphQuestion:
    asked, answer = row.text("question"), row.text("answer")
    prompt = f"Question: {asked}\n\nAnswer:"
    return GraphQuestion(
        row.id("q_id"), prompt, asked, graph, (answer,), answer, part, AnswerForm.SHORT, _TREE
    )


def _graph(row: Row) -> TextGraph:
    objects = row.values.get("objects")
    if not isinstance(objects, dict) or not all(isinstance(own, dict) for own in objects.values()):
        raise LoadError(
            f"{row.place}: 'objects' must be an object by id, each with name, attributes, x, y, w,"
            " h and relations"
        )
    number = {id_: i for i, id_ in enumerate(objects)}
    edges = []
    for id_, own in objects.items():
        for relation in _list(row, own, "relations"):
            if (
                not isinstance(relation, dict)
                or not isinstance(relation.get("name"), str)
                or relation.get("object") not in number
            ):
                raise LoadError(
                    f"{row.place}: a relation of object {id_} must have a name and the id of an"
                    " object of the image"
                )
            edges.append((number[id_], relation["name"], number[relation["object"]]))
    return TextGraph(tuple(_node_text(row, id_, own) for id_, own in objects.items()), tuple(edges))


def _node_text(row: Row, id_: str, own: Mapping[str, Any]) -> str:
    """`name: man; attribute: tall, old; (x,y,w,h): (0, 1, 20, 30)`, the middle only where there are
    attributes.
    """
    box = tuple(own.get(side) for side in "xywh")
    if not isinstance(own.get("name"), str) or not all(isinstance(side, int) for side in box):
        raise LoadError(
            f"{row.place}: the object {id_} must have a name and whole numbers x, y, w and h"
        )
    attributes = ", ".join(map(str, _list(row, own, "attributes")))
    return "; ".join(
        [
            f"name: {own['name']}",
            *([f"attribute: {attributes}"] if attributes else []),
            f"(x,y,w,h): {box}",
        ]
    )


def _list(row: Row, own: Mapping[str, Any], name: str) -> list[Any]:
    value = own.get(name) or []
    if not isinstance(value, list):
        raise LoadError(f"{row.place}: {name!r} of an object must be a list")
    return value
