"""The shapes of the plan language; generated from ``schema/``, do not edit.

``nox -s generate`` writes this file. Schema: sha256
a83d120a5213302592b402271deb28bc305a3cadef1641482667b7d70df64068
"""

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import Field, JsonValue

from strands_plan_tool._base import FromList, Model, Word

__all__ = [
    "MAX_STEPS",
    "SCHEMA_MAX_STEPS",
    "STEP_ID_PATTERN",
    "Checkpoint",
    "Code",
    "Count",
    "Diagnostic",
    "Effect",
    "Integers",
    "ItemCheckpoint",
    "ItemCounts",
    "Join",
    "JsonValue",
    "Limit",
    "OnError",
    "OutputError",
    "PlanResult",
    "PlanStep",
    "Policy",
    "Retry",
    "StepCheckpoint",
    "StepId",
    "StepOutcome",
    "StepStatus",
    "TaskPlan",
    "TaskStep",
    "WaitingCall",
    "WorkflowPlan",
]

MAX_STEPS: Final = 32
"""Steps that a plan may have where the host sets no limit."""

SCHEMA_MAX_STEPS: Final = 10000
"""Steps that a plan may have whatever the host says."""

STEP_ID_PATTERN: Final = "^[a-z][a-z0-9_]{0,31}$"
"""What a step's id looks like."""

StepId: TypeAlias = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,31}$")]
"""A step's name: a lower-case letter, then up to 31 of a-z, 0-9 and _."""


class OnError(Word):
    """What a failure stops: everything not yet begun, or only what depended on it."""

    FAIL_FAST = "fail_fast"
    CONTINUE = "continue"


class Join(Word):
    """What a step needs of its dependencies: all of them ok, or any one."""

    ALL = "all"
    ANY = "any"


class PlanStep(Model, frozen=True):
    """One tool call of a plan, or one call for each item of a list."""

    id: StepId
    """Unique name of this step."""
    tool: Annotated[str, Field(min_length=1)]
    """Name of the tool to call, as it is registered."""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    """Literal arguments, passed on as they are."""
    bind: dict[str, str] = Field(default_factory=dict)
    """Computed arguments: argument name to expression; each wins over a literal."""
    after: Annotated[tuple[StepId, ...], FromList] = ()
    """Steps that must end first, beyond those that the expressions read."""
    when: str | None = None
    """Expression giving true or false; if false, the step is not taken."""
    for_each: str | None = None
    """Expression giving a list: the tool is called once for each item."""
    join: Join = Join.ALL
    """What the step needs of its dependencies."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            id: StepId,
            tool: str,
            args: dict[str, JsonValue] = ...,
            bind: dict[str, str] = ...,
            after: list[StepId] | tuple[StepId, ...] = ...,
            when: str | None = ...,
            for_each: str | None = ...,
            join: Join | str = ...,
        ) -> None: ...


class WorkflowPlan(Model, frozen=True):
    """A whole plan: tool calls that form a directed acyclic graph."""

    steps: Annotated[tuple[PlanStep, ...], Field(max_length=10000, min_length=1), FromList]
    """The steps, in any order."""
    returns: Annotated[tuple[StepId, ...], FromList] = ()
    """Steps whose whole results go back."""
    output: str | None = None
    """Expression shaping one value that goes back, instead of or beside returns."""
    final: bool = False
    """Whether the result answers the request, so that the turn may end with it."""
    on_error: OnError = OnError.FAIL_FAST
    """What a failed step stops."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            steps: list[PlanStep] | tuple[PlanStep, ...],
            returns: list[StepId] | tuple[StepId, ...] = ...,
            output: str | None = ...,
            final: bool = ...,
            on_error: OnError | str = ...,
        ) -> None: ...


Limit: TypeAlias = Annotated[int, Field(ge=1, le=9007199254740991)]
"""The most there may be of something, from 1; exact in every language."""


class Integers(Word):
    """How far integers beyond 2^53-1 go: nowhere, or through plain paths (Python only)."""

    PORTABLE = "portable"
    EXACT = "exact"


class Effect(Word):
    """What a call of a tool does: it only reads, or it changes something."""

    READ = "read"
    WRITE = "write"


