"""No collection of garbage while very much is made of which nothing is garbage."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collection_put_off"]

_lock = threading.Lock()
_inside = 0
_is_on = False


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Objects are made without a look for garbage among them, and among all others, meanwhile.

    The collector is the interpreter's and belongs to the host: it is put off once for all
    threads inside, and goes on, if it was on, when the last leaves.
    """
    global _inside, _is_on  # noqa: PLW0603
    with _lock:
        if _inside == 0:
            _is_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _is_on:
                gc.enable()
