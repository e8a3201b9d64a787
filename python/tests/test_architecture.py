"""Which room may import which: an import only ever points down."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "strands_plan_tool"

# From the ground up: a room imports only from rooms named before it. Rooms of one row may
# not import each other unless their order in the row says so.
GROUND = ["_base", "models", "tool_input", "diagnostics", "errors", "tree", "nothing"]
LANGUAGE = ["values", "wire", "scan", "habits", "functions", "expressions", "evaluate"]
PLAN = ["policy", "events", "graph", "binder", "validate"]
RUN = ["render", "executor"]
DOORS = ["strands_adapter", "testing"]
ORDER = [*GROUND, *LANGUAGE, *PLAN, *RUN]



def rooms() -> list[tuple[str, Path]]:
    """Every module of the package with the room it belongs to."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        if parts != ("__init__.py",):
            found.append((parts[0].removesuffix(".py"), path))
    return found


def imports(path: Path) -> list[tuple[str, bool]]:
    """The rooms (True) and outside packages (False) that a module imports, in any scope."""
    found: list[tuple[str, bool]] = []
    inside = path.relative_to(PACKAGE).parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    first, *rest = alias.name.split(".")
                    found.append((rest[0], True) if first == PACKAGE.name else (first, False))
            case ast.ImportFrom(module=module, level=0, names=names):
                first, *rest = (module or "").split(".")
                if first != PACKAGE.name:
                    found.append((first, False))
                elif rest:
                    found.append((rest[0], True))
                else:
                    found += [(alias.name, True) for alias in names]
            case ast.ImportFrom(module=module, level=level, names=names):
                base = list(inside[: len(inside) - level]) + (module or "").split(".")
                base = [part for part in base if part]
                found += [(base[0], True)] if base else [(a.name, True) for a in names]
    return found


@pytest.mark.parametrize(
    ("room", "path"), rooms(), ids=lambda value: value.stem if isinstance(value, Path) else value
)
def test_a_room_imports_only_what_lies_below_it(room: str, path: Path) -> None:
    assert room in [*ORDER, *DOORS], f"{room} has no place in the order of rooms"
    below = ORDER if room in DOORS else ORDER[: ORDER.index(room)]
    up = [
        name for name, ours in imports(path) if ours and name not in below and name != room
    ]
    assert up == []


@pytest.mark.parametrize(("room", "path"), rooms(), ids=lambda value: str(value)[-40:])
def test_a_room_needs_only_the_packages_of_its_tier(room: str, path: Path) -> None:
    core = {"pydantic", "jsonata", "re2"}
    doors = {"strands_adapter": {"strands", "opentelemetry"}, "testing": {"strands", "hypothesis"}}
    allowed = core | doors.get(room, set())
    outside = {name for name, ours in imports(path) if not ours} - set(sys.stdlib_module_names)
    assert outside - allowed == set()
