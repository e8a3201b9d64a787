"""Base64 and URLs: where a comment says nothing else, what jsonata 2.2.2 gives in Node."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from strands_plan_tool.functions.encodings import (
    base64_decode,
    base64_encode,
    decode_url,
    decode_url_component,
    encode_url,
    encode_url_component,
)
from strands_plan_tool.models import Code
from strands_plan_tool.values.budget import EvaluationError


def fails(use: Callable[[str], str], text: str) -> bool:
    with pytest.raises(EvaluationError) as error:
        use(text)
    return error.value.code == Code.EVALUATION_FAILED


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("", ""),
        ("a", "YQ=="),
        ("ab", "YWI="),
        ("hello:world", "aGVsbG86d29ybGQ="),
        ("\x00~\x7f", "AH5/"),
        # Of UTF-8, where the reference takes the low byte of each character.
        ("é", "w6k="),
        ("€😀", "4oKs8J+YgA=="),
    ],
)
def test_base64_is_of_the_utf8_of_a_text(text: str, encoded: str) -> None:
    assert base64_encode(text) == encoded
    assert base64_decode(encoded) == text


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        ("aGk", "hi"),
        ("aG\\nk=".replace("\\n", "\n"), "hi"),
        ("a G!k", "hi"),
        ("4oKs8J-YgA", "€😀"),
        ("YQ==YQ==", "a"),
        ("YQ=a", "a"),
        ("YWJjZ", "abc"),
        ("Y", ""),
        ("Y=Q", ""),
        ("!é", ""),
    ],
)
def test_what_is_no_sign_of_base64_is_passed_over(encoded: str, text: str) -> None:
    assert base64_decode(encoded) == text


@pytest.mark.parametrize("encoded", ["6Q==", "/w", "7aCA", "YQ\u2028==", "\u0141Q=="])
def test_base64_of_what_is_no_text_is_an_error(encoded: str) -> None:
    assert fails(base64_decode, encoded)


TEXT = "aZ09-_.!~*'();/?:@&=+$,# \"%<>[]\\^`{|}\n\x00é€😀"
COMPONENT = (
    "aZ09-_.!~*'()%3B%2F%3F%3A%40%26%3D%2B%24%2C%23%20%22%25%3C%3E%5B%5D%5C%5E%60%7B%7C%7D%0A%00"
    "%C3%A9%E2%82%AC%F0%9F%98%80"
)
WHOLE = (
    "aZ09-_.!~*'();/?:@&=+$,#%20%22%25%3C%3E%5B%5D%5C%5E%60%7B%7C%7D%0A%00"
    "%C3%A9%E2%82%AC%F0%9F%98%80"
)


def test_a_url_or_a_part_of_one_is_encoded_as_in_ecmascript() -> None:
    assert encode_url_component(TEXT) == COMPONENT
    assert encode_url(TEXT) == WHOLE
    assert decode_url_component(COMPONENT) == TEXT
    assert decode_url(WHOLE) == TEXT


@pytest.mark.parametrize("use", [base64_encode, encode_url_component, encode_url])
def test_half_of_a_surrogate_pair_cannot_be_encoded(use: Callable[[str], str]) -> None:
    assert fails(use, "a\ud83d")
    assert fails(use, "\ude00")


@pytest.mark.parametrize(
    ("text", "component", "url"),
    [
        ("a%2fb%23%41", "a/b#A", "a%2fb%23A"),
        ("%3B%2C%2f%3F%3a%40%26%3D%2B%24", ";,/?:@&=+$", "%3B%2C%2f%3F%3a%40%26%3D%2B%24"),
        ("%C3%A9%2F%e2%82%ac", "é/€", "é%2F€"),
        ("a+b é%25", "a+b é%", "a+b é%"),
        ("%00", "\x00", "\x00"),
    ],
)
def test_what_separates_the_parts_of_a_url_stays_encoded_in_it(
    text: str, component: str, url: str
) -> None:
    assert decode_url_component(text) == component
    assert decode_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "%",
        "a%4",
        "%zz",
        "%C3",
        "%C3a",
        "%80",
        "%C0%80",
        "%E0%80%80",
        "%ED%A0%80",
        "%F4%90%80%80",
        "%FF",
        "%41%",
    ],
)
def test_an_escape_that_spells_no_character_is_an_error(text: str) -> None:
    assert fails(decode_url_component, text)
    assert fails(decode_url, text)
