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
_HALVES: Final = re.compile("([\ud800-\udfff])")
_HEX: Final = "0123456789abcdefABCDEF"
_BYTES: Final = {
    (high + low).encode(): bytes.fromhex(high + low) for high in _HEX for low in _HEX
}
_BYTES_BUT_RESERVED: Final = {
    digits: b"%" + digits if octet in _RESERVED.encode() else octet
    for digits, octet in _BYTES.items()
}


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
    return _decoded(text, "decodeUrlComponent", _BYTES)


def decode_url(text: str) -> str:
    """``decodeURI`` of ECMAScript: what separates the parts of a URL stays encoded.

    Raises:
        EvaluationError: As for ``decode_url_component``.
    """
    return _decoded(text, "decodeUrl", _BYTES_BUT_RESERVED)


def _whole(text: str, name: str) -> str:
    if not is_well_formed(text):
        raise failed(
            f"${name} is given a text with half of a surrogate pair",
            "cut texts between characters, as $substring does",
        )
    return text


def _decoded(text: str, name: str, table: dict[bytes, bytes]) -> str:
    if "%" not in text:
        return text
    if not is_well_formed(text):
        # Halves of pairs stay as they are, and no escape reaches over one.
        return "".join(_decoded(part, name, table) for part in _HALVES.split(text))
    first, *pieces = text.encode().split(b"%")
    try:
        octets = [first, *(table[piece[:2]] + piece[2:] for piece in pieces)]
        return b"".join(octets).decode()
    except (KeyError, UnicodeDecodeError):
        raise _malformed(name) from None


def _malformed(name: str) -> EvaluationError:
    return failed(
        f"${name} is given a text that is not encoded as a URL is",
        "write %25 for a % that begins no escape",
    )
