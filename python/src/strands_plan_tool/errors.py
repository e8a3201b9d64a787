"""Everything that is raised, under one root, each error with the diagnostics behind it.

    PlanError
    ├── InvalidPlanShapeError     reading and shape
    ├── StepLimitError            too_many_steps
    ├── DuplicateStepError        duplicate_step
    ├── ToolNotPlannableError     unknown_tool, tool_not_plannable
    ├── DanglingReferenceError    unknown_step
    ├── PlanCycleError            cycle, self_reference
    ├── BindEvaluationError       an expression failed while its step was about to run
    ├── ToolExecutionError        a tool failed
    │   └── ToolDeniedError       somebody refused the call, so it is not tried again
    ├── AgentInterruptedError     a plan was submitted during an interrupt
    └── EvalNotAllowedError       $eval; also a PermissionError

A plan that is refused raises the class of its first problem in the order of the upper
six, and ``PlanError`` itself for every other code. A caller's misuse (a set for a list, a
string for a policy) is a plain ``TypeError``.

Two exceptions are no errors and stand outside: ``StepPaused``, by which an invoker says that
a call waits for an answer, and ``PlanPaused``, by which a run says that it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from strands_plan_tool.diagnostics import any_of, quoted
from strands_plan_tool.models import Checkpoint, Code, Diagnostic
from strands_plan_tool.step_call import StepCall

__all__ = [
    "AgentInterruptedError",
    "BindEvaluationError",
    "DanglingReferenceError",
    "DuplicateStepError",
    "EvalNotAllowedError",
    "InvalidPlanShapeError",
    "PlanCycleError",
    "PlanError",
    "PlanPaused",
    "StepLimitError",
    "StepPaused",
    "ToolDeniedError",
    "ToolExecutionError",
    "ToolNotPlannableError",
    "error_for",
]


class PlanError(Exception):
    """A plan cannot be run, or something in it failed.

    Args:
        message: What is wrong, for a reader.
        diagnostics: All that is wrong, in the order of the plan.
    """

    default_code: ClassVar[Code | None] = None

    def __init__(self, message: str = "", diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        """Each problem with its code, place, message and hint; empty if none was made."""

    @property
    def code(self) -> Code | None:
        """The code of the problem that chose this class, else what the class stands for."""
        codes = [diagnostic.code for diagnostic in self.diagnostics]
        family = [code for code in codes if _FAMILIES.get(code, PlanError) is type(self)]
        return next(iter([*family, *codes]), self.default_code)

    def __reduce__(self) -> tuple[Callable[..., PlanError], tuple[Any, ...]]:
        # The constructors take attributes, not the message, so the default would call them
        # with the wrong arguments when an error crosses a process or is copied.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PlanError], args: tuple[Any, ...], state: dict[str, Any]) -> PlanError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidPlanShapeError(PlanError):
    """What was given is no plan: not JSON, or not the fields and types of one.

    Args:
        detail: What is wrong.
    """

    default_code = Code.WRONG_TYPE

    def __init__(self, detail: str, *, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(f"not a plan: {detail}", diagnostics)
        self.detail = detail


class StepLimitError(PlanError):
    """The plan has more steps than the policy allows.

    Args:
        count: Steps of the plan.
        limit: Steps allowed.
    """

    default_code = Code.TOO_MANY_STEPS

    def __init__(
        self, count: int, limit: int, *, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        super().__init__(f"{count} steps where at most {limit} may be", diagnostics)
        self.count = count
        self.limit = limit


class DuplicateStepError(PlanError):
    """Two steps have one id.

    Args:
        step_id: The id.
    """

    default_code = Code.DUPLICATE_STEP

    def __init__(self, step_id: str, *, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(f"two steps are called {quoted(step_id)}", diagnostics)
        self.step_id = step_id


class ToolNotPlannableError(PlanError):
    """A step calls a tool that does not exist or may not be called by a plan.

    Args:
        step_id: The step.
        tool: The tool it names.
        allowed: The tools that it may name, sorted.
    """

    default_code = Code.TOOL_NOT_PLANNABLE

    def __init__(
        self,
        step_id: str,
        tool: str,
        allowed: tuple[str, ...],
        *,
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        may = f"it may call {any_of(allowed)}" if allowed else "no tool may be called"
        super().__init__(f"step {quoted(step_id)} calls {quoted(tool)}; {may}", diagnostics)
        self.step_id = step_id
        self.tool = tool
        self.allowed = allowed


class DanglingReferenceError(PlanError):
    """Something refers to a step that is not in the plan.

    Args:
        step_id: The step that refers to it; of ``returns`` and ``output``, the missing one.
        missing: The id that no step has.
        field: ``"dependencies"`` of a step (its ``after`` or an expression),
            ``"returns"`` or ``"output"``.
    """

    default_code = Code.UNKNOWN_STEP

    def __init__(
        self,
        step_id: str,
        missing: str,
        *,
        field: str,
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        where = f"the {field} of step {quoted(step_id)}" if field == "dependencies" else field
        super().__init__(f"no step is called {quoted(missing)}, named in {where}", diagnostics)
        self.step_id = step_id
        self.missing = missing
        self.field = field


class PlanCycleError(PlanError):
    """Steps wait for each other, so none of them can start.

    Args:
        remaining: The ids of the cycle, each depending on the next and the last on the first.
    """

    default_code = Code.CYCLE

    def __init__(
        self, remaining: tuple[str, ...], *, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        around = " -> ".join(remaining[:10]) + (" -> ..." if len(remaining) > 10 else "")
        super().__init__(f"steps that wait for each other: {around}", diagnostics)
        self.remaining = remaining


class BindEvaluationError(PlanError):
    """An expression gave an error, or nothing, when its step was about to run.

    Args:
        step_id: The step.
        parameter: The argument, or ``when`` or ``for_each``, that it was to give.
        expression: Its text.
        cause: What went wrong.
    """

    default_code = Code.EVALUATION_FAILED

    def __init__(
        self,
        step_id: str,
        parameter: str,
        expression: str,
        cause: str,
        *,
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(
            f"{quoted(parameter)} of step {quoted(step_id)}, {quoted(expression)}: {cause}",
            diagnostics,
        )
        self.step_id = step_id
        self.parameter = parameter
        self.expression = expression
        self.cause = cause


class ToolExecutionError(PlanError):
    """A tool failed.

    Args:
        tool: Its name.
        detail: The tool's own message.
    """

    default_code = Code.TOOL_FAILED

    def __init__(
        self, tool: str, detail: str, *, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        super().__init__(f"tool {quoted(tool)} failed: {detail}", diagnostics)
        self.tool = tool
        self.detail = detail


class ToolDeniedError(ToolExecutionError):
    """Somebody refused the call of a tool: it is not tried again, whatever the policy says.

    Args:
        tool: Its name.
        detail: Why, in the words of whoever refused it; the step's ``error``.
    """


class StepPaused(Exception):  # noqa: N818 - it is no failure
    """An invoker raises it: this call cannot go on before somebody outside has answered.

    The call has not been carried out. It gives its slot back and fails nothing; everything
    that does not need it goes on, and then the run pauses: see ``PlanPaused``. When the run is
    resumed the invoker is asked again, with the same attempt and the same key.
    """


class PlanPaused(Exception):  # noqa: N818 - it is no failure
    """A run cannot go on before somebody outside has answered.

    Args:
        checkpoint: Where the run stands: what ``execute_plan`` takes as ``resume``.
        waiting: The calls that wait, in document order and by index. Their arguments are
            those that the invoker was given.
    """

    def __init__(self, checkpoint: Checkpoint, waiting: Sequence[StepCall]) -> None:
        calls = "1 call waits" if len(waiting) == 1 else f"{len(waiting)} calls wait"
        super().__init__(f"the plan is paused: {calls} for an answer")
        self.checkpoint = checkpoint
        self.waiting: tuple[StepCall, ...] = tuple(waiting)

    def __reduce__(self) -> tuple[type[PlanPaused], tuple[Any, ...]]:
        return type(self), (self.checkpoint, self.waiting)


class AgentInterruptedError(PlanError):
    """A plan was submitted while its agent waits for the answer to an interrupt."""

    def __init__(self, *, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(
            "the agent waits for the answer to an interrupt; no plan can run before it",
            diagnostics,
        )


class EvalNotAllowedError(PlanError, PermissionError):
    """An expression calls ``$eval``, which could hide what it reads and does."""

    default_code = Code.NOT_IN_PROFILE


_SHAPE: Final = (
    Code.JSON_SYNTAX,
    Code.TOO_DEEP,
    Code.TOO_MANY,
    Code.UNSAFE_NUMBER,
    Code.BAD_UNICODE,
    Code.FORBIDDEN_KEY,
    Code.NOT_JSON,
    Code.MISSING_FIELD,
    Code.UNKNOWN_FIELD,
    Code.WRONG_TYPE,
    Code.NOT_IN_ENUM,
    Code.BAD_PATTERN,
    Code.TOO_SHORT,
    Code.TOO_LONG,
    Code.OUT_OF_RANGE,
)

_FAMILIES: Final[dict[Code, type[PlanError]]] = {
    **dict.fromkeys(_SHAPE, InvalidPlanShapeError),
    Code.TOO_MANY_STEPS: StepLimitError,
    Code.DUPLICATE_STEP: DuplicateStepError,
    Code.UNKNOWN_TOOL: ToolNotPlannableError,
    Code.TOOL_NOT_PLANNABLE: ToolNotPlannableError,
    Code.UNKNOWN_STEP: DanglingReferenceError,
    Code.CYCLE: PlanCycleError,
    Code.SELF_REFERENCE: PlanCycleError,
}

# Where nobody says what an error is about, it still has its class and its attributes.
_BLANK: Final[dict[type[PlanError], tuple[Any, ...]]] = {
    StepLimitError: (0, 0),
    DuplicateStepError: ("",),
    ToolNotPlannableError: ("", "", ()),
    DanglingReferenceError: ("", "", "dependencies"),
    PlanCycleError: ((),),
}

_RANKS: Final = {kind: rank for rank, kind in enumerate(dict.fromkeys(_FAMILIES.values()))}


def error_for(
    diagnostics: Sequence[Diagnostic], subjects: Sequence[tuple[object, ...]] = ()
) -> PlanError:
    """The exception that a refused plan raises.

    Args:
        diagnostics: All problems, in the order of the plan; at least one.
        subjects: For each problem the arguments of its exception, where it has any.

    Returns:
        An error of the first problem's class, not raised yet, carrying all diagnostics.
    """
    ranked = [
        (_RANKS.get(_FAMILIES.get(diagnostic.code, PlanError), len(_RANKS)), at)
        for at, diagnostic in enumerate(diagnostics)
    ]
    at = min(ranked)[1]
    first = diagnostics[at]
    more = len(diagnostics) - 1
    message = f"{first.path or 'the plan'}: {first.message}; {first.hint}"
    if more:
        message += f" (and {more} more {'problem' if more == 1 else 'problems'})"
    subject = subjects[at] if at < len(subjects) else ()
    error = _built(_FAMILIES.get(first.code, PlanError), subject, first)
    error.args = (message,)
    error.diagnostics = tuple(diagnostics)
    return error


def _built(kind: type[PlanError], subject: tuple[Any, ...], first: Diagnostic) -> PlanError:
    if kind is InvalidPlanShapeError:
        return InvalidPlanShapeError(first.message)
    if kind is PlanError:
        return PlanError()
    arguments = subject or _BLANK[kind]
    if kind is DanglingReferenceError:
        step_id, missing, field = arguments
        return DanglingReferenceError(step_id, missing, field=field)
    return kind(*arguments)
