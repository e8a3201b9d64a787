"""The listed functions: the one table of what may be called, with what, and what it does.

The profile accepts a call by this table and the evaluator carries it out by it, so a
function is either in the language or out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from strands_plan_tool.functions import coding_functions as codes
from strands_plan_tool.functions import higher_order as over
from strands_plan_tool.functions import list_functions as lists
from strands_plan_tool.functions import number_functions as numbers
from strands_plan_tool.functions import search_functions as searches
from strands_plan_tool.functions import text_functions as texts
from strands_plan_tool.functions.signatures import Signature
from strands_plan_tool.values.budget import State, size, sizes, spend

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """A listed function.

    Attributes:
        name: Its name, without ``$``.
        signature: Its parameters.
        run: What it does with a run's state and the fitted arguments.
        arity: How many arguments the reference hands to it where its name stands as the
            function argument of another.
        function_at: The place of the parameter that takes a function; None without one.
        pattern_at: The place of the parameter that takes a regular expression; None without.
        deep: Whether it counts the depth of what it is given and gives by itself.
        by_name_in: The functions whose function argument its bare name may be: those that
            hand it no more than it takes.
    """

    name: str
    signature: Signature
    run: Callable[..., Any]
    arity: int
    function_at: int | None = None
    pattern_at: int | None = None
    deep: bool = False
    by_name_in: frozenset[str] = field(default=frozenset())

    @property
    def least(self) -> int:
        """The fewest arguments that a call may write."""
        return self.signature.least

    @property
    def most(self) -> int | None:
        """The most arguments that a call may write; None if there is no bound."""
        return self.signature.most

    def takes_context(self, count: int) -> bool:
        """Whether a call that writes so many arguments takes the context as its first."""
        return self.signature.takes_context(count)

    def function_place(self, count: int) -> int | None:
        """Which of so many written arguments is a function; None if none is."""
        if self.function_at is None:
            return None
        place = self.function_at - (1 if self.takes_context(count) else 0)
        return place if place < count else None

    def call(self, state: State, arguments: list[Any], context: Any) -> Any:
        """Carry out a call.

        Args:
            state: The run.
            arguments: The written arguments' values.
            context: What stands for a first argument that was left out.

        Raises:
            EvaluationError: An argument is of the wrong kind, a limit is reached, or the
                function has no value for what it is given.
        """
        fitted = self.signature.fit(arguments, context)
        if self.deep:
            spend(state, _CALLING)
            return self.run(state, *fitted)
        spend(state, _CALLING + sizes(fitted))
        result = self.run(state, *fitted)
        if isinstance(result, _SIZED):
            spend(state, size(result))
        return result


# What the least of calls takes, as against adding two numbers.
_CALLING: Final = 32
_SIZED: Final = (str, dict, list)
_OVER_ITEMS: Final = frozenset({"map", "filter", "single", "each", "sift"})
_FOLDED: Final = frozenset({"reduce"})


def _table() -> dict[str, Function]:
    table: dict[str, Function] = {}

    def add(
        name: str,
        signature: str,
        run: Callable[..., Any],
        arity: int,
        *,
        function_at: int | None = None,
        pattern_at: int | None = None,
        deep: bool = False,
        by_name: bool = True,
    ) -> None:
        hosts = _OVER_ITEMS if arity == 1 else _FOLDED if arity == 2 else frozenset[str]()
        if function_at is not None or not by_name:
            hosts = frozenset()
        table[name] = Function(
            name, Signature(name, signature), run, arity, function_at, pattern_at, deep, hosts
        )

    add("string", "<x-b?:s>", texts.string, 1, deep=True)
    add("length", "<s-:n>", texts.length, 1)
    add("substring", "<s-nn?:s>", texts.substring, 3)
    add("substringBefore", "<s-s:s>", texts.substring_before, 2)
    add("substringAfter", "<s-s:s>", texts.substring_after, 2)
    add("lowercase", "<s-:s>", texts.lowercase, 1)
    add("uppercase", "<s-:s>", texts.uppercase, 1)
    add("trim", "<s-:s>", texts.trim, 1)
    add("pad", "<s-ns?:s>", texts.pad, 3)
    add("contains", "<s-(sf):b>", searches.contains, 2, pattern_at=1)
    add("split", "<s-(sf)n?:a<s>>", searches.split, 3, pattern_at=1)
    add("join", "<a<s>s?:s>", texts.join, 2)
    add("match", "<s-fn?:a<o>>", searches.match, 3, pattern_at=1)
    add("replace", "<s-(sf)(sf)n?:s>", searches.replace, 4, function_at=2, pattern_at=1)
    add("number", "<(nsb)-:n>", numbers.number, 1)
    add("formatNumber", "<n-s:s>", codes.format_number, 3)
    add("formatBase", "<n-n?:s>", numbers.format_base, 2)
    add("floor", "<n-:n>", numbers.floor, 1)
    add("ceil", "<n-:n>", numbers.ceil, 1)
    add("abs", "<n-:n>", numbers.absolute, 1)
    add("round", "<n-n?:n>", numbers.round_, 2)
    add("power", "<n-n:n>", numbers.power, 2)
    add("sqrt", "<n-:n>", numbers.sqrt, 1)
    add("sum", "<a<n>:n>", numbers.total, 1)
    add("max", "<a<n>:n>", numbers.largest, 1)
    add("min", "<a<n>:n>", numbers.smallest, 1)
    add("average", "<a<n>:n>", numbers.average, 1)
    add("boolean", "<x-:b>", lists.boolean, 1)
    add("not", "<x-:b>", lists.not_, 1)
    add("exists", "<x:b>", lists.exists, 1)
    add("type", "<x:s>", lists.type_, 1)
    add("count", "<a:n>", lists.count, 1)
    add("append", "<xx:a>", lists.append, 2)
    add("sort", "<af?:a>", over.sort, 2, function_at=1)
    add("reverse", "<a:a>", lists.reverse, 1)
    add("distinct", "<x:x>", lists.distinct, 1, deep=True)
    add("zip", "<a+>", lists.zip_, 1)
    add("keys", "<x-:a<s>>", lists.keys, 1)
    add("lookup", "<x-s:x>", lists.lookup, 2)
    add("spread", "<x-:a<o>>", lists.spread, 1)
    add("merge", "<a<o>:o>", lists.merge, 1)
    add("sift", "<o-f?:o>", over.sift, 2, function_at=1)
    add("each", "<o-f:a>", over.each, 2, function_at=1)
    add("map", "<af>", over.map_, 2, function_at=1)
    add("filter", "<af>", over.filter_, 2, function_at=1)
    add("single", "<af?>", over.single, 2, function_at=1)
    add("reduce", "<afj?:j>", over.reduce_, 3, function_at=1)
    add("error", "<s?:x>", over.error, 1)
    add("assert", "<bs?:x>", over.assert_, 2)
    add("base64encode", "<s-:s>", codes.base64_encode, 1)
    add("base64decode", "<s-:s>", codes.base64_decode, 1)
    add("encodeUrlComponent", "<s-:s>", codes.encode_url_component, 1)
    add("encodeUrl", "<s-:s>", codes.encode_url, 1)
    add("decodeUrlComponent", "<s-:s>", codes.decode_url_component, 1)
    add("decodeUrl", "<s-:s>", codes.decode_url, 1)
    # The reference would hand $toMillis a second argument, which would be a picture.
    add("toMillis", "<s-:n>", codes.to_millis, 2, by_name=False)
    add("fromMillis", "<n-:s>", codes.from_millis, 3)
    return table


FUNCTIONS: Final = _table()
"""Every function of the language, by its name without ``$``."""
