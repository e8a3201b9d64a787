"""Which arguments a function takes, and how the reference fits those that it is given.

A signature is written as the reference writes it: ``<s-nn?:s>`` takes a text, which is the
context if it is left out, a number, and perhaps another. How arguments are fitted depends
only on their kinds, so it is worked out once for each combination of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.functions.number_pictures import Picture
from strands_plan_tool.functions.sorting import Order
from strands_plan_tool.values import NOTHING, Nothing
from strands_plan_tool.values.budget import EvaluationError, failed
from strands_plan_tool.values.doubles import WideInteger
from strands_plan_tool.values.sequences import Cons, Kept, RootList, Sequence, kind

__all__ = ["FunctionValue", "Signature"]

_PARAMETER: Final = re.compile(r"(\([a-z]+\)|[a-z])(<[a-z]>)?([-?+]?)")
_PLANS_KEPT: Final = 512

_KINDS: Final = {
    "s": "text",
    "n": "a number",
    "b": "true or false",
    "o": "an object",
    "a": "a list",
    "f": "a function",
}
_SYMBOLS_OF: Final = {"a": "asnblfom", "x": "asnblfom", "j": "asnblom", "f": "f"}
_ITEM_KINDS: Final = {"n": "numbers", "s": "texts", "o": "objects"}


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function as an argument: a lambda, or a listed function's name.

    Attributes:
        arity: How many arguments it is made to take.
        each: Calls it for a value, its index or key, and what holds it.
        fold: Calls it for what was kept so far, the next value, its index, and the list.
        compare: Calls it for two items that are to be put in order.
        select: Gives at once the items of a list for which it is true, or None where each
            must be asked for; None itself where it cannot.
        project: Gives at once what it makes of the items of a list, in the same way.
        order: What it says of two items, if that is one of the common orders.
    """

    arity: int
    each: Callable[[Any, Any, Any], Any]
    fold: Callable[[Any, Any, Any, Any], Any]
    compare: Callable[[Any, Any], Any]
    select: Callable[[list[Any]], Sequence | None] | None = None
    project: Callable[[list[Any]], Sequence | None] | None = None
    order: Order | None = None


_SYMBOLS: Final[dict[type, str]] = {
    str: "s",
    Picture: "s",
    int: "n",
    float: "n",
    WideInteger: "n",
    bool: "b",
    type(None): "l",
    dict: "o",
    list: "a",
    Sequence: "a",
    Kept: "a",
    Cons: "a",
    RootList: "a",
    Nothing: "m",
}


def _symbol(value: Any) -> str:
    symbol = _SYMBOLS.get(type(value))
    return symbol or ("a" if isinstance(value, list) else "f")


