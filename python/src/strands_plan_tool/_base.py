"""What every generated model shares: how strictly Python values are read.

A document that came through ``wire`` is plain JSON, and code that builds a plan by
hand writes lists and strings; so a list may stand for a tuple and a string for an
enum. Nothing else is converted: ``"1"`` is no integer, ``True`` is no number and a
set, which has no order, is no list.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import BaseModel, BeforeValidator

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Model(
    BaseModel,
    frozen=True,
    extra="forbid",
    strict=True,
    allow_inf_nan=False,
    use_attribute_docstrings=True,
):
    """Base of every generated model: frozen, closed, and read without coercion.

    A subclass says ``frozen=True`` too: type checkers look for it on each class.
    """


class Word(StrEnum):
    """Base of every generated enum: a closed list of words that are plain strings."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = dict(handler(source))
        # Strict mode takes members alone; a sub-type would let bytes be text.
        schema["strict"] = False
        schema.pop("sub_type", None)
        return cast("CoreSchema", schema)


def _tuple_of_list(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


FromList: Final = BeforeValidator(_tuple_of_list)
"""Marks a tuple that may be given as a list, and as nothing else."""
