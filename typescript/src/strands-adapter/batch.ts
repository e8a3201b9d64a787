/**
 * What the plans of one batch of tool calls keep while the batch runs.
 *
 * An agent runs one batch at a time, so the notes hang on the agent: one plugin instance can
 * serve several agents at once, and whatever a middleware does with the invocation state, the
 * notes are found. A plan that a step of another runs on the same agent shares them.
 */

import {
  type AfterToolCallEvent,
  type AfterToolsEvent,
  type BeforeToolsEvent,
  type LocalAgent,
  type Message,
  ToolResultBlock,
  type ToolResultEvent,
} from "@strands-agents/sdk";
import { answeredCalls } from "./sdk.js";

/** The order of a hook that is to see results reviewed, and not yet moved out of the context. */
export const BEFORE_OFFLOADING = -1;

/** What the hooks saw of one step's result. */
export interface Seen {
  /** The result as interventions and early hooks left it. */
  reviewed?: ToolResultBlock;
}

/** How one plan call ended, for the hook that runs after the whole batch. */
export class Ending {
  /** What the tool use ids of the plan's steps begin with. */
  calls: string | undefined;
  /** The text that the model is to read of the plan. */
  told: string | undefined;
  /** The message that ends the turn, if the plan may end it. */
  closing: string | undefined;
  /** What a hook of the user's threw during a step. */
  raised: { readonly error: unknown } | undefined;
  /** Whether the plan's run is over. */
  isOver = false;

  /** @param planId - The tool use id of the plan call. */
  constructor(readonly planId: string) {}

  /**
   * The message that ends the turn, if the conversation gets the result as it was made.
   *
   * What changes the result (a redaction, a review that withholds it) has not seen the closing
   * message, which says the same.
   */
  closingFor(result: ToolResultBlock): string | undefined {
    const [block, ...more] = result.content;
    const asMade =
      result.status === "success" &&
      block?.type === "textBlock" &&
      block.text === this.told &&
      more.length === 0;
    return asMade ? this.closing : undefined;
  }
}

/** The notes of one batch of one agent. */
export class Batch {
  /** By the id that the plan's run calls itself by. */
  readonly endings = new Map<string, Ending>();
  /** By the tool use id of a step that runs. */
  readonly seen = new Map<string, Seen>();
  /** What asked for the batch. */
  message: Message | undefined;
  /** The ids of the calls that have been answered, before an interrupt or since. */
  readonly answered = new Set<string>();
  /** By an agent that is used as a tool, what its next call waits for. */
  private readonly turns = new WeakMap<object, Promise<void>>();

  /**
   * Wait until an agent that is used as a tool is free, which refuses a second call meanwhile.
   *
   * @returns What ends the turn.
   */
  async turnOf(worker: object): Promise<() => void> {
    const before = this.turns.get(worker);
    let end: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.turns.set(worker, turn);
    await before;
    return end;
  }
}

const batches = new WeakMap<LocalAgent, Batch>();

/** The notes of an agent's batch. */
export function batchOf(agent: LocalAgent): Batch {
  const known = batches.get(agent);
  if (known !== undefined) return known;
  const made = new Batch();
  batches.set(agent, made);
  return made;
}

/** A hook before all others: remember which message asks for the batch that begins. */
export function noteMessage(event: BeforeToolsEvent): void {
  const batch = batchOf(event.agent);
  batch.message = event.message;
  batch.answered.clear();
  for (const id of answeredCalls(event.agent)) batch.answered.add(id);
}

/** A hook: remember that a call has been answered, if only by the word that it was not made. */
export function noteAnswered(event: ToolResultEvent): void {
  batchOf(event.agent).answered.add(event.result.toolUseId);
}

/** How a batch ended, or stopped to go on after an interrupt. */
export interface Closed {
  /** How its plans ended. */
  readonly endings: readonly Ending[];
  /** The ids of the calls that have been answered. */
  readonly answered: ReadonlySet<string>;
  /** Whether all its calls have been. */
  readonly isWhole: boolean;
}

/** How a batch that is over ended; nothing is kept of it any longer. */
export function closed(event: AfterToolsEvent): Closed {
  const batch = batchOf(event.agent);
  const ids = new Set(resultsOf(event).map((result) => result.toolUseId));
  const calls = batch.message?.content.filter((block) => block.type === "toolUseBlock") ?? [];
  const answered = new Set(batch.answered);
  const isWhole = calls.every(({ toolUseId }) => answered.has(toolUseId));
  batch.message = undefined;
  batch.answered.clear();
  const endings: Ending[] = [];
  for (const [key, ending] of batch.endings) {
    if (ids.has(ending.planId)) endings.push(ending);
    // One that is not of this batch runs in the background, or did.
    else if (!ending.isOver) continue;
    batch.endings.delete(key);
  }
  return { endings, answered, isWhole };
}

/** The tool results that go into the conversation. */
export function resultsOf(event: AfterToolsEvent): readonly ToolResultBlock[] {
  return event.message.content.filter((block) => block.type === "toolResultBlock");
}

/** A hook `BEFORE_OFFLOADING`: remember the result that a plan computes with. */
export function noteReviewed(event: AfterToolCallEvent): void {
  const seen = batchOf(event.agent).seen.get(event.toolUse.toolUseId);
  if (seen !== undefined) seen.reviewed = new ToolResultBlock(event.result);
}

/**
 * The result that a step's value is read from.
 *
 * A context offloader leaves a preview in place of a long result: right for a model, and no
 * value that a plan could bind.
 */
export function resultForPlan(result: ToolResultBlock, seen: Seen): ToolResultBlock {
  return isOffloaded(result) ? (seen.reviewed ?? result) : result;
}

function isOffloaded(result: ToolResultBlock): boolean {
  const [first] = result.content;
  return (
    first?.type === "textBlock" &&
    first.text.startsWith("[Offloaded: ") &&
    first.text.includes("[Stored references:]")
  );
}
