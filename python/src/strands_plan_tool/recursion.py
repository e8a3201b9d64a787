"""Room for deep calls, where a text nests as far as its limits allow."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["deep_calls"]

_ROOM: Final = 20_000
_lock = threading.Lock()
_inside = 0
_limit_outside = 0


@contextmanager
def deep_calls() -> Iterator[None]:
    """Room for calls as deep as an expression of 4,096 characters can nest.

    An ordinary one needs none of it, so code tries without first. The limit is the
    interpreter's and belongs to the host: it is raised once for all threads inside and
    put back by the last to leave.
    """
    global _inside, _limit_outside  # noqa: PLW0603
    with _lock:
        if _inside == 0:
            _limit_outside = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit_outside, _ROOM))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setrecursionlimit(_limit_outside)
