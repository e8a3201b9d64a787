/** Models and plans for the tests of planner and executors. */

import {
  Agent,
  type AgentConfig,
  type Message,
  type ModelStreamEvent,
  type StreamOptions,
  type ToolList,
} from "@strands-agents/sdk";
import { TaskPlan } from "../../src/models.js";
import {
  type ModelRequest,
  ScriptedModel,
  type ToolCall,
  type Turn,
  toolCall,
} from "../../src/testing/scripted-model.js";

export const QUESTION = "How heavy are Orin and Tessa together?";
/** The tool by which a model gives structured output. */
const OUTPUT = "strands_structured_output";

export interface Step {
  readonly id: string;
  readonly instruction: string;
  readonly depends_on: string[];
}

export interface ModelOptions {
  /** Whether the last turn is said again and again. */
  readonly always?: boolean;
  /** The usage of each request: tokens sent, tokens received. */
  readonly tokens?: readonly [number, number];
  /** Why each response ends, in place of what the turn says. */
  readonly stop?: string;
  readonly modelId?: string;
}

/** A scripted model with usage, a stop reason of its own, and an id. */
export class Model extends ScriptedModel {
  constructor(
    turns: readonly Turn[],
    private readonly given: ModelOptions = {},
  ) {
    const last = turns.slice(-1);
    super(...turns, ...(given.always ? Array(50).fill(last).flat() : []));
    this.updateConfig({ modelId: given.modelId ?? "scripted" });
  }

  override async *stream(
    messages: Message[],
    options: StreamOptions = {},
  ): AsyncGenerator<ModelStreamEvent, void, undefined> {
    const [inputTokens, outputTokens] = this.given.tokens ?? [0, 0];
    for await (const event of super.stream(messages, options)) {
      if (event.type === "modelMetadataEvent") {
        const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
        yield { ...event, usage };
      } else if (event.type === "modelMessageStopEvent" && this.given.stop !== undefined) {
        yield { ...event, stopReason: this.given.stop };
      } else {
        yield event;
      }
    }
  }
}

/** A step whose instruction is `do <id>`. */
export function step(id: string, ...needs: string[]): Step {
  return { id, instruction: `do ${id}`, depends_on: needs };
}

/** The planner's call that hands in a plan. */
export function plan(...steps: readonly Step[]): ToolCall {
  return toolCall(OUTPUT, { steps });
}

/** A plan that the host has written. */
export function taskPlan(...steps: readonly Step[]): TaskPlan {
  return TaskPlan.parse({ steps });
}

/** The synthesizer's call that hands in the default answer. */
export function answer(result = "done", fields: object = {}): ToolCall {
  return toolCall(OUTPUT, { result, ...fields });
}

/** A call that hands in any other structured output. */
export function output(value: object): ToolCall {
  return toolCall(OUTPUT, value);
}

/** The text of a message of a request. */
export function textOf(request: ModelRequest | undefined, at = 0): string {
  const blocks = request?.messages.at(at)?.content ?? [];
  return blocks.map((block) => (block.type === "textBlock" ? block.text : "")).join("");
}

/** The id of the step that an executor was asked to do. */
export function stepOf(request: ModelRequest): string {
  return /Your step:\ndo (.*)/.exec(textOf(request))?.[1] ?? "";
}

/** A model for executors that answers by the step's id. */
export function does(act: (name: string) => string = (name) => `${name} done`): Model {
  return new Model([(request) => act(stepOf(request))], { always: true });
}

/** A model that says one turn again and again. */
export function saying(turn: Turn, options: ModelOptions = {}): Model {
  return new Model([turn], { ...options, always: true });
}

/** A quiet agent. */
export function agent(model: Model, tools: ToolList = [], config: AgentConfig = {}): Agent {
  return new Agent({ model, tools, printer: false, ...config });
}

/** Something that happens once, and can be waited for. */
export class Signal {
  readonly happened: Promise<void>;
  set: () => void = () => undefined;

  constructor() {
    this.happened = new Promise((resolve) => {
      this.set = resolve;
    });
  }
}

/** What a promise rejects with. */
export async function thrownBy<Kind>(
  kind: abstract new (...args: never[]) => Kind,
  work: Promise<unknown>,
): Promise<Kind> {
  try {
    await work;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`${kind.name} was not thrown`);
}
