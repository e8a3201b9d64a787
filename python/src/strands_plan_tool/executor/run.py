"""Runs a plan and gives back what it asked for."""

from __future__ import annotations

import logging
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from strands_plan_tool.binder import Binder, JsonataBinder, references_by_library
from strands_plan_tool.errors import PlanPaused, error_for
from strands_plan_tool.events import OnEvent, PlanEvent
from strands_plan_tool.executor.calls import StepCall, StepInvoker, ToolInvoker, invocation
from strands_plan_tool.executor.checkpoints import (
    checkpoint_of,
    read_checkpoint,
    restore,
    waiting_calls,
)
from strands_plan_tool.executor.clock import AsyncioClock, Clock
from strands_plan_tool.executor.driver import Driver
from strands_plan_tool.executor.foreign import References, check_foreign_plan
from strands_plan_tool.executor.pace import Pace
from strands_plan_tool.executor.readings import ForeignEngine, ProfileEngine, Readings
from strands_plan_tool.executor.results import compose
from strands_plan_tool.executor.schedule import Schedule
from strands_plan_tool.graph import plan_levels, text_references
from strands_plan_tool.memory import CallMemory
from strands_plan_tool.models import (
    Checkpoint,
    Diagnostic,
    JsonValue,
    PlanResult,
    PlanStep,
    Policy,
    StepStatus,
    WorkflowPlan,
)
from strands_plan_tool.validate import CheckedPlan, ToolInfo, check_plan
from strands_plan_tool.validate.host_checks import (
    check_binder,
    check_clock,
    check_input,
    check_invoker,
    check_listener,
    check_max_steps,
    check_memory,
    check_policy,
    check_run_id,
)
from strands_plan_tool.values import ValueFault, ingest

__all__ = [
    "AsyncioClock",
    "Clock",
    "StepCall",
    "StepInvoker",
    "ToolInvoker",
    "execute_plan",
    "levels_of",
    "summarize",
]

Tools: TypeAlias = Mapping[str, ToolInfo | Mapping[str, Any] | None] | Iterable[str]

_log = logging.getLogger("strands_plan_tool")


async def execute_plan(
    plan: WorkflowPlan | CheckedPlan | Mapping[str, Any] | str,
    invoker: ToolInvoker | StepInvoker,
    *,
    binder: Binder | None = None,
    max_steps: int | None = None,
    allowed_tools: Iterable[str] | None = None,
    policy: Policy | None = None,
    tools: Tools | None = None,
    input: Mapping[str, JsonValue] | None = None,
    run_id: str | None = None,
    on_event: OnEvent | None = None,
    clock: Clock | None = None,
    resume: Checkpoint | Mapping[str, Any] | None = None,
    memory: CallMemory | None = None,
) -> PlanResult:
    """Check a plan, run it, and give back what it asked for.

    What tools do is data: a step that fails is ``failed`` in the ledger and raises nothing.

    Args:
        plan: The plan in any form; or one that ``check_plan`` has passed, and then
            ``max_steps``, ``allowed_tools``, ``policy`` and ``tools``, which that check was
            for, and another language's ``binder`` may not be given.
        invoker: What calls the tools: an async function of name and arguments, or an object
            with ``invoke_step``.
        binder: Another expression language than the engine's own.
        max_steps: Steps that a plan may have; wins over the policy's if given.
        allowed_tools: Names of the tools that a plan may call. It wins over ``tools``: what
            it does not name is not plannable, and it may name tools of which ``tools`` knows
            nothing.
        policy: The host's limits, timeouts and retries; a ``Policy`` and no mapping, which
            ``Policy.model_validate`` makes one of.
        tools: What is known of the tools, by name. Without it and ``allowed_tools`` no tool
            is checked.
        input: JSON values that expressions read as ``input.<name>``.
        run_id: Names the run in calls, keys and events; a new id unless given. Under the
            same id each call has the same ``key``.
        on_event: Told of each thing that starts or ends, while the run waits; a plain
            function, which is never awaited. An exception that it raises loses neither the
            run nor later events; the first is logged.
        clock: What timeouts, backoffs and durations go by; the event loop's unless given.
        resume: Where an earlier run of this very plan paused: this one goes on from there.
            Its input and run id are that run's, whatever is given here.
        memory: What plans before this one did: a call that is in it is not made, and its
            result is taken over. What goes well here is noted in it.

    Returns:
        The result; it shares nothing with what tools hold.

    Raises:
        PlanError: The plan or the input is refused and nothing has run. The class is that of
            the first problem, and ``diagnostics`` has them all.
        PlanPaused: Calls wait for an answer, as their invoker said by ``StepPaused``, and
            nothing else is left to do: run the plan again with its checkpoint as ``resume``.
        TypeError: An argument beside the plan is not of its type.
        ValueError: A checked plan is to run otherwise than it was checked; or ``resume`` is
            no checkpoint, or that of another plan.
        asyncio.CancelledError: The run was cancelled. What was in flight has been stopped
            and has ended.
    """
    check_invoker(invoker)
    check_binder(binder)
    check_max_steps(max_steps)
    check_policy(policy)
    check_input(input)
    check_run_id(run_id)
    check_listener(on_event)
    check_clock(clock)
    check_memory(memory)
    paused = None if resume is None else read_checkpoint(resume)
    given = _taken_in(input if paused is None else paused.input)
    foreign = binder is not None and not _is_profile(binder)
    if isinstance(plan, CheckedPlan):
        if foreign or (max_steps, allowed_tools, policy, tools) != (None, None, None, None):
            raise ValueError(
                "a checked plan runs as it was checked: give max_steps, allowed_tools, policy "
                "and tools to check_plan, or the plan itself to execute_plan"
            )
        checked = plan
    else:
        limits = policy or Policy()
        if max_steps is not None:
            limits = limits.model_copy(update={"max_steps": max_steps})
        known = _plannable(tools, allowed_tools)
        if binder is not None and foreign:
            checked = check_foreign_plan(
                plan, references=_references(binder), tools=known, policy=limits
            )
        else:
            checked = check_plan(plan, tools=known, policy=limits, input=given)
    results: dict[str, JsonValue] = {}
    readings = Readings(
        checked,
        ForeignEngine(binder, results, given)
        if binder is not None and foreign
        else ProfileEngine(checked, results, given),
    )
    if paused is not None:
        run_id = paused.run_id
    run_id = uuid.uuid4().hex if run_id is None else run_id
    time = clock or AsyncioClock()
    timeout = left = checked.policy.plan_timeout_s
    pace = Pace(time.now, timeout)
    schedule = Schedule(
        checked,
        readings,
        results,
        run_id=run_id,
        on_event=None if on_event is None else _unfailing(on_event),
        pace=pace,
        memory=memory,
    )
    if paused is not None:
        restore(paused, checked.plan, schedule.steps, results, readings)
        elapsed = paused.elapsed_ms / 1000
        left = None if timeout is None else max(timeout - elapsed, 0)
        schedule.resume(elapsed)
    driver = Driver(
        schedule,
        invocation(invoker),
        time,
        pace,
        step_timeout_s=checked.policy.step_timeout_s,
        plan_timeout_s=left,
    )
    await driver.run()
    if schedule.is_paused:
        began, now = schedule.span
        checkpoint = checkpoint_of(
            checked.plan, schedule.steps, results, given, run_id=run_id, began=began, now=now
        )
        raise PlanPaused(checkpoint, waiting_calls(schedule.steps))
    return compose(checked, schedule.steps, results, readings)


