"""A hint about a field keeps what the field holds: made as it is written, it mends the plan."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from strands_plan_tool import Diagnostic, validate_plan

Plan = dict[str, Any]
READ = json.JSONDecoder().raw_decode


def step(**fields: Any) -> Plan:
    return {"id": "a", "tool": "t", **fields}


def plan(*steps: Plan, **fields: Any) -> Plan:
    """A plan with two more steps."""
    more = [{"id": "b", "tool": "t"}, {"id": "c", "tool": "t"}]
    return {"steps": [*steps, *more], "returns": ["b"], **fields}


# What was submitted, and what stands there once the edits of all hints are made.
STEPS: list[tuple[Plan, Plan]] = [
    (step(after=["c"], depends_on=["b"]), step(after=["c", "b"])),
    (step(after=["c"], depends_on="b", needs=["c"]), step(after=["c", "b"])),
    (step(dependsOn=["b"]), step(after=["b"])),
    (step(needs="b"), step(after="b")),
    (step(requires=["b"], dependencies=["c"]), step(after=["b", "c"])),
    (step(arguments={"x": 1}), step(args={"x": 1})),
    (step(arguments='{"x": 1}'), step(args='{"x": 1}')),
    (step(parameters={"x": 1}), step(args={"x": 1})),
    (step(input={"x": 1}), step(args={"x": 1})),
    (step(kwargs={"x": 1}), step(args={"x": 1})),
    (step(args={"x": 1}, params={"y": 2}), step(args={"x": 1, "y": 2})),
    (step(args={"x": 1}, params={"x": 1}), step(args={"x": 1})),
    (step(arguments={"x": 1}, inputs={"y": 2}), step(args={"x": 1, "y": 2})),
    (step(bindings={"x": "1"}), step(bind={"x": "1"})),
    (step(bind={"y": "2"}, expressions={"x": "1"}), step(bind={"y": "2", "x": "1"})),
    (step(condition="steps.b.ok"), step(when="steps.b.ok")),
    (step(**{"if": "steps.b.ok"}), step(when="steps.b.ok")),
    (step(when="true", condition="false"), step(when="(true) and (false)")),
    (step(unless="steps.b.ok"), step(when="$not(steps.b.ok)")),
    (step(foreach="steps.b.rows"), step(for_each="steps.b.rows")),
    (step(forEach="steps.b.rows"), step(for_each="steps.b.rows")),
    (step(loop="steps.b.rows"), step(for_each="steps.b.rows")),
    (step(for_each=["x", 1]), step(for_each='["x", 1]')),
    (step(for_each=["steps.b.x", 1]), step(for_each="[steps.b.x, 1]")),
    (step(bind={"x": {"n": "steps.b.n"}}), step(bind={"x": '{"n": steps.b.n}'})),
    (step(whenn="true"), step(when="true")),
    (step(comment="why", output="res", retry=3), step()),
    ({"name": "a", "tool": "t"}, step()),
    ({"step_id": "a", "tool": "t"}, step()),
    ({"step": 1, "tool": "t"}, {"id": "s_1", "tool": "t"}),
    ({"name": "Fetch it", "tool": "t"}, {"id": "fetch_it", "tool": "t"}),
    ({"id": "a", "function": "t"}, step()),
    ({"id": "a", "tool_name": "t"}, step()),
    ({"id": "a", "name": "t"}, step()),
    ({"name": "a", "action": "t", "args": {}}, step(args={})),
    (
        {"id": "a", "type": "function", "function": {"name": "t", "arguments": {"x": 1}}},
        step(args={"x": 1}),
    ),
]

PLANS: list[tuple[Plan, Plan]] = [
    ({"tasks": [step()], "returns": ["a"]}, {"steps": [step()], "returns": ["a"]}),
    ({"plan": [step()], "return": ["a"]}, {"steps": [step()], "returns": ["a"]}),
    ({"steps": [step()], "result": "a"}, {"steps": [step()], "returns": "a"}),
    ({"steps": [step()], "outputs": ["a"]}, {"steps": [step()], "returns": ["a"]}),
    ({"steps": [step()], "output": ["a"]}, {"steps": [step()], "returns": ["a"]}),
    ({"steps": [step()], "answer": "steps.a.x"}, {"steps": [step()], "output": "steps.a.x"}),
    (
        {"steps": [step()], "output": {"x": "steps.a.x", "n": 1}},
        {"steps": [step()], "output": '{"x": steps.a.x, "n": 1}'},
    ),
    (
        {"steps": [step()], "returns": ["a"], "result": "a summary"},
        {"steps": [step()], "returns": ["a"]},
    ),
]


@pytest.mark.parametrize(("given", "wanted"), STEPS)
def test_what_a_step_holds_under_another_name_is_kept(given: Plan, wanted: Plan) -> None:
    found = validate_plan(plan(given))
    mended = made(plan(given), found)
    assert mended == plan(wanted)
    assert validate_plan(mended) == ()


@pytest.mark.parametrize(("given", "wanted"), PLANS)
def test_what_a_plan_holds_under_another_name_is_kept(given: Plan, wanted: Plan) -> None:
    mended = made(given, validate_plan(given))
    assert mended == wanted
    assert validate_plan(mended) == ()


@pytest.mark.parametrize(
    ("given", "path", "hint"),
    [
        (
            {"plan": plan(step()), "reason": "because"},
            "/plan",
            'submit what stands in "plan" alone',
        ),
        ({"plan": {"plan": plan(step())}}, "/plan", "submit what stands in /plan/plan alone"),
        (
            {"plan": json.dumps(plan(step())), "reason": "because"},
            "/plan",
            'submit what stands in "plan" alone',
        ),
        (
            {"one": plan(step()), "two": plan(step())},
            "/one",
            'submit one plan at a time: what stands in "one", then in "two"',
        ),
        ({"output": plan(step())}, "/output", 'submit what stands in "output" alone'),
    ],
)
def test_a_plan_in_company_is_told_where_it_stands(given: Plan, path: str, hint: str) -> None:
    assert [(each.path, each.hint) for each in validate_plan(given)] == [(path, hint)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x", 'submit one JSON object with "steps"'),
        ("", 'submit one JSON object with "steps"'),
        ("First I look it up.", 'submit one JSON object with "steps"'),
        ("```\nhello\n```", 'submit one JSON object with "steps"'),
        ('Here: {"steps": []}', 'submit one JSON object with "steps", with no text around it'),
        ('"x"', 'submit one JSON object with "steps"'),
        ("null", 'submit one JSON object with "steps"'),
        ("[]", 'put it into "steps": {"steps": [...]}'),
        ("```json\n{'steps': []}\n```", "use double quotes"),
        ('{"steps": []} so', "remove what follows it"),
    ],
)
def test_what_is_no_plan_at_all_is_told_what_a_plan_is(text: str, hint: str) -> None:
    (found,) = validate_plan(text)
    assert found.path == ""
    assert found.hint == hint


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"tool": None}, "write the name of a tool"),
        ({"tool": 5}, "write the name of a tool"),
        ({"tool": ["t"]}, "write the name of a tool"),
        ({"id": None}, "write a step id"),
        ({"when": ["x"]}, 'write a condition as a string, such as "steps.a.n > 3"'),
        ({"bind": {"x": [1]}}, 'move it to "args"'),
        (
            {"input": "steps.b.x"},
            'move it into "args" or "bind", under the name of an argument',
        ),
        (
            {"args": {"x": 1}, "params": {"x": 2}},
            'move its members into "args", each under a name of its own',
        ),
        ({"on_error": "continue"}, "move it to the plan: it is about all steps"),
        ({"returns": ["a"]}, "move it to the plan: it is about all steps"),
        ({"output": "steps.a.x"}, "move it to the plan"),
        ({"steps": []}, 'move them to the "steps" of the plan: a step calls one tool'),
        ({"save_as": "x"}, "remove it: the result of the step is read as steps.a"),
        (
            {"timeout": 5},
            "remove it: limits, retries and concurrency are the host's to set",
        ),
    ],
)
def test_other_fields_of_a_step_have_their_edits(fields: Plan, hint: str) -> None:
    (found,) = validate_plan(plan({**step(), **fields}))
    assert found.hint == hint


def test_a_name_beside_arguments_may_be_the_tool_s() -> None:
    found = validate_plan(plan({"name": "t", "arguments": {}}))
    assert [(each.path, each.hint) for each in found] == [
        ("/steps/0", 'add "id": a short name, "tool": the name of a tool'),
        ("/steps/0/name", 'rename it to "tool" if it names one, else to "id"'),
        ("/steps/0/arguments", 'rename it to "args"'),
    ]


def test_a_step_alone_is_put_into_a_plan() -> None:
    first, *fields = validate_plan(step(args={}))
    assert first.hint == 'put this step into a list: {"steps": [{"id": ..., "tool": ...}]}'
    assert {each.hint for each in fields} == {"move it into the step that it is about"}


def test_a_text_that_may_be_a_list_is_not_made_a_list_of_one() -> None:
    tools = {"t": {"input_schema": {"properties": {"to": {"type": "array"}}}}}
    hints = [
        validate_plan(plan(step(args={"to": to})), tools=tools)[0].hint
        for to in ("ann", "ann, bob", '["ann","bob"]')
    ]
    assert hints == [
        'change "ann" to ["ann"]',
        "write an array",
        'change "[\\"ann\\",\\"bob\\"]" to ["ann","bob"]',
    ]


def test_fields_by_the_thousand_are_told_in_time_that_grows_with_them() -> None:
    many = {f"par_ams{'_' * n}": {"x": n} for n in range(3000)}
    found = validate_plan(plan({**step(args={f"k{n}": n for n in range(3000)}), **many}))
    assert len(found) == 3000
    assert max(len(each.hint) for each in found) < 100


# A reader that does what hints say and knows nothing of the language.


def made(given: Plan, found: tuple[Diagnostic, ...]) -> Plan:
    """A copy of a plan with the edit of every diagnostic, those of later places first."""
    mended = copy.deepcopy(given)
    for problem in reversed(found):
        names = [part.replace("~1", "/").replace("~0", "~") for part in problem.path.split("/")]
        parts = [int(name) if name.isdigit() else name for name in names[1:]]
        owner: Any = mended
        if problem.code == "missing_field":
            for part in parts:
                owner = owner[part]
            supply(owner, problem.hint)
        else:
            for part in parts[:-1]:
                owner = owner[part]
            edit(owner, str(parts[-1]), problem.hint)
    return mended


def supply(owner: Plan, hint: str) -> None:
    """Edits that name the field they begin with; done already if that is gone."""
    for old, new in re.findall(r'rename "([^"]+)" to "([^"]+)"', hint):
        if old in owner:
            owner[new] = owner.pop(old)
    writing = re.fullmatch(r'write (.*) in place of "([^"]+)"', hint)
    if writing and writing[2] in owner:
        owner.update(json.loads(f"{{{writing[1]}}}"))
        del owner[writing[2]]


def edit(owner: Plan, name: str, hint: str) -> None:
    renaming = re.fullmatch(r'rename it to "([^"]+)"', hint)
    moving = re.fullmatch(r'move .* into "[^"]+": write (.*)', hint)
    writing = re.fullmatch(r"write (.*?)( in its place)?", hint)
    if renaming:
        owner[renaming[1]] = owner.pop(name)
    elif moving:
        del owner[name]
        owner.update(json.loads(f"{{{moving[1]}}}"))
    elif writing:
        if writing[2]:
            del owner[name]
        owner.update(json.loads(f"{{{writing[1]}}}"))
    else:
        assert hint.startswith("remove it"), hint
        del owner[name]