@dataclass(frozen=True, slots=True)
class _Parameter:
    kinds: str
    items: str
    mark: str

    @property
    def symbols(self) -> str:
        return _SYMBOLS_OF.get(self.kinds, self.kinds + "m")

    @property
    def pattern(self) -> str:
        return f"([{self.symbols}]{'?' if self.mark == '-' else self.mark})"

    def takes(self, symbol: str) -> bool:
        return symbol != "" and symbol in self.symbols

    @property
    def is_list(self) -> bool:
        return self.kinds == "a"


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a fitted argument comes from: an argument, or with -1 the context."""

    source: int
    wrap: bool
    items: str


class Signature:
    """The signature of one function.

    Args:
        name: The function's name, for messages.
        text: The signature as the reference writes it.

    Attributes:
        least: The fewest arguments that may be written.
        most: The most; None if there is no bound.
        has_context: Whether the first argument may be left out for the context.
    """

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        inside = text[1:-1].partition(":")[0]
        self._parameters = [
            _Parameter(match[1].strip("()"), (match[2] or "").strip("<>"), match[3])
            for match in _PARAMETER.finditer(inside)
        ]
        self._pattern = re.compile("".join(p.pattern for p in self._parameters))
        # By the kinds of the arguments; an empty plan takes them as they are given.
        self._plans: dict[tuple[type, ...], tuple[_Slot, ...]] = {}
        self.has_context = any(p.mark == "-" for p in self._parameters)
        self.least = sum(p.mark in ("", "+") for p in self._parameters)
        self.most = (
            None if any(p.mark == "+" for p in self._parameters) else len(self._parameters)
        )

    def takes_context(self, count: int) -> bool:
        """Whether a call with so many arguments leaves its first to the context."""
        return self.has_context and count <= self.least

    def fit(self, arguments: list[Any], context: Any) -> list[Any]:
        """The arguments as the function wants them, in the places of its parameters.

        Raises:
            EvaluationError: One is of the wrong kind.
        """
        kinds = (type(arguments[0]),) if len(arguments) == 1 else tuple(map(type, arguments))
        plan = self._plans.get(kinds)
        if plan is None:
            plan = self._planned(arguments, context)
            if len(self._plans) < _PLANS_KEPT:
                self._plans[kinds] = plan
        if not plan:
            return arguments
        fitted = []
        for slot in plan:
            if slot.source < 0:
                self._check_context(context)
                fitted.append(context)
            elif slot.source >= len(arguments):
                fitted.append(NOTHING)
            else:
                value = arguments[slot.source]
                if slot.items:
                    self._check_items(value, slot)
                fitted.append([value] if slot.wrap else value)
        return fitted

    def _planned(self, arguments: list[Any], context: Any) -> tuple[_Slot, ...]:
        symbols = "".join(map(_symbol, arguments))
        match = self._pattern.fullmatch(symbols)
        if match is None:
            raise self._mismatch(arguments, symbols)
        plan: list[_Slot] = []
        at = 0
        for parameter, taken in zip(self._parameters, match.groups(), strict=True):
            if not taken and parameter.mark == "-":
                plan.append(_Slot(-1, wrap=False, items=""))
            elif not taken:
                plan.append(_Slot(at, wrap=False, items=""))
            for symbol in taken:
                is_list = parameter.is_list and symbol != "m"
                wrap = is_list and symbol != "a"
                items = parameter.items if is_list and symbol != parameter.items else ""
                plan.append(_Slot(at, wrap=wrap, items=items))
                at += 1
        as_given = [_Slot(place, wrap=False, items="") for place in range(len(arguments))]
        return () if plan == as_given else tuple(plan)

    def _check_context(self, context: Any) -> None:
        first = self._parameters[0]
        if not first.takes(_symbol(context)):
            raise failed(
                f"${self._name} is given no value, and the context, which it then takes, "
                f"is {kind(context)}",
                f"write the value that it is to take, as in ${self._name}($x)",
            )

    def _check_items(self, value: Any, slot: _Slot) -> None:
        if isinstance(value, list):
            if all(_SYMBOLS.get(kind) == slot.items for kind in set(map(type, value))):
                return
            odd = next(item for item in value if _symbol(item) != slot.items)
            found = f"a list with {kind(odd)} in it"
        else:
            found = kind(value)
        wanted = _ITEM_KINDS[slot.items]
        raise failed(
            f"argument {slot.source + 1} of ${self._name} must be a list of {wanted}, "
            f"and it is {found}",
            _items_hint(slot.items),
        )

    def _mismatch(self, arguments: list[Any], symbols: str) -> EvaluationError:
        given, taken = len(arguments), len(self._parameters)
        if self.most is not None and given > taken:
            return failed(
                f"${self._name} is given {given} arguments and takes {taken}",
                "leave out those that it does not take",
            )
        left_out = 1 if self.takes_context(given) else 0
        if not (left_out and self._parameters[0].takes(symbols[:1])):
            expected = self._parameters[left_out:]
            for place, (symbol, parameter) in enumerate(zip(symbols, expected, strict=False)):
                if not parameter.takes(symbol):
                    return failed(
                        f"argument {place + 1} of ${self._name} must be {_wanted(parameter)}, "
                        f"and it is {kind(arguments[place])}",
                        _kind_hint(parameter, arguments[place]),
                    )
        return failed(
            f"argument {given + 1} of ${self._name} is missing",
            f"write it: it must be {_wanted(self._parameters[given])}",
        )


def _wanted(parameter: _Parameter) -> str:
    if parameter.kinds in ("x", "j"):
        return "a value"
    names = [_KINDS[kind] for kind in parameter.kinds]
    return " or ".join(names)


def _kind_hint(parameter: _Parameter, value: Any) -> str:
    if value is None:
        return 'say what null stands for, as in `x = null ? "" : x`'
    if parameter.kinds == "s":
        return (
            "take one item, or use $join(...) or $map(...)"
            if isinstance(value, list)
            else "make a text of it with $string(...)"
        )
    if parameter.kinds == "n":
        return (
            "take one item, or use $map(...)"
            if isinstance(value, list)
            else "make a number of it with $number(...)"
        )
    if parameter.kinds == "o":
        return "take an object, or use $map(...) for a list of them"
    return "give it such a value"


def _items_hint(items: str) -> str:
    return {
        "n": "pick the numbers, as in $sum(rows.amount), or make numbers with $map(x, $number)",
        "s": "pick the texts, as in $join(rows.name), or make texts with $map(x, $string)",
    }.get(items, 'leave out what is no object, as in x[$type($) = "object"]')
