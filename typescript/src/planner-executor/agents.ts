/** The agents of a run: each begins with an empty conversation and shares none with another. */

import { Agent, type Model } from "@strands-agents/sdk";
import { anyOf, closest, diagnosticsOf, quoted, wellFormed } from "../diagnostics.js";
import { type Diagnostic, STEP_ID_PATTERN, type TaskPlan } from "../models.js";
import { isObject } from "../values/index.js";
import { idLike } from "../wire/fields.js";
import {
  asThinker,
  checkCopyable,
  freshCopy,
  initialized,
  STRUCTURED_OUTPUT,
} from "./copies.js";
import type { Named, Tool } from "./record.js";

/** An agent, of which each step gets a copy; or what makes a new agent for each step. */
export type Source = Agent | (() => Agent);

/** An agent or what makes a new one for each run; or the model (or its id) for one of ours. */
export type OneAgent = Source | Model | string;

/** Makes the agent of one run. */
export type Thinker = () => Promise<Agent>;

/** In a mapping of executors: the steps that it does not name. */
export const ANY_STEP = "*";

const ID = new RegExp(STEP_ID_PATTERN);

/** What the executors can do. */
export interface Offer {
  /** Every tool with its description. */
  readonly tools: Tool[];
  /** The ids that steps must have, each with its tools; null if they may have any. */
  readonly named: Named | null;
}

/** Who carries out which step. */
export class Executors {
  private readonly byStep: ReadonlyMap<string, Source>;
  private readonly made = new WeakSet<Agent>();

  /**
   * @param given - One agent, a factory, or either by step id, `*` standing for the rest.
   * @throws TypeError if it is something else, names nobody, a key can be no step id, or an
   *   agent cannot be copied.
   */
  constructor(given: unknown) {
    this.byStep = new Map(Object.entries(mappingOf(given)));
    if (this.byStep.size === 0) throw new TypeError("executors: name at least one");
    for (const [name, source] of this.byStep) {
      checkId(name);
      if (!(source instanceof Agent) && typeof source !== "function")
        throw new TypeError(KINDS);
      if (source instanceof Agent) checkCopyable(source);
    }
  }

  /**
   * What the executors can do; a function makes one agent more.
   *
   * @param allKnown - Whether a function must make one: one that fails now fails its steps.
   */
  async offer(allKnown = true): Promise<Offer> {
    const found = new Map<string, Tool>();
    const named: Named = {};
    for (const [step, source] of this.byStep) {
      const tools = await toolsOf(source).catch((error: unknown) => {
        if (allKnown) throw error;
        return [];
      });
      for (const tool of tools) if (!found.has(tool.name)) found.set(tool.name, tool);
      named[step] = tools.map(({ name }) => name);
    }
    return { tools: [...found.values()], named: this.steps === undefined ? null : named };
  }

  /** The ids that steps must have; undefined if they may have any. */
  get steps(): readonly string[] | undefined {
    return this.byStep.has(ANY_STEP) ? undefined : [...this.byStep.keys()];
  }

  /** The steps of a plan that nobody is there for. */
  unknown(plan: TaskPlan): readonly Diagnostic[] {
    const names = this.steps;
    if (names === undefined) return [];
    const findings = [...plan.steps.entries()]
      .filter(([, { id }]) => !names.includes(id))
      .map(([at, { id }]) => {
        const meant = closest(id, names);
        return {
          code: "not_in_enum" as const,
          path: ["steps", at, "id"],
          message: `no executor is called ${quoted(id)}`,
          hint: `change ${quoted(id)} to ${meant === undefined ? anyOf(names) : quoted(meant)}`,
        };
      });
    return diagnosticsOf(findings);
  }

  /** An agent for a step, with an empty conversation. */
  async agentFor(step: string): Promise<Agent> {
    const source = this.byStep.get(step) ?? this.byStep.get(ANY_STEP);
    if (source === undefined) throw new TypeError(`executors: nobody is there for ${step}`);
    if (source instanceof Agent) return await freshCopy(source);
    const agent = madeBy(source, "executors");
    // Given to two steps at one time it has no messages yet.
    if (agent.messages.length > 0 || this.made.has(agent)) {
      throw new TypeError("executors: the function must make a new agent each time");
    }
    this.made.add(agent);
    return agent;
  }
}

const KINDS = "executors: an Agent, a function that makes one, or a mapping";

function mappingOf(given: unknown): Readonly<Record<string, Source>> {
  if (given instanceof Agent) return { [ANY_STEP]: given };
  if (typeof given === "function") return { [ANY_STEP]: given as () => Agent };
  const prototype: unknown = isObject(given) ? Object.getPrototypeOf(given) : undefined;
  // Of a Map, or of a model, the members are not what its host means.
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError(KINDS);
  return given as Readonly<Record<string, Source>>;
}

function checkId(name: string): void {
  if (name === ANY_STEP || ID.test(name)) return;
  const meant = idLike(name);
  throw new TypeError(
    `executors: ${quoted(name)} is no step id: a lower-case letter, then up to 31 ` +
      "lower-case letters, digits or underscores; " +
      (meant === undefined ? "write a short name" : `change it to ${quoted(meant)}`),
  );
}

async function toolsOf(source: Source): Promise<Tool[]> {
  const given = source instanceof Agent ? source : madeBy(source, "executors");
  const { tools } = await initialized(given);
  return tools
    .map(({ toolSpec }) => toolSpec)
    .filter(({ name }) => name !== STRUCTURED_OUTPUT)
    .map(({ name, description = "" }) => ({ name, description: wellFormed(description) }));
}

function madeBy(source: () => unknown, role: string): Agent {
  const agent = source();
  if (agent instanceof Agent) return agent;
  // A promise that rejects is nobody's error any more.
  if (agent instanceof Promise) agent.catch(() => undefined);
  throw new TypeError(`${role}: the function must return an Agent, and is never awaited`);
}

/**
 * What makes a planner or a synthesizer: an agent without tools.
 *
 * @param given - Who it is to be.
 * @param systemPrompt - Its system prompt, if it has none.
 * @param role - What it is called where something is wrong with it.
 * @throws TypeError if it is no agent and no model, or cannot be copied.
 */
export function thinker(given: OneAgent, systemPrompt: string, role: string): Thinker {
  if (given instanceof Agent) checkCopyable(given);
  else if (!(isModel(given) || typeof given === "function" || isName(given))) {
    throw new TypeError(
      `${role}: an Agent, a function that makes one, a model, or the id of one`,
    );
  }
  return async () => {
    if (!(given instanceof Agent || typeof given === "function")) {
      return new Agent({ model: given, systemPrompt, printer: false });
    }
    const made = given instanceof Agent ? freshCopy(given) : initialized(madeBy(given, role));
    const agent = await made;
    asThinker(agent, systemPrompt);
    return agent;
  };
}

/**
 * The model of an agent, for another agent on it; one that is no agent as it is.
 *
 * A function's agent is made anew each time, and with it its model.
 */
export function modelSource(given: OneAgent, role: string): OneAgent {
  if (given instanceof Agent) return given.model;
  if (typeof given !== "function") return given;
  return () => new Agent({ model: madeBy(given, role).model, printer: false });
}

function isModel(given: unknown): given is Model {
  return typeof given === "object" && given !== null && "stream" in given;
}

function isName(given: unknown): given is string {
  return typeof given === "string" && given !== "";
}
