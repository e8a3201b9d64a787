"""The listed functions that write a value in another form: encodings, dates, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strands_plan_tool.functions import dates, encodings
from strands_plan_tool.functions.number_pictures import format_number as pictured
from strands_plan_tool.functions.text_functions import missing
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import State, made_text

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


def _of_text(code: Callable[[str], str]) -> Callable[[State, Any], Any]:
    def run(state: State, text: Any) -> Any:
        return NOTHING if text is NOTHING else made_text(code(text))

    return run


base64_encode = _of_text(encodings.base64_encode)
base64_decode = _of_text(encodings.base64_decode)
encode_url_component = _of_text(encodings.encode_url_component)
encode_url = _of_text(encodings.encode_url)
decode_url_component = _of_text(encodings.decode_url_component)
decode_url = _of_text(encodings.decode_url)


def to_millis(state: State, date: Any) -> Any:
    """``$toMillis``: the milliseconds from 1970 to a date."""
    return NOTHING if date is NOTHING else dates.to_millis(date)


def from_millis(state: State, millis: Any) -> Any:
    """``$fromMillis``: the date so many milliseconds after 1970."""
    return NOTHING if millis is NOTHING else dates.from_millis(millis)


def format_number(state: State, number: Any, picture: Any) -> Any:
    """``$formatNumber``: a number as a picture shows it."""
    if number is NOTHING:
        return NOTHING
    if picture is NOTHING:
        raise missing("formatNumber", 2)
    return pictured(number, picture)
