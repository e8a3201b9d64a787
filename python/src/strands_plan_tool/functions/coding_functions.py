"""The listed functions that write a value in another form: encodings, dates, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.functions import dates, encodings
from strands_plan_tool.functions.number_pictures import format_number as pictured
from strands_plan_tool.functions.text_functions import missing
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import State, made_text, spend

__all__ = [
    "base64_decode",
    "base64_encode",
    "decode_url",
    "decode_url_component",
    "encode_url",
    "encode_url_component",
    "format_number",
    "from_millis",
    "to_millis",
]


_PICTURE_STEPS: Final = 64
_DATE_STEPS: Final = 16
_DATE_SHIFT: Final = 3


def _of_text(code: Callable[[str], str]) -> Callable[[State, Any], Any]:
    def run(state: State, text: Any) -> Any:
        if text is NOTHING:
            return NOTHING
        spend(state, len(text))
        return made_text(code(text))

    return run


base64_encode = _of_text(encodings.base64_encode)
base64_decode = _of_text(encodings.base64_decode)
encode_url_component = _of_text(encodings.encode_url_component)
encode_url = _of_text(encodings.encode_url)
decode_url_component = _of_text(encodings.decode_url_component)
decode_url = _of_text(encodings.decode_url)


def to_millis(state: State, date: Any) -> Any:
    """``$toMillis``: the milliseconds from 1970 to a date."""
    if date is NOTHING:
        return NOTHING
    spend(state, _DATE_STEPS + (len(date) >> _DATE_SHIFT))
    return dates.to_millis(date)


def from_millis(state: State, millis: Any) -> Any:
    """``$fromMillis``: the date so many milliseconds after 1970."""
    if millis is NOTHING:
        return NOTHING
    spend(state, _DATE_STEPS)
    return dates.from_millis(millis)


def format_number(state: State, number: Any, picture: Any) -> Any:
    """``$formatNumber``: a number as a picture shows it."""
    if number is NOTHING:
        return NOTHING
    if picture is NOTHING:
        raise missing("formatNumber", 2)
    spend(state, _PICTURE_STEPS)
    return pictured(number, picture)
