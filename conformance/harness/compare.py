"""An engine's answer in the words of a case's expectation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.suite import Case

__all__ = ["seen_and_expected"]

Words = dict[str, Any]

# How a case ends is always compared, also where it expects another end.
_ENDS: Final = {"value", "refused", "error", "cancelled", "paused", "pauses"}
_RESULT: Final[Words] = {
    "returned": {},
    "output": None,
    "output_error": None,
    "notes": [],
    "final": False,
    "ends_turn": False,
}
_ENTRY: Final[Words] = {"error": None, "code": None, "items": None, "reused": 0}


def seen_and_expected(case: Case, answer: Mapping[str, Any]) -> tuple[Words, Words]:
    """What an engine answered, and what the case expects, in the same words.

    They are equal if and only if the case has passed.
    """
    expected = dict(case.expect)
    match case.kind:
        case "message":
            first = answer["diagnostics"][0] if answer["diagnostics"] else {}
            return dict(first), expected
        case "evaluate":
            seen = _evaluated(answer)
        case "validate":
            seen = _validated(answer)
            if seen["diagnostics"] or "diagnostics" in expected:
                # A refusal is told also where the case expects what comes of another end.
                rows = expected.get("diagnostics", [])
                expected["diagnostics"] = sorted(rows, key=_place)
        case "run":
            if "diagnostics" in answer:
                return {"diagnostics": _places(answer["diagnostics"])}, expected
            seen, expected = _executed(answer, expected)
        case "check_tasks":
            seen = {key: value for key, value in answer.items() if key != "seq"}
            seen["diagnostics"] = _places(answer["diagnostics"], "hint")
            expected["diagnostics"] = sorted(expected["diagnostics"], key=_place)
        case "run_tasks":
            if "diagnostics" in answer:
                return {"diagnostics": _places(answer["diagnostics"])}, expected
            seen = {key: value for key, value in answer.items() if key != "seq"}
    return {key: seen[key] for key in seen if key in expected or key in _ENDS}, expected


def _evaluated(answer: Mapping[str, Any]) -> Words:
    seen = {key: value for key, value in answer.items() if key != "seq"}
    for end in ("refused", "error"):
        if end in seen:
            seen[end] = seen[end]["code"]
    return seen


def _validated(answer: Mapping[str, Any]) -> Words:
    seen: Words = {"diagnostics": _places(answer["diagnostics"])}
    if not seen["diagnostics"]:
        seen["levels"] = answer["levels"]
        seen["dependencies"] = answer["dependencies"]
        seen["repairs"] = len(answer["repairs"])
        seen["preview"] = answer["preview"]
    return seen


def _executed(answer: Mapping[str, Any], expected: Words) -> tuple[Words, Words]:
    keyed = any("key" in call for call in expected.get("calls", []))
    dropped = set() if keyed else {"key"}
    seen: Words = {
        "calls": [
            {name: part for name, part in call.items() if name not in dropped}
            for call in answer["calls"]
        ],
        "timeline": answer["timeline"],
    }
    for part in ("pauses", "memory", "cancelled", "paused"):
        if part in answer:
            seen[part] = answer[part]
    if "result" not in answer:
        return seen, expected
    if "result" in expected:
        seen["result"], expected["result"] = _results(answer["result"], expected["result"])
    elif "cancelled" in expected or "paused" in expected:
        seen["result"] = answer["result"]
    return seen, expected


def _results(result: Mapping[str, Any], wanted: Mapping[str, Any]) -> tuple[Words, Words]:
    """The two results with every member in both, but for texts that no case states."""
    seen = dict(result)
    passes = max(wanted["levels"] - 1, 0)
    full = (
        _RESULT
        | {"inference_passes_saved": passes, "has_output": "output" in wanted}
        | dict(wanted)
    )
    full["ledger"] = [_ENTRY | entry for entry in full["ledger"]]
    for entry, outcome in zip(full["ledger"], seen["ledger"], strict=False):
        if entry["code"] is not None and entry["error"] is None:
            entry["error"] = outcome["error"]
    if seen["output_error"] is not None:
        seen["output_error"] = {"code": seen["output_error"]["code"]}
    seen["notes"] = [note.partition(": ")[0] for note in seen["notes"]]
    return seen, full


def _places(diagnostics: list[Mapping[str, Any]], *texts: str) -> list[Words]:
    members = ("code", "path", *texts)
    rows = [{member: found[member] for member in members} for found in diagnostics]
    return sorted(rows, key=_place)


def _place(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["code"], row["path"]
