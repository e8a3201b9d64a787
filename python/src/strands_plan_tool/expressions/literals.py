"""Literals that have a grammar of their own: regular expressions, and pictures of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strands_plan_tool.expressions.problems import Fault
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tokens import Pattern as Written
from strands_plan_tool.functions.number_pictures import picture_problem
from strands_plan_tool.functions.pattern_errors import PatternError
from strands_plan_tool.functions.pattern_grammar import parse_flags, parse_pattern

__all__ = ["pattern_fault", "picture_fault"]


def pattern_fault(written: Written, position: int) -> Fault | None:
    """Why a regular expression may not be used; None if it may.

    Args:
        written: What stands between the slashes and after them.
        position: Where its first slash stands.
    """
    source, flags = written
    inside = position + 1
    try:
        ignore_case, _ = parse_flags(flags)
    except PatternError as error:
        return _fault(error.code, inside + len(source) + 1 + error.position, error)
    try:
        parse_pattern(source, ignore_case=ignore_case)
    except PatternError as error:
        return _fault(error.code, inside + error.position, error)
    return None


def picture_fault(scan: Scan, arguments: Sequence[Any]) -> Fault | None:
    """Why the picture that a call of ``$formatNumber`` ends with may not be used.

    Args:
        scan: The text, for the place in it.
        arguments: The library's nodes of the call's arguments; a picture that is no literal
            is looked at when it is known.
    """
    if not arguments or arguments[-1].type != "string":
        return None
    written = arguments[-1]
    error = picture_problem(written.value)
    if error is None:
        return None
    start = written.position
    # With an escape before it, the place in the value is none in the text.
    plain = scan.text.startswith(written.value, start + 1)
    return _fault("not_in_profile", start + 1 + error.position if plain else start, error)


def _fault(code: str, position: int, error: Any) -> Fault:
    message, hint = (text[:1].lower() + text[1:] for text in (error.message, error.hint))
    return Fault(code, position, message, hint.removesuffix("."))
