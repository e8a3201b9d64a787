"""The page that specifies the language says what the engine does, table by table."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from strands_plan_tool import Code, Policy, tree
from strands_plan_tool.expressions import parse_expression
from strands_plan_tool.functions import FUNCTIONS

SCHEMA = Path(__file__).parents[2] / "schema"
PAGE = (SCHEMA / "LANGUAGE.md").read_text(encoding="utf-8")

HOSTS = {
    "$map": "$map([1], {})",
    "$filter": "$filter([1], {})",
    "$single": "$single([1], {})",
    "$sift": '$sift({"a": 1}, {})',
    "$each": '$each({"a": 1}, {})',
    "$reduce": "$reduce([1], {})",
    "$sort": "$sort([1], {})",
    "$replace": '$replace("a", "b", {})',
}


def section(heading: str) -> str:
    """The text under the heading that ends so, up to the next one."""
    (found,) = re.findall(rf"^#+ [\d. ]*{heading}\n(.*?)(?=^#|\Z)", PAGE, re.M | re.S)
    return str(found)


def rows(heading: str) -> list[list[str]]:
    """The cells of a section's tables, without their heads."""
    lines = re.findall(r"^\| (.*) \|$", section(heading), re.MULTILINE)
    return [line.split(" | ") for line in lines]


def functions(text: str) -> list[str]:
    return re.findall(r"\$[a-z]\w*", text)


def listed() -> list[str]:
    text = section("The profile")
    table = text[text.index("**Listed functions**") : text.index("Pictures of")]
    return functions(table)


def problems(expression: str) -> str:
    return " ".join(problem.message for problem in parse_expression(expression, None)[1])


def test_the_codes_are_those_of_the_models() -> None:
    named = re.findall(r"`([a-z_]+)`", section("Codes").partition("Exceptions")[0])
    assert set(named) == {code.value for code in Code}


def test_the_node_kinds_are_those_of_the_tree() -> None:
    nodes = {
        name
        for name, kind in vars(tree).items()
        if isinstance(kind, type) and issubclass(kind, tree.Node) and kind is not tree.Node
    }
    assert {row[0].strip("`") for row in rows("Node kinds")[1:]} == nodes


def test_the_policy_is_that_of_the_models() -> None:
    fields = {row[0].strip("`"): row[1] for row in rows("Policy")[1:]}
    shown = {
        name: field.default
        for name, field in Policy.model_fields.items()
        if isinstance(field.default, int) and not isinstance(field.default, bool)
    }
    assert set(fields) == set(Policy.model_fields)
    sizes = {"1 MiB": 2**20, "64 KiB": 2**16}
    assert {
        name: sizes.get(fields[name]) or int(fields[name].replace(",", "")) for name in shown
    } == shown


def test_the_listed_functions_are_those_that_are_evaluated() -> None:
    assert sorted(listed()) == sorted("$" + name for name in FUNCTIONS)


@pytest.mark.parametrize("host", HOSTS)
def test_a_bare_name_is_a_function_argument_where_the_table_says_so(host: str) -> None:
    (taken,) = [functions(row[1]) for row in rows("The profile") if f"`{host}`" in row[0]]
    accepted = [name for name in listed() if not problems(HOSTS[host].replace("{}", name, 1))]
    assert sorted(accepted) == sorted(taken)


def test_the_table_of_bare_names_is_data_too() -> None:
    table = json.loads((SCHEMA / "function-arguments.json").read_text(encoding="utf-8"))
    del table["$comment"]
    assert {f"${host}" for host in table} == set(HOSTS)
    for row in rows("The profile"):
        for host in set(functions(row[0])) & set(HOSTS):
            assert sorted(functions(row[1])) == sorted("$" + name for name in table[host[1:]])
    assert {
        host: {name for name, function in FUNCTIONS.items() if host in function.by_name_in}
        for host in table
    } == {host: set(names) for host, names in table.items()}
