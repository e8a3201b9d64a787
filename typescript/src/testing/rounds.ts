/** One run of the conformance suite, with all its pauses. */

import { PlanPaused } from "../errors.js";
import { executePlan } from "../executor/index.js";
import { CallMemory, type Remembered } from "../memory.js";
import { type CheckpointInput, type PlanResult, Policy, type PolicyInput } from "../models.js";
import type { PlanGiven } from "../validate/index.js";
import { VirtualClock } from "./clock.js";
import { readJson, writeJson } from "./json-lines.js";
import { Recorder } from "./recording.js";
import { callName, type Stub, type StubReply, StubTools } from "./tools.js";

// What goes by between a pause and the answer; nothing of a run may count it.
const PAUSE_S = 3600;

/** A command or a case. */
export interface RunGiven {
  readonly plan?: PlanGiven;
  readonly plan_text?: string;
  readonly tools?: Readonly<Record<string, Stub>>;
  readonly policy?: PolicyInput;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly run_id?: string;
  readonly cancel_at_ms?: number;
  readonly answers?: readonly Readonly<Record<string, StubReply>>[];
  readonly memory?: readonly Remembered[];
}

/** What happened in a run, over all its rounds. */
export interface Rounds {
  /** The stub tools, with every attempt. */
  readonly tools: StubTools;
  /** Every event. */
  readonly recorder: Recorder;
  /** How it ended; undefined if it was cancelled, or is still paused. */
  result?: PlanResult;
  cancelled: boolean;
  /** What waited at each pause, by the names of the calls. */
  readonly pauses: string[][];
  /** Where it stood at each, as JSON. */
  readonly checkpoints: CheckpointInput[];
  /** What is noted at the end, if there is a memory. */
  memory?: readonly Remembered[];
}

/** What is carried from one round to the next. */
interface Carried {
  readonly checkpoint?: CheckpointInput | undefined;
  readonly memory?: CallMemory | undefined;
}

/**
 * Run a plan on virtual time, and again from each pause while there are answers.
 *
 * @throws PlanError if the plan is refused.
 */
export async function runRounds(given: RunGiven): Promise<Rounds> {
  const clock = new VirtualClock();
  const tools = new StubTools(given.tools ?? {}, { clock });
  const seen: Rounds = {
    tools,
    recorder: new Recorder(),
    cancelled: false,
    pauses: [],
    checkpoints: [],
  };
  await clock.run(() => run(given, seen, clock));
  return seen;
}

async function run(given: RunGiven, seen: Rounds, clock: VirtualClock): Promise<void> {
  let checkpoint: CheckpointInput | undefined;
  let memory = given.memory && CallMemory.fromJson({ available: given.memory });
  for (const answers of [{}, ...(given.answers ?? [])]) {
    seen.tools.answers = { ...answers };
    const paused = await round(given, seen, clock, { checkpoint, memory });
    if (paused === undefined) break;
    seen.pauses.push(paused.waiting.map(callName));
    seen.checkpoints.push(paused.checkpoint);
    // Whoever answers may be another process, much later.
    checkpoint = overText(paused.checkpoint);
    memory &&= CallMemory.fromJson(overText(memory.toJson()));
    await clock.sleep(PAUSE_S);
  }
  if (memory !== undefined) seen.memory = memory.pending;
}

/** One round: how the run paused, if it did. */
async function round(
  given: RunGiven,
  seen: Rounds,
  clock: VirtualClock,
  { checkpoint, memory }: Carried,
): Promise<PlanPaused | undefined> {
  const stopping = new AbortController();
  const over = new AbortController();
  if (given.cancel_at_ms !== undefined) {
    const left = given.cancel_at_ms - (checkpoint?.elapsed_ms ?? 0);
    clock.sleep(left / 1000, over.signal).then(
      () => stopping.abort(),
      () => undefined,
    );
  }
  try {
    const plan = Object.hasOwn(given, "plan") ? given.plan : given.plan_text;
    seen.result = await executePlan(plan as PlanGiven, seen.tools, {
      policy: Policy.parse(given.policy ?? {}),
      tools: given.tools && seen.tools.infos,
      input: given.input,
      runId: given.run_id ?? "run",
      onEvent: seen.recorder.onEvent,
      clock,
      signal: stopping.signal,
      resume: checkpoint,
      memory,
    });
  } catch (error) {
    if (error instanceof PlanPaused) return error;
    if (!stopping.signal.aborted) throw error;
    seen.cancelled = true;
  } finally {
    over.abort();
  }
  return undefined;
}

function overText<Data>(data: Data): Data {
  return readJson(writeJson(data)) as Data;
}
