"""What depends on what: references, levels and cycles.

Everything here is linear in the steps and references of a plan, and nothing recurses, so
that the longest chain a plan may have is as safe as a short one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from strands_plan_tool.cycles import components, levels_of_graph, shortest_cycle
from strands_plan_tool.diagnostics import (
    Finding,
    Path,
    Speller,
    any_of,
    diagnostics_of,
    ordered,
    pointer,
    quoted,
)
from strands_plan_tool.errors import error_for
from strands_plan_tool.expressions import Scope, read_expression
from strands_plan_tool.models import MAX_STEPS, Code, PlanStep, WorkflowPlan

__all__ = [
    "Graph",
    "Reference",
    "ToolNames",
    "allowed_names",
    "build_graph",
    "dependencies_of",
    "plan_levels",
    "text_references",
    "too_many_steps",
]

Field: TypeAlias = Literal["bind", "when", "for_each", "output"]

_SHOWN_STEPS: Final = 10
# Room for "_10000" within the 32 characters of an id.
_STEM: Final = 26
_TEXT_REFERENCE: Final = re.compile(r"\bsteps\s*\.\s*([a-z][a-z0-9_]{0,31})\b")


class Reference(NamedTuple):
    """One place that names a step.

    Attributes:
        owner: The position of the step that it makes wait; None for ``returns`` and
            ``output``, which make no step wait.
        target: The id that it names.
        path: Where it stands.
        field: What its error calls it: ``dependencies``, ``returns`` or ``output``.
    """

    owner: int | None
    target: str
    path: Path
    field: str = "dependencies"


@dataclass(frozen=True, slots=True)
class Graph:
    """The steps of a plan by position, and what each waits for.

    Attributes:
        ids: The ids in document order.
        dependencies: For each step the positions of those it waits for, ascending,
            without itself.
        levels: For each step 0 without dependencies, else one more than the highest of
            theirs; empty if there is a cycle.
        findings: Ids given twice, references to no step or to the step itself, cycles.
    """

    ids: tuple[str, ...]
    dependencies: list[tuple[int, ...]]
    levels: tuple[int, ...]
    findings: tuple[Finding, ...]


def build_graph(ids: Sequence[str], references: Iterable[Reference]) -> Graph:
    """The graph of a plan with everything that is wrong with it, in no certain order.

    Args:
        ids: The steps' ids in document order; of equal ones references mean the first.
        references: Every place that names a step, those of one path from left to right;
            gone through again if there is a cycle.
    """
    positions: dict[str, int] = {}
    for at, name in enumerate(ids):
        positions.setdefault(name, at)
    findings = _duplicates(ids, positions)
    speller = Speller(positions)
    # Nearly all steps wait for one or none, and a plan may have ten thousand.
    waits: dict[int, int | set[int]] = {}
    for reference in references:
        target = positions.get(reference.target)
        if target is None:
            findings.append(_unknown_step(reference, ids, speller))
        elif target == reference.owner:
            findings.append(_self_reference(reference))
        elif reference.owner is not None:
            known = waits.setdefault(reference.owner, target)
            if isinstance(known, set):
                known.add(target)
            elif known != target:
                waits[reference.owner] = {known, target}
    dependencies = [_ascending(waits.pop(at, None)) for at in range(len(ids))]
    levels, stuck = levels_of_graph(dependencies)
    if stuck:
        findings += _cycles(ids, dependencies, stuck, references)
    return Graph(tuple(ids), dependencies, () if stuck else tuple(levels), tuple(findings))


def _ascending(targets: int | set[int] | None) -> tuple[int, ...]:
    if targets is None:
        return ()
    return tuple(sorted(targets)) if isinstance(targets, set) else (targets,)


def _duplicates(ids: Sequence[str], positions: Mapping[str, int]) -> list[Finding]:
    findings: list[Finding] = []
    if len(positions) == len(ids):
        return findings
    taken = set(ids)
    last: dict[str, int] = {}
    for at, name in enumerate(ids):
        if positions[name] == at:
            continue
        number = last.get(name, 1) + 1
        while (free := f"{name[:_STEM]}_{number}") in taken:
            number += 1
        last[name] = number
        taken.add(free)
        findings.append(
            Finding(
                Code.DUPLICATE_STEP,
                ("steps", at, "id"),
                f"another step before it is called {quoted(name)}",
                f"change {quoted(name)} to {quoted(free)}, here and where this step is meant",
                (name,),
            )
        )
    return findings


def _unknown_step(reference: Reference, ids: Sequence[str], speller: Speller) -> Finding:
    written = reference.target
    own = None if reference.owner is None else ids[reference.owner]
    meant = speller.closest(written, but=own)
    others = [name for name in ids[:_SHOWN_STEPS] if name != own]
    if meant is not None:
        hint = f"change {quoted(written)} to {quoted(meant)}"
    elif others:
        hint = f"change {quoted(written)} to {any_of(others)}"
    else:
        hint = "remove it"
    return Finding(
        Code.UNKNOWN_STEP,
        reference.path,
        f"no step is called {quoted(written)}",
        hint,
        (own if own is not None else written, written, reference.field),
    )


def _self_reference(reference: Reference) -> Finding:
    name = reference.target
    return Finding(
        Code.SELF_REFERENCE,
        reference.path,
        f"step {quoted(name)} waits for its own result",
        "remove it" if "after" in reference.path else "read another step",
        ((name,),),
    )


def _cycles(
    ids: Sequence[str],
    dependencies: Sequence[tuple[int, ...]],
    stuck: Sequence[int],
    references: Iterable[Reference],
) -> list[Finding]:
    """One finding for each group of steps that all wait for each other."""
    places: dict[tuple[int, str], Path] = {}
    for reference in references:
        if reference.owner is not None:
            places.setdefault((reference.owner, reference.target), reference.path)
    findings = []
    for group in components(dependencies, stuck):
        cycle = shortest_cycle(dependencies, min(group), group)
        names = [ids[step] for step in cycle]
        shown = " -> ".join([*names[:_SHOWN_STEPS], *(["..."] if names[_SHOWN_STEPS:] else [])])
        place = places[cycle[-1], names[0]]
        findings.append(
            Finding(
                Code.CYCLE,
                ("steps", cycle[0]),
                f"steps wait for each other: {shown} -> {names[0]}",
                f"break it, for example at {pointer(place)}, which reads {quoted(names[0])}",
                (tuple(names),),
            )
        )
    return findings


def text_references(text: str) -> tuple[str, ...]:
    """The step ids in a text as the published package finds them: by their looks alone.

    It is for expressions in a language of the host's own, where no parser tells a
    reference from a word in a string.
    """
    return tuple(dict.fromkeys(_TEXT_REFERENCE.findall(text)))


def dependencies_of(step: PlanStep) -> frozenset[str]:
    """The ids that a step waits for: those its expressions read and those in ``after``.

    The step's own id is left out; a plan in which a step reads itself is refused.
    """
    return frozenset(reference.target for reference in _references(0, step)) - {step.id}


def _references(at: int, step: PlanStep) -> Iterator[Reference]:
    here: Path = ("steps", at)
    for place, name in enumerate(step.after):
        yield Reference(at, name, (*here, "after", place))
    texts: list[tuple[Field, Path, str | None]] = [
        ("bind", (*here, "bind", name), text) for name, text in step.bind.items()
    ]
    texts += [
        ("when", (*here, "when"), step.when),
        ("for_each", (*here, "for_each"), step.for_each),
    ]
    for field, path, text in texts:
        if text is not None:
            item = field == "bind" and step.for_each is not None
            reading = read_expression(text, Scope(ids=(), field=field, has_item=item))
            names = tuple(read.id for read in reading.reads if read.root == "steps")
            if reading.expression is None and not names:
                names = text_references(text)
            yield from (Reference(at, name, path) for name in dict.fromkeys(names))


def plan_levels(
    plan: WorkflowPlan,
    *,
    max_steps: int = MAX_STEPS,
    allowed_tools: Iterable[str] | None = None,
) -> tuple[tuple[PlanStep, ...], ...]:
    """The steps of a plan by level, each level in document order.

    Args:
        plan: The plan.
        max_steps: Steps it may have.
        allowed_tools: Tools it may call; without it any.

    Raises:
        StepLimitError: It has more steps.
        DuplicateStepError: Two steps have one id.
        ToolNotPlannableError: A step calls another tool.
        DanglingReferenceError: A step, or ``returns``, names a step that is not there.
        PlanCycleError: Steps wait for each other, or one for itself.
        TypeError: ``allowed_tools`` is a string.
    """
    steps = plan.steps
    references = [each for at, step in enumerate(steps) for each in _references(at, step)]
    references += [
        Reference(None, name, ("returns", at), "returns")
        for at, name in enumerate(plan.returns)
    ]
    graph = build_graph([step.id for step in steps], references)
    findings = list(graph.findings)
    if len(steps) > max_steps:
        findings.append(too_many_steps(len(steps), max_steps))
    if allowed_tools is not None:
        tools = ToolNames(allowed_tools)
        allowed = frozenset(tools.names)
        findings += [
            tools.unknown(at, step.id, step.tool)
            for at, step in enumerate(steps)
            if step.tool not in allowed
        ]
    if findings:
        found = ordered(findings, {"steps": steps, "returns": plan.returns})
        raise error_for(diagnostics_of(found), [finding.subject for finding in found])
    result: list[list[PlanStep]] = [[] for _ in range(max(graph.levels) + 1)]
    for step, level in zip(steps, graph.levels, strict=True):
        result[level].append(step)
    return tuple(tuple(level) for level in result)


def allowed_names(names: Iterable[str]) -> dict[str, None]:
    """Tool names as an ordered set.

    Raises:
        TypeError: It is one string, whose letters would pass for names, or no iterable.
    """
    if isinstance(names, str):
        raise TypeError("tool names must be a list of strings, not one string")
    return dict.fromkeys(names)


class ToolNames:
    """The names of the tools that a plan may call, and what is said of any other.

    Args:
        names: The names, in the order in which they are proposed.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(allowed_names(names))
        self.sorted = tuple(sorted(self.names))
        self.choice = any_of(self.names) if self.names else ""
        self._speller = Speller(self.names)

    def unknown(self, at: int, step_id: str, tool: str) -> Finding:
        """The step at a position calls a tool that there is not."""
        meant = self._speller.closest(tool)
        if meant is not None:
            hint = f"change {quoted(tool)} to {quoted(meant)}"
        elif self.choice:
            hint = f"change {quoted(tool)} to {self.choice}"
        else:
            hint = "remove the step; a plan may call no tool"
        return Finding(
            Code.UNKNOWN_TOOL,
            ("steps", at, "tool"),
            f"there is no tool {quoted(tool)}",
            hint,
            (step_id, tool, self.sorted),
        )


def too_many_steps(count: int, limit: int) -> Finding:
    """The plan has more steps than its host allows."""
    return Finding(
        Code.TOO_MANY_STEPS,
        ("steps",),
        f"{count} steps, and max_steps is {limit}",
        'use "for_each" for equal calls, or submit the work in several plans',
        (count, limit),
    )
