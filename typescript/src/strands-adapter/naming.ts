/** What a plan's run is called, so that no two runs are called the same. */

import type { LocalAgent, Message } from "@strands-agents/sdk";
import type { Batch } from "./batch.js";

/** The names of one plan's run. */
export interface Names {
  /**
   * What the tool use ids of its steps begin with; differs between the plans that run in one
   * turn.
   */
  readonly calls: string;
  /** Names the run in keys and events; differs between all runs. */
  readonly run: string;
  /**
   * Whether the call is part of a conversation, so that Strands may make it again after an
   * interrupt.
   */
  readonly canReturn: boolean;
}

/**
 * The names of the run that a plan call begins.
 *
 * A tool use id says too little by itself: some providers make it of the tool's name, so it
 * comes again in the next turn, and two calls of one message may share it. What tells the
 * turns of all conversations apart is the `trackingId` of the message that holds the call,
 * which Strands keeps with the conversation: so a run is called
 * `<tracking id>/<tool use id>`, and the same again when the turn is taken up later, in
 * another process even. Calls that share an id within a message are told apart in the order
 * in which they begin: `-2` is put behind the id of the second.
 *
 * @param agent - Whose conversation holds the call. A direct call is in none, so nothing can
 *   take it up later, and its run gets a name by chance.
 * @param planId - The tool use id of the call.
 * @param batch - The notes of the agent's batch.
 */
export function namesOf(agent: LocalAgent, planId: string, batch: Batch): Names {
  const { turn, alike } = placeOf(agent, planId, batch);
  const begun = [...batch.endings.values()].filter((ending) => ending.planId === planId);
  const calls = begun.length > 0 && alike > 1 ? `${planId}-${begun.length + 1}` : planId;
  const run = `${turn ?? crypto.randomUUID()}/${calls}`;
  return { calls, run, canReturn: turn !== undefined };
}

/** The tracking id of the latest message that holds a call, and how many share its id. */
function placeOf(
  agent: LocalAgent,
  planId: string,
  batch: Batch,
): { turn: string | undefined; alike: number } {
  // The message of the batch joins the conversation only when its tools have ended.
  const current = batch.message === undefined ? [] : [batch.message];
  for (const message of [...agent.messages, ...current].reverse()) {
    const alike = usesOf(message).filter((id) => id === planId).length;
    if (alike > 0) return { turn: message.trackingId, alike };
  }
  return { turn: undefined, alike: 0 };
}

function usesOf(message: Message): readonly string[] {
  return message.content.flatMap((block) =>
    block.type === "toolUseBlock" ? [block.toolUseId] : [],
  );
}
