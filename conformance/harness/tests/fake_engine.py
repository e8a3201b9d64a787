"""An engine for tests: it knows whole numbers, and is wrong in the way that it is told.

    python fake_engine.py HOW

An expression is evaluated by reading it as JSON; ``boom`` is the one at which a fault that
strikes only once in a while strikes.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main(how: str) -> None:
    """Speak the protocol, or not."""
    seq = 0
    for line in sys.stdin:
        command = json.loads(line)
        if command["cmd"] == "stop":
            return
        if command["cmd"] == "start":
            started(how)
            continue
        seq = command["seq"]
        boom = command.get("expression") == "boom"
        if how == "silent" or (how == "silent once" and boom):
            time.sleep(60)
        if how == "crashing" or (how == "crashing once" and boom):
            sys.stderr.write("out of luck\n")
            sys.exit(3)
        say(how, command, seq)


def started(how: str) -> None:
    """Answer ``start``."""
    if how == "never started":
        sys.exit(1)
    if how == "of another protocol":
        write({"protocol": 2, "engine": {"name": "fake", "version": "1", "runtime": "1"}})
        return
    write({"protocol": 1, "engine": {"name": "fake", "version": "1", "runtime": "1"}})


def say(how: str, command: dict[str, Any], seq: int) -> None:
    """Answer any other command."""
    answer: dict[str, Any] = {"seq": seq, "value": 0, "dependencies": [], "steps_used": 1}
    if how == "sees expectations" and {"expect", "id", "description"} & command.keys():
        sys.exit(4)
    if how == "always wrong":
        answer["value"] = "wrong"
    elif how == "of another seq":
        answer["seq"] = seq + 1
    elif how == "without seq":
        del answer["seq"]
    elif how == "printing junk":
        sys.stdout.write("Warning: something happened\n")
    elif how == "saying NaN":
        answer["value"] = float("nan")
    elif how == "half an answer":
        del answer["steps_used"]
    elif how == "a list for an answer":
        sys.stdout.write("[]\n")
        sys.stdout.flush()
        return
    elif how == "errored":
        answer = {"seq": seq, "errored": {"message": "a bug", "traceback": "here"}}
    elif how == "errored without seq":
        answer = {"seq": None, "errored": {"message": "a bug"}}
    else:
        answer["value"] = value_of(command.get("expression", "0"))
    write(answer)


def value_of(expression: str) -> Any:
    """The value of an expression of this engine."""
    return 7 if expression == "boom" else json.loads(expression)


def write(answer: Any) -> None:
    """One line."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