class Retry(Model, frozen=True):
    """How often and how patiently a failing call is tried again."""

    attempts: Limit
    """Calls in all, the first one included."""
    backoff_s: Annotated[float, Field(ge=0.0)] = 0
    """Seconds to wait before the second call; each further wait is twice as long."""


class Policy(Model, frozen=True):
    """The limits that a host sets for every plan it runs."""

    max_steps: Limit = 32
    """Steps in a plan."""
    max_concurrency: Limit = 16
    """Calls running at once."""
    max_items: Limit = 1000
    """Items in the list of one for_each step."""
    single_final_step: bool = False
    """Whether a plan with more than one step that nothing reads is refused."""
    step_timeout_s: Annotated[float | None, Field(gt=0.0)] = None
    """Seconds for one attempt of one call, from its start; null for no limit."""
    plan_timeout_s: Annotated[float | None, Field(gt=0.0)] = None
    """Seconds for a whole run; null for no limit."""
    retry: dict[str, Retry] = Field(default_factory=dict)
    """Retries by tool name or * pattern; a tool that may write needs its own name."""
    effects: dict[str, Effect] = Field(default_factory=dict)
    """What tools do, by tool name or * pattern; a tool not listed may write."""
    max_expression_steps: Limit = 10000000
    """Steps of evaluation that the bindings of one call may take together."""
    max_result_bytes: Limit = 1048576
    """Bytes of one call's result, as compact JSON in UTF-8."""
    max_output_bytes: Limit = 65536
    """Bytes of all that goes back, as compact JSON in UTF-8; output counts first."""
    integers: Integers = Integers.PORTABLE
    """How integers that doubles do not hold are treated."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            max_steps: Limit = ...,
            max_concurrency: Limit = ...,
            max_items: Limit = ...,
            single_final_step: bool = ...,
            step_timeout_s: float | None = ...,
            plan_timeout_s: float | None = ...,
            retry: dict[str, Retry] = ...,
            effects: dict[str, Effect] | dict[str, str] = ...,
            max_expression_steps: Limit = ...,
            max_result_bytes: Limit = ...,
            max_output_bytes: Limit = ...,
            integers: Integers | str = ...,
        ) -> None: ...


Count: TypeAlias = Annotated[int, Field(ge=0, le=9007199254740991)]
"""A number of things, from 0; exact in every language."""


class StepStatus(Word):
    """How a step ended; skipped is a failure's doing, not_taken a condition's."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_TAKEN = "not_taken"


class Code(Word):
    """What went wrong, in one word: of wire and shape, graph, expressions, tools, running."""

    JSON_SYNTAX = "json_syntax"
    TOO_DEEP = "too_deep"
    TOO_MANY = "too_many"
    UNSAFE_NUMBER = "unsafe_number"
    BAD_UNICODE = "bad_unicode"
    FORBIDDEN_KEY = "forbidden_key"
    NOT_JSON = "not_json"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    WRONG_TYPE = "wrong_type"
    NOT_IN_ENUM = "not_in_enum"
    BAD_PATTERN = "bad_pattern"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    OUT_OF_RANGE = "out_of_range"
    DUPLICATE_STEP = "duplicate_step"
    UNKNOWN_STEP = "unknown_step"
    SELF_REFERENCE = "self_reference"
    CYCLE = "cycle"
    TOO_MANY_STEPS = "too_many_steps"
    NOTHING_RETURNED = "nothing_returned"
    LOOSE_ENDS = "loose_ends"
    SYNTAX = "syntax"
    NOT_IN_PROFILE = "not_in_profile"
    UNKNOWN_FUNCTION = "unknown_function"
    UNKNOWN_VARIABLE = "unknown_variable"
    UNKNOWN_ROOT = "unknown_root"
    UNRESOLVABLE_REFERENCE = "unresolvable_reference"
    RELATIVE_STEPS = "relative_steps"
    FOREIGN_SYNTAX = "foreign_syntax"
    TEMPLATE_IN_ARGS = "template_in_args"
    UNKNOWN_TOOL = "unknown_tool"
    TOOL_NOT_PLANNABLE = "tool_not_plannable"
    MISSING_ARGUMENT = "missing_argument"
    UNKNOWN_ARGUMENT = "unknown_argument"
    ARGUMENT_TYPE = "argument_type"
    UNKNOWN_RESULT_FIELD = "unknown_result_field"
    NO_VALUE = "no_value"
    NOT_BOOLEAN = "not_boolean"
    NOT_A_LIST = "not_a_list"
    TOO_MANY_ITEMS = "too_many_items"
    EVALUATION_FAILED = "evaluation_failed"
    EXPRESSION_LIMIT = "expression_limit"
    TOOL_FAILED = "tool_failed"
    TIMEOUT = "timeout"
    RESULT_TOO_LARGE = "result_too_large"
    NOT_JSON_RESULT = "not_json_result"
    CANCELLED = "cancelled"


