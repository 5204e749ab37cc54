"""Figures that papers printed: each figure with its model, rows and scorer, and beside a run those
of its kind alone.
"""

from dynagrag.evaluation.graphqa.published_figures import published_beside, published_of


def test_figures_of_papers_name_their_measure_and_source() -> None:
    figures = published_of("webqsp")["g-retriever"]
    assert [own.value for own in figures if own.metric == "hit"] == [
        70.49,
        68.08,
        75.58,
        60.5,
        62.05,
    ]
    assert all(own.model and own.split and own.scorer for own in figures)
    assert {own.metric for own in published_of("explagraphs")["dense"]} == {"accuracy"}
    assert published_of("scenegraphs")["cot-bag"][0].value == 56.8
    for dataset, metric, value in (
        ("explagraphs", "accuracy", 89.0),
        ("scenegraphs", "accuracy", 83.6),
        ("webqsp", "hit", 87.1),
    ):
        assert [(own.metric, own.value) for own in published_of(dataset)["toporag"]] == [
            (metric, value)
        ]
    assert not published_of("pathquestion")


def test_beside_a_run_stand_the_figures_of_its_model_and_training_alone() -> None:
    def values(dataset: str, system: str, lm: str, trained_on: str | None = None) -> list[float]:
        return [
            own.value
            for own in published_beside(dataset, system, lm, trained_on)
            if own.metric in ("hit", "accuracy")
        ]

    assert values("webqsp", "g-retriever", "meta-llama/Llama-2-13b-hf", "webqsp") == [75.58]
    assert 75.58 not in values("webqsp", "g-retriever", "meta-llama/Llama-2-7b-hf", "webqsp")
    assert values("webqsp", "grag-lora", "meta-llama/Llama-2-7b-hf", "webqsp") == [72.75]
    assert values("webqsp", "grag-lora", "smollm2", "explagraphs") == [42.37]
    assert values("explagraphs", "grag", "smollm2", "webqsp") == [45.40]
    assert values("explagraphs", "g-retriever", "smollm2", "webqsp") == [], "nobody printed that"
    assert values("explagraphs", "zero-shot", "meta-llama/Llama-2-13b-chat-hf") == [33.57]
    assert values("explagraphs", "zero-shot", "meta-llama/Llama-2-7b-chat-hf") == [56.5, 33.94], (
        "LLM only reads the graph's text"
    )
    assert values("explagraphs", "grag", "vicuna-13b", "explagraphs") == []
    assert (
        values("webqsp", "zero-shot without retrieval", "tiny")
        == values("webqsp", "zero-shot", "tiny")
        == [41.06, 41.48]
    )
    assert values("webqsp", "g-retriever without retrieval", "tiny") == [63.84]


def test_twenty_ego_graphs_are_the_papers_and_k_has_figures_of_its_own() -> None:
    as_published = published_beside("webqsp", "grag", "llama-2-7b", None)
    assert published_beside("webqsp", "grag with ego graphs 20", "llama-2-7b", None) == as_published
    assert not published_beside("webqsp", "grag with ego graphs 15", "llama-2-7b", None)
    (of_ten,) = published_beside(
        "webqsp", "g-retriever with top nodes 10, top edges 10", "llama-2-7b", None
    )
    assert (of_ten.value, of_ten.source) == (72.48, "G-Retriever, table 10")
