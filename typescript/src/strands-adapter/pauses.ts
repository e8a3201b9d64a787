/**
 * Plans that wait for a person, in the state of their agent.
 *
 * What is stored has to come back in another process through any session manager, so it is text
 * that this package wrote: no decoder of theirs looks into it, and no integer loses a digit.
 */

import {
  type JSONValue,
  type LocalAgent,
  TextBlock,
  type ToolResultContent,
} from "@strands-agents/sdk";
import { readCheckpoint } from "../executor/checkpoints.js";
import type { CheckpointInput } from "../models.js";
import { isObject, type Members, toJsonText } from "../values/index.js";
import { Blocks, restored, stored } from "./blocks.js";
import { parsedText } from "./json-text.js";
import type { Names } from "./naming.js";

/** Where in an agent's state plans are kept. */
export const STATE_KEY = "strands_plan_tool";

/** What the model was told of a plan that has ended. */
export class Told {
  /**
   * @param status - Of the tool result.
   * @param content - The content of the tool result.
   */
  constructor(
    readonly status: "success" | "error",
    readonly content: readonly ToolResultContent[],
  ) {}

  /** That something is wrong. */
  static error(text: string): Told {
    return new Told("error", [new TextBlock(text)]);
  }
}

/** A plan that waits. */
export class PausedPlan {
  /**
   * @param checkpoint - Where its run stands.
   * @param blocks - Media and texts that results stand for.
   */
  constructor(
    readonly checkpoint: CheckpointInput,
    readonly blocks: Blocks,
  ) {}

  /** The ids of the steps that have ended well, in the order of the plan. */
  get done(): string[] {
    const steps = Object.entries(this.checkpoint.steps ?? {});
    return steps.filter(([, step]) => step.status === "ok").map(([id]) => id);
  }
}

/** What the agent's state holds: anybody may have written it. */
interface Entries {
  readonly plans?: unknown;
  readonly memory?: unknown;
}

/**
 * The paused plans of one agent, and what else outlives an interrupt.
 *
 * They hang on the agent's state under `strands_plan_tool`: `plans`, a text for each paused
 * plan by what the ids of its calls begin with, and `memory`, the text of the turn's memory. A
 * plan that has gone on stays there as what the model was told of it until that is part of the
 * conversation: if it never becomes that, Strands calls the plan once more, and nothing may
 * then run twice.
 */
export class Pauses {
  /** What the agent's state did not take. */
  private unstored: Entries | undefined;
  private readonly fresh = new Set<string>();
  /** What was told of plans that ran while the agent waited for nobody. */
  private readonly aside = new Map<string, readonly [Names, Told]>();

  /** @param agent - Whose plans they are. */
  constructor(private readonly agent: LocalAgent) {}

  /**
   * What is kept of a plan; undefined if it is none of this very call.
   *
   * @throws Error if something is kept that cannot be read.
   */
  load(names: Names): PausedPlan | Told | undefined {
    const { plans = {} } = this.read();
    if (!isObject(plans)) throw unreadable();
    if (!Object.hasOwn(plans, names.calls)) return undefined;
    const text = plans[names.calls];
    const entry = parsedEntry(text);
    if (entry.run !== names.run) return undefined;
    const { told } = entry;
    if (told !== undefined) return readTold(told);
    const { checkpoint, media, texts } = entry;
    if (!isObject(media) || !isObject(texts)) throw unreadable();
    const blocks = new Blocks();
    blocks.restore({ media, texts });
    return new PausedPlan(readCheckpoint(checkpoint) as CheckpointInput, blocks);
  }

  /** Keep a plan, in place of what was kept of it. */
  save(names: Names, kept: PausedPlan | Told): void {
    this.fresh.add(names.calls);
    this.aside.delete(names.calls);
    const plans = { ...this.plans(), [names.calls]: textOf(names, kept) };
    this.write({ ...this.read(), plans });
  }

  /** Keep what is told of a plan until `keepAside`. */
  putAside(names: Names, told: Told): void {
    this.aside.set(names.calls, [names, told]);
  }

  /** What the ids of the calls of each plan begin with. */
  get names(): readonly string[] {
    return Object.keys(this.plans());
  }

  /** Keep what was put aside: the agent waits, so the calls may be made again. */
  keepAside(): void {
    for (const [names, told] of [...this.aside.values()]) this.save(names, told);
  }

  /** Let none of these plans go on that still could. */
  stop(isMeant: (calls: string) => boolean): void {
    const plans = { ...this.plans() };
    let isChanged = false;
    for (const [calls, text] of Object.entries(plans)) {
      if (!isMeant(calls)) continue;
      const stopped = stoppedText(text);
      if (stopped === undefined) continue;
      plans[calls] = stopped;
      isChanged = true;
    }
    if (isChanged) this.write({ ...this.read(), plans });
  }

