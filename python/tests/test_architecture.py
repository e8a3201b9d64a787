"""Which room may import which: an import only ever points down."""

from __future__ import annotations

import ast
import graphlib
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "strands_plan_tool"

# From the ground up: a room, which is a module or a folder of them, imports only from rooms
# named before it.
GROUND = [
    "_base",
    "models",
    "tool_input",
    "diagnostics",
    "step_call",
    "errors",
    "tree",
    "recursion",
]
LANGUAGE = ["values", "wire", "functions", "expressions", "evaluate"]
PLAN = ["policy", "events", "binder", "cycles", "graph", "validate"]
RUN = ["render", "preview", "memory", "executor", "tasks"]
ORDER = [*GROUND, *LANGUAGE, *PLAN, *RUN]
DOORS = ["strands_adapter", "planner_executor", "testing"]

CORE_NEEDS = {"pydantic", "pydantic_core", "jsonata", "re2"}
DOORS_NEED = {
    "strands_adapter": {"strands", "opentelemetry"},
    "planner_executor": {"strands", "pydantic", "typing_extensions"},
    "testing": {"hypothesis", "strands"},
}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room_of(path: Path) -> str:
    """The room that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def dotted(path: Path) -> str:
    """A module's name inside the package; a folder's is that of its front."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


NAMES = {dotted(path) for path in MODULES}


def imports(path: Path) -> tuple[set[str], set[str]]:
    """What a module imports, in any scope: names inside the package, and other packages."""
    inside: set[str] = set()
    outside: set[str] = set()
    here = dotted(path).split(".")
    folder = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = [PACKAGE.name, *folder[: len(folder) - node.level + 1]]
            names = [".".join([*base, node.module or ""]).rstrip(".")]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first != PACKAGE.name:
                outside.add(first)
            elif rest:
                members = node.names if isinstance(node, ast.ImportFrom) else []
                below = {f"{rest}.{alias.name}" for alias in members} & NAMES
                inside |= below
                if len(below) < max(len(members), 1):
                    inside.add(rest)
            elif isinstance(node, ast.ImportFrom):
                inside |= {alias.name for alias in node.names}
    return inside, outside


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_imports_only_from_rooms_below_its_own(path: Path) -> None:
    room = room_of(path)
    assert room in [*ORDER, *DOORS], f"{room} has no place in the order of rooms"
    below = ORDER if room in DOORS else ORDER[: ORDER.index(room)]
    rooms = {name.partition(".")[0] for name in imports(path)[0]}
    assert sorted(rooms - {room} - set(below)) == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_needs_only_the_packages_of_its_tier(path: Path) -> None:
    allowed = CORE_NEEDS | DOORS_NEED.get(room_of(path), set()) | sys.stdlib_module_names
    assert sorted(imports(path)[1] - allowed) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    needs = {dotted(path): imports(path)[0] & NAMES for path in MODULES}
    assert len(list(graphlib.TopologicalSorter(needs).static_order())) == len(NAMES)
