"""Plans that stand inside something else, where no repair may take them out.

One wrapper that holds nothing but a plan is removed (``repairs``). With anything beside
the plan that would be a guess, so it is told instead: where the plan stands.
"""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.diagnostics import Path

__all__ = ["plans_inside"]

_DEEPEST: Final = 3
_MOST: Final = 3
_LOOKED_AT: Final = 200


def plans_inside(value: Any) -> list[Path]:
    """Where the plans stand that an object holds which is none itself, outermost first.

    Args:
        value: Plain JSON. Text is not decoded: it counts if it looks like a plan.
    """
    if not isinstance(value, dict) or "steps" in value:
        return []
    found: list[Path] = []
    level: list[tuple[Path, Any]] = [((), value)]
    for _ in range(_DEEPEST):
        inner = [
            ((*path, name), member)
            for path, holder in level[:_LOOKED_AT]
            for name, member in list(holder.items())[:_LOOKED_AT]
        ]
        found += [path for path, member in inner if _is_plan(member)]
        level = [each for each in inner if isinstance(each[1], dict) and "steps" not in each[1]]
    return found[:_MOST]


def _is_plan(value: Any) -> bool:
    if isinstance(value, str):
        return value.lstrip(" \t\n\r")[:1] == "{" and '"steps"' in value
    return isinstance(value, dict) and isinstance(value.get("steps"), list | str | dict)
