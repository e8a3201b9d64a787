"""Plain JSON coming in and going out, and the difference between nothing and null."""

from __future__ import annotations

from strands_plan_tool.values.intake import ValueFault, ingest
from strands_plan_tool.values.plain import (
    NOTHING,
    Nothing,
    copy_out,
    is_well_formed,
    json_size,
    json_string,
    number_to_text,
    to_json_text,
    well_formed,
)

__all__ = [
    "NOTHING",
    "Nothing",
    "ValueFault",
    "copy_out",
    "ingest",
    "is_well_formed",
    "json_size",
    "json_string",
    "number_to_text",
    "to_json_text",
    "well_formed",
]
