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

from strands_plan_tool.strands_adapter.shapes import checked_schema, is_async, returned_schema


class Member(TypedDict):
    login: str
    email: NotRequired[str | None]


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


def test_a_typed_dictionary_gives_its_fields_and_those_inside() -> None:
    schema = checked_schema(returning(Team))
    assert schema is not None
    assert names(schema) == ["members", "kind"]
    assert names(schema["$defs"]["Member"]) == ["login", "email"]


def test_a_list_of_typed_dictionaries_is_a_list_of_their_fields() -> None:
    schema = checked_schema(returning(list[Member]))
    assert schema is not None
    assert (schema["type"], schema["items"]) == ("array", {"$ref": "#/$defs/Member"})


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


def test_an_annotation_that_cannot_be_looked_up_is_none() -> None:
    made: Any = returning(int)
    made.__wrapped__.__annotations__["return"] = "Nowhere"
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
