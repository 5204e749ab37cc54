"""`dynagrag ingest --extractor fast` as a user has it: what it says of texts that its rules don't fit, and of records of older rules."""

from typing import Any

import pytest

from dynagrag.fakes.server import OpenAIStubServer
from dynagrag.ingest.extract.fast_extractor import FastExtractor

TALK = "\n\n".join(
    f"{who}: {words}" for who, words in [("Anna", "We told Houston of Python 3.11."), ("Leo", "Then Houston asked Jim.")] * 3
)
GERMAN = (
    "Das Auto steht vor dem Haus und der Hund schläft auf dem Sofa, aber die Bank ist nicht mit dem Preis für das Auto einverstanden. " * 4
)
PLAIN = "so we will look at the tank and see what it does to the crew and if it is low then we will have to go home early and look at it. "


@pytest.fixture(autouse=True)
def embedder(server: OpenAIStubServer) -> None:
    """Vectors come from the fake server."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GERMAN, "1 document with nouns in capitals (German)"),
        (PLAIN.upper() * 9, "1 document all in capitals"),
        (PLAIN * 9, "1 document without capitals"),
        (("So " + PLAIN) * 300, "1 document without any name"),
        (
            "阿波罗13号是美国国家航空航天局的一次登月任务。发射两天后服务舱的氧气罐爆炸,登月任务中止。" * 9,
            "1 document in a script without capitals",
        ),
    ],
)
def test_a_text_that_the_rules_do_not_fit_is_ingested_and_named(cli: Any, corpus: Any, text: str, said: str) -> None:
    path = corpus.folder / "text.txt"
    path.write_text(text)
    done = cli("ingest", path, "--extractor", "fast")
    assert done.code == 0
    assert said in done.out
    asked = cli("ask", "tank", "--json", "--retriever", "hybrid")
    assert asked.code == 0


def test_plain_english_has_no_remark(cli: Any, corpus: Any) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text(TALK)
    done = cli("ingest", path, "--extractor", "fast")
    assert "note:" not in done.out
    assert cli("ingest", path, "--extractor", "fast", "--json").json["remarks"] == {}


def test_records_of_older_rules_serve_until_the_next_ingest_replaces_them(
    cli: Any, corpus: Any, open_space: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = corpus.folder / "talk.txt"
    path.write_text(TALK)
    with monkeypatch.context() as older:
        older.setattr(FastExtractor, "name", "fast-1")
        assert cli("ingest", path, "--extractor", "fast").code == 0
    assert cli("ask", "Who told Houston?").code == 0
    again = cli("ingest", path, "--extractor", "fast")
    assert again.code == 0
    assert "1 document extracted by fast-1 before; those records are replaced" in again.out
    with open_space("default") as space:
        assert {m.extractor for m in space.store.mentions() if m.extractor != "split"} == {FastExtractor().name}
    assert "1 unchanged" in cli("ingest", path, "--extractor", "fast").out
