import json
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from dynagrag.core.errors import InvalidReplyError
from dynagrag.models.reply_parsing import clean_json, clean_text, parse_reply
from dynagrag.models.reply_schema import response_format, strict_schema


class Item(BaseModel):
    title: str = ""
    size: Annotated[int, Field(ge=0)] = 0


class Reply(BaseModel):
    name: str
    items: list[Item] = []


GOOD = '{"name": "x", "items": [{"title": "t", "size": 1}]}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is:\n{GOOD}\nI hope it helps.",
        f"Sure:\n```\n{GOOD}\n``` and {{that}} is all",
    ],
)
def test_the_object_is_found_in_fences_and_prose(text: str) -> None:
    assert parse_reply(text, Reply) == Reply(name="x", items=[Item(title="t", size=1)])


def test_raw_line_breaks_in_strings_are_read() -> None:
    assert parse_reply('{"name": "two\nlines"}', Reply).name == "two\nlines"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("no object here", "no JSON object"),
        ('{"items": []}', "name: Field required"),
        ('{"name": "x", "items": [{"size": -1}]}', r"items\.0\.size"),
        ('{"name": "x", "items": [', "Invalid JSON"),
        ("[1, 2]", "no JSON object"),
        ("{" * 200_000, "Invalid JSON"),
        ('{"name":' * 100_000 + "}" * 100_000, "JSON"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidReplyError, match=reason) as caught:
        parse_reply(text, Reply)
    assert caught.value.reply == text


def test_nuls_and_lone_surrogates_go_and_real_pairs_and_escaped_backslashes_stay() -> None:
    text = r'{"name": "a\u0000b\ud800c\ud83d\ude00d\\u0000e\udc00"}' + "\0"
    assert parse_reply(clean_json(text), Reply).name == "ab�c😀d\\u0000e�"
    assert clean_text("a\0\ud800b") == "a�b"


@given(st.text(alphabet=st.characters(codec=None, categories=None), max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text_in_a_reply_comes_out_storable(text: str) -> None:
    name = parse_reply(clean_json(json.dumps({"name": text})), Reply).name
    name.encode("utf-8")
    assert "\0" not in name
    if "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text):
        assert name == text


def test_the_strict_schema_requires_all_and_keeps_fields_that_are_named_like_keywords() -> None:
    schema = strict_schema(Reply)
    item = schema["$defs"]["Item"]
    assert schema["required"] == ["name", "items"]
    assert set(item["properties"]) == {"title", "size"}
    assert item["additionalProperties"] is False
    assert "default" not in json.dumps(schema)
    assert response_format(Reply)["json_schema"]["strict"] is True
