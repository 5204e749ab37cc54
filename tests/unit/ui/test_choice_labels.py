"""Choices that are called alike are told apart."""

from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import Document
from dynagrag.ui.choice_labels import document_labels, unique_labels


@given(st.dictionaries(st.integers(), st.sampled_from(["a", "a (2)", "a (3)", "b", ""])))
def test_no_two_labels_are_alike_and_each_begins_with_its_name(names: dict[int, str]) -> None:
    labels = unique_labels(names)
    assert list(labels) == list(names)
    assert len(set(labels.values())) == len(names)
    assert all(labels[key].startswith(name) for key, name in names.items())


def test_documents_of_one_title_are_told_by_their_files() -> None:
    def document(number: int, title: str, uri: str) -> Document:
        return Document(str(number), "w", title, uri, "", "", {})

    made = [
        document(1, "Board", "/a/may.vtt"),
        document(2, "Board", "/a/june.vtt"),
        document(3, "Board", "/b/june.vtt"),
    ]
    assert list(document_labels(made).values()) == [
        "Board · may.vtt",
        "Board · june.vtt",
        "Board · june.vtt (2)",
    ]
    assert document_labels(made[:1]) == {"1": "Board"}
    assert len(document_labels([document(4, "x" * 10_000, "a")])["4"]) == 120
