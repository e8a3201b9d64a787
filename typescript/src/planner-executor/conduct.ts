/** One agent at work: every request goes by the meter, and all that is said is kept. */

import {
  AfterModelCallEvent,
  type Agent,
  type AgentResult,
  BeforeModelCallEvent,
  type InvocationState,
  MaxTokensError,
  type Message,
  MessageAddedEvent,
  ModelStreamUpdateEvent,
  StructuredOutputError,
  TextBlock,
} from "@strands-agents/sdk";
import type { z } from "zod";
import { wellFormed } from "../diagnostics.js";
import { unlessStopped } from "../signals.js";
import { isObject } from "../values/index.js";
import { type Meter, RunOver } from "./budget.js";
import { named, STRUCTURED_OUTPUT } from "./copies.js";
import type { AgentRun, Said } from "./record.js";
import { mend, messageOf, plain } from "./said.js";

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
  /** Whether the turn wanted more of them. */
  private refused = false;
  /** Why the run could not go on with a request of this agent. */
  private over: RunOver | undefined;
  /** The response that the conversation may get yet; the SDK drops some. */
  private pending: Message | undefined;
  /** The last response of the turn. */
  private response: AfterModelCallEvent | undefined;

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
    agent.addHook(MessageAddedEvent, ({ message }) => this.added(message));
  }

  /**
   * Ask, and wait for the end of the agent's turn.
   *
   * @param text - What to ask.
   * @param answer - What the agent must answer with, if not with words.
   * @param atMost - Requests that the turn may take.
   * @throws RunOver if the run ends: its budget is used up, or a request has no price.
   * @throws StoppedError if the agent ended in a way that is no answer.
   * @throws The reason of the signal if the agent was stopped.
   * @throws What the agent or its model threw.
   */
  async ask(text: string, answer?: z.ZodType, atMost?: number): Promise<AgentResult> {
    const { meter, signal, state } = this.role;
    const prompt = wellFormed(text);
    this.prompt ??= prompt;
    const began = performance.now();
    this.left = atMost ?? Number.POSITIVE_INFINITY;
    this.refused = false;
    this.response = undefined;
    try {
      signal.throwIfAborted();
      const asked = this.agent.invoke(this.continued(prompt) ? [] : prompt, {
        invocationState: { ...state },
        cancelSignal: signal,
        ...(answer !== undefined && { structuredOutputSchema: answer }),
      });
      const result = await unlessStopped(asked, signal);
      const reason = snake(result.stopReason);
      if (!ENDED_WELL.has(reason)) throw stoppedBy(reason);
      meter.check();
      this.error = null;
      return result;
    } catch (error) {
      const failure = this.failure(error, atMost);
      this.error = signal.aborted ? "cancelled" : messageOf(failure);
      if (signal.aborted) throw signal.reason;
      // What a hook throws may have been taken for a failure of the model.
      if (this.over !== undefined) throw this.over;
      meter.check();
      throw failure;
    } finally {
      this.settle();
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
      system_prompt: typeof systemPrompt === "string" ? wellFormed(systemPrompt) : null,
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
    const kept = this.messages.at(-1);
    // After a response that the SDK dropped, it is a message of its own in the record.
    if (kept?.role === "user" && Array.isArray(kept.content)) {
      kept.content.push({ text: prompt });
    } else {
      this.messages.push({ role: "user", content: [{ text: prompt }] });
    }
    return true;
  }

  private failure(error: unknown, atMost: number | undefined): unknown {
    if (this.refused) {
      return new StoppedError(`no such answer in ${atMost} requests`, { cause: error });
    }
    if (error instanceof StructuredOutputError) {
      return new StoppedError("the agent answered in words", { cause: error });
    }
    return error instanceof MaxTokensError ? stoppedBy("max_tokens", error) : error;
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
    const { response } = this;
    if (response?.retry) this.pending = undefined;
    else this.settle();
    const reason = snake(response?.stopData?.stopReason ?? "endTurn");
    // The SDK asks again for structured output, though the response was filtered.
    if (!response?.retry && !ENDED_WELL.has(reason)) throw stoppedBy(reason);
    if (this.left <= 0) {
      this.refused = true;
      throw new StoppedError("too many requests");
    }
    this.left -= 1;
    try {
      this.role.meter.request();
    } catch (error) {
      if (error instanceof RunOver) this.over = error;
      throw error;
    }
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

  private afterModel(event: AfterModelCallEvent): void {
    const { stopData, error } = event;
    this.response = event;
    const partial = error instanceof MaxTokensError ? error.partialMessage : undefined;
    this.pending = stopData?.message ?? partial;
    if (this.pending !== undefined) mend(this.pending);
    if (stopData === undefined || this.role.meter.over === undefined) return;
    // The SDK would keep the response only now, and then call the tools it asks for.
    this.settle();
    this.role.meter.check();
  }

  private added(message: Message): void {
    if (message.role === "assistant") this.pending = undefined;
    else this.settle();
    this.keep(message);
  }

  /** Keep the last response, which the conversation did not get. */
  private settle(): void {
    const { pending } = this;
    this.pending = undefined;
    if (pending !== undefined) this.keep(pending);
  }

  private keep(message: Message): void {
    if (!this.role.signal.aborted) this.messages.push(plain(message));
  }
}

/** An agent's turn ended without an answer: filtered, cut off, interrupted, cancelled. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
}

function stoppedBy(reason: string, cause?: unknown): StoppedError {
  return new StoppedError(`the agent stopped: ${reason}`, { cause });
}

/** A word of the SDK as records have it in every language: `endTurn` is `end_turn`. */
function snake(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
