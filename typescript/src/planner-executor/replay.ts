/**
 * A stored run as a fixture: its agents say again what they said, and nothing is called.
 *
 * Models answer with the recorded messages and tools with the recorded results, so that the
 * code around a run can be tested without a network, and costs and limits tried out.
 */

import { Agent } from "@strands-agents/sdk";
import { z } from "zod";
import { Executors, type Offer } from "./agents.js";
import { ROOT } from "./conduct.js";
import type { PlannerExecutorOptions, WorkOptions } from "./options.js";
import { type AgentRun, type Answer, type Run, runSchema } from "./record.js";
import { ReplayedAgent, ReplayedModel } from "./replayed-agents.js";
import { PlannerExecutor } from "./run.js";

/**
 * A `PlannerExecutor` that does offline what a stored run did.
 *
 * @param run - The record, as it is, as plain JSON or as its text.
 * @param options - Those of `PlannerExecutor`, beside who does the work; `answerType` as in
 *   the run.
 * @throws ZodError if it is no record of a run.
 */
export function replayed<T = Answer>(
  run: Run<unknown> | Readonly<Record<string, unknown>> | string,
  options: WorkOptions<T> = {},
): PlannerExecutor<T> {
  const given: unknown = typeof run === "string" ? JSON.parse(run) : run;
  const record = runSchema(z.unknown()).parse(given);
  const agents = new Map(record.runs.map((agent) => [agent.name, agent]));
  const executors = new Recorded(record) as unknown as PlannerExecutorOptions["executors"];
  return new PlannerExecutor<T>({
    ...options,
    planner: () => thinking(agents.get(`${ROOT}.planner`)),
    executors,
    synthesizer: () => thinking(agents.get(`${ROOT}.synthesizer`)),
  });
}

/** The executors of a recorded run. */
class Recorded extends Executors {
  private readonly agents: ReadonlyMap<string | null, AgentRun>;

  constructor(private readonly run: Run<unknown>) {
    super(() => new ReplayedAgent(undefined, "", []));
    this.agents = new Map(run.runs.map((agent) => [agent.step, agent]));
  }

  override offer(): Promise<Offer> {
    const { tools, named } = this.run;
    return Promise.resolve({ tools: [...tools], named });
  }

  override get steps(): readonly string[] | undefined {
    return this.run.named === null ? undefined : Object.keys(this.run.named);
  }

  override agentFor(step: string): Promise<Agent> {
    const { failed, results, tools } = this.run;
    const agent = this.agents.get(step);
    if (agent === undefined && Object.hasOwn(failed, step)) {
      // What should have made its agent failed.
      return Promise.reject(new Error(failed[step]));
    }
    const result = Object.hasOwn(results, step) ? results[step] : undefined;
    return Promise.resolve(new ReplayedAgent(agent, result ?? "", tools));
  }
}

function thinking(run: AgentRun | undefined): Agent {
  const systemPrompt = run?.system_prompt ?? undefined;
  return new Agent({
    model: new ReplayedModel(run),
    printer: false,
    ...(systemPrompt !== undefined && { systemPrompt }),
  });
}
