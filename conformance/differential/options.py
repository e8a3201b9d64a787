"""Options of the programs here, read so that a wrong one is told in a line."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable

__all__ = ["count_from", "named_command"]


def count_from(least: int) -> Callable[[str], int]:
    """Reads an option that is a whole number from the least on."""

    def read(text: str) -> int:
        try:
            count = int(text)
        except ValueError:
            count = least - 1
        if count < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return count

    return read


def named_command(text: str) -> tuple[str, list[str]]:
    """Reads an engine's name and the command that starts it."""
    name, _, command = text.partition("=")
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not name or not words:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=COMMAND")
    return name, words
