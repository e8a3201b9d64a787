"""A hint is an edit: made as it is written, without a thought, it mends the plan.

The reader of ``hint_reader`` changes one name into another, adds what is named, writes the
``after``, ``bind`` or expression that is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from hint_reader import at, edited, parts_of

from strands_plan_tool import Policy, validate_plan
from strands_plan_tool.models import Diagnostic

Plan = dict[str, Any]


class Variant(NamedTuple):
    """A plan with one kind of fault, and the host that finds it.

    Attributes:
        code: The only code among its diagnostics.
        plan: The plan.
        host: Arguments of ``validate_plan``.
        mended: The expression that stands at the first fault afterwards; "" if none does.
    """

    code: str
    plan: Plan
    host: Mapping[str, Any] = {}
    mended: str = ""


def step(name: str, tool: str = "lookup", **fields: Any) -> dict[str, Any]:
    return {"id": name, "tool": tool, **fields}


def plan(*steps: dict[str, Any], returns: tuple[str, ...] = ("a",), **fields: Any) -> Plan:
    return {"steps": list(steps), "returns": list(returns), **fields}


def bound(expression: str, *, others: tuple[str, ...] = ("users",), **fields: Any) -> Plan:
    """A plan in which step ``a`` binds ``x``."""
    return plan(*map(step, others), step("a", bind={"x": expression}, **fields))


USERS, ORDERS = step("users"), step("orders")

UNKNOWN_STEPS = [
    Variant("unknown_step", made)
    for made in (
        bound("steps.user.id"),
        bound("steps.`usres`.id"),
        bound('steps."userss".id'),
        bound("$steps.user.rows[id = 1].name"),
        bound("$$.steps.uers.id & '!'"),
        bound('$lookup(steps, "user").id'),
        bound("$map(steps.usesr.rows, function($r){$r.id})"),
        bound("steps.zzz.id"),
        bound("steps.zzz.id", others=("orders", "users")),
        bound("steps.user.id + steps.user.n"),
        bound("steps.zzz.id", others=()),
        plan(USERS, step("a", when="steps.user.ok")),
        plan(USERS, step("a", for_each="steps.usr.rows", bind={"x": "item"})),
        plan(USERS, step("a", after=["user"])),
        plan(USERS, ORDERS, step("a", after=["order", "users"])),
        plan(step("a", after=["nowhere"])),
        plan(step("a"), returns=("aa",)),
        plan(step("fetch_user"), returns=("fetch_usr", "fetch_user")),
        plan(USERS, returns=("users",), output="steps.user.name"),
        plan(
            USERS,
            step("b", after=["usr"], when="steps.usre.ok", bind={"x": "steps.uzers.id"}),
            returns=("b",),
            output="steps.bb.x ?? steps.users.x",
        ),
    )
]

TOOLS: dict[str, Any] = {"lookup": None, "fetch": None, "send_mail": None}

UNKNOWN_TOOLS = [
    Variant("unknown_tool", made, {"tools": tools})
    for made, tools in (
        (plan(step("a", "lokup")), TOOLS),
        (plan(step("a", "Lookup")), TOOLS),
        (plan(step("a", "sendmail")), TOOLS),
        (plan(step("a", "send-mail")), TOOLS),
        (plan(step("a", "teleport")), TOOLS),
        (plan(step("a", "functions.lookup")), TOOLS),
        (plan(step("a", "fetch ")), list(TOOLS)),
        (plan(step("a", "x")), ["only"]),
        (plan(step("a", "fetchh"), step("b", "lookups")), TOOLS),
        (plan(step("a", "lokup")), {"lokups": {"plannable": False}, "lookup": None}),
    )
]


def tool(required: list[str], properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "required": required, **more}
    return {"tools": {"t": {"input_schema": schema}}}


WHOLE, TEXT = {"type": "integer"}, {"type": "string"}
PLACE = {
    "type": "object",
    "properties": {"city": TEXT, "kind": {"enum": ["home", "work"]}},
    "required": ["city", "kind"],
}

MISSING_ARGUMENTS = [
    Variant("missing_argument", plan(step("a", "t", **fields)), host)
    for fields, host in (
        ({}, tool(["n"], {"n": WHOLE})),
        ({}, tool(["n", "m"], {"n": WHOLE, "m": TEXT})),
        ({"args": {"n": 1}}, tool(["n", "m"], {"n": WHOLE, "m": TEXT})),
        ({"bind": {"n": "1"}}, tool(["n", "m"], {"n": WHOLE, "m": TEXT})),
        ({"args": {}}, tool(["flag", "x"], {"flag": {"type": "boolean"}, "x": {}})),
        ({}, tool(["list", "o"], {"list": {"type": "array"}, "o": {"type": "object"}})),
        ({}, tool(["x"], {"x": {"type": ["number", "null"]}})),
        ({}, tool(["x"], {"x": {"type": "null"}})),
        ({}, tool(["mode"], {"mode": {"enum": ["fast", "slow"]}})),
        ({}, tool(["mode"], {"mode": {"enum": [2]}})),
        ({}, tool(["a b", "c,d"], {"a b": TEXT, "c,d": {"enum": ['"', "x, y"]}})),
        ({}, tool(["where"], {"where": {"$ref": "#/$defs/W"}}, **{"$defs": {"W": WHOLE}})),
        ({"args": {"where": {}}}, tool(["where"], {"where": PLACE})),
        ({"args": {"where": {"city": "Oslo"}}}, tool(["where"], {"where": PLACE})),
        (
            {"args": {"all": [{"city": "Oslo", "kind": "home"}, {}]}},
            tool(["all"], {"all": {"type": "array", "items": PLACE}}),
        ),
        ({"args": {"all": {"to": {}}}}, tool(["all"], {"all": {"properties": {"to": PLACE}}})),
    )
]

ONE_END = {"policy": Policy(single_final_step=True)}

LOOSE_ENDS = [
    Variant("loose_ends", made, ONE_END)
    for made in (
        plan(step("a"), step("b")),
        plan(step("a"), step("b"), step("c")),
        plan(step("a"), step("b", after=["a"]), step("c", after=["a"])),
        plan(step("a"), step("b", bind={"x": "steps.a"}), step("c", when="steps.a.ok")),
        plan(step("a"), step("b"), output="steps.a"),
        plan(step("a"), step("b"), step("c"), output="steps.b.x & 'y'"),
        plan(step("a"), step("b", after=["a"]), output="steps.a"),
        plan(step("a"), step("b"), output="1"),
        plan(step("a"), step("b"), step("c", bind={"x": "steps.a"}), output="steps.c"),
        plan(step("c", after=["b"]), step("b"), step("a"), output="steps.a.n ?? 0"),
    )
]

HABITS = {
    "steps.u.id == 1": "steps.u.id = 1",
    "steps.u.id === 1": "steps.u.id = 1",
    "steps.u.id !== 1": "steps.u.id != 1",
    'steps.u.x == "a == b"': 'steps.u.x = "a == b"',
    "!steps.u.ok": "$not(steps.u.ok)",
    "!(steps.u.a == 1)": "$not(steps.u.a = 1)",
    "!!steps.u.rows": "$boolean(steps.u.rows)",
    "steps.u.a && steps.u.b > 1 || steps.u.c": "steps.u.a and steps.u.b > 1 or steps.u.c",
    "steps.u.a&&!steps.u.b": "steps.u.a and $not(steps.u.b)",
    "steps.u.ok = True": "steps.u.ok = true",
    "steps.u.v != None": "steps.u.v != null",
    "steps.u.v = undefined": "$not($exists(steps.u.v))",
    "[False, NULL]": "[false, null]",
    "{{steps.u.id}}": "steps.u.id",
    "{{ u.id }}": "steps.u.id",
    "${steps.u.id}": "steps.u.id",
    "{{ steps.u.a + 1 }} * 2": "(steps.u.a + 1) * 2",
    "'Hi {{steps.u.name}}!'": "'Hi ' & steps.u.name & '!'",
    '"user-${steps.u.id}"': '"user-" & steps.u.id',
    "$uppercase('{{steps.u.name}}')": "$uppercase(steps.u.name)",
    '{"k": "{{steps.u.id}}"}': '{"k": steps.u.id}',
    "`Hi ${u.name}`": '"Hi " & steps.u.name',
    "{% steps.u.id %}": "steps.u.id",
    "{% $count(steps.u.rows) %}": "$count(steps.u.rows)",
    "$.steps.u.items[*].id": "$.steps.u.items.id",
    "steps.u.items[*].tags[*]": "steps.u.items.tags",
    "$.steps.u..id": "$.steps.u.**.id",
    "steps.u.items[?(@.id > 1)].name": "steps.u.items[id > 1].name",
    "steps.u.items[?(@.a == 'x' && @.b)]": "steps.u.items[a = 'x' and b]",
    "steps.u['id']": "steps.u.id",
    'steps["u"]["time-zone"]': "steps.u.`time-zone`",
    "u": "steps.u",
    "u.rows[0].id": "steps.u.rows[0].id",
    "$count(u.rows)": "$count(steps.u.rows)",
    "'steps.u.id'": "steps.u.id",
    '"$count(steps.u.rows) > 1"': "$count(steps.u.rows) > 1",
    "Paris": '"Paris"',
    "steps.u.city = Paris": 'steps.u.city = "Paris"',
    "2026-01-02": '"2026-01-02"',
    "Please summarize the results": '"Please summarize the results"',
    "steps.u.user-name": "steps.u.`user-name`",
    "$filter(steps.u.rows, function($v){$v.a == 1 && $v.ok})": (
        "$filter(steps.u.rows, function($v){$v.a = 1 and $v.ok})"
    ),
}

FOREIGN_SYNTAX = [
    Variant("foreign_syntax", bound(written, others=("u",)), mended=mended)
    for written, mended in HABITS.items()
] + [
    Variant("foreign_syntax", made, mended=mended)
    for made, mended in (
        (plan(USERS, step("a", when="steps.users.ok == true")), "steps.users.ok = true"),
        (plan(USERS, step("a", for_each="users.rows")), "steps.users.rows"),
        (plan(step("a"), output="'Got {{a.n}}'"), "'Got ' & steps.a.n"),
        (
            plan(USERS, step("a", for_each="steps.users", bind={"x": "'{{item.id}}'"})),
            "item.id",
        ),
        (plan(USERS, step("a", for_each="steps.users", bind={"x": "item['id']"})), "item.id"),
    )
]


def literal(value: Any, **fields: Any) -> Plan:
    """A plan in which step ``a`` has the literal ``x``."""
    return plan(step("u"), step("a", args={"x": value, "plain": 1}, **fields))


EACH = {"for_each": "steps.u.rows"}

TEMPLATES = [
    Variant("template_in_args", made, mended=mended)
    for made, mended in (
        (literal("{{steps.u.id}}"), "steps.u.id"),
        (literal("{{ u.id }}"), "steps.u.id"),
        (literal("${steps.u.id}"), "steps.u.id"),
        (literal("${u.rows[0].id}"), "steps.u.rows[0].id"),
        (literal("steps.u.id"), "steps.u.id"),
        (literal("$count(steps.u.rows) > 1"), "$count(steps.u.rows) > 1"),
        (literal("Hi {{steps.u.name}}!"), '"Hi " & steps.u.name & "!"'),
        (literal("{{steps.u.a}}-${u.b}"), 'steps.u.a & "-" & steps.u.b'),
        (literal("{{ steps.u.a + 1 }} of 9"), '(steps.u.a + 1) & " of 9"'),
        (literal('say "{{steps.u.id}}"\n'), '"say \\"" & steps.u.id & "\\"\\n"'),
        (literal("{{steps.u.name}} {{first}}"), 'steps.u.name & " {{first}}"'),
        (literal(["steps.u.id", 2, None]), "[steps.u.id, 2, null]"),
        (literal({"a": {"b": ["{{u.n}}"]}}), '{"a": {"b": [steps.u.n]}}'),
        (
            literal({"to-do": "steps.u.id", "text": "it's"}),
            '{"to-do": steps.u.id, "text": "it\'s"}',
        ),
        (literal("{{steps.u.id}}", bind={"y": "steps.u.y"}), "steps.u.id"),
        (literal("{{item.id}}", **EACH), "item.id"),
        (literal("item.id", **EACH), "item.id"),
        (literal("No. ${item.n} of {{u.n}}", **EACH), '"No. " & item.n & " of " & steps.u.n'),
    )
] + [
    Variant(
        "template_in_args",
        plan(step("u"), step("a", args={"x": "{{u.a}}", "y": ["steps.u.b"], "z": "${u.c}"})),
        mended="steps.u.a",
    )
]

VARIANTS = [
    *UNKNOWN_STEPS,
    *UNKNOWN_TOOLS,
    *MISSING_ARGUMENTS,
    *LOOSE_ENDS,
    *FOREIGN_SYNTAX,
    *TEMPLATES,
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.code)
def test_a_plan_passes_once_the_edits_of_its_hints_are_made(variant: Variant) -> None:
    found = validate_plan(variant.plan, **variant.host)
    assert {problem.code.value for problem in found} == {variant.code}
    mended = edited(variant.plan, found)
    assert validate_plan(mended, **variant.host) == ()
    if variant.mended:
        assert at(mended, place_of_edit(found[0])) == variant.mended


def test_faults_of_all_these_kinds_at_once_are_mended_in_one_go() -> None:
    many = plan(
        step("users", "lokup", args={"team": "core"}),
        step("mail", "send_mail", args={"to": "{{users.email}}"}),
        step("a", "fetch", bind={"id": "steps.usrs.id", "ok": "steps.users.n == 1"}),
    )
    schema = {"type": "object", "properties": {"to": TEXT, "body": TEXT}}
    tools = {**TOOLS, "send_mail": {"input_schema": {**schema, "required": ["to", "body"]}}}
    host: dict[str, Any] = {"tools": tools}
    found = validate_plan(many, **host)
    assert [(problem.code.value, problem.path) for problem in found] == [
        ("unknown_tool", "/steps/0/tool"),
        ("missing_argument", "/steps/1/args"),
        ("template_in_args", "/steps/1/args/to"),
        ("unknown_step", "/steps/2/bind/id"),
        ("foreign_syntax", "/steps/2/bind/ok"),
    ]
    once = edited(many, found)
    assert validate_plan(once, **host) == ()


def test_each_kind_is_tried_in_many_ways() -> None:
    tried = Counter(variant.code for variant in VARIANTS)
    assert min(tried.values()) >= 10


def place_of_edit(problem: Diagnostic) -> list[str | int]:
    """Where the expression stands that a hint gives."""
    parts = parts_of(problem.path)
    if problem.code.value == "template_in_args":
        return [*parts[:2], "bind", parts[3]]
    return parts
