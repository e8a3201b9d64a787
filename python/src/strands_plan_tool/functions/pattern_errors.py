"""Why a regular expression is refused, in the words that a plan's author reads.

``PatternError`` is all that a reader of patterns raises: each says what is wrong, where,
and the edit that mends it.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["PatternError", "beyond", "escape_error", "group_error", "refused", "syntax"]

_GROUPS: Final = (
    (
        "(?=",
        "a lookahead",
        "Match the text after it too, and take the part wanted from a group.",
    ),
    ("(?!", "a lookahead", "Match without it, and leave out with a filter what is not wanted."),
    (
        "(?<=",
        "a lookbehind",
        "Match the text before it too, and take the part wanted from a group.",
    ),
    (
        "(?<!",
        "a lookbehind",
        "Match without it, and leave out with a filter what is not wanted.",
    ),
    ("(?<", "a group with a name", "Write a plain group, (...), and use its number."),
    ("(?P", "a group with a name", "Write a plain group, (...), and use its number."),
    ("(?#", "a comment", "Remove it."),
    ("(?>", "an atomic group", "Write (?:...)."),
)
_ESCAPED: Final = {
    "A": ("the start of the text", "Write ^."),
    "Z": ("the end of the text", "Write $."),
    "z": ("the end of the text", "Write $."),
    "C": ("a single byte", "Write [\\s\\S] for any character."),
    "p": ("a class of Unicode", "Name the characters, as in [a-zA-Z]."),
    "P": ("a class of Unicode", "Name the characters, as in [^a-zA-Z]."),
    "c": ("a control character", "Write its code, as in \\x01."),
    "k": ("a back-reference", "Leave it out, and compare the groups of the match afterwards."),
    "Q": ("a quotation", "Put a backslash before each special character."),
    "E": ("the end of a quotation", "Put a backslash before each special character."),
    "h": ("blank space", "Write [ \\t]."),
    "R": ("the end of a line", "Write \\r?\\n."),
    "N": ("any character of a line", "Write a dot."),
    "K": ("a new start of the match", "Take the part wanted from a group."),
    "G": ("the end of the last match", "Leave it out."),
    "a": ("the bell", "Write \\x07."),
    "e": ("the escape character", "Write \\x1B."),
    "0": ("the character NUL", "Write \\x00."),
}


class PatternError(Exception):
    """A pattern is outside the grammar.

    Args:
        code: ``syntax`` if ECMAScript refuses it too, else ``not_in_profile``.
        position: Where, in code points from the start of the pattern.
        message: What is wrong.
        hint: The edit that mends it.
    """

    def __init__(
        self,
        code: Literal["syntax", "not_in_profile"],
        position: int,
        message: str,
        hint: str,
    ) -> None:
        super().__init__(f"{message}. {hint}")
        self.code = code
        self.position = position
        self.message = message
        self.hint = hint


def group_error(source: str, at: int) -> PatternError:
    """Brackets that open with ``(?`` and no ``:``."""
    for opening, name, hint in _GROUPS:
        if source.startswith(opening, at):
            return refused(at, f"{name}, {opening}", hint)
    return refused(
        at,
        f"flags inside it, {source[at : at + 3]}",
        "Write flags after its closing slash, as in /a/i.",
    )


def escape_error(at: int, letter: str) -> PatternError:
    """A backslash before a character that it gives no meaning in every language."""
    if letter in "123456789":
        return refused(
            at,
            f"a back-reference, \\{letter}",
            "Leave it out, and compare the groups of the match afterwards.",
        )
    if letter in _ESCAPED:
        meaning, hint = _ESCAPED[letter]
        return refused(at, f"\\{letter}, which other languages read as {meaning}", hint)
    if letter < " ":
        return refused(at, "a backslash before a control character", "Write its code: \\x0A.")
    return refused(
        at, f"\\{letter}, which is no escape", f"Write {letter} without the backslash."
    )


def refused(position: int, what: str, hint: str) -> PatternError:
    """What ECMAScript has and the grammar leaves out."""
    return PatternError("not_in_profile", position, f"The regular expression has {what}", hint)


def syntax(position: int, what: str, hint: str) -> PatternError:
    """What ECMAScript refuses too."""
    return PatternError("syntax", position, f"The regular expression has {what}", hint)


def beyond(position: int, message: str, hint: str) -> PatternError:
    """What is over a limit."""
    return PatternError("not_in_profile", position, message, hint)
