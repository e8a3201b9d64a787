"""The JSONata library's parser, fed with our tokens: the one place that touches it.

The library is imported on first use. Only its grammar runs here: its tokenizer, which
compiles regular expressions and misses some of the reference's rules, is replaced by
``scan``; its ``??`` and ``?:``, which copy their left operand into two places, by plain
binary operators; and nothing of it is changed for others who use it.
"""

from __future__ import annotations

import threading
from typing import Any, Final

from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tokens import Token
from strands_plan_tool.recursion import limit_kept

__all__ = ["UnreadableError", "library", "parse"]

_per_thread = threading.local()


class UnreadableError(Exception):
    """A text that is no JSONata.

    Attributes:
        code: The library's code of the fault.
        at: The index of the token where it shows; the number of tokens for the end.
        wanted: What should stand there, where that is one thing.
    """

    def __init__(self, code: str, at: int, wanted: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.at = at
        self.wanted = wanted


def library() -> Any:
    """The package ``jsonata``, imported without a trace in the process.

    Its import sets the interpreter's recursion limit, which belongs to the host.
    """
    with limit_kept():
        import jsonata  # noqa: PLC0415
    return jsonata


def parse(scan: Scan) -> Any:
    """The library's tree of a text that was scanned without a fault.

    Its nodes have ``position`` in code points, the start of the token that made them.

    Raises:
        UnreadableError: The text is no JSONata.
    """
    parser = getattr(_per_thread, "parser", None)
    if parser is None:
        parser = _per_thread.parser = _parser_class()()
    return parser.read(scan.tokens, len(scan.text))


_class: Any = None


def _parser_class() -> Any:
    global _class  # noqa: PLW0603
    if _class is None:
        library()
        _class = _make_parser_class()
    return _class


def _make_parser_class() -> Any:
    from jsonata.jexception import JException  # noqa: PLC0415
    from jsonata.parser import Parser  # noqa: PLC0415

    class Fallback(Parser.Infix):  # type: ignore[misc]
        """``??`` and ``?:``; as in the reference all that follows is the right operand."""

        def led(self, left: Any) -> Any:
            self.lhs = left
            self.rhs = self._outer_instance.expression(0)
            self.type = "binary"
            return self

    class TokenParser(Parser):  # type: ignore[misc]
        tokens: list[Token]
        at: int
        size: int
        node: Any
        ancestry: list[Any]

        def __init__(self) -> None:
            super().__init__()
            for sign in ("??", "?:"):
                symbol = Fallback(self, sign)
                symbol.lbp = symbol.bp
                self.symbol_table[sign] = symbol

        def read(self, tokens: list[Token], size: int) -> Any:
            self.tokens = tokens
            self.at = -1
            self.size = size
            self.node = None
            self.ancestry = []
            try:
                self.advance()
                tree = self.expression(0)
                if self.node.id != "(end)":
                    raise UnreadableError("S0201", self.at)
                return self.process_ast(tree)
            except JException as fault:
                raise UnreadableError(fault.error, self._index_of(fault.location)) from None
            finally:
                self.tokens = []
                self.node = None

        def advance(self, id: str | None = None, infix: bool = False) -> Any:
            here = self.node
            if id is not None and here.id != id:
                code = "S0203" if here.id == "(end)" else "S0202"
                raise UnreadableError(code, self.at, id)
            self.at += 1
            if self.at >= len(self.tokens):
                self.at = len(self.tokens)
                self.node = self.symbol_table["(end)"]
                self.node.position = self.size
                return self.node
            token = self.tokens[self.at]
            kind, value = token.kind, token.value
            if kind == "operator":
                symbol = self.symbol_table.get(value)
                if symbol is None:
                    raise UnreadableError("S0204", self.at)
            else:
                if kind == "quoted":
                    kind = "name"
                symbol = self.symbol_table[_SYMBOLS[kind]]
            # The library's own copying goes through copy.copy and costs more than parsing.
            node = object.__new__(symbol.__class__)
            node.__dict__.update(symbol.__dict__)
            if value == "-" and kind == "operator":
                node.prefix = Parser.Prefix(self, "-")
                node.prefix.position = token.start
            node.value = value
            node.type = kind
            node.position = token.start
            self.node = node
            return node

        def object_parser(self, left: Any) -> Any:
            position = self.tokens[self.at - 1].start
            made = super().object_parser(left)
            made.position = position
            return made

        def _index_of(self, position: int) -> int:
            for index, token in enumerate(self.tokens):
                if token.start >= position:
                    return index
            return len(self.tokens)

    return TokenParser


_SYMBOLS: Final = {
    "name": "(name)",
    "variable": "(name)",
    "string": "(literal)",
    "number": "(literal)",
    "value": "(literal)",
    "regex": "(regex)",
}
