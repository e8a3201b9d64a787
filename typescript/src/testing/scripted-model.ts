/**
 * A Strands model that says what it was told to say: for tests and demos without a network.
 *
 *     const model = new ScriptedModel(
 *       toolCall("submit_workflow_plan", { steps: [...], returns: ["a"] }),
 *       "Done.",
 *     );
 *     const agent = new Agent({ model, tools: [...], plugins: [new WorkflowPlanPlugin()] });
 *
 * Needs `@strands-agents/sdk`.
 */

import {
  type BaseModelConfig,
  type JSONValue,
  type Message,
  Model,
  type ModelStreamEvent,
  type StreamOptions,
} from "@strands-agents/sdk";

/** A call that the model asks for. */
export interface ToolCall {
  /** The tool's name. */
  readonly name: string;
  /** Its input: any JSON value, since models get that wrong too. */
  readonly input: unknown;
  /** The id of the call; by default made from its place in the script. */
  readonly id?: string | undefined;
}

/** What the agent sent for one turn. */
export interface ModelRequest {
  /** The conversation so far, as it was then. */
  readonly messages: readonly Message[];
  /** The tools on offer, the system prompt, and whatever else the SDK passed. */
  readonly options: StreamOptions;
}

/** What may be said in one turn: a text, a call, or several of both. */
export type Said = string | ToolCall | readonly (ToolCall | string)[];

/** One answer: a text, which ends the turn; calls, with texts between them; or what makes it. */
export type Turn = Said | ((request: ModelRequest) => Said | Promise<Said>);

/** A call of a tool with its arguments. */
export function toolCall(name: string, input: unknown = {}, id?: string): ToolCall {
  return { name, input, id };
}

/** Answers each request of an agent with the next turn of a script. */
export class ScriptedModel extends Model {
  /** What the agent sent, one entry a model call. */
  readonly requests: ModelRequest[] = [];
  private readonly turns: readonly Turn[];
  private config: BaseModelConfig = { modelId: "scripted" };

  /** @param turns - The answers, in order. */
  constructor(...turns: readonly Turn[]) {
    super();
    this.turns = turns;
  }

  /** How often the model was called. */
  get calls(): number {
    return this.requests.length;
  }

  /** Take over configuration, which changes nothing of the script. */
  override updateConfig(config: BaseModelConfig): void {
    this.config = { ...this.config, ...config };
  }

  /** The configuration. */
  override getConfig(): BaseModelConfig {
    return this.config;
  }

  /**
   * Say the next turn of the script.
   *
   * @throws Error if the script has no further turn.
   */
  override async *stream(
    messages: Message[],
    options: StreamOptions = {},
  ): AsyncGenerator<ModelStreamEvent, void, undefined> {
    const request = { messages: messages.map((message) => message.clone()), options };
    this.requests.push(request);
    const turn = this.turns[this.calls - 1];
    if (turn === undefined) {
      throw new Error(
        `the script has ${this.turns.length} turns and the agent asked for another`,
      );
    }
    const said = typeof turn === "function" ? await turn(request) : turn;
    const parts = Array.isArray(said) ? said : [said];
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const [place, part] of parts.entries()) {
      yield* block(part, `call_${this.calls}_${place}`);
    }
    const asks = parts.some((part) => typeof part !== "string");
    yield { type: "modelMessageStopEvent", stopReason: asks ? "toolUse" : "endTurn" };
    yield {
      type: "modelMetadataEvent",
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      metrics: { latencyMs: 0 },
    };
  }
}

function* block(part: string | ToolCall, callId: string): Generator<ModelStreamEvent> {
  if (typeof part === "string") {
    yield { type: "modelContentBlockStartEvent" };
    yield {
      type: "modelContentBlockDeltaEvent",
      delta: { type: "textDelta", text: part },
    };
  } else {
    const start = { type: "toolUseStart" as const, name: part.name };
    yield {
      type: "modelContentBlockStartEvent",
      start: { ...start, toolUseId: part.id ?? callId },
    };
    const input = JSON.stringify(part.input satisfies unknown as JSONValue);
    yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input } };
  }
  yield { type: "modelContentBlockStopEvent" };
}
