"""Terms of texts and questions, each in the language of its document."""

from dynagrag.core.schema import Document
from dynagrag.retrieval.terms import TermReader

GERMAN = "Wir haben die Häuser am Kanal gekauft, und die Nachbarn waren sehr froh darüber."
ENGLISH = "We have bought the houses beside the river, and they are going to die out slowly."


def reader(*texts: str, **meta: str) -> TermReader:
    documents = [
        Document(f"d{n}", "w", "Talk", "/talk", "s", text, meta) for n, text in enumerate(texts)
    ]
    return TermReader({document.id: document for document in documents})


def test_another_form_of_a_word_is_found_by_its_stem_in_the_documents_language() -> None:
    terms = reader(GERMAN)
    shared = set(terms.of_text(GERMAN, "d0")) & set(terms.of_question("Wem gehört das Haus?"))
    assert shared == {"~haus"}


def test_function_words_of_a_language_are_no_terms() -> None:
    assert reader(GERMAN).of_text("Und die haben das", "d0") == []
    assert reader(ENGLISH).of_text("And they have that", "d0") == []


def test_function_words_of_the_question_are_no_terms_in_other_languages() -> None:
    terms = reader(GERMAN, ENGLISH)
    asked = terms.of_question("Wer waren die Nachbarn am Kanal?")
    assert "die" not in asked
    assert "die" in terms.of_text("They die out", "d1")
    assert {"nachbarn", "kanal"} <= set(asked)


def test_a_person_may_name_the_language() -> None:
    assert "die" in reader(GERMAN, language="en").of_text("die", "d0")
