"""What the documents show is run: samples, plans, commands and links."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
from pathlib import Path

import pytest

from strands_plan_tool import check_plan
from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "python" / "README.md", ROOT / "schema" / "LANGUAGE.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a document: its language and its text."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def plans(path: Path) -> list[str]:
    """The blocks of a document that show a whole plan."""
    shown = [text for kind, text in blocks(path) if kind in ("json", "jsonc")]
    return [re.sub(r" +//.*", "", text) for text in shown if '"steps"' in text]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_the_samples_of_a_document_run_and_print_what_it_says(path: Path) -> None:
    # The model that the samples leave to the reader plays the plan that the page shows.
    turns = [ToolCall("submit_workflow_plan", json.loads(plan)) for plan in plans(path)[:1]]
    names: dict[str, object] = {"__name__": "sample", "model": ScriptedModel(*turns)}
    shown = [*blocks(path), ("", "")]
    for (kind, text), (next_kind, expected) in itertools.pairwise(shown):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, name(path), "exec"), names)
        assert printed.getvalue().strip() == (expected.strip() if next_kind == "text" else "")


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_the_plans_that_a_document_shows_pass_the_checks(path: Path) -> None:
    for text in plans(path):
        assert check_plan(text).notes == ()


def test_what_the_readme_says_to_run_is_what_ci_runs() -> None:
    commands = [line for kind, text in blocks(ROOT / "README.md") if kind == "sh"
                for line in text.splitlines()]  # fmt: skip
    assert "python3 -m pip install nox && python3 -m nox -s demo" in commands
    assert "python3 -m pip install nox && python3 -m nox" in commands
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python3 -m pip install nox" in run
    assert re.search(r"^python3 -m nox --report", run, re.MULTILINE)


def test_every_session_that_a_document_names_exists() -> None:
    sessions = re.findall(
        r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text(), re.MULTILINE
    )
    for path in [*DOCUMENTS, ROOT / ".github" / "CONTRIBUTING.md"]:
        named = re.findall(r"nox -s (\w+)", path.read_text(encoding="utf-8"))
        assert set(named) <= set(sessions), name(path)


@pytest.mark.parametrize("path", [*DOCUMENTS, ROOT / ".github" / "CONTRIBUTING.md"], ids=name)
def test_every_link_within_the_repository_leads_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        led_to = path.parent / file if file else path
        assert led_to.exists(), target
        assert not anchor or anchor in anchors(led_to), target


def anchors(path: Path) -> set[str]:
    """What links may name within a page: its headings, as they are written in links."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
