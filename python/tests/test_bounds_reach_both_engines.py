"""A bound changed in a copy of the schema is kept by both engines once models are generated."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "typescript" / "node_modules"
ESBUILD = MODULES / "esbuild" / "bin" / "esbuild"
TAKEN = ("schema", "python/src", "typescript/src")

# Both say what is wrong with a plan, and whether a policy may be.
PYTHON = """
import json, sys
from strands_plan_tool import Policy, validate_plan
plan, policy = json.loads(sys.argv[1])
told = [[found.code, found.path] for found in validate_plan(plan)]
try:
    Policy.model_validate(policy)
except ValueError:
    told.append(["policy", ""])
print(json.dumps(told))
"""
TYPESCRIPT = """
import { Policy, validatePlan } from "./src/index.js";
const [plan, policy] = JSON.parse(process.argv[2]);
const told = validatePlan(plan).map(({ code, path }) => [code, path]);
if (!Policy.safeParse(policy).success) told.push(["policy", ""]);
console.log(JSON.stringify(told));
"""
GIVEN = json.dumps(
    [
        {"steps": [{"id": "long_name", "tool": "t"}], "returns": ["long_name"]},
        {"max_steps": 200},
    ]
)
BOUNDS = (
    ("plan.schema.json", "{0,31}", "{0,4}"),
    ("policy.schema.json", '"maximum": 9007199254740991', '"maximum": 100'),
)

Seen = list[list[str]]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The schema and both engines, to be changed at will."""
    pytest.importorskip("datamodel_code_generator")
    if not ESBUILD.exists():
        pytest.skip("typescript/node_modules is not installed")
    for path in TAKEN:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / path, tmp_path / path, ignore=ignored)
    return tmp_path


def in_python(root: Path) -> Seen:
    """What the copy's Python engine says."""
    env = {**os.environ, "PYTHONPATH": str(root / "python" / "src")}
    return told([sys.executable, "-c", PYTHON, GIVEN], env)


def in_typescript(root: Path) -> Seen:
    """What the copy's TypeScript engine says."""
    folder = root / "typescript"
    (folder / "ask.ts").write_text(TYPESCRIPT, "utf-8")
    # Its imports are looked for where they are installed, so that nothing has to be linked.
    env = {**os.environ, "NODE_PATH": str(MODULES)}
    options = ["--bundle", "--format=esm", "--platform=neutral", "--main-fields=module,main"]
    command = [str(ESBUILD), "ask.ts", "--outfile=ask.mjs", "--log-level=error", *options]
    subprocess.run(command, cwd=folder, env=env, check=True)
    return told(["node", str(folder / "ask.mjs"), GIVEN], env)


def told(command: list[str], env: dict[str, str]) -> Seen:
    """What a program prints."""
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    seen: Seen = json.loads(done.stdout)
    return seen


def test_a_changed_bound_is_kept_by_both_engines_and_nothing_is_written_by_hand(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert in_python(copy) == in_typescript(copy) == []
    for name, old, new in BOUNDS:
        schema = copy / "schema" / name
        text = schema.read_text("utf-8")
        assert text.count(old) == 1
        schema.write_text(text.replace(old, new), "utf-8")
    monkeypatch.syspath_prepend(str(ROOT / "schema" / "codegen"))
    assert import_module("generate").main([], copy) == 0
    kept = [["bad_pattern", "/steps/0/id"], ["bad_pattern", "/returns/0"], ["policy", ""]]
    assert in_python(copy) == in_typescript(copy) == kept
