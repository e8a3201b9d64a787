"""What a step is given: its condition, its list, its arguments; and the plan's output.

Each is read off the results of steps by an expression of the plan. A failure is a value
here (``Fault``), since in a run it is data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, cast

from strands_plan_tool.binder import Binder, JsonataBinder, listed
from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.evaluate import Context, EvaluationError, Program, compile_tree
from strands_plan_tool.executor.faults import (
    Fault,
    binder_message,
    not_a_boolean,
    not_a_list,
    output_fault,
    reading_fault,
)
from strands_plan_tool.expressions import Expression
from strands_plan_tool.models import Code, JsonValue, StepStatus
from strands_plan_tool.validate import CheckedPlan, CheckedStep
from strands_plan_tool.values import NOTHING, ValueFault, copy_out, ingest
from strands_plan_tool.values.budget import OutOfStepsError, text_size

__all__ = ["Engine", "ForeignEngine", "ProfileEngine", "Readings"]

_WITHOUT_RESULT: Final[Mapping[StepStatus | None, str]] = {
    StepStatus.FAILED: "failed",
    StepStatus.SKIPPED: "was skipped",
    StepStatus.NOT_TAKEN: "was not taken",
}
_SHOWN_STEPS: Final = 5
# Within these, fields that are neither list nor object are read without the evaluator: no
# limit can be near, and nothing is left to check or copy.
_AMPLE_BUDGET: Final = 100_000
_SHORT_TEXT: Final = 1024
_SHORT_LIST: Final = 1000
_SAFE_INTEGER: Final = 2**53 - 1
_TOGETHER: Final = "with the bindings before it, "


class Call:
    """What the bindings of one call have in common.

    Args:
        item: The item of the call, if there is an ``index``.
        index: Its place in the list.

    Attributes:
        taken: The steps that its bindings have taken so far, of the budget that they share.
    """

    __slots__ = ("index", "item", "taken")

    def __init__(self, item: JsonValue, index: int | None) -> None:
        self.item = item
        self.index = index
        self.taken = 0


class Engine(Protocol):
    """What gives the expressions of one plan their values in one run."""

    def value(self, text: str, expression: Expression | None, call: Call | None = None) -> Any:
        """The value of an expression, the reader's own to keep, or ``NOTHING``.

        Args:
            text: The expression as written.
            expression: The same as the check has read it, if it was ours to read.
            call: The call whose binding it is.

        Raises:
            EvaluationError: It failed.
        """
        ...


class Readings:
    """Reads what steps are given, by the rules that every expression language is held to.

    Args:
        plan: The plan.
        engine: What evaluates its expressions.

    Attributes:
        endings: How the steps did that have ended, by id; the run keeps it up.
    """

    def __init__(self, plan: CheckedPlan, engine: Engine) -> None:
        self.endings: dict[str, StepStatus] = {}
        self._plan = plan
        self._engine = engine

    def condition(self, step: CheckedStep) -> bool | Fault:
        """Whether a step with ``when`` is to run."""
        step_id, text = step.step.id, step.step.when or ""
        try:
            value = self._engine.value(text, step.when)
        except EvaluationError as error:
            return reading_fault(step_id, "when", text, *self._told(error, step.when))
        if value is NOTHING:
            edit = f"write ({text}) ?? false if that means no"
            cause = f"{self._nothing(step.when)}; {edit}"
            return reading_fault(step_id, "when", text, Code.NO_VALUE, cause)
        return value if isinstance(value, bool) else not_a_boolean(step_id, text, value)

    def items(self, step: CheckedStep) -> list[JsonValue] | Fault:
        """The items of a step with ``for_each``, by the list rule."""
        step_id, text = step.step.id, step.step.for_each or ""
        try:
            items = listed(self._engine.value(text, step.for_each))
        except EvaluationError as error:
            return reading_fault(step_id, "for_each", text, *self._told(error, step.for_each))
        return items if isinstance(items, list) else not_a_list(step_id, text)

    def arguments(
        self, step: CheckedStep, item: JsonValue, index: int | None
    ) -> dict[str, JsonValue] | Fault:
        """The arguments of a call: its literals, and its bindings from left to right."""
        args: dict[str, JsonValue] = copy_out(step.step.args)
        call = Call(item, index)
        for name, text in step.step.bind.items():
            read = step.bind.get(name)
            try:
                value = self._engine.value(text, read, call)
            except EvaluationError as error:
                return reading_fault(step.step.id, name, text, *self._told(error, read))
            if name in step.list_arguments:
                value = listed(value)
            elif value is NOTHING:
                return reading_fault(step.step.id, name, text, *self._no_value(read))
            args[name] = value
        return args

    def output(self) -> JsonValue | Fault:
        """The value of the plan's ``output``, once every step has ended."""
        text, read = self._plan.plan.output or "", self._plan.output
        try:
            value = self._engine.value(text, read)
        except EvaluationError as error:
            return output_fault(text, *self._told(error, read))
        return output_fault(text, *self._no_value(read)) if value is NOTHING else value

    def _no_value(self, read: Expression | None) -> tuple[Code, str]:
        hint = "give a default with `??`"
        if not self._without_result(read):
            hint = f"check its names and predicates against what the tools return, or {hint}"
        return Code.NO_VALUE, f"{self._nothing(read)}; {hint}"

    def _nothing(self, read: Expression | None) -> str:
        absent = self._without_result(read)
        return f"it matches nothing, as {absent}" if absent else "it matches nothing"

    def _told(self, error: EvaluationError, read: Expression | None) -> tuple[Code, str]:
        cause = f"{error.message}; {error.hint}" if error.hint else error.message
        absent = self._without_result(read)
        return Code(error.code), f"{cause}; {absent}" if absent else cause

    def _without_result(self, read: Expression | None) -> str:
        """Which of the steps that an expression reads have no result, and why."""
        ids = () if read is None else read.dependencies
        ended = [(name, _WITHOUT_RESULT.get(self.endings.get(name))) for name in ids]
        absent = [f"step {quoted(name)} {what}" for name, what in ended if what]
        rest = len(absent) - _SHOWN_STEPS
        return ", ".join(absent[:_SHOWN_STEPS]) + (f" and {rest} more" if rest > 0 else "")


