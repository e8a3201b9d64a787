"""What a host's policy says of a whole plan: how large it is, and how it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from strands_plan_tool.diagnostics import Finding, listing, quoted
from strands_plan_tool.graph import Graph, too_many_steps
from strands_plan_tool.models import Code, Policy, WorkflowPlan
from strands_plan_tool.values import to_json_text

__all__ = ["limit_findings"]


def limit_findings(
    plan: WorkflowPlan,
    graph: Graph,
    policy: Policy,
    read_by_output: frozenset[str] | None,
    *,
    unread: bool,
) -> Iterator[Finding]:
    """Where a plan breaks its host's policy.

    Args:
        plan: The plan.
        graph: Its graph.
        policy: The limits.
        read_by_output: The ids that ``output`` reads; None without one.
        unread: Whether some expression could not be read, so that it is not known what
            nothing reads.
    """
    if len(plan.steps) > policy.max_steps:
        yield too_many_steps(len(plan.steps), policy.max_steps)
    ends = _ends(graph, read_by_output or ())
    if not plan.returns and plan.output is None:
        names = [graph.ids[at] for at in ends] or [graph.ids[-1]]
        yield Finding(
            Code.NOTHING_RETURNED,
            (),
            'neither "returns" nor "output" says what goes back',
            f'write "returns": {to_json_text(names)}',
        )
    if policy.single_final_step and not unread:
        output = 0 if plan.output is None else 1
        if len(ends) + output > 1:
            yield _loose_ends(plan, graph, ends, read_by_output)


def _ends(graph: Graph, read_by_output: Iterable[str]) -> list[int]:
    """The steps that nothing reads and none waits for."""
    read = {at for each in graph.dependencies for at in each}
    last = set(read_by_output)
    return [at for at, name in enumerate(graph.ids) if at not in read and name not in last]


def _loose_ends(
    plan: WorkflowPlan,
    graph: Graph,
    ends: Sequence[int],
    read_by_output: frozenset[str] | None,
) -> Finding:
    names = [graph.ids[at] for at in ends]
    if read_by_output is None:
        final = ends[-1]
        message = f"nothing reads the steps {listing(names)}"
        hint = _wait(plan, final, names[:-1])
    else:
        message = f'beside "output", nothing reads {listing(names)}'
        gate = _gate(graph, ends, read_by_output)
        hint = (
            f'let "output" read {listing(names)} too, or remove them'
            if gate is None
            else _wait(plan, gate, names)
        )
    return Finding(Code.LOOSE_ENDS, ("steps",), message, hint)


def _wait(plan: WorkflowPlan, at: int, names: Iterable[str]) -> str:
    step = plan.steps[at]
    after = list(dict.fromkeys([*step.after, *names]))
    return f'write "after": {to_json_text(after)} in step {quoted(step.id)}'


def _gate(graph: Graph, ends: Iterable[int], read_by_output: frozenset[str]) -> int | None:
    """The last step that ``output`` reads and that may wait for all loose ends."""
    above = set(ends)
    work = list(above)
    while work:
        for target in graph.dependencies[work.pop()]:
            if target not in above:
                above.add(target)
                work.append(target)
    free = [
        at for at, name in enumerate(graph.ids) if name in read_by_output and at not in above
    ]
    return free[-1] if free else None
