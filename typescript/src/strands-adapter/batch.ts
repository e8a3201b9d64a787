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
} from "@strands-agents/sdk";

/** The order of a hook that is to see results reviewed, and not yet moved out of the context. */
export const BEFORE_OFFLOADING = -1;

/** What the hooks saw of one step's result. */
export interface Seen {
  /** The result as interventions and early hooks left it. */
  reviewed?: ToolResultBlock;
}

/** How one plan call ended, for the hook that runs after the whole batch. */
export class Ending {
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
  batchOf(event.agent).message = event.message;
}

/** How the plans of a batch that is over ended; nothing is kept of them any longer. */
export function endingsOf(event: AfterToolsEvent): readonly Ending[] {
  const batch = batchOf(event.agent);
  const ids = new Set(resultsOf(event).map((result) => result.toolUseId));
  batch.message = undefined;
  const ended: Ending[] = [];
  for (const [key, ending] of batch.endings) {
    if (ids.has(ending.planId)) ended.push(ending);
    // One that is not of this batch runs in the background, or did.
    else if (!ending.isOver) continue;
    batch.endings.delete(key);
  }
  return ended;
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
