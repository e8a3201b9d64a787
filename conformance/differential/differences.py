"""Where two engines, or an engine and the reference, answer unlike each other."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from outcomes import Outcome, verdict

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import jsontext, verdicts
from harness.schemas import fault_of_answer
from harness.suite import Case

__all__ = ["Answer", "difference", "from_reference", "read", "unlike"]

Answer = Mapping[str, Any]

_MINUS_ZERO: Final = re.compile(rb"-0(?![.\d])")
_NO_CASE: Final = Case("by-chance", "", "", "evaluate", {}, {})
_ENGINES_FAULT: Final = "an engine's own fault"


def difference(lines: Sequence[bytes | str], cmd: str) -> str | None:
    """Where the two lines answer a command unlike each other, None if nowhere.

    A line that is no answer, and one that tells of an engine's own fault, always is one.
    """
    one, other = lines
    if isinstance(one, str) or isinstance(other, str):
        return "no answer"
    if not (_MINUS_ZERO.search(one) or _MINUS_ZERO.search(other)):
        try:
            mine = json.loads(one, parse_float=_number)
            theirs = json.loads(other, parse_float=_number)
        except ValueError:
            return "no JSON"
        if "errored" not in mine and json.dumps(mine) == json.dumps(theirs):
            return None
    return unlike(read(one), read(other), cmd)


def _number(digits: str) -> int | float:
    """A number by its value, however it is written: ``1.0`` is ``1``."""
    value = float(digits)
    return int(value) if value.is_integer() else value


def read(line: bytes | str) -> Answer | None:
    """The answer that a line is; None if it is none."""
    try:
        answer = None if isinstance(line, str) else jsontext.read(line.decode())
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def unlike(one: Answer | None, other: Answer | None, cmd: str) -> str | None:
    """The place in which two answers differ, as the harness compares them."""
    if one is None or other is None:
        return "no answer"
    for answer in (one, other):
        if "errored" in answer:
            return _ENGINES_FAULT
        if problem := fault_of_answer(answer, cmd):
            return f"no answer to {cmd}: {problem}"
    return verdicts.agreement(
        *(
            verdicts.Outcome(_NO_CASE, "", "passed", answer, None, None)
            for answer in (one, other)
        )
    )


def from_reference(
    expression: str, data: Any, answer: Answer, theirs: Mapping[str, Any]
) -> str | None:
    """What an engine says of an expression unlike the reference, as ``verdict`` tells."""
    own = _outcome(answer)
    if own.kind in ("refused", "input"):
        return None
    how, what = verdict(expression, theirs, own, data=data)
    if how != "different" or theirs.get("mutated"):
        return None
    return f"the reference: {what}" if what else "the reference"


def _outcome(answer: Answer) -> Outcome:
    if "refused" in answer:
        return Outcome("refused", answer["refused"]["code"], answer["refused"]["message"])
    if "value" in answer:
        return Outcome("value", value=answer["value"])
    code, message = answer["error"]["code"], answer["error"]["message"]
    if code == "no_value" and message == "it matches nothing":
        return Outcome("nothing")
    kind = "input" if code == "not_json_result" else "error"
    return Outcome(kind, code, message)
