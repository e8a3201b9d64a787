"""Base64, of UTF-8, and the four functions that encode and decode parts of a URL."""

from __future__ import annotations

import base64
import re
from typing import Final
from urllib.parse import quote

from strands_plan_tool.values import is_well_formed
from strands_plan_tool.values.budget import EvaluationError, failed

__all__ = [
    "base64_decode",
    "base64_encode",
    "decode_url",
    "decode_url_component",
    "encode_url",
    "encode_url_component",
]

_OUTSIDE_BASE64: Final = re.compile("[^A-Za-z0-9+/]+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_LAST_OF_LATIN_1: Final = "\xff"
_MARKS: Final = "-_.!~*'()"
_RESERVED: Final = ";/?:@&=+$,#"
_ESCAPES: Final = re.compile("(?:%[0-9A-Fa-f]{2})+")
_RESERVED_CODES: Final = frozenset(_RESERVED.encode())


def base64_encode(text: str) -> str:
    """The UTF-8 of a text in base64.

    Raises:
        EvaluationError: It has half of a surrogate pair.
    """
    return base64.b64encode(_whole(text, "base64encode").encode()).decode("ascii")


def base64_decode(text: str) -> str:
    """The text whose UTF-8 some base64 is.

    As in the reference ``-`` and ``_`` stand for ``+`` and ``/``, what is no sign of base64
    is passed over, and all ends at the first ``=`` or where no whole byte is left.

    Raises:
        EvaluationError: The bytes are no UTF-8; or the text goes beyond Latin-1, of which
            the reference would read a part of each character only.
    """
    if text and max(text) > _LAST_OF_LATIN_1:
        raise failed(
            "$base64decode is given a text that is no base64",
            "give it what $base64encode makes",
        )
    signs = _OUTSIDE_BASE64.sub("", text.partition("=")[0].translate(_URL_SAFE))
    if len(signs) % 4 == 1:
        signs = signs[:-1]
    try:
        return base64.b64decode(signs + "=" * (-len(signs) % 4)).decode()
    except UnicodeDecodeError:
        raise failed(
            "$base64decode is given bytes that are no text in UTF-8",
            "let a tool decode what is no text",
        ) from None


def encode_url_component(text: str) -> str:
    """``encodeURIComponent`` of ECMAScript.

    Raises:
        EvaluationError: It has half of a surrogate pair.
    """
    return quote(_whole(text, "encodeUrlComponent"), safe=_MARKS)


def encode_url(text: str) -> str:
    """``encodeURI`` of ECMAScript.

    Raises:
        EvaluationError: It has half of a surrogate pair.
    """
    return quote(_whole(text, "encodeUrl"), safe=_MARKS + _RESERVED)


def decode_url_component(text: str) -> str:
    """``decodeURIComponent`` of ECMAScript.

    Raises:
        EvaluationError: A ``%`` is followed by no two hex digits, or the bytes that they
            spell are no UTF-8.
    """
    return _decoded(text, "decodeUrlComponent", frozenset())


def decode_url(text: str) -> str:
    """``decodeURI`` of ECMAScript: what separates the parts of a URL stays encoded.

    Raises:
        EvaluationError: As for ``decode_url_component``.
    """
    return _decoded(text, "decodeUrl", _RESERVED_CODES)


def _whole(text: str, name: str) -> str:
    if not is_well_formed(text):
        raise failed(
            f"${name} is given a text with half of a surrogate pair",
            "cut texts between characters, as $substring does",
        )
    return text


def _decoded(text: str, name: str, kept: frozenset[int]) -> str:
    def plain(match: re.Match[str]) -> str:
        escapes = match[0]
        octets = bytes.fromhex(escapes.replace("%", ""))
        try:
            decoded = octets.decode()
        except UnicodeDecodeError:
            raise _malformed(name) from None
        if kept.isdisjoint(octets):
            return decoded
        pieces = []
        at = 0
        for char in decoded:
            length = len(char.encode())
            keep = ord(char) in kept
            pieces.append(escapes[at * 3 : (at + length) * 3] if keep else char)
            at += length
        return "".join(pieces)

    if text.count("%") != sum(match[0].count("%") for match in _ESCAPES.finditer(text)):
        raise _malformed(name)
    return _ESCAPES.sub(plain, text)


def _malformed(name: str) -> EvaluationError:
    return failed(
        f"${name} is given a text that is not encoded as a URL is",
        "write %25 for a % that begins no escape",
    )