def levels_of(plan: WorkflowPlan) -> Sequence[Sequence[PlanStep]]:
    """The steps by level, for a preview: see ``plan_levels``, which this is the same as.

    Raises:
        PlanError: The plan has no levels: a cycle, an unknown step, too many steps.
    """
    return plan_levels(plan)


def summarize(result: PlanResult) -> str:
    """The ledger as lines for a person: level, status, id, tool, milliseconds, error."""
    lines = []
    for outcome in result.ledger:
        status = outcome.status.value
        shown = status.upper() if outcome.status is StepStatus.FAILED else status
        # Half up, as no two languages round alike.
        tenths = math.floor(outcome.duration_ms * 10 + 0.5)
        took = f"{tenths // 10}.{tenths % 10} ms"
        items = outcome.items
        counts = f"  {items.ok} of {items.total} items" if items else ""
        error = f"  {outcome.error}" if outcome.error else ""
        lines.append(
            f"L{outcome.level} {shown:<9} {outcome.id:<16} {outcome.tool:<20} "
            f"{took:>12}{counts}{error}"
        )
    return "\n".join(lines)


def _is_profile(binder: Binder) -> bool:
    return type(binder) is JsonataBinder and not binder.allow_eval


def _references(binder: Binder) -> References:
    return references_by_library if _is_library(binder) else text_references


def _is_library(binder: Binder) -> bool:
    return isinstance(binder, JsonataBinder) and binder.allow_eval


def _taken_in(given: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """The run's input, as a copy that nobody else can change."""
    try:
        taken: dict[str, JsonValue] = ingest(dict(given or {}))
    except ValueFault as fault:
        hint = "pass plain JSON values as input"
        problem = Diagnostic(
            code=fault.code, path="", message=f"input: {fault.message}", hint=hint
        )
        raise error_for([problem]) from None
    return taken


def _plannable(tools: Tools | None, allowed: Iterable[str] | None) -> Tools | None:
    """What is known of the tools, those that are not allowed marked as not plannable."""
    if allowed is None:
        return tools
    if isinstance(allowed, str):
        raise TypeError("allowed_tools must be a list of strings, not one string")
    names = dict.fromkeys(allowed)
    if tools is None:
        return list(names)
    infos = tools if isinstance(tools, Mapping) else dict.fromkeys(tools)
    known = {name: _info(infos.get(name)) for name in [*infos, *names]}
    return {
        name: ToolInfo(
            input_schema=info.input_schema,
            output_schema=info.output_schema,
            plannable=info.plannable and name in names,
        )
        for name, info in known.items()
    }


def _info(info: ToolInfo | Mapping[str, Any] | None) -> ToolInfo:
    return info if isinstance(info, ToolInfo) else ToolInfo(**(info or {}))


def _unfailing(on_event: OnEvent) -> OnEvent:
    """The same callback, its exceptions kept from the run."""
    failed = False

    def tell(event: PlanEvent) -> None:
        nonlocal failed
        try:
            on_event(event)
        except Exception:
            if not failed:
                failed = True
                _log.exception("on_event failed at %s of step %s", event.kind, event.step_id)

    return tell
