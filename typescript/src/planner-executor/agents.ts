/** The agents of a run: each begins with an empty conversation and shares none with another. */

import { Agent, type Model, StateStore, type Tool as StrandsTool } from "@strands-agents/sdk";
import { anyOf, closest, diagnosticsOf, quoted } from "../diagnostics.js";
import type { Diagnostic, TaskPlan } from "../models.js";
import type { Tool } from "./record.js";

/** An agent, of which each step gets a copy; or what makes a new agent for each step. */
export type Source = Agent | (() => Agent);

/** An agent, or the model (or the id of one) for an agent of ours. */
export type OneAgent = Agent | Model | string;

/** Ids of steps, each with the names of its executor's tools. */
export type Named = readonly (readonly [step: string, tools: readonly string[]])[];

/** Makes the agent of one run. */
export type Thinker = () => Promise<Agent>;

/** In a mapping of executors: the steps that it does not name. */
export const ANY_STEP = "*";

/** The tool by which a model of Strands gives structured output. */
export const STRUCTURED_OUTPUT = "strands_structured_output";

/** Who carries out which step. */
export class Executors {
  private readonly byStep: ReadonlyMap<string, Source>;

  /**
   * @param given - One agent, a factory, or either by step id, `*` standing for the rest.
   * @throws TypeError if it is something else, or names nobody.
   */
  constructor(given: Source | Readonly<Record<string, Source>>) {
    const one = given instanceof Agent || typeof given === "function";
    this.byStep = new Map(one ? [[ANY_STEP, given]] : Object.entries(given ?? {}));
    if (this.byStep.size === 0) throw new TypeError("executors: name at least one");
    for (const source of this.byStep.values()) {
      if (!(source instanceof Agent) && typeof source !== "function") {
        throw new TypeError("executors: an Agent, a function that makes one, or a mapping");
      }
      if (source instanceof Agent) checkCopyable(source);
    }
  }

  /** Every tool with its description, for the planner; a factory makes one agent more. */
  async tools(): Promise<Tool[]> {
    const found = new Map<string, Tool>();
    for (const source of this.byStep.values()) {
      for (const tool of await toolsOf(source)) {
        if (!found.has(tool.name)) found.set(tool.name, tool);
      }
    }
    return [...found.values()];
  }

  /** The ids that steps must have, each with its tools; undefined if they may have any. */
  async told(): Promise<Named | undefined> {
    if (this.steps === undefined) return undefined;
    const parts = [...this.byStep].map(async ([step, source]) => {
      const tools = await toolsOf(source);
      return [step, tools.map(({ name }) => name)] as const;
    });
    return await Promise.all(parts);
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
    const agent = source();
    if (agent.messages.length > 0) {
      throw new TypeError("executors: the function must make a new agent each time");
    }
    return agent;
  }
}

async function toolsOf(source: Source): Promise<Tool[]> {
  const agent = await initialized(source instanceof Agent ? source : source());
  const specs = agent.tools.map((tool) => tool.toolSpec);
  return specs
    .filter(({ name }) => name !== STRUCTURED_OUTPUT)
    .map(({ name, description = "" }) => ({ name, description }));
}

/**
 * What makes a planner or a synthesizer: an agent without tools.
 *
 * @throws TypeError if it is no agent and no model, or cannot be copied.
 */
export function thinker(given: OneAgent, systemPrompt: string): Thinker {
  if (typeof given !== "string" && typeof given !== "object") {
    throw new TypeError("planner, synthesizer: an Agent, a model, or the id of one");
  }
  if (given instanceof Agent) checkCopyable(given);
  return async () => {
    if (!(given instanceof Agent)) {
      return new Agent({ model: given, systemPrompt, printer: false });
    }
    const agent = await freshCopy(given);
    own(agent, { _toolRegistry: registryOf(agent, []) });
    if (!agent.systemPrompt || agent.systemPrompt.length === 0) own(agent, { systemPrompt });
    return agent;
  };
}

/** Give an agent a name, by which its spans and its record are known. */
export function named(agent: Agent, name: string): void {
  own(agent, { name });
}

