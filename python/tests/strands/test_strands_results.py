"""What a tool returned is read back out of what Strands made of it."""

from __future__ import annotations

from typing import Any

import pytest

from strands_plan_tool.errors import ToolExecutionError
from strands_plan_tool.strands_adapter import unwrap_tool_result
from strands_plan_tool.strands_adapter.blocks import Blocks

TEXT = {"type": "string"}
TEXT_OR_NULL = {"anyOf": [{"type": "string"}, {"type": "null"}]}
WRAPPED: dict[str, Any] = {"type": "object", "properties": {"result": {"type": "array"}}}


def success(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"toolUseId": "t", "status": "success", "content": list(content), **more}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain words", "plain words"),
        ("", ""),
        ("007", "007"),
        ("12345678901234567890", "12345678901234567890"),
        ("9007199254740993", "9007199254740993"),
        ("1e5", "1e5"),
        ("-0", "-0"),
        (" 5", " 5"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("2026-01-02 00:00:00", "2026-01-02 00:00:00"),
        ('"quoted"', '"quoted"'),
        ("{'m': M(a=1)}", "{'m': M(a=1)}"),
        ("[INFO] started", "[INFO] started"),
        ("5", 5),
        ("-7", -7),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ('{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
        ("[1, 2]", [1, 2]),
        ('{"id": 12345678901234567890}', {"id": 12345678901234567890}),
    ],
)
def test_a_lone_text_is_what_the_tool_returned(text: str, value: Any) -> None:
    read = unwrap_tool_result("t", success({"text": text}))
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize("text", ["5", "true", "null", "1.5", "words"])
def test_a_tool_that_declares_text_keeps_its_literals_as_text(text: str) -> None:
    assert unwrap_tool_result("t", success({"text": text}), output_schema=TEXT) == text


def test_null_of_a_tool_that_returns_text_or_nothing_is_null() -> None:
    def read(text: str) -> Any:
        return unwrap_tool_result("t", success({"text": text}), output_schema=TEXT_OR_NULL)

    assert (read("null"), read("5")) == (None, "5")


def test_a_declared_integer_is_read_whatever_its_length() -> None:
    text = "12345678901234567890"
    read = unwrap_tool_result("t", success({"text": text}), output_schema={"type": "integer"})
    assert read == 12345678901234567890


def test_text_that_is_a_json_document_can_be_read_and_passed_on_as_it_was() -> None:
    blocks = Blocks()
    text = '{ "a" : 1.0 }'
    value = unwrap_tool_result("t", success({"text": text}), output_schema=TEXT, blocks=blocks)
    assert value == {"a": 1}
    assert blocks.text_of({"a": 1}) == text
    assert blocks.text_of({"a": 2}) is None


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (success(), None),
        (success({"json": {"x": 1}}), {"x": 1}),
        (success({"json": "007"}), "007"),
        (success({"text": "a"}, {"text": "2"}), ["a", 2]),
        (success({"text": "found 1"}, {"json": {"x": 1}}), ["found 1", {"x": 1}]),
        (success({"text": "ok"}, structuredContent={"x": 1}), {"x": 1}),
        (success(structuredContent={"result": [1]}), {"result": [1]}),
        (success({"text": "ok"}, structuredContent=None), "ok"),
    ],
)
def test_structured_content_comes_before_blocks_and_several_blocks_are_a_list(
    result: dict[str, Any], value: Any
) -> None:
    assert unwrap_tool_result("t", result) == value


def test_the_wrapper_of_a_bare_mcp_value_is_taken_off_where_the_schema_says_it_is_one() -> None:
    result = success(structuredContent={"result": [1, 2]})
    assert unwrap_tool_result("t", result, output_schema=WRAPPED) == [1, 2]
    two = {**WRAPPED, "properties": {"result": {}, "more": {}}}
    assert unwrap_tool_result("t", result, output_schema=two) == {"result": [1, 2]}


@pytest.mark.parametrize(
    "own",
    [
        {"status": "shipped", "content": "box"},
        {"status": "error", "content": "no disk"},
        {"status": "success", "content": ["a", "b"]},
        {"status": "open", "content": [{"text": "a"}]},
        {"status": None, "content": None, "more": 1},
    ],
)
def test_a_dictionary_that_only_looks_like_a_tool_result_is_the_value(
    own: dict[str, Any],
) -> None:
    assert unwrap_tool_result("t", {**own, "toolUseId": "t"}) == own


@pytest.mark.parametrize(
    ("content", "exception", "detail"),
    [
        ([{"text": "Error: no such user"}], ValueError("no such user"), "no such user"),
        ([{"text": "Error: KeyError - 'k'"}], KeyError("k"), "'k'"),
        ([{"text": "Error: OSError - "}], OSError(), "OSError"),
        ([{"text": "DENIED: nope"}], None, "DENIED: nope"),
        ([{"text": "one"}, {"json": {"b": 2}}], None, 'one\n{"b": 2}'),
        ([], None, "the tool reported an error and said nothing about it"),
        (
            [{"text": "Error: bad\nx\n    For further information visit https://e/v/x"}],
            None,
            "Error: bad\nx",
        ),
    ],
)
def test_an_error_result_raises_the_tools_own_message(
    content: list[dict[str, Any]], exception: Exception | None, detail: str
) -> None:
    with pytest.raises(ToolExecutionError) as caught:
        unwrap_tool_result("t", {"status": "error", "content": content}, exception=exception)
    assert (caught.value.tool, caught.value.detail) == ("t", detail)


def test_media_becomes_a_reference_that_expands_to_the_block_wherever_it_is_passed_whole() -> (
    None
):
    blocks = Blocks()
    image = {"image": {"format": "png", "source": {"bytes": b"\x00"}}}
    value = unwrap_tool_result("t", success({"text": "shot"}, image), blocks=blocks)
    reference: Any = {"$media": "t.1", "kind": "image", "format": "png"}
    assert value == ["shot", reference]
    assert blocks.expand({"shots": [reference], "n": 1}) == {"shots": [image], "n": 1}
    assert blocks.expand({"$media": "t.9"}) == {"$media": "t.9"}
    assert blocks.within([value, reference]) == [image]


def test_a_lone_media_block_is_the_reference_itself() -> None:
    document = {"document": {"name": "a", "source": {"bytes": b""}}}
    assert unwrap_tool_result("t", success(document)) == {"$media": "t.0", "kind": "document"}