class ProfileEngine:
    """The engine's own language: the expressions as the check has read them.

    Args:
        plan: The plan.
        results: The results of steps by id; they may grow.
        given: The run's ``input``.
    """

    def __init__(
        self,
        plan: CheckedPlan,
        results: Mapping[str, JsonValue],
        given: Mapping[str, JsonValue],
    ) -> None:
        self._budget = plan.policy.max_expression_steps
        self._integers = plan.policy.integers
        self._results = results
        self._given = given
        self._context = Context(steps=results, input=given)
        self._programs: dict[int, Program] = {}

    def value(self, text: str, expression: Expression | None, call: Call | None = None) -> Any:
        """See ``Engine``."""
        taken = 0 if call is None else call.taken
        left = self._budget - taken
        index = None if call is None else call.index
        if expression is not None and left >= _AMPLE_BUDGET:
            found = _simple(expression, self._results, call)
            if found is not None:
                if call is not None:
                    call.taken += found[1]
                return found[0]
        # An expression lives as long as its plan, so its identity names it.
        program = self._programs.get(id(expression))
        if program is None:
            tree = cast("Expression", expression).tree
            program = self._programs[id(expression)] = compile_tree(tree)
        context = self._context
        if call is not None and index is not None:
            context = Context(
                steps=self._results, input=self._given, item=call.item, index=index
            )
        try:
            value, steps = program.run_counted(context, left, integers=self._integers)
        except OutOfStepsError:
            if not taken:
                raise
            raise OutOfStepsError(self._budget, _TOGETHER) from None
        if call is not None:
            call.taken += steps
        return value


def _simple(
    expression: Expression, results: Mapping[str, JsonValue], call: Call | None
) -> tuple[JsonValue, int] | None:
    """What a path, or a list of paths, leads to through objects alone, if plain and small.

    Returns:
        The same value as the evaluator's, and the same steps; None where only that can tell.
    """
    reads = expression.reads
    if not expression.by_names or len(reads) > _SHORT_LIST:
        return None
    found: list[JsonValue] = []
    walked = texts = 0
    for read in reads:
        value: Any = NOTHING
        if read.root == "steps":
            value = results.get(read.id, NOTHING)
            # The path, `steps` and the id.
            walked += 3
        elif call is not None:
            value = call.item
            walked += 2
        for name in read.names:
            value = value.get(name, NOTHING) if type(value) is dict else NOTHING
        kind = type(value)
        if kind is str:
            if len(value) > _SHORT_TEXT:
                return None
            texts += text_size(value)
        elif kind is int:
            if not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
                return None
        elif kind is not bool and value is not None:
            return None
        walked += len(read.names)
        found.append(value)
    if expression.plain_path:
        return found[0], walked + texts
    # What is listed counts as operands, as items, and in the end as what is given.
    return found, 1 + walked + 2 * (texts + len(found))


class ForeignEngine:
    """A host's own binder, which sees copies and whose values are taken in like a tool's.

    Args:
        binder: The binder.
        results: The results of steps by id; they may grow.
        given: The run's ``input``.
    """

    def __init__(
        self,
        binder: Binder,
        results: Mapping[str, JsonValue],
        given: Mapping[str, JsonValue],
    ) -> None:
        self._find = binder.find if type(binder) is JsonataBinder else binder.bind
        self._results = results
        self._given = given

    def value(self, text: str, expression: Expression | None, call: Call | None = None) -> Any:
        """See ``Engine``."""
        env: dict[str, JsonValue] = {"steps": dict(self._results), "input": dict(self._given)}
        if call is not None and call.index is not None:
            env |= {"item": call.item, "index": call.index}
        try:
            found = self._find(text, copy_out(env))
            return found if found is NOTHING else ingest(found)
        except ValueFault as fault:
            raise EvaluationError(Code.EVALUATION_FAILED, fault.message, "") from fault
        except Exception as error:
            raise EvaluationError(Code.EVALUATION_FAILED, binder_message(error), "") from error
