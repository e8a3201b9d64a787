/** What a run gives back: the ledger, what was asked for, and how much of it fits. */

import { quoted } from "../diagnostics.js";
import type { OutputError, PlanResult, Policy, StepOutcome } from "../models.js";
import type { CheckedPlan } from "../validate/index.js";
import { copyOut, jsonSize, type Members } from "../values/index.js";
import { Fault } from "./faults.js";
import type { Progress } from "./progress.js";
import type { Readings } from "./readings.js";
import type { Work } from "./waiting.js";

/**
 * The result of a run whose every step has ended.
 *
 * @param plan - The plan that ran.
 * @param steps - How its steps ended, in document order.
 * @param results - The results of those that are `ok`.
 * @param readings - What evaluates `output`, which happens here and once.
 */
export function* compose(
  plan: CheckedPlan,
  steps: readonly Progress[],
  results: Members,
  readings: Readings,
): Work<PlanResult> {
  const room = new Room(plan.policy);
  let output: unknown = null;
  let hasOutput = false;
  let outputError: OutputError | null = null;
  if (plan.plan.output !== null) {
    const read = yield* readings.output();
    if (read instanceof Fault) {
      outputError = { code: read.code, message: read.message };
    } else if (room.takes(read, "the output")) {
      output = read;
      hasOutput = true;
    }
  }
  const returned: Members = {};
  for (const id of new Set(plan.plan.returns)) {
    if (!Object.hasOwn(results, id)) continue;
    const value = results[id];
    if (room.takes(value, `the result of step ${quoted(id)}`)) returned[id] = copyOut(value);
  }
  const ledger = ledgerOf(steps);
  const levels = plan.levels.length;
  return {
    returned: returned as PlanResult["returned"],
    ledger,
    levels,
    inference_passes_saved: Math.max(levels - 1, 0),
    final: plan.plan.final,
    output: output as PlanResult["output"],
    has_output: hasOutput,
    output_error: outputError,
    ends_turn:
      plan.plan.final &&
      ledger.every(wentWell) &&
      outputError === null &&
      room.leftOut.length === 0 &&
      (hasOutput || Object.keys(returned).length > 0),
    notes: [...plan.notes, ...room.leftOut],
  };
}

function wentWell(outcome: StepOutcome): boolean {
  const well = outcome.status === "ok" || outcome.status === "not_taken";
  return well && !outcome.items?.failed;
}

/** How each step ended, by level and within one in document order. */
export function ledgerOf(steps: readonly Progress[]): StepOutcome[] {
  const byLevel = [...steps].sort((one, other) => one.step.level - other.step.level);
  return byLevel.map((progress) => ({
    id: progress.step.step.id,
    tool: progress.step.step.tool,
    status: progress.status ?? "skipped",
    level: progress.step.level,
    duration_ms: progress.durationMs,
    error: progress.fault?.message ?? null,
    code: progress.fault?.code ?? null,
    items: progress.counts,
    reused: progress.reused,
  }));
}

/** How much of what goes back still fits, and what was left out for it. */
class Room {
  /** What is said of each value that was left out. */
  readonly leftOut: string[] = [];
  private readonly limit: number;
  private used = 0;

  constructor(policy: Policy) {
    this.limit = policy.max_output_bytes;
  }

  /** Whether a value still fits; one that does not takes no room. */
  takes(value: unknown, name: string): boolean {
    const size = jsonSize(value);
    if (this.used + size <= this.limit) {
      this.used += size;
      return true;
    }
    const taken = this.used > 0 ? ` of which ${this.used} are taken` : "";
    this.leftOut.push(
      `result_too_large: ${name} is ${size} bytes of JSON and is left out; ` +
        `max_output_bytes is ${this.limit}${taken}. ` +
        "Return less, for example by an `output` that picks what is needed",
    );
    return false;
  }
}
