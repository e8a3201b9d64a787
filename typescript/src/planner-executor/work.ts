/** The two parts of a run that is under way: the steps are carried out, the answer written. */

import type { Agent, InvocationState } from "@strands-agents/sdk";
import type { z } from "zod";
import { wellFormed } from "../diagnostics.js";
import type { PlanEvent } from "../events.js";
import { unlessStopped } from "../signals.js";
import { type DoTask, runTasks } from "../tasks/index.js";
import type { Executors } from "./agents.js";
import { RunOver } from "./budget.js";
import { Conduct } from "./conduct.js";
import { AnswerFailedError } from "./errors.js";
import type { Ledger } from "./ledger.js";
import type { Settings } from "./options.js";
import { REQUESTS } from "./planning.js";
import { filled, outcomes, results, stripped } from "./prompts.js";
import type { Plan } from "./record.js";
import { messageOf } from "./said.js";
import { momentOver, type Stop } from "./stop.js";

/** What everybody at work on one run has. */
export interface Work {
  readonly given: Plan;
  /** The run's account. */
  readonly ledger: Ledger;
  /** The run's invocation state. */
  readonly state: InvocationState;
  /** Ends the run. */
  readonly stop: Stop;
}

/**
 * Carry out the steps of a plan; the ledger has what came of each.
 *
 * @throws The reason for which the run was stopped.
 */
export async function carryOut<T>(
  executors: Executors,
  settings: Settings<T>,
  work: Work,
): Promise<void> {
  const { given, ledger, stop } = work;
  const inFlight = new Set<Promise<string>>();
  const carryOutStep: DoTask = ({ id, instruction }, found, signal) => {
    const prompt = filled(settings.prompts.executor, {
      question: given.question,
      instruction,
      results: results(found as Readonly<Record<string, string>>),
    });
    const done = carriedOut(executors, id, prompt, { ...work, signal });
    inFlight.add(done);
    return done.catch(async (error) => {
      // The run's end, and never the failure of this step; what has come by now is kept.
      if (error instanceof RunOver) {
        await momentOver();
        stop.now(error);
      }
      throw error;
    });
  };
  const tell = (event: PlanEvent): void => {
    ledger.saw(event);
    const { kind, step_id: id } = event;
    if (kind === "failed") settings.warn(`step ${id} failed: ${ledger.failed.get(id)}`);
    else if (kind === "skipped") {
      settings.warn(`step ${id} is skipped: one that it needs failed`);
    }
  };
  try {
    await runTasks(given.plan, carryOutStep, {
      maxSteps: settings.maxSteps,
      maxConcurrency: settings.maxConcurrency,
      waves: settings.waves,
      onEvent: tell,
      signal: stop.signal,
    });
  } finally {
    // What was stopped is kept too.
    await Promise.allSettled(inFlight);
  }
}

async function carriedOut(
  executors: Executors,
  id: string,
  prompt: string,
  { ledger, state, signal }: Work & { readonly signal: AbortSignal },
): Promise<string> {
  const agent = await unlessStopped(executors.agentFor(id), signal);
  const role = { name: `executor.${id}`, step: id, meter: ledger.meter, state, signal };
  const conduct = new Conduct(agent, role);
  let text: string;
  try {
    text = stripped(wellFormed(String(await conduct.ask(prompt))));
  } finally {
    ledger.ended(conduct);
  }
  if (text === "") throw new Error("the executor gave no result");
  ledger.results.set(id, text);
  return text;
}

/**
 * The synthesizer's answer.
 *
 * @throws AnswerFailedError if it gave none.
 * @throws The reason for which the run was stopped.
 */
export async function answered<T>(
  synthesizer: Agent,
  answerType: z.ZodType<T>,
  text: string,
  { given, ledger, state, stop: { signal } }: Work,
): Promise<T> {
  const { meter } = ledger;
  const conduct = new Conduct(synthesizer, { name: "synthesizer", meter, state, signal });
  const steps = outcomes(given.plan, ledger.results, ledger.failed);
  const prompt = filled(text, { question: given.question, steps });
  let answer: unknown;
  try {
    answer = (await conduct.ask(prompt, answerType, REQUESTS)).structuredOutput;
  } catch (error) {
    ledger.ended(conduct);
    if (error instanceof RunOver || signal.aborted) throw error;
    throw new AnswerFailedError(messageOf(error), ledger.record(null), { cause: error });
  }
  ledger.ended(conduct);
  if (answer === undefined) {
    throw new AnswerFailedError("the synthesizer gave no answer", ledger.record(null));
  }
  return answer as T;
}
