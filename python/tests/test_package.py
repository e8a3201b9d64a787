"""What a user installs: the wheel's contents, its types, and what importing it brings along."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "strands_plan_tool"


def installed() -> importlib.metadata.Distribution:
    """The installed wheel; the tests also run from the source alone, where there is none."""
    try:
        return importlib.metadata.distribution("strands-plan-tool")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed here, only on the path")


def modules_after(statement: str) -> set[str]:
    """The top-level names of what is loaded once a fresh Python has run a statement."""
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_the_wheel_holds_the_package_its_licence_and_nothing_else() -> None:
    files = {str(path) for path in installed().files or ()}
    modules = {
        f"strands_plan_tool/{path.relative_to(SOURCE).as_posix()}"
        for path in [*SOURCE.rglob("*.py"), SOURCE / "py.typed"]
    }
    package = {
        f for f in files if f.startswith("strands_plan_tool/") and "__pycache__" not in f
    }
    assert package == modules
    others = {f for f in files if not f.startswith("strands_plan_tool/")}
    assert {f.partition("/")[0] for f in others} == {"strands_plan_tool-0.1.0.dist-info"}
    assert "strands_plan_tool-0.1.0.dist-info/licenses/LICENSE" in others


def test_the_wheel_asks_for_the_core_alone_and_offers_the_doors_as_extras() -> None:
    metadata = installed().metadata
    required = metadata.get_all("Requires-Dist") or []
    core = {re.split(r"[<>=;\[ ]", text)[0] for text in required if "extra ==" not in text}
    assert core == {"pydantic", "jsonata-python", "google-re2"}
    assert set(metadata.get_all("Provides-Extra") or []) == {"strands", "testing"}
    assert metadata["License-Expression"] == "MIT"


def test_importing_the_core_loads_no_agent_framework_and_no_regular_expression_engine() -> None:
    loaded = modules_after("import strands_plan_tool")
    assert loaded & {"strands", "boto3", "opentelemetry", "hypothesis", "mcp", "re2"} == set()


def test_importing_the_core_leaves_the_recursion_limit_alone() -> None:
    code = "import sys; a = sys.getrecursionlimit(); import strands_plan_tool; "
    code += "assert sys.getrecursionlimit() == a"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_core_prints_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import strands_plan_tool"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
