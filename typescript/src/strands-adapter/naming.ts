/** What a plan's run is called, so that no two runs are called the same. */

import type { LocalAgent, Message, ToolResultBlock } from "@strands-agents/sdk";
import type { Batch } from "./batch.js";

/** The names of one plan's run. */
export interface Names {
  /**
   * What the tool use ids of its steps begin with, before `__`; no two plans of a turn give two
   * steps one id.
   */
  readonly calls: string;
  /** Names the run in keys and events; differs between all runs. */
  readonly run: string;
  /**
   * Whether the call is part of a conversation, so that Strands may make it again after an
   * interrupt.
   */
  readonly canReturn: boolean;
  /** The tool result that the conversation already has for the call. */
  readonly result: ToolResultBlock | undefined;
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
  const { turn, alike, results } = placeOf(agent, planId, batch);
  const begun = [...batch.endings.values()].filter((ending) => ending.planId === planId);
  const called = begun.length > 0 && alike > 1 ? `${planId}-${begun.length + 1}` : planId;
  const run = `${turn ?? crypto.randomUUID()}/${called}`;
  const canReturn = turn !== undefined;
  return { calls: beforeSteps(called), run, canReturn, result: results[begun.length] };
}

/** What no step's id can be taken for a part of, once `__` stands between them. */
function beforeSteps(called: string): string {
  // An id of a step has no dot: where the first "__" is not the place, the last dot is.
  return called.includes("__") || called.endsWith(".") ? `${called}.` : called;
}

/** Where a call stands in a conversation. */
interface Place {
  /** The tracking id of the latest message that holds it. */
  readonly turn: string | undefined;
  /** How many calls of that message share its id. */
  readonly alike: number;
  /** What the messages after that hold as results of it. */
  readonly results: readonly ToolResultBlock[];
}

function placeOf(agent: LocalAgent, planId: string, { message }: Batch): Place {
  const found = lastWith(planId, agent.messages);
  // The message of the batch joins the conversation only when its tools have ended.
  const alike = message === undefined ? 0 : usesOf(message, planId);
  if (message === undefined || alike === 0) return found;
  const turn = message.trackingId;
  const isThere = turn !== undefined && found.turn === turn;
  return { turn, alike, results: isThere ? found.results : [] };
}

function lastWith(planId: string, messages: readonly Message[]): Place {
  const at = messages.findLastIndex((message) => usesOf(message, planId) > 0);
  const message = messages[at];
  if (message === undefined) return { turn: undefined, alike: 0, results: [] };
  const later = messages.slice(at + 1).flatMap(({ content }) => content);
  const results = later.filter((block) => block.type === "toolResultBlock");
  return {
    turn: message.trackingId,
    alike: usesOf(message, planId),
    results: results.filter(({ toolUseId }) => toolUseId === planId),
  };
}

/** How many calls of a message have an id. */
function usesOf({ content }: Message, planId: string): number {
  return content.filter((block) => block.type === "toolUseBlock" && block.toolUseId === planId)
    .length;
}
