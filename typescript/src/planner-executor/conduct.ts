/** One agent at work: every request goes by the meter, and all that is said is kept. */

import {
  AfterModelCallEvent,
  type Agent,
  type AgentResult,
  BeforeModelCallEvent,
  type InvocationState,
  type Message,
  MessageAddedEvent,
  ModelStreamUpdateEvent,
  TextBlock,
} from "@strands-agents/sdk";
import type { z } from "zod";
import { isObject } from "../values/index.js";
import { named, STRUCTURED_OUTPUT } from "./agents.js";
import { type Meter, OutOfBudget } from "./budget.js";
import { type AgentRun, plain, type Said } from "./record.js";

/** What the name of every agent begins with. */
export const ROOT = "planner_executor";

const ENDED_WELL: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "tool_use"]);

/** Who an agent is in a run. */
export interface Role {
  /** What it is called in the record, after `planner_executor.`. */
  readonly name: string;
  /** The step that it carries out. */
  readonly step?: string;
  /** What counts for the whole run. */
  readonly meter: Meter;
  /** The run's invocation state; the agent gets a copy. */
  readonly state: InvocationState;
  /** Stops the agent. */
  readonly signal: AbortSignal;
}

/** Asks one agent, once or again in the same conversation. */
export class Conduct {
  private readonly name: string;
  private readonly model: string;
  private readonly messages: Said[] = [];
  private readonly stops: string[] = [];
  private prompt: string | undefined;
  private requests = 0;
  private sent = 0;
  private received = 0;
  private total = 0;
  private cost = 0;
  private seconds = 0;
  private error: string | null = null;
  /** Requests that the turn may still take. */
  private left = Number.POSITIVE_INFINITY;

  /**
   * @param agent - An agent of which nobody else has the use.
   * @param role - Who it is.
   */
  constructor(
    private readonly agent: Agent,
    private readonly role: Role,
  ) {
    this.name = `${ROOT}.${role.name}`;
    this.model = agent.model.modelId ?? "";
    named(agent, this.name);
    agent.addHook(BeforeModelCallEvent, () => this.beforeModel());
    agent.addHook(ModelStreamUpdateEvent, (event) => this.streamed(event));
    agent.addHook(AfterModelCallEvent, (event) => this.afterModel(event));
    agent.addHook(MessageAddedEvent, ({ message }) => this.keep(message));
  }

  /**
   * Ask, and wait for the end of the agent's turn.
   *
   * @param prompt - What to ask.
   * @param answer - What the agent must answer with, if not with words.
   * @param atMost - Requests that the turn may take.
   * @throws OutOfBudget if the run's budget is used up.
   * @throws StoppedError if the agent ended in a way that is no answer.
   * @throws The reason of the signal if the agent was stopped.
   * @throws What the agent or its model threw.
   */
  async ask(prompt: string, answer?: z.ZodType, atMost?: number): Promise<AgentResult> {
    const { meter, signal, state } = this.role;
    this.prompt ??= prompt;
    const began = performance.now();
    this.left = atMost ?? Number.POSITIVE_INFINITY;
    try {
      signal.throwIfAborted();
      const asked = this.agent.invoke(this.continued(prompt) ? [] : prompt, {
        invocationState: { ...state },
        cancelSignal: signal,
        ...(answer !== undefined && { structuredOutputSchema: answer }),
      });
      const result = await unlessStopped(asked, signal);
      const reason = snake(result.stopReason);
      if (!ENDED_WELL.has(reason)) throw new StoppedError(`the agent stopped: ${reason}`);
      meter.check();
      this.error = null;
      return result;
    } catch (error) {
      this.error = this.told(error);
      if (signal.aborted) throw signal.reason;
      // What a hook throws may have been taken for a failure of the model.
      meter.check();
      if (this.left > 0) throw error;
      throw new StoppedError(`no such answer in ${atMost} requests`, { cause: error });
    } finally {
      this.seconds += (performance.now() - began) / 1000;
    }
  }

  /** What the agent has done so far. */
  record(): AgentRun {
    const { systemPrompt } = this.agent;
    return {
      name: this.name,
      step: this.role.step ?? null,
      model: this.model,
      system_prompt: typeof systemPrompt === "string" ? systemPrompt : null,
      prompt: this.prompt ?? "",
      tools_called: this.called(),
      usage: {
        requests: this.requests,
        input_tokens: this.sent,
        output_tokens: this.received,
        total_tokens: this.total,
        cost: this.role.meter.prices ? this.cost : null,
        duration_s: this.seconds,
      },
      stop_reasons: [...this.stops],
      error: this.error,
      messages: structuredClone(this.messages),
    };
  }

  /**
   * Say it in the message of the tool results, if the conversation ends with one.
   *
   * After structured output it does, and not every provider takes two of the user's messages
   * in a row.
   */
  private continued(prompt: string): boolean {
    const last = this.agent.messages.at(-1);
    if (last?.role !== "user") return false;
    last.content.push(new TextBlock(prompt));
    const kept = this.messages.at(-1)?.content;
    if (Array.isArray(kept)) kept.push({ text: prompt });
    return true;
  }

  private told(error: unknown): string {
    if (this.role.signal.aborted) return "cancelled";
    if (error instanceof OutOfBudget) return `the budget is used up: ${error.limit}`;
    return messageOf(error);
  }

  private called(): string[] {
    const blocks = this.messages.flatMap(({ content }) =>
      Array.isArray(content) ? content : [],
    );
    const names = blocks.flatMap(({ toolUse }) =>
      isObject(toolUse) ? [String(toolUse.name)] : [],
    );
    return names.filter((name) => name !== STRUCTURED_OUTPUT);
  }

  private beforeModel(): void {
    // An agent that nobody waits for any more is not let go on.
    this.role.signal.throwIfAborted();
    if (this.left <= 0) throw new StoppedError("too many requests");
    this.left -= 1;
    this.role.meter.request();
    this.requests += 1;
  }

  private streamed({ event }: ModelStreamUpdateEvent): void {
    if (this.role.signal.aborted) return;
    if (event.type === "modelMessageStopEvent") this.stops.push(snake(event.stopReason));
    if (event.type !== "modelMetadataEvent" || event.usage === undefined) return;
    const { inputTokens, outputTokens, totalTokens } = event.usage;
    this.sent += inputTokens;
    this.received += outputTokens;
    this.total += totalTokens;
    this.cost += this.role.meter.response(this.model, event.usage);
  }

  private afterModel({ stopData }: AfterModelCallEvent): void {
    const { meter } = this.role;
    if (stopData === undefined || meter.out === undefined) return;
    // The SDK would keep the response only now, and then call the tools it asks for.
    this.keep(stopData.message);
    meter.check();
  }

  private keep(message: Message): void {
    if (!this.role.signal.aborted) this.messages.push(plain(message));
  }
}

/** An agent's turn ended without an answer: filtered, cut off, interrupted, cancelled. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
}

/** An error in its own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/**
 * What a promise gives, unless the signal comes first.
 *
 * @throws The signal's reason.
 */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([stopped, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A word of the SDK as records have it in every language: `endTurn` is `end_turn`. */
function snake(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
