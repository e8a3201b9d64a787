"""Room for deep calls, where a text nests as far as its limits allow."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

__all__ = ["deep_calls", "limit_kept", "room_for"]

_ROOM: Final = 20_000
_lock = threading.Lock()
_inside = 0
_limit_outside = 0


def room_for(calls: int) -> AbstractContextManager[None]:
    """Room for so many calls inside each other, which an ordinary caller has anyway.

    Whether it has them is worked out before, and never tried: CPython ends the process
    where a thread has more calls open than the limit allows, which happens to one that
    used another thread's room and is still deep when that is given back.
    """
    with _lock:
        limit = _limit_outside if _inside else sys.getrecursionlimit()
    return nullcontext() if _open_calls(limit) + calls < limit else deep_calls()


def _open_calls(most: int) -> int:
    """About how many calls the caller has open; ``most`` if not fewer.

    Calls through C, which count as well but have no frame, are taken to be half as many.
    """
    frame = sys._getframe(1)
    frames = 0
    while frame.f_back is not None and frames < most:
        frame = frame.f_back
        frames += 1
    return min(frames + frames // 2, most)


@contextmanager
def deep_calls() -> Iterator[None]:
    """Room for calls as deep as an expression of 4,096 characters can nest.

    The limit is the interpreter's and belongs to the host: it is raised once for all
    threads inside and put back by the last to leave.
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


@contextmanager
def limit_kept() -> Iterator[None]:
    """Keeps the limit as it is, for all threads, from what is run inside and may set it."""
    with _lock:
        limit = sys.getrecursionlimit()
        try:
            yield
        finally:
            if sys.getrecursionlimit() != limit:
                sys.setrecursionlimit(limit)