// What the SDK does not document of an agent, and what a copy must have of its own.
interface Internals {
  readonly _hooksRegistry: { readonly _callbacks: ReadonlyMap<unknown, readonly unknown[]> };
  readonly _toolRegistry: { readonly constructor: new (tools: StrandsTool[]) => object };
  readonly _meter: { readonly constructor: new () => object };
  readonly _tracer: { readonly _traceState: object };
  readonly _interruptState: { readonly constructor: new () => object };
  readonly _abortController: AbortController;
  readonly _abortSignal: AbortSignal;
  readonly _isInvoking: boolean;
  readonly _backgroundTasks: unknown;
}

const OURS = [
  "_hooksRegistry",
  "_toolRegistry",
  "_meter",
  "_tracer",
  "_interruptState",
  "_abortController",
  "_abortSignal",
  "_isInvoking",
] as const satisfies readonly (keyof Internals)[];

/**
 * Refuse an agent of which a copy would share something.
 *
 * @throws TypeError if the agent keeps its conversation in a session or runs tools in the
 *   background, or the SDK has changed so much that a copy would not be sure to be apart.
 */
function checkCopyable(agent: Agent): void {
  const given = agent as unknown as Internals;
  const instead = "give a function that makes a new agent instead";
  if (agent.sessionManager !== undefined) {
    throw new TypeError(`an agent with a sessionManager keeps one conversation: ${instead}`);
  }
  if (given._backgroundTasks !== undefined) {
    throw new TypeError(`an agent with backgroundTasks has tools that outlive it: ${instead}`);
  }
  const lacking = OURS.filter((name) => given[name] === undefined);
  if (lacking.length > 0) {
    throw new TypeError(`this version of Strands has no ${lacking.join(", ")}: ${instead}`);
  }
}

/**
 * An agent like another, hooks and all, with a conversation and a state of its own.
 *
 * Strands refuses a second invocation while one goes on and keeps what was said, and has no
 * way of its own to start an agent like another. So the copy reads from the other whatever it
 * does not own: what guards that agent's tools guards those of the copy.
 */
export async function freshCopy(agent: Agent): Promise<Agent> {
  const given = agent as unknown as Internals;
  await initialized(agent);
  const stopping = new AbortController();
  const { _callbacks: callbacks } = given._hooksRegistry;
  const hooks = [...callbacks].map(([event, entries]) => [event, [...entries]] as const);
  const made = Object.create(agent) as Agent;
  own(made, {
    messages: [],
    appState: new StateStore(agent.appState.getAll()),
    modelState: new StateStore(),
    _hooksRegistry: own(Object.create(given._hooksRegistry), { _callbacks: new Map(hooks) }),
    _toolRegistry: registryOf(agent, agent.tools),
    _meter: new given._meter.constructor(),
    _tracer: own(Object.create(given._tracer), {
      _agentSpan: undefined,
      _loopSpan: undefined,
      _traceState: { traces: [] },
    }),
    _interruptState: new given._interruptState.constructor(),
    _abortController: stopping,
    _abortSignal: stopping.signal,
    _isInvoking: false,
    _sessionId: undefined,
  });
  return made;
}

/** A registry of some tools, of an agent's own, since an invocation adds some to it. */
function registryOf(agent: Agent, tools: StrandsTool[]): object {
  const { constructor: Registry } = (agent as unknown as Internals)._toolRegistry;
  return new Registry(tools.filter(({ name }) => name !== STRUCTURED_OUTPUT));
}

/** Members of an object's own, over what it has from its prototype. */
function own<Of extends object>(of: Of, members: Readonly<Record<string, unknown>>): Of {
  for (const [name, value] of Object.entries(members)) {
    const kind = { configurable: true, enumerable: true, writable: true };
    Object.defineProperty(of, name, { ...kind, value });
  }
  return of;
}

const initializing = new WeakMap<Agent, Promise<void>>();

/** The agent, its plugins set up and its servers asked for tools; copies share what comes. */
async function initialized(agent: Agent): Promise<Agent> {
  let work = initializing.get(agent);
  if (work === undefined) {
    work = agent.initialize();
    initializing.set(agent, work);
    // A server that was not there may be there next time.
    work.catch(() => initializing.delete(agent));
  }
  await work;
  return agent;
}
