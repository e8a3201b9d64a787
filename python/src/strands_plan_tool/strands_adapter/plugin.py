"""The plugin: what a Strands agent is given so that its model can send plans."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from strands.hooks import (
    AfterInvocationEvent,
    AfterToolCallEvent,
    AfterToolsEvent,
    BeforeInvocationEvent,
    BeforeToolCallEvent,
    HookOrder,
)
from strands.plugins import Plugin
from strands.tools.executors import SequentialToolExecutor
from strands.types.agent import ConcurrentInvocationMode

from strands_plan_tool.errors import AgentInterruptedError, PlanPaused
from strands_plan_tool.events import OnEvent, PlanEvent
from strands_plan_tool.executor import execute_plan, plan_hash
from strands_plan_tool.models import PlanResult, Policy, WorkflowPlan
from strands_plan_tool.step_call import StepCall
from strands_plan_tool.strands_adapter.batch import (
    BEFORE_OFFLOADING,
    await_end,
    endings_of,
    note_given,
    note_reviewed,
    results_of,
)
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker, HookRaised
from strands_plan_tool.strands_adapter.options import (
    Approvals,
    Input,
    approvals_of,
    approve_plan_of,
    input_of,
    listener_of,
    patterns_of,
    policy_of,
    taken_in,
)
from strands_plan_tool.strands_adapter.plan_run import PlanChanged, PlanRun
from strands_plan_tool.strands_adapter.plan_tool import PlanTool
from strands_plan_tool.strands_adapter.questions import is_interrupted
from strands_plan_tool.strands_adapter.registry import ALL_TOOLS, named_by, tool_infos
from strands_plan_tool.strands_adapter.spec import plan_tool_spec
from strands_plan_tool.strands_adapter.stopping import AgentCancelledError, result_of
from strands_plan_tool.strands_adapter.turn import Turn
from strands_plan_tool.validate import check_plan, parse_plan

if TYPE_CHECKING:
    from strands import Agent

PLUGIN_NAME: Final = "workflow-plan"
_NEEDS: Final = "strands-agents 1.55.1 or later, below 2"


def coerce_plan(plan: WorkflowPlan | Mapping[str, Any] | str) -> WorkflowPlan:
    """Read a plan from any form in which a model or a program may give it.

    Args:
        plan: A plan, plain JSON or JSON text; the usual slips are mended, among them a
            wrapper such as ``{"plan": {...}}``.

    Raises:
        InvalidPlanShapeError: It is no plan; ``diagnostics`` says where and why.
    """
    return plan if isinstance(plan, WorkflowPlan) else parse_plan(plan)


class WorkflowPlanPlugin(Plugin):
    """Adds the tool ``submit_workflow_plan`` to every agent that is given this plugin.

    One instance may serve several agents, also at once.

    Args:
        plannable: Which tools plans may call: names, patterns with ``*``, and either with a
            leading ``!`` to take out. By default all.
        max_steps: How many steps a plan may have; by default what the policy says, 32.
        honor_final: Whether a plan may end the agent's turn.
        policy: The host's limits, timeouts and retries.
        input: The host's values, which plans read as ``input.<name>``; or a function that
            makes them from the invocation state of each run.
        on_event: Called with each event of each run. The event's ``run_id``, of which the
            keys of calls are made too, is that of no other run: the ``tracking_id`` of the
            message that holds the plan call, ``/``, and the call's tool use id.
        approvals: What becomes of a step whose tool needs a person's answer. ``"pause"``: the
            plan waits, and the agent stops with the interrupt; on the answer the plan goes on
            where it was. ``"refuse"``: the step fails, no plan runs while the agent is
            interrupted, and an agent with interventions has to name its ``plannable`` tools.
        approve_plan: Whether a person is asked, with a preview of the plan, before anything
            of it runs.
        reusable: The tools, as ``plannable`` names them, whose results a corrected plan takes
            over from a failed one of the same turn instead of calling them again. By default
            all; none under ``approvals="refuse"``.

    Raises:
        TypeError: An option is nothing that can be used, or an async function.
        ValueError: A limit is out of range, a value of ``input`` is not JSON, or options do
            not go together.

    Example::

        agent = Agent(tools=[...], plugins=[WorkflowPlanPlugin()], system_prompt=PLAN_NUDGE)
    """

    name = PLUGIN_NAME

    def __init__(
        self,
        *,
        plannable: Iterable[str] | None = None,
        max_steps: int | None = None,
        honor_final: bool = True,
        policy: Policy | None = None,
        input: Input | None = None,
        on_event: OnEvent | None = None,
        approvals: Approvals = "pause",
        approve_plan: bool = False,
        reusable: Iterable[str] | None = None,
    ) -> None:
        super().__init__()
        self._plannable = ALL_TOOLS if plannable is None else patterns_of(plannable)
        self._is_explicit = plannable is not None
        self._honor_final = honor_final
        self._policy = policy_of(policy, max_steps)
        self._input = input_of(input)
        self._on_event = listener_of(on_event)
        self._pauses = approvals_of(approvals) == "pause"
        self._approve_plan = approve_plan_of(approve_plan, approvals)
        if reusable is None and self._pauses:
            reusable = ALL_TOOLS
        self._reusable = None if reusable is None else named_by(reusable, "reusable")
        self._agents: WeakSet[Agent] = WeakSet()

    def init_agent(self, agent: Agent) -> None:
        """Add the tool and the hooks to an agent; the SDK calls this as it builds the agent.

        Raises:
            RuntimeError: The installed Strands lacks a call that plans need.
            ValueError: The agent has interventions, no plan is to wait, and ``plannable`` was
                not given.
        """
        _require_sdk(agent)
        gates = [] if self._pauses else _interventions(agent)
        if gates and not self._is_explicit:
            raise ValueError(
                f"{PLUGIN_NAME}: this agent has interventions ({', '.join(gates)}), which may "
                "make a tool wait for a person, and a plan cannot wait. Name the tools that "
                'plans may call, for example plannable=["*", "!delete_file"].'
            )
        names = tuple(self._input) if isinstance(self._input, Mapping) else ()
        spec = plan_tool_spec(names)
        mode = agent.concurrent_invocation_mode
        turn = Turn(self._reusable, is_alone=mode is ConcurrentInvocationMode.THROW)
        tool = PlanTool(
            agent,
            spec,
            self._run,
            turn,
            honor_final=self._honor_final,
            can_pause=self._pauses,
            has_approval=self._approve_plan,
        )
        agent.tool_registry.process_tools([tool])
        # After the hooks that may refuse the invocation: a turn that begins has an end.
        agent.add_hook(turn.begin, BeforeInvocationEvent, order=HookOrder.SDK_LAST)
        # Before a session manager stores the agent.
        agent.add_hook(turn.end, AfterInvocationEvent, order=HookOrder.SDK_FIRST)
        agent.add_hook(await_end, BeforeToolCallEvent, order=HookOrder.SDK_FIRST)
        agent.add_hook(note_given, AfterToolCallEvent, order=HookOrder.SDK_FIRST)
        agent.add_hook(note_reviewed, AfterToolCallEvent, order=BEFORE_OFFLOADING)
        # After the hooks that may still change what goes into the conversation.
        agent.add_hook(partial(_end_batch, turn), AfterToolsEvent, order=HookOrder.SDK_LAST)
        self._agents.add(agent)

    async def run_plan(
        self,
        plan: WorkflowPlan | Mapping[str, Any] | str,
        *,
        agent: Agent | None = None,
        invocation_state: dict[str, Any] | None = None,
    ) -> PlanResult:
        """Run a plan with an agent's tools, without its model.

        Such a plan cannot wait for a person: a step that would have to fails. It needs no
        approval, and takes over nothing from other plans.

        Args:
            plan: The plan, as a model, as plain JSON or as JSON text.
            agent: Whose tools; may be left out if the plugin serves one agent.
            invocation_state: What hooks and tools are given as such.

        Returns:
            What the plan asked for and how each step went.

        Raises:
            PlanError: The plan is refused; ``diagnostics`` holds every reason.
            AgentInterruptedError: The agent waits for the answer to an interrupt, under
                ``approvals="refuse"``.
            RuntimeError: It is not clear which agent is meant.
            asyncio.CancelledError: ``agent.cancel()`` was called, or this task was cancelled;
                what was in flight has been stopped and has ended. The former is a
                ``RuntimeError`` too, and is raised until an invocation of the agent has ended,
                which is when Strands takes the signal back.
            Exception: What a hook of the user's raised.
        """
        agent = agent or self._only_agent()
        signal = agent.cancel_signal
        if signal.is_set():
            raise AgentCancelledError
        invoker = AgentToolInvoker(
            agent, invocation_state=invocation_state, cancel_signal=signal
        )
        try:
            run = self._run(PlanRun(plan, invoker))
            result, _ = await result_of(run, signal, invoker)
        except HookRaised as stopped:
            raise stopped.error from None
        finally:
            invoker.drop_questions()
        return result

    async def _run(self, order: PlanRun) -> tuple[PlanResult, WorkflowPlan]:
        invoker, agent, resume = order.invoker, order.invoker.agent, order.resume
        if not self._pauses and is_interrupted(agent):
            raise AgentInterruptedError
        policy = self._policy
        if isinstance(agent.tool_executor, SequentialToolExecutor):
            policy = Policy(**{**dict(policy), "max_concurrency": 1})
        given = self._input
        host = taken_in(given(invoker.state)) if callable(given) else given
        checked = check_plan(
            order.plan, tools=tool_infos(agent, self._plannable), policy=policy, input=host
        )
        if resume is not None and resume["plan"] != plan_hash(checked.plan):
            raise PlanChanged
        # What goes on was approved before it began.
        if order.approve is not None and resume is None:
            order.approve(checked)
        waited: tuple[StepCall, ...] = ()
        while True:
            try:
                result = await execute_plan(
                    checked,
                    invoker,
                    input=host,
                    run_id=invoker.run_id,
                    on_event=_both(self._on_event, order.on_event),
                    resume=resume,
                    memory=order.memory,
                )
            except PlanPaused as paused:
                # What waits for no answer waited for a call that has ended meanwhile.
                if invoker.interrupts_of(paused.waiting):
                    raise
                if paused.waiting == waited:
                    raise RuntimeError("calls wait, and nothing is asked") from None
                waited, resume = paused.waiting, paused.checkpoint.model_dump()
            else:
                return result, checked.plan

    def _only_agent(self) -> Agent:
        agents = list(self._agents)
        if len(agents) == 1:
            return agents[0]
        raise RuntimeError(
            f"{PLUGIN_NAME}: no agent has this plugin yet. Give it to one: "
            "Agent(plugins=[plugin])."
            if not agents
            else f"{PLUGIN_NAME}: {len(agents)} agents have this plugin. Say which is meant: "
            "run_plan(plan, agent=agent)."
        )


def _end_batch(turn: Turn, event: AfterToolsEvent) -> None:
    endings = endings_of(event)
    for ending in endings:
        if ending.raised is not None:
            raise ending.raised
    turn.settle(event, endings)
    results = results_of(event)
    # Beside other results the model has to be heard: only it knows what they are together.
    if len(results) != 1 or not endings or event.end_turn:
        return
    closing = endings[-1].closing_for(results[0])
    if closing is not None:
        # A list, since an empty string would not count as set.
        event.end_turn = [{"text": closing}]


def _both(first: OnEvent | None, second: OnEvent | None) -> OnEvent | None:
    if first is None or second is None:
        return first or second

    def tell(event: PlanEvent) -> None:
        second(event)
        first(event)

    return tell


def _interventions(agent: Agent) -> list[str]:
    return [handler.name for handler in agent._intervention_registry.handlers]


def _require_sdk(agent: Agent) -> None:
    """Say at once what is missing, not in the middle of a plan."""
    executor = getattr(agent, "tool_executor", None)
    handlers = getattr(getattr(agent, "_intervention_registry", None), "handlers", None)
    snapshots = inspect.signature(getattr(agent, "take_snapshot", lambda: None)).parameters
    hooks = inspect.signature(getattr(agent, "add_hook", lambda: None)).parameters
    found = {
        "agent.tool_executor._execute": callable(getattr(executor, "_execute", None)),
        "the handlers of agent._intervention_registry": handlers is not None,
        "agent.cancel_signal": hasattr(agent, "cancel_signal"),
        "agent.take_snapshot(include=...)": "include" in snapshots,
        "agent.add_hook(order=...)": "order" in hooks,
        "AfterToolsEvent.end_turn": hasattr(AfterToolsEvent, "end_turn"),
    }
    missing = [name for name, is_there in found.items() if not is_there]
    if missing:
        raise RuntimeError(
            f"{PLUGIN_NAME} needs {_NEEDS}; the installed version ({_installed()}) lacks "
            f"{', '.join(missing)}."
        )


def _installed() -> str:
    try:
        return version("strands-agents")
    except PackageNotFoundError:
        return "unknown"
