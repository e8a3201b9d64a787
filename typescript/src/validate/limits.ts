/** What a host's policy says of a whole plan: how large it is, and how it ends. */

import { type Finding, listing, quoted } from "../diagnostics.js";
import { type Graph, tooManySteps } from "../graph.js";
import type { Policy, WorkflowPlan } from "../models.js";
import { toJsonText } from "../values/index.js";

/**
 * Where a plan breaks its host's policy.
 *
 * @param plan - The plan.
 * @param graph - Its graph.
 * @param policy - The limits.
 * @param readByOutput - The ids that `output` reads; undefined without one.
 * @param unread - Whether some expression could not be read, so that it is not known what
 *   nothing reads.
 */
export function limitFindings(
  plan: WorkflowPlan,
  graph: Graph,
  policy: Policy,
  readByOutput: ReadonlySet<string> | undefined,
  unread: boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  const count = plan.steps.length;
  if (count > policy.max_steps) findings.push(tooManySteps(count, policy.max_steps));
  const ends = endsOf(graph, readByOutput ?? new Set());
  if (plan.returns.length === 0 && plan.output === null) {
    const names = namesOf(graph, ends.length > 0 ? ends : [count - 1]);
    findings.push({
      code: "nothing_returned",
      path: [],
      message: 'neither "returns" nor "output" says what goes back',
      hint: `write "returns": ${toJsonText(names)}`,
    });
  }
  if (policy.single_final_step && !unread) {
    const output = plan.output === null ? 0 : 1;
    if (ends.length + output > 1) findings.push(looseEnds(plan, graph, ends, readByOutput));
  }
  return findings;
}

/** The steps that nothing reads and none waits for. */
function endsOf(graph: Graph, readByOutput: ReadonlySet<string>): readonly number[] {
  const read = new Set(graph.dependencies.flat());
  return [...graph.ids.entries()]
    .filter(([at, name]) => !read.has(at) && !readByOutput.has(name))
    .map(([at]) => at);
}

function namesOf(graph: Graph, steps: readonly number[]): readonly string[] {
  return steps.map((at) => graph.ids[at] ?? "");
}

function looseEnds(
  plan: WorkflowPlan,
  graph: Graph,
  ends: readonly number[],
  readByOutput: ReadonlySet<string> | undefined,
): Finding {
  const names = namesOf(graph, ends);
  let message: string;
  let hint: string;
  if (readByOutput === undefined) {
    message = `nothing reads the steps ${listing(names)}`;
    hint = waitIn(plan, ends.at(-1) ?? 0, names.slice(0, -1));
  } else {
    message = `beside "output", nothing reads ${listing(names)}`;
    const gate = gateOf(graph, ends, readByOutput);
    hint =
      gate === undefined
        ? `let "output" read ${listing(names)} too, or remove them`
        : waitIn(plan, gate, names);
  }
  return { code: "loose_ends", path: ["steps"], message, hint };
}

function waitIn(plan: WorkflowPlan, at: number, names: readonly string[]): string {
  const step = plan.steps[at];
  const after = [...new Set([...(step?.after ?? []), ...names])];
  return `write "after": ${toJsonText(after)} in step ${quoted(step?.id ?? "")}`;
}

/** The last step that `output` reads and that may wait for all loose ends. */
function gateOf(
  graph: Graph,
  ends: readonly number[],
  readByOutput: ReadonlySet<string>,
): number | undefined {
  const above = new Set(ends);
  // The set grows while it is gone through.
  for (const step of above) {
    for (const target of graph.dependencies[step] ?? []) above.add(target);
  }
  return [...graph.ids.entries()]
    .filter(([at, name]) => readByOutput.has(name) && !above.has(at))
    .at(-1)?.[0];
}
