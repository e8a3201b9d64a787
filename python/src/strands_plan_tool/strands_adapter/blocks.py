"""What a run keeps beside its JSON values: media blocks, and texts as tools sent them."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.values import ValueFault, ingest

MEDIA: Final = "$media"
"""The key that marks a reference to a block which is not JSON."""

BYTES: Final = "$bytes"
"""The key under which bytes stand in a stored block, in base64."""


class NotStorable(ValueError):  # noqa: N818 - the block is at fault, not the program
    """A block holds something besides JSON and bytes, so no paused plan could keep it.

    Args:
        shown: The block without its bytes: what is left in it that is not JSON is what it
            cannot be stored for.
    """

    def __init__(self, shown: Any) -> None:
        super().__init__("a media block holds what is neither JSON nor bytes")
        self.shown = shown


class Blocks:
    """What one run keeps beside its JSON values.

    Args:
        storable: Whether only blocks are taken that a paused plan can keep.
    """

    def __init__(self, *, storable: bool = False) -> None:
        self._storable = storable
        self._media: dict[str, dict[str, Any]] = {}
        self._texts: dict[str, str] = {}

    def keep(self, key: str, block: Mapping[str, Any]) -> dict[str, JsonValue]:
        """Store a block and give the reference that stands for it.

        Args:
            key: What to call it; if another block is called so already, ``-2`` or the next
                free number is put behind it.
            block: The block.

        Returns:
            ``{"$media": key, "kind": "image", "format": "png"}``; without ``format`` where the
            block names none.

        Raises:
            NotStorable: The block holds something else than JSON and bytes.
        """
        if self._storable:
            _check(block)
        named, count = key, 1
        while named in self._media and self._media[named] != block:
            count += 1
            named = f"{key}-{count}"
        self._media[named] = dict(block)
        return reference(named, block)

    def keep_text(self, value: JsonValue, text: str) -> None:
        """Remember the text that a list or object was read from, to pass it on verbatim."""
        with suppress(ValueFault):
            self._texts[_canonical(ingest(value, integers="exact"))] = text

    def text_of(self, value: JsonValue) -> str | None:
        """The text that a tool gave for this list or object, if one did."""
        if not self._texts or not isinstance(value, dict | list):
            return None
        return self._texts.get(_canonical(value))

    def expand(self, value: JsonValue) -> Any:
        """The value with every whole reference in it replaced by the block it stands for."""
        if not self._media:
            return value
        if isinstance(value, list):
            return [self.expand(item) for item in value]
        if not isinstance(value, dict):
            return value
        key = value.get(MEDIA)
        if isinstance(key, str) and key in self._media:
            return copy.deepcopy(self._media[key])
        return {name: self.expand(item) for name, item in value.items()}

    def within(self, value: JsonValue) -> list[dict[str, Any]]:
        """The blocks that a value refers to, in order of first appearance."""
        found: dict[str, dict[str, Any]] = {}

        def look(part: JsonValue) -> None:
            if isinstance(part, list):
                for item in part:
                    look(item)
            elif isinstance(part, dict):
                key = part.get(MEDIA)
                if isinstance(key, str) and key in self._media:
                    found[key] = self._media[key]
                    return
                for item in part.values():
                    look(item)

        if self._media:
            look(value)
        return list(found.values())

    def take_over(self, others: Blocks) -> None:
        """Keep what another run kept as well, so that its results can be passed on here."""
        self._media.update(others._media)
        self._texts.update(others._texts)

    def to_json(self) -> dict[str, JsonValue]:
        """All that is kept, as plain JSON: ``media`` by key and ``texts`` by their value."""
        media: dict[str, JsonValue] = {key: stored(b) for key, b in self._media.items()}
        return {"media": media, "texts": dict(self._texts)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Keep what ``to_json`` wrote as well.

        Raises:
            ValueError: It did not write this.
        """
        try:
            media = {key: {**restored(block)} for key, block in data["media"].items()}
            texts = {key: text for key, text in data["texts"].items() if isinstance(text, str)}
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("these are no blocks that to_json wrote") from error
        self._media.update(media)
        self._texts.update(texts)


def reference(key: str, block: Mapping[str, Any]) -> dict[str, JsonValue]:
    """What stands in a plan for a block that is not JSON."""
    kind = next(iter(block), "block")
    made: dict[str, JsonValue] = {MEDIA: key, "kind": kind}
    body = block.get(kind)
    if isinstance(body, Mapping) and isinstance(body.get("format"), str):
        made["format"] = body["format"]
    return made


def stored(value: Any) -> Any:
    """A block, or a list of them, as plain JSON: bytes stand in base64 under ``$bytes``."""
    if isinstance(value, bytes | bytearray):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {key: stored(item) for key, item in value.items()}
    return [stored(item) for item in value] if isinstance(value, list | tuple) else value


def restored(value: Any) -> Any:
    """What ``stored`` was given."""
    if isinstance(value, list):
        return [restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if list(value) == [BYTES]:
        return base64.b64decode(value[BYTES])
    return {key: restored(item) for key, item in value.items()}


def _check(block: Mapping[str, Any]) -> None:
    shown = _without_bytes(block)
    try:
        ingest(shown, integers="exact")
    except ValueFault:
        raise NotStorable(shown) from None


def _without_bytes(value: Any) -> Any:
    """The block with empty texts for bytes, and nothing in it that would be read as bytes."""
    if isinstance(value, bytes | bytearray):
        return ""
    if isinstance(value, Mapping):
        # It would come back as bytes; a set is no JSON, which is the way to say so.
        if list(value) == [BYTES]:
            return {BYTES: {BYTES}}
        return {key: _without_bytes(item) for key, item in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, default=str)
