"""Writes everything that is generated from the schema, or says what has drifted.

``python schema/codegen/generate.py`` writes the files; with ``--check`` it prints a diff
and exits 1 if one of them is not what the schema gives.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from allowed_keywords import SchemaError
from generate_python import generate_python
from generate_tool_input import generate_tool_input, generate_tool_input_python
from generate_typescript import generate_tool_input_typescript, generate_typescript
from read_schema import read_schema

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "python/src/strands_plan_tool"
WRITERS = {
    f"{PYTHON}/models.py": generate_python,
    f"{PYTHON}/tool_input.py": generate_tool_input_python,
    "typescript/src/models.ts": generate_typescript,
    "typescript/src/tool-input.ts": generate_tool_input_typescript,
    "schema/tool-input.schema.json": generate_tool_input,
}


def generated_files(root: Path) -> dict[str, str]:
    """Path under ``root`` to text, of every generated file.

    Raises:
        SchemaError: The schema leaves the allowed part of JSON Schema.
    """
    schema = read_schema(root / "schema")
    return {path: write(schema) for path, write in WRITERS.items()}


def drift(root: Path) -> str:
    """A unified diff from the files under ``root`` to what they ought to be; empty if none."""
    diff: list[str] = []
    for path, text in generated_files(root).items():
        file = root / path
        found = file.read_bytes().decode() if file.exists() else ""
        diff += difflib.unified_diff(
            found.splitlines(keepends=True), text.splitlines(keepends=True), path, "generated"
        )
    return "".join(diff)


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Runs the command; the exit code is 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 on drift")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            sys.stdout.write(diff := drift(root))
            return 1 if diff else 0
        for path, text in generated_files(root).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
    except SchemaError as error:
        sys.stderr.write(f"schema: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
