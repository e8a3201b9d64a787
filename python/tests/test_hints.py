"""Hints: one reviewed text for each code, and edits that mend a plan when they are made."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hint_reader import edited

from strands_plan_tool.models import Code, Diagnostic, Policy
from strands_plan_tool.validate import validate_plan

MESSAGES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "conformance" / "messages.json").read_text(encoding="utf-8")
)["messages"]

# Not in a refused plan: they belong to running, or no plan can be wrong in that way alone
# (the text of a plan is always JSON or `json_syntax`; its numbers and lengths have no bounds
# that the wire rules do not set first).
ELSEWHERE = {
    "not_json", "too_long", "out_of_range", "no_value", "not_boolean", "not_a_list",
    "too_many_items", "evaluation_failed", "tool_failed", "timeout", "result_too_large",
    "not_json_result", "cancelled",
}  # fmt: skip


def refused(case: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    policy = Policy.model_validate(case["policy"]) if "policy" in case else None
    return validate_plan(
        case.get("plan_text", case.get("plan")),
        tools=case.get("tools"),
        policy=policy,
        input=case.get("input"),
    )


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case["code"])
def test_a_code_has_the_message_and_the_hint_that_were_reviewed(case: dict[str, Any]) -> None:
    assert refused(case) == (
        Diagnostic(
            code=case["code"], path=case["path"], message=case["message"], hint=case["hint"]
        ),
    )


def test_every_code_of_a_refused_plan_has_a_reviewed_message() -> None:
    codes = [case["code"] for case in MESSAGES]
    assert len(set(codes)) == len(codes)
    assert set(codes) | ELSEWHERE == {code.value for code in Code}
    assert set(codes) & ELSEWHERE == set()


STEP = {"id": "user", "tool": "t"}
SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "mode": {"enum": ["full", "short"]},
        "where": {
            "type": "object",
            "properties": {"team": {"type": "string"}, "open": {"type": "boolean"}},
            "required": ["team", "open"],
        },
    },
    "required": ["id", "mode"],
}
TOOLS = {"t": {}, "get_user": {"input_schema": SCHEMA}, "notify": None}


def plan(*steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    first = {"returns": ["user"]} if not {"returns", "output"} & set(fields) else {}
    return {"steps": [copy.deepcopy(STEP), *steps], **first, **fields}


def step(**fields: Any) -> dict[str, Any]:
    return {"id": "b", "tool": "t", **fields}


EDITS: list[tuple[str, dict[str, Any]]] = [
    ("unknown_step", plan(step(after=["usr"]))),
    ("unknown_step", plan(step(bind={"x": "steps.usr.id & steps.usr.name"}))),
    ("unknown_step", plan(step(bind={"x": "steps.`usr`.id"}))),
    ("unknown_step", plan(step(bind={"x": '$lookup(steps, "usr").id'}))),
    ("unknown_step", plan(step(when="$steps.usr.ok", for_each="steps.usr.list"))),
    ("unknown_step", plan(step(after=["x"]))),
    ("unknown_step", plan(returns=["usr"])),
    ("unknown_step", plan(step(), output="steps.usre.id")),
    ("unknown_step", plan(step(), output="steps.nobody.id")),
    ("unknown_tool", plan(step(tool="notfy"))),
    ("unknown_tool", plan(step(tool="zzz"))),
    ("missing_argument", plan(step(tool="get_user"))),
    ("missing_argument", plan(step(tool="get_user", args={"id": 1}))),
    ("missing_argument", plan(step(tool="get_user", bind={"mode": '"full"'}))),
    (
        "missing_argument",
        plan(step(tool="get_user", args={"id": 1, "mode": "full", "where": {"team": "x"}})),
    ),
    ("loose_ends", plan(step(), {"id": "c", "tool": "t"})),
    ("loose_ends", plan(step(), {"id": "c", "tool": "t", "after": ["user"]})),
    ("loose_ends", plan(step(), output="steps.user.id")),
    ("loose_ends", plan(step(), {"id": "c", "tool": "t"}, output="steps.c & steps.user")),
    ("foreign_syntax", plan(step(when="steps.user.id == 4"))),
    ("foreign_syntax", plan(step(when="!steps.user.ok"))),
    ("foreign_syntax", plan(step(when="steps.user.ok && steps.user.id === 4"))),
    ("foreign_syntax", plan(step(when="steps.user.ok || steps.user.id > 4"))),
    ("foreign_syntax", plan(step(when="steps.user.ok = True"))),
    ("foreign_syntax", plan(step(when="steps.user.manager != None"))),
    ("foreign_syntax", plan(step(bind={"x": "{{steps.user.id}}"}))),
    ("foreign_syntax", plan(step(bind={"x": "${user.id}"}))),
    ("foreign_syntax", plan(step(bind={"x": '"user-${steps.user.id}!"'}))),
    ("foreign_syntax", plan(step(bind={"x": "{% steps.user.id %}"}))),
    ("foreign_syntax", plan(step(bind={"x": "steps.user.list[*].id"}))),
    ("foreign_syntax", plan(step(bind={"x": "steps.user.list[?(@.ok = true)].id"}))),
    ("foreign_syntax", plan(step(bind={"x": "steps.user['full name']"}))),
    ("foreign_syntax", plan(step(bind={"x": "user.id"}))),
    ("foreign_syntax", plan(step(bind={"x": "'steps.user.id'"}))),
    ("foreign_syntax", plan(step(bind={"x": "Paris"}))),
    ("template_in_args", plan(step(args={"x": "{{steps.user.id}}"}))),
    ("template_in_args", plan(step(args={"x": "{{ user.id }}", "y": 1}, bind={"z": "1"}))),
    ("template_in_args", plan(step(args={"x": 'Dear "${steps.user.name}",\n\thello'}))),
    ("template_in_args", plan(step(args={"x": "{{steps.user.a}} {{steps.user.b + 1}}"}))),
    ("template_in_args", plan(step(args={"x": "{{ steps.user.name | upper }}"}))),
    ("template_in_args", plan(step(args={"x": "steps.user.id", "y": "{{steps.user.a}}"}))),
    (
        "template_in_args",
        plan(step(args={"x": {"a": [1, None, {"b": "steps.user.id"}], "c": '"q"', "d": -0.5}})),
    ),
    ("template_in_args", plan(step(for_each="steps.user.list", args={"x": "{{item.id}}"}))),
    ("nothing_returned", {"steps": [STEP]}),
    ("duplicate_step", plan(step(id="user"))),
    ("self_reference", plan(step(after=["user", "b"]))),
    ("unknown_field", plan(step(when_="true", goal="x"))),
    ("not_in_enum", plan(step(join="ANY"), on_error="Fail-Fast")),
    ("bad_pattern", plan(step(after=["steps.user.id"]))),
    ("bad_pattern", plan({"id": "My Step", "tool": "t"})),
    ("wrong_type", plan(step(when=True, after="user, user"), final="true")),
    ("argument_type", plan(step(tool="get_user", args={"id": "1", "mode": "FULL"}))),
    (
        "argument_type",
        plan(
            step(
                tool="get_user",
                args={"id": 1, "mode": "shrt", "where": '{"team":"x","open":true}'},
            )
        ),
    ),
    (
        "unknown_argument",
        plan(
            step(
                tool="get_user",
                args={"id": 1, "mode": "full", "wher": {"team": "x", "open": True}},
            )
        ),
    ),
    ("unknown_argument", plan(step(tool="get_user", args={"id": 1, "mode": "full", "zzz": 1}))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "given"), EDITS)
def test_a_plan_passes_once_every_hint_is_made(code: str, given: dict[str, Any]) -> None:
    policy = Policy(single_final_step=code == "loose_ends")
    found = validate_plan(given, tools=TOOLS, policy=policy)
    assert {diagnostic.code.value for diagnostic in found} == {code}
    mended = edited(given, found)
    assert validate_plan(mended, tools=TOOLS, policy=policy) == ()


def test_faults_of_five_kinds_are_told_at_once_and_mended_by_their_hints() -> None:
    given = {
        "steps": [
            {"id": "user", "tool": "get_usr", "args": {"id": 1, "mode": "full"}},
            {"id": "b", "tool": "get_user", "args": {"id": "7", "mode": "{{steps.user.mode}}"}},
            {"id": "c", "tool": "t", "when": "steps.user.ok == true", "after": ["usr"]},
        ],
        "returns": ["c"],
    }
    found = validate_plan(given, tools=TOOLS)
    assert validate_plan(edited(given, found), tools=TOOLS) == ()
    assert [(diagnostic.code.value, diagnostic.path) for diagnostic in found] == [
        ("unknown_tool", "/steps/0/tool"),
        ("argument_type", "/steps/1/args/id"),
        ("template_in_args", "/steps/1/args/mode"),
        ("foreign_syntax", "/steps/2/when"),
        ("unknown_step", "/steps/2/after/0"),
    ]


def test_a_fix_for_each_hint_of_a_step_is_given_once() -> None:
    given = plan(step(args={f"x{number}": "{{steps.user.id}}" for number in range(500)}))
    found = validate_plan(given)
    assert len(found) == 500
    assert sum(len(diagnostic.hint) for diagnostic in found) < 60_000


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case["code"])
def test_messages_and_hints_are_short_lines_that_show_no_library(case: dict[str, Any]) -> None:
    for text in (case["message"], case["hint"]):
        assert "\n" not in text
        assert len(text) <= 200
        assert not re.search(
            r"(?i:pydantic|jsonata|python|https?:|input_value)|[a-z]Error\b", text
        )
        assert text.strip(" .") == text
