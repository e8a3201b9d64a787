"""Drives engines through the cases of the conformance suite, over the protocol.

It knows no engine and imports none: an engine is a command that speaks the protocol.
"""

from __future__ import annotations