  /** Let no plan go on that was kept before `begin` and has not been called since. */
  stopOld(): void {
    this.stop((calls) => !this.fresh.has(calls));
  }

  /** From now on what is kept already is old. */
  begin(): void {
    this.fresh.clear();
  }

  /** Keep nothing of these plans. */
  drop(calls: Iterable<string>): void {
    const gone = new Set(calls);
    for (const name of gone) this.aside.delete(name);
    const plans = Object.entries(this.plans());
    const left = plans.filter(([name]) => !gone.has(name));
    if (left.length < plans.length) {
      this.write({ ...this.read(), plans: Object.fromEntries(left) });
    }
  }

  /** Keep nothing at all. */
  clear(): void {
    this.aside.clear();
    this.write({});
  }

  /**
   * What `saveMemory` was given, if anything is kept; no longer kept from then on.
   *
   * @throws Error if it cannot be read.
   */
  loadMemory(): Members | undefined {
    const { memory, ...others } = this.read();
    if (memory === undefined) return undefined;
    this.write(others);
    return parsedEntry(memory);
  }

  /** Keep the memory of a turn that goes on after an interrupt. */
  saveMemory(memory: object): void {
    this.write({ ...this.read(), memory: toJsonText(memory) });
  }

  private plans(): Readonly<Members> {
    const { plans } = this.read();
    return isObject(plans) ? plans : {};
  }

  private read(): Entries {
    const kept: unknown = this.unstored ?? this.agent.appState.get(STATE_KEY);
    return isObject(kept) ? kept : {};
  }

  private write({ plans, memory }: Entries): void {
    const hasPlans = isObject(plans) && Object.keys(plans).length > 0;
    const entries: Entries = {
      ...(hasPlans && { plans }),
      ...(memory !== undefined && { memory }),
    };
    const { appState } = this.agent;
    const isKnown = this.unstored !== undefined;
    this.unstored = undefined;
    try {
      if (Object.keys(entries).length > 0) appState.set(STATE_KEY, entries as JSONValue);
      else if (appState.get(STATE_KEY) !== undefined) appState.delete(STATE_KEY);
    } catch (error) {
      // Losing the interrupt would be worse than losing the plan with the process.
      this.unstored = entries;
      if (isKnown) return;
      // biome-ignore lint/suspicious/noConsole: the SDK's own logger is not to be had.
      console.warn(
        "strands-plan-tool: a paused plan cannot be stored in the agent's state: it goes on " +
          "in this process only",
        error,
      );
    }
  }
}

/**
 * What a model is told of a plan that was cancelled.
 *
 * @param done - The ids of the steps that had ended well.
 */
export function cancelled(done: readonly string[]): Told {
  const ran = done.length > 0 ? ranOk(done) : "No step had ended.";
  return Told.error(`The plan was cancelled. ${ran}`);
}

/** What a model is told of the steps that had ended well, of which there are some. */
export function ranOk(done: readonly string[]): string {
  return `Ran ok, do not repeat: ${done.join(", ")}`;
}

function textOf({ run }: Pick<Names, "run">, kept: PausedPlan | Told): string {
  if (kept instanceof PausedPlan) {
    return toJsonText({ run, checkpoint: kept.checkpoint, ...kept.blocks.toJson() });
  }
  const { status, content } = kept;
  return toJsonText({ run, told: { status, content: content.map(stored) } });
}

/** The text of a paused plan as that of a cancelled one; undefined if it goes on no more. */
function stoppedText(text: unknown): string | undefined {
  try {
    const { run, checkpoint } = parsedEntry(text);
    if (!isObject(checkpoint)) return undefined;
    const { done } = new PausedPlan(checkpoint as CheckpointInput, new Blocks());
    return textOf({ run: String(run) }, cancelled(done));
  } catch {
    // It is told that it cannot be read when it is called.
    return undefined;
  }
}

function readTold(told: unknown): Told {
  if (!isObject(told) || !Array.isArray(told.content)) throw unreadable();
  const { status, content } = told;
  if (status !== "success" && status !== "error") throw unreadable();
  return new Told(status, content.map(restored) as ToolResultContent[]);
}

function parsedEntry(text: unknown): Members {
  const entry = typeof text === "string" ? parsedText(text) : undefined;
  if (!isObject(entry)) throw unreadable();
  return entry;
}

function unreadable(): Error {
  return new Error("this is nothing that was kept of a plan");
}
