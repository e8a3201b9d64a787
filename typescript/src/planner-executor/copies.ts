/** An agent like another: Strands has no way of its own to start one. */

import { type Agent, StateStore, type Tool as StrandsTool } from "@strands-agents/sdk";

/** The tool by which a model of Strands gives structured output. */
export const STRUCTURED_OUTPUT = "strands_structured_output";

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
export function checkCopyable(agent: Agent): void {
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

/** Take an agent's tools from it, and give it a system prompt if it has none. */
export function asThinker(agent: Agent, systemPrompt: string): void {
  own(agent, { _toolRegistry: registryOf(agent, []) });
  if (!agent.systemPrompt || agent.systemPrompt.length === 0) own(agent, { systemPrompt });
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
export async function initialized(agent: Agent): Promise<Agent> {
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
