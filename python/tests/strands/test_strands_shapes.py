"""What a tool returns is known from its specification or its return annotation."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, Field
from strands import tool
from strands.types.tools import AgentTool, ToolResult
from typing_extensions import TypedDict as ExtendedTypedDict

from strands_plan_tool.strands_adapter.shapes import (
    checked_schema,
    input_schema,
    is_async,
    returned_schema,
)


class Member(TypedDict):
    login: str
    email: NotRequired[str | None]
    boss: Member


class Extended(ExtendedTypedDict):
    a: int
    b: str


class Team(TypedDict):
    members: list[Member]
    kind: Literal["core", "infra"]


class Order(BaseModel):
    number: int = Field(alias="no")
    placed: datetime.date
    members: list[dict[str, Any]] = []


class Aliased(Order):
    model_config = {"serialize_by_alias": True}


@dataclasses.dataclass
class Point:
    x: int


class Dated(TypedDict):
    at: datetime.datetime


def returning(annotation: Any) -> AgentTool:
    """A tool with this return annotation."""

    def give() -> Any:
        """Give."""

    give.__annotations__["return"] = annotation
    return tool(give)


def names(schema: Any) -> list[str]:
    return list(schema["properties"])


def known(annotation: Any) -> tuple[Any, Any]:
    """The schema that is checked against, and the one that a part of it refers to."""
    schema: Any = checked_schema(returning(annotation))
    assert schema is not None

    def follow(part: Any) -> Any:
        return (
            schema["$defs"][part["$ref"].removeprefix("#/$defs/")] if "$ref" in part else part
        )

    return follow(schema), follow


def test_a_typed_dictionary_gives_its_fields_and_those_inside() -> None:
    team, follow = known(Team)
    assert names(team) == ["members", "kind"]
    assert team["properties"]["kind"] == {"enum": ["core", "infra"], "type": "string"}
    member = follow(team["properties"]["members"]["items"])
    assert names(member) == ["login", "email", "boss"]
    assert follow(member["properties"]["boss"]) == member


def test_a_typed_dictionary_of_the_extensions_is_one_too() -> None:
    assert names(known(Extended)[0]) == ["a", "b"]


def test_a_list_of_typed_dictionaries_is_a_list_of_their_fields() -> None:
    listed, follow = known(list[Member])
    assert listed["type"] == "array"
    assert names(follow(listed["items"])) == ["login", "email", "boss"]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict[str, Any], {"type": "object", "additionalProperties": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (tuple[int, bool], {"type": "array"}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Literal[1, 2], {"enum": [1, 2], "type": "integer"}),
        (Literal[1, None], {"enum": [1, None]}),
    ],
)
def test_a_generic_type_gives_the_shape_of_its_parts(
    annotation: Any, schema: dict[str, Any]
) -> None:
    assert checked_schema(returning(annotation)) == schema


def test_a_model_gives_the_names_that_its_dump_has() -> None:
    plain, aliased = checked_schema(returning(Order)), checked_schema(returning(Aliased))
    assert plain is not None
    assert aliased is not None
    assert names(plain) == ["number", "placed", "members"]
    assert names(aliased) == ["no", "placed", "members"]


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [(int, "integer"), (float, "number"), (bool, "boolean"), (None, "null"), (dict, "object")],
)
def test_a_plain_type_gives_its_json_type(annotation: Any, kind: str) -> None:
    schema = checked_schema(returning(annotation))
    assert schema is not None
    assert schema["type"] == kind


@pytest.mark.parametrize(
    "annotation",
    [
        Any,
        ToolResult,
        Point,
        list[Point],
        list[Order],
        dict[str, Order],
        Dated,
        AsyncIterator[int],
        object,
    ],
)
def test_what_strands_hands_on_as_python_text_has_no_known_shape(annotation: Any) -> None:
    assert returned_schema(returning(annotation)) is None


@pytest.mark.parametrize("annotation", [str, bytes, datetime.date, str | None])
def test_text_is_known_to_be_text_and_its_paths_are_not_checked(annotation: Any) -> None:
    assert returned_schema(returning(annotation)) is not None
    assert checked_schema(returning(annotation)) is None


def test_an_annotation_within_annotated_counts() -> None:
    schema = checked_schema(returning(Annotated[dict[str, int], "words"]))
    assert schema is not None
    assert schema["type"] == "object"


@pytest.mark.parametrize("text", ["Nowhere", "no type", "1 / 0", "int.nothing"])
def test_an_annotation_that_cannot_be_looked_up_is_none(text: str) -> None:
    made: Any = returning(int)
    made.__wrapped__.__annotations__["return"] = text
    assert returned_schema(made) is None


def test_a_specification_counts_before_the_annotation() -> None:
    made = returning(Team)
    made.tool_spec = {  # type: ignore[misc]
        **made.tool_spec,
        "outputSchema": {
            "json": {"type": "object", "properties": {"result": {"type": "array"}}}
        },
    }
    assert checked_schema(made) == {"type": "array"}


def test_a_coroutine_function_is_known_to_run_on_the_loop() -> None:
    @tool
    async def waits() -> int:
        """Wait."""
        return 1

    assert (is_async(waits), is_async(returning(int)), is_async(None)) == (True, False, False)


def test_a_type_that_strands_wrote_into_the_schema_is_taken_out_again() -> None:
    @tool
    def untyped(free: Any, text: str) -> int:
        """Take anything."""
        return 1

    for name in ("free", "text"):
        untyped.tool_spec["inputSchema"]["json"]["properties"][name]["type"] = "string"
    properties = (input_schema(untyped) or {})["properties"]
    assert ("type" in properties["free"], "type" in properties["text"]) == (False, True)
