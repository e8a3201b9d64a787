"""The examples and the demo are run, and end as their text says."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("strands")

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """An example as a module; they are programs and no package."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(name)


def test_the_monster_falls_in_one_model_call(monkeypatch: pytest.MonkeyPatch) -> None:
    fight = example("monster_fight", monkeypatch)
    assert fight.main() == "The mummy falls to your torch; you find 50 gold."


def test_triage_takes_one_branch_and_the_step_after_both_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    urgent, patient = example("triage", monkeypatch).main()
    assert urgent.returned == {"told": {"sent": "ann: Your number is operations-1"}}
    assert patient.returned == {"told": {"sent": "cy: Your number is sales-2"}}
    assert [(step.id, step.status.value) for step in urgent.ledger] == [
        ("sorted", "ok"),
        ("paged", "ok"),
        ("queued", "not_taken"),
        ("told", "ok"),
    ]
    assert [step.status.value for step in patient.ledger] == ["ok", "not_taken", "ok", "ok"]


def test_the_fan_out_asks_for_every_city(monkeypatch: pytest.MonkeyPatch) -> None:
    fan_out = example("fan_out", monkeypatch)
    assert fan_out.main() == "4 cities, wettest: Bergen"


def test_the_demo_does_each_piece_of_work_both_ways_with_fewer_model_calls_by_plan(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = example("demo", monkeypatch)
    monkeypatch.setattr(demo, "THINKING_S", 0)
    monkeypatch.setattr(importlib.import_module("shop"), "LOOK_UP_S", 0)
    pairs = demo.demo(demo.scripted)
    assert [(loop.model_calls, plan.model_calls) for loop, plan in pairs] == [
        (4, 1),
        (3, 1),
        (4, 2),
    ]
    assert [plan.answer for _, plan in pairs] == [loop.answer for loop, _ in pairs]
    steps = [e for e in pairs[1][1].events if (e.kind, e.step_id) == ("start", "orders")]
    assert [event.index for event in steps] == [0, 1, 2, 3, 4]
    (refusal,) = pairs[2][1].refusals.values()
    for code in ("unknown_tool", "template_in_args", "unknown_result_field"):
        assert code in refusal
    assert "4 against 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("provider", "setting"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")]
)
def test_a_live_demo_without_credentials_ends_with_one_line_on_what_to_set(
    provider: str,
    setting: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv(setting, raising=False)
    assert example("demo", monkeypatch).main(["--live", provider, "some-model"]) == 2
    assert capsys.readouterr().err.splitlines() == [f"Set {setting} to use {provider}."]


def test_a_live_demo_without_ollama_says_how_to_reach_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = example("demo", monkeypatch)
    # Port 9 of this machine: nothing listens there.
    monkeypatch.setattr(importlib.import_module("live_models"), "OLLAMA", "http://127.0.0.1:9")
    assert demo.main(["--live", "ollama", "some-model"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "OLLAMA_HOST" in line
