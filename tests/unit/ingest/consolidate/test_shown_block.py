"""What a model sees of names: a line each, with type, longest summary and nearest names."""

from scripted_judge import record, said

from dynagrag.ingest.consolidate.guards import Name
from dynagrag.ingest.consolidate.safe_rules import SafeGroup
from dynagrag.ingest.consolidate.shown_block import distinct_names, fenced_excerpt, name_blocks


def test_a_name_is_shown_with_its_longest_summary_and_its_three_nearest_names() -> None:
    group = SafeGroup(Name("tank", "thing"), ("tank", "tanks"))
    mentions = [
        said("tank", "Short.", doc="d1"),
        said("tanks", "The longer one.", doc="d2"),
        said("fan", "Of another.", doc="d3"),
    ]
    others = ["alloy", "bolt", "crew", "crew", "duct", "duct", "duct"]
    records = [record("tank", "has", other, f"r{n}") for n, other in enumerate(others)] + [
        record("tank", "is", "tanks", "r9")
    ] * 9
    ((block,),) = [name_blocks([[group]], mentions, records, {"tank": "Tank", "crew": "Crew"})]
    assert block.names == ("Tank",)
    assert block.lines == ("Tank (thing): The longer one. | duct, Crew, alloy",)
    assert block.documents == ("d1", "d2", *(f"r{n}" for n in range(7)))


def test_names_that_look_the_same_are_numbered() -> None:
    assert distinct_names(["pump", "fan", "pump", "pump"], 60) == (
        "pump",
        "fan",
        "pump [2]",
        "pump [3]",
    )
    assert distinct_names(["pump number one", "pump number two"], 8) == ("pump nu…", "pump nu… [2]")


def test_an_excerpt_is_one_line_without_angle_brackets_and_as_long_as_it_may_be() -> None:
    assert fenced_excerpt("a <b>\n c", 60) == "a ‹b› c"
    assert fenced_excerpt("12345", 5) == "12345"
    assert fenced_excerpt("123 56", 5) == "123…"


def test_each_part_of_a_line_is_cut_at_a_length_of_its_own() -> None:
    group = SafeGroup(Name("k", "t" * 99), ("k",))
    mentions = [said("k", "s" * 99)]
    ((block),) = name_blocks(
        [[group]], mentions, [record("k", "has", "n")], {"k": "K" * 99, "n": "N" * 99}
    )
    name, type_, summary, neighbour = "K" * 59, "t" * 19, "s" * 69, "N" * 23
    assert block.lines == (f"{name}… ({type_}…): {summary}… | {neighbour}…",)
    assert block.text == block.lines[0]


def test_a_name_of_which_nothing_is_known_is_shown_alone_and_lines_follow_the_groups() -> None:
    groups = [SafeGroup(Name(key), (key,)) for key in ("b", "a", "c")]
    surfaces = {"a": "Same", "b": "Same", "c": "C"}
    mentions = [
        said("a", "First one.", doc="d2"),
        said("a", "Other one.", doc="d1"),
        said("b", doc="d3"),
    ]
    block, other = name_blocks([groups[:2], groups[2:]], mentions, [], surfaces)
    assert block.names == ("Same", "Same [2]")
    assert block.lines == ("Same", "Same [2]: First one.")  # equally long: the alphabetically first
    assert block.text == "Same\nSame [2]: First one."
    assert block.documents == ("d1", "d2", "d3")
    assert (other.lines, other.documents) == (("C",), ())