class Diagnostic(Model, frozen=True):
    """One problem of a plan, worded for the model that must repair it."""

    code: Code
    """Which problem it is."""
    path: str
    """Where: a JSON Pointer (RFC 6901) into the plan."""
    message: str
    """What is wrong."""
    hint: str
    """The exact edit that would mend it."""

    if TYPE_CHECKING:

        def __init__(self, *, code: Code | str, path: str, message: str, hint: str) -> None: ...


class ItemCounts(Model, frozen=True):
    """How the calls of a for_each step went."""

    total: Count
    """Items in the list."""
    ok: Count
    """Items whose call gave a result."""
    failed: Count
    """Items whose call failed; the others of the total were never started."""


class StepOutcome(Model, frozen=True):
    """One entry of the ledger: how a step went."""

    id: StepId
    """Id of the step."""
    tool: Annotated[str, Field(min_length=1)]
    """Tool that the step names."""
    status: StepStatus
    """How the step ended."""
    level: Count
    """Depth in the graph: 0 without dependencies, else one more than the highest."""
    duration_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds from the start of its first call to its end; 0 if none began."""
    error: str | None = None
    """What went wrong, a tool's failure in its own words; null if nothing did."""
    code: Code | None = None
    """Which failure it was; null if there was none."""
    items: ItemCounts | None = None
    """Counts of a for_each step whose list was read; null for any other."""
    reused: Count = 0
    """How many calls of the step were taken from memory and not made."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            id: StepId,
            tool: str,
            status: StepStatus | str,
            level: Count,
            duration_ms: float,
            error: str | None = ...,
            code: Code | str | None = ...,
            items: ItemCounts | None = ...,
            reused: Count = ...,
        ) -> None: ...


class OutputError(Model, frozen=True):
    """Why a plan's output expression gave no value."""

    code: Code
    """Which failure it was."""
    message: str
    """What went wrong."""

    if TYPE_CHECKING:

        def __init__(self, *, code: Code | str, message: str) -> None: ...


