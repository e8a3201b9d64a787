/** What has happened in one run so far, from which its record is made at any moment. */

import { wellFormed } from "../diagnostics.js";
import type { PlanEvent } from "../events.js";
import { taskLevels } from "../tasks/index.js";
import type { Meter } from "./budget.js";
import type { Conduct } from "./conduct.js";
import type { AgentRun, Attempt, Named, Plan, Run, Tool, Usage } from "./record.js";

/** Keeps account of a run. */
export class Ledger {
  /** What the completed steps gave. */
  readonly results = new Map<string, string>();
  /** Why each failed step failed. */
  readonly failed = new Map<string, string>();
  /** What each agent did, in the order they ended. */
  readonly runs: AgentRun[];
  /** Every plan that the planner handed in. */
  attempts: readonly Attempt[];
  /** What executors can do, as the planner was told. */
  tools: readonly Tool[];
  /** The ids that steps must have, each with its executor's tools; null if any will do. */
  named: Named | null;
  /** Seconds that were used for planning. */
  readonly secondsBefore: number;
  private readonly skipped = new Set<string>();
  private readonly started = new Set<string>();
  private readonly began = performance.now();

  /**
   * @param question - The question.
   * @param meter - What counts what the agents use.
   * @param plan - The plan, with all that was done for it; undefined while it is written.
   */
  constructor(
    private readonly question: string,
    readonly meter: Meter,
    private readonly plan?: Plan,
  ) {
    this.runs = [...(plan?.runs ?? [])];
    this.attempts = plan?.attempts ?? [];
    this.tools = plan?.tools ?? [];
    this.named = plan?.named ?? null;
    this.secondsBefore = plan?.usage.duration_s ?? 0;
  }

  /** Take note of what happened to a step. */
  saw({ kind, step_id: id, error }: PlanEvent): void {
    if (kind === "start") this.started.add(id);
    else if (kind === "skipped") this.skipped.add(id);
    else if (kind === "failed") {
      this.failed.set(id, wellFormed(error ?? ""));
      this.results.delete(id);
    }
  }

  /** Keep what an agent did. */
  ended(conduct: Conduct): void {
    this.runs.push(conduct.record());
  }

  /** What was used so far, planning included. */
  usage(): Usage {
    const seconds = (performance.now() - this.began) / 1000;
    return this.meter.usage(this.secondsBefore + seconds);
  }

  /** The record as it is now; everything by step is in the order of the plan. */
  record<T>(answer: T): Run<T> {
    const ids = this.plan?.plan.steps.map(({ id }) => id) ?? [];
    return {
      question: this.question,
      answer,
      plan: this.plan?.plan ?? null,
      results: inOrder(ids, this.results),
      waves: this.waves(),
      failed: inOrder(ids, this.failed),
      skipped: ids.filter((id) => this.skipped.has(id)),
      usage: this.usage(),
      tools: [...this.tools],
      named: this.named,
      attempts: [...this.attempts],
      runs: [...this.runs],
    };
  }

  private waves(): readonly (readonly string[])[] {
    if (this.plan === undefined || this.started.size === 0) return [];
    const began = taskLevels(this.plan.plan).map((level) =>
      level.filter((id) => this.started.has(id)),
    );
    return began.filter((level) => level.length > 0);
  }
}

function inOrder(
  ids: readonly string[],
  texts: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const text = texts.get(id);
      return text === undefined ? [] : [[id, text]];
    }),
  );
}
