"""What a return annotation says; one that says nothing is in nobody's way."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, NewType, Optional, Tuple, TypedDict, TypeVar, Union  # noqa: UP035

import pytest
from plan_agents import answer, plan_agent, refusal, submit
from pydantic import BaseModel, SerializeAsAny, create_model, field_serializer, model_serializer
from strands import tool
from strands.types.tools import AgentTool

from strands_plan_tool.strands_adapter.shapes import checked_schema, returned_schema


class Priced(TypedDict):
    price: Decimal  # type: ignore[name-defined]  # noqa: F821 - what only a type checker imports


class Unfinished(BaseModel):
    price: Decimal  # type: ignore[name-defined]  # noqa: F821


class Broken(BaseModel):
    @classmethod
    def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
        raise ZeroDivisionError


class NoHash(type):
    __hash__ = None  # type: ignore[assignment]


class Odd(metaclass=NoHash):
    pass


def local_node() -> Any:
    class Inner(TypedDict):
        children: list[Inner]  # type: ignore[misc]

    return Inner


class Node(TypedDict):
    children: list[Node]
    name: str


class Pet(BaseModel):
    kind: str = "pet"


class Tag(BaseModel):
    text: str = ""


class Note(BaseModel):
    tag: Tag = Tag()
    words: int = 0


class Free(BaseModel, extra="allow"):
    kind: str = ""


class Tree(BaseModel):
    trees: list[Tree] = []
    name: str = ""


class Result(BaseModel):
    result: int = 5


class Written(BaseModel):
    at: int = 0
    tag: SerializeAsAny[Tag] = Tag()

    @field_serializer("at")
    def _write(self, value: int):  # type: ignore[no-untyped-def]
        return {"hour": value}


class Made(BaseModel):
    a: int = 0

    @model_serializer
    def _make(self):  # type: ignore[no-untyped-def]
        return {"b": 1}


def returning(annotation: Any, value: Any = None, name: str = "give") -> AgentTool:
    """A tool with this return annotation, which gives the value."""

    def give() -> Any:
        """Give."""
        return value

    give.__annotations__["return"] = annotation
    return tool(name=name)(give)


async def told(made: AgentTool, output: str, *others: Any) -> Any:
    """The agent after a plan that reads what the tool ``give`` returns."""
    step = {"id": "a", "tool": "give"}
    agent = plan_agent(submit(step, output=output), "ok", tools=[made, *others])
    await agent.invoke_async("go")
    return agent


@pytest.mark.parametrize(
    "annotation",
    [
        Priced,
        list[Priced],
        Unfinished,
        Broken,
        BaseModel,
        local_node(),
        Odd,
        Optional,
        Union,
        dict[str],  # type: ignore[misc]
        NewType("Id", int),
        TypeVar("T"),
        5,
    ],
    ids=str,
)
async def test_an_annotation_that_cannot_be_read_gives_no_shape_and_stops_no_plan(
    annotation: Any,
) -> None:
    unread = returning(annotation, name="unread")
    assert returned_schema(unread) is None
    agent = await told(returning(int, 5), "steps.a", unread)
    assert answer(agent) == "5"


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (List, {"type": "array"}),  # noqa: UP006
        (Tuple, {"type": "array"}),  # noqa: UP006
        (tuple[()], {"type": "array"}),
        (Dict, {"type": "object", "additionalProperties": True}),  # noqa: UP006
        (List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006
    ],
    ids=str,
)
def test_the_names_of_typing_say_what_the_builtin_ones_say(
    annotation: Any, schema: dict[str, Any]
) -> None:
    assert checked_schema(returning(annotation)) == schema


async def test_a_tool_without_a_hash_stops_no_plan() -> None:
    @dataclasses.dataclass
    class Plain(AgentTool):
        label: str

        def __post_init__(self) -> None:
            super().__init__()

        tool_name = "plain"
        tool_type = "plain"

        @property
        def tool_spec(self) -> Any:
            empty = {"json": {"type": "object", "properties": {}}}
            return {"name": "plain", "description": "Plain.", "inputSchema": empty}

        async def stream(self, tool_use: Any, invocation_state: Any, **options: Any) -> Any:
            yield {}

    agent = await told(returning(int, 5), "steps.a", Plain("x"))
    assert answer(agent) == "5"


async def test_a_schema_that_allows_anything_stops_no_plan() -> None:
    loose = returning(int, 5, name="loose")
    schema = {"anyOf": [True, {"type": "string"}]}
    loose.tool_spec = {**loose.tool_spec, "outputSchema": {"json": schema}}  # type: ignore[misc]
    assert checked_schema(loose) == schema
    assert answer(await told(returning(int, 5), "steps.a", loose)) == "5"


@pytest.mark.parametrize(
    ("annotation", "path", "field"),
    [
        (Note, "steps.a.wrods", '"words"'),
        (Note, "steps.a.tag.txet", '"text"'),
        (Tree, "steps.a.trees.nmae", '"name"'),
        (Node, "steps.a.children.nmae", '"name"'),
    ],
)
async def test_a_misspelled_field_of_a_declared_shape_is_refused(
    annotation: Any, path: str, field: str
) -> None:
    text = refusal(await told(returning(annotation), path))
    assert "unknown_result_field" in text
    assert field in text


async def test_a_field_of_a_subclass_can_be_read_although_the_base_is_declared() -> None:
    class Cat(Pet):
        lives: int = 9

    assert answer(await told(returning(Pet, Cat()), "steps.a.lives")) == "9"
    assert answer(await told(returning(Pet, Cat()), "steps.a.kind")) == "pet"


async def test_a_subclass_counts_that_is_defined_after_the_first_plan() -> None:
    pet: Any = create_model("Pet", kind=(str, "pet"))
    give = returning(pet, pet())
    assert "unknown_result_field" in refusal(await told(give, "steps.a.lives"))
    cat = create_model("Cat", __base__=pet, lives=(int, 9))
    assert checked_schema(give) == {
        **pet.model_json_schema(mode="serialization"),
        "additionalProperties": True,
    }
    assert answer(await told(returning(pet, cat()), "steps.a.lives")) == "9"


async def test_a_field_that_a_subclass_defines_anew_is_not_held_to_the_base() -> None:
    event: Any = create_model("Event", tag=(Tag, Tag()), at=(int, 0))
    long_tag: Any = create_model("LongTag", __base__=Tag, more=(int, 7))
    long_event: Any = create_model("LongEvent", __base__=event, tag=(long_tag, long_tag()))
    assert answer(await told(returning(event, long_event()), "steps.a.tag.more")) == "7"
    text = refusal(await told(returning(event, long_event()), "steps.a.at.more"))
    assert "unknown_result_field" in text


async def test_a_subclass_of_a_model_that_holds_itself_opens_only_the_top() -> None:
    tree: Any = create_model("Top", __base__=Tree, more=(int, 7))
    assert answer(await told(returning(Tree, tree()), "steps.a.more")) == "7"
    text = refusal(await told(returning(Tree, tree()), "steps.a.trees.more"))
    assert "unknown_result_field" in text


async def test_a_model_that_allows_more_fields_is_open() -> None:
    give = returning(Free, Free(lives=9))  # type: ignore[call-arg]
    assert answer(await told(give, "steps.a.lives")) == "9"


@pytest.mark.parametrize(
    ("value", "path", "text"),
    [
        (Written(at=3), "steps.a.at.hour", "3"),
        (Made(), "steps.a.b", "1"),
        (Result(), "steps.a.result", "5"),
    ],
)
async def test_what_a_model_dumps_counts_where_it_differs_from_its_fields(
    value: BaseModel, path: str, text: str
) -> None:
    assert answer(await told(returning(type(value), value), path)) == text


async def test_a_field_that_dumps_as_whatever_it_is_is_not_checked() -> None:
    class Long(Tag):
        more: int = 7

    give = returning(Written, Written(tag=Long()))
    assert answer(await told(give, "steps.a.tag.more")) == "7"