class PlanResult(Model, frozen=True):
    """What running a plan gives back."""

    returned: dict[str, JsonValue]
    """Results of the steps in returns that are ok, by step id."""
    ledger: Annotated[tuple[StepOutcome, ...], FromList]
    """One entry a step, by level and then in document order."""
    levels: Count
    """How many levels the plan has."""
    inference_passes_saved: Count
    """Model calls that the plan made needless: levels less one, and never below 0."""
    final: bool = False
    """Whether the plan says that its result answers the request."""
    output: JsonValue = None
    """Value of the plan's output expression; null too where has_output is false."""
    has_output: bool = False
    """Whether output holds a value; null is one."""
    output_error: OutputError | None = None
    """Why there is no output although the plan asks for one; else null."""
    ends_turn: bool = False
    """Whether the turn ends with this result, without another model call."""
    notes: Annotated[tuple[str, ...], FromList] = ()
    """Remarks for the reader: repairs of the plan, values left out for their size."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            returned: dict[str, JsonValue],
            ledger: list[StepOutcome] | tuple[StepOutcome, ...],
            levels: Count,
            inference_passes_saved: Count,
            final: bool = ...,
            output: JsonValue = ...,
            has_output: bool = ...,
            output_error: OutputError | None = ...,
            ends_turn: bool = ...,
            notes: list[str] | tuple[str, ...] = ...,
        ) -> None: ...


class WaitingCall(Model, frozen=True):
    """A call that waits for an answer before it is made."""

    index: Count | None = None
    """The item's place in the list, from 0; null for a step without one."""
    attempt: Limit
    """Which attempt of the call waits, from 1."""
    code: Code | None = None
    """How the attempt before it failed; null if there was none."""
    error: str | None = None
    """The same in words."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            index: Count | None = ...,
            attempt: Limit,
            code: Code | str | None = ...,
            error: str | None = ...,
        ) -> None: ...


class ItemCheckpoint(Model, frozen=True):
    """An item of a half-done for_each step whose call has ended."""

    index: Count
    """The item's place in the list, from 0."""
    result: JsonValue = None
    """What the call gave; null too for one that failed."""
    code: Code | None = None
    """How the call failed; null for one that is ok."""
    error: str | None = None
    """The same in words."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            index: Count,
            result: JsonValue = ...,
            code: Code | str | None = ...,
            error: str | None = ...,
        ) -> None: ...


class StepCheckpoint(Model, frozen=True):
    """How far a step is that has ended, or has begun and waits."""

    status: StepStatus | None = None
    """How the step ended; null for one that waits."""
    result: JsonValue = None
    """The result of a step that is ok."""
    code: Code | None = None
    """Which failure an ended step has; null if there was none."""
    error: str | None = None
    """The same in words."""
    duration_ms: Annotated[float, Field(ge=0.0)] = 0
    """Milliseconds that the step has taken so far, not those of a pause."""
    reused: Count = 0
    """Calls of the step that were taken from memory."""
    counts: ItemCounts | None = None
    """Counts of a for_each step whose list was read."""
    items: Annotated[tuple[ItemCheckpoint, ...], FromList] = ()
    """The ended items of a for_each step that waits, by index."""
    waiting: Annotated[tuple[WaitingCall, ...], FromList] = ()
    """The calls that wait, by index; one at least unless the step has ended."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            status: StepStatus | str | None = ...,
            result: JsonValue = ...,
            code: Code | str | None = ...,
            error: str | None = ...,
            duration_ms: float = ...,
            reused: Count = ...,
            counts: ItemCounts | None = ...,
            items: list[ItemCheckpoint] | tuple[ItemCheckpoint, ...] = ...,
            waiting: list[WaitingCall] | tuple[WaitingCall, ...] = ...,
        ) -> None: ...


class Checkpoint(Model, frozen=True):
    """A paused run: plain JSON that either engine can go on from."""

    version: Annotated[int, Field(ge=1, le=1)]
    """The version of this form: 1."""
    plan: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Which plan runs: SHA-256 in hex of its compact JSON."""
    run_id: str
    """The run's id."""
    elapsed_ms: Annotated[float, Field(ge=0.0)]
    """Milliseconds that the run has taken so far, not those of a pause."""
    input: dict[str, JsonValue] = Field(default_factory=dict)
    """The host's values that expressions read."""
    steps: dict[str, StepCheckpoint] = Field(default_factory=dict)
    """The steps that have ended or begun, by id, in document order."""


class TaskStep(Model, frozen=True):
    """One piece of work, which one executor carries out on its own."""

    id: StepId
    """Unique name of this step."""
    instruction: Annotated[str, Field(min_length=1)]
    """What to do, in words that need nothing but the results of depends_on."""
    depends_on: Annotated[tuple[StepId, ...], FromList] = ()
    """Ids of the steps whose results this step needs."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            id: StepId,
            instruction: str,
            depends_on: list[StepId] | tuple[StepId, ...] = ...,
        ) -> None: ...


class TaskPlan(Model, frozen=True):
    """A plan of work: steps in which one final step needs all others."""

    steps: Annotated[tuple[TaskStep, ...], Field(max_length=10000, min_length=1), FromList]
    """The steps, in any order."""

    if TYPE_CHECKING:

        def __init__(self, *, steps: list[TaskStep] | tuple[TaskStep, ...]) -> None: ...
