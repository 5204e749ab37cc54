"""An answer on a page: what the app offers is what the command line does."""

from dynagrag import wiring
from dynagrag.ui.ask.answer_view import RETRIEVERS


def test_the_app_offers_every_retriever() -> None:
    assert sorted(RETRIEVERS) == sorted(wiring.RETRIEVERS)
