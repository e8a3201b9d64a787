/** The plugin: what a Strands agent is given so that its model can send plans. */

import {
  AfterInvocationEvent,
  AfterToolCallEvent,
  AfterToolsEvent,
  BeforeInvocationEvent,
  BeforeToolsEvent,
  ExecuteToolStage,
  HookOrder,
  type InvocationState,
  type LocalAgent,
  type Plugin,
  SequentialToolExecutor,
  TextBlock,
  ToolResultEvent,
} from "@strands-agents/sdk";
import { AgentInterruptedError } from "../errors.js";
import type { OnEvent } from "../events.js";
import { executePlan, planHash } from "../executor/index.js";
import type { PlanResult, Policy, PolicyInput, WorkflowPlan } from "../models.js";
import { checkListener } from "../validate/host-checks.js";
import { checkPlan, type PlanGiven, parsePlan } from "../validate/index.js";
import {
  BEFORE_OFFLOADING,
  closed,
  noteAnswered,
  noteMessage,
  noteReviewed,
  resultsOf,
} from "./batch.js";
import { AgentToolInvoker } from "./invoker.js";
import {
  type Approvals,
  approvalsOf,
  approvePlanOf,
  booleanOf,
  checkNames,
  type Input,
  inputOf,
  patternsOf,
  policyOf,
  takenIn,
} from "./options.js";
import { PlanChanged, type PlanRun, type Ran } from "./plan-run.js";
import { PlanTool, stoppingPlans } from "./plan-tool.js";
import { ALL_TOOLS, namedBy, toolInfos } from "./registry.js";
import {
  initialized,
  interventionsOf,
  isInterrupted,
  isOfThisCopy,
  missingNames,
} from "./sdk.js";
import { planToolSpec } from "./spec.js";
import { AgentCancelledError, HookRaised, Stop } from "./stopping.js";
import { type Turn, Turns } from "./turn.js";

const PLUGIN_NAME = "workflow-plan";
const OPTIONS = {
  plannable: true,
  maxSteps: true,
  honorFinal: true,
  policy: true,
  input: true,
  onEvent: true,
  approvals: true,
  approvePlan: true,
  reusable: true,
} as const satisfies Record<keyof WorkflowPlanOptions, true>;
const RUN_OPTIONS = {
  agent: true,
  invocationState: true,
  signal: true,
} as const satisfies Record<keyof RunPlanOptions, true>;
const NEEDS = "@strands-agents/sdk 1.16 or later, below 2";

/**
 * Read a plan from any form in which a model or a program may give it.
 *
 * @param plan - A plan, plain JSON or JSON text; the usual slips are mended, among them a
 *   wrapper such as `{"plan": {...}}`.
 * @throws InvalidPlanShapeError if it is no plan; `diagnostics` says where and why.
 */
export function coercePlan(plan: unknown): WorkflowPlan {
  return parsePlan(plan);
}

/** What a host says of the plans of its agents. */
export interface WorkflowPlanOptions {
  /**
   * Which tools plans may call: names, patterns with `*`, and either with a leading `!` to
   * take out. By default all.
   */
  readonly plannable?: string | Iterable<string> | undefined;
  /** How many steps a plan may have; by default what the policy says, 32. */
  readonly maxSteps?: number | undefined;
  /** Whether a plan may end the agent's turn; true unless told. */
  readonly honorFinal?: boolean | undefined;
  /** The host's limits, timeouts and retries. */
  readonly policy?: PolicyInput | undefined;
  /**
   * The host's values, which plans read as `input.<name>`; or a function that makes them from
   * the invocation state of each run.
   */
  readonly input?: Input | undefined;
  /**
   * Called with each event of each run. The event's `run_id`, of which the keys of calls are
   * made too, is that of no other run: the `trackingId` of the message that holds the plan
   * call, `/`, and the call's tool use id.
   */
  readonly onEvent?: OnEvent | undefined;
  /**
   * What becomes of a step whose tool needs a person's answer. `"pause"`, the default: the plan
   * waits, and the agent stops with the interrupt; on the answer the plan goes on where it was.
   * `"refuse"`: the step fails, no plan runs while the agent is interrupted, and an agent with
   * interventions has to name its `plannable` tools.
   */
  readonly approvals?: Approvals | undefined;
  /**
   * Whether a person is asked, with a preview of the plan, before anything of it runs; false
   * unless told.
   */
  readonly approvePlan?: boolean | undefined;
  /**
   * The tools, as `plannable` names them, whose results a corrected plan takes over from a
   * failed one of the same turn instead of calling them again. By default all; none under
   * `approvals: "refuse"`.
   */
  readonly reusable?: string | Iterable<string> | undefined;
}

/** What one plan is run with, outside of a model's turn. */
export interface RunPlanOptions {
  /** Whose tools; may be left out if the plugin serves one agent. */
  readonly agent?: LocalAgent | undefined;
  /** What hooks and tools are given as such. */
  readonly invocationState?: InvocationState | undefined;
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds the tool `submit_workflow_plan` to every agent that is given this plugin.
 *
 * One instance may serve several agents, also at once.
 *
 *     const agent = new Agent({
 *       tools: [...],
 *       plugins: [new WorkflowPlanPlugin()],
 *       systemPrompt: PLAN_NUDGE,
 *     });
 */
export class WorkflowPlanPlugin implements Plugin {
  readonly name = PLUGIN_NAME;
  private readonly plannable: readonly string[];
  private readonly isExplicit: boolean;
  private readonly honorFinal: boolean;
  private readonly policy: Policy;
  private readonly input: Input | undefined;
  private readonly onEvent: OnEvent | undefined;
  private readonly pauses: boolean;
  private readonly approvePlan: boolean;
  private readonly turns: Turns;
  private readonly agents = new Set<WeakRef<LocalAgent>>();
  private readonly starting = new WeakMap<LocalAgent, Promise<void>>();

  /**
   * @param options - See `WorkflowPlanOptions`.
   * @throws TypeError if there is no such option, or one is nothing that can be used, or an
   *   async function, or out of range, or a value of `input` is not JSON, or options do not go
   *   together.
   */
  constructor(options: WorkflowPlanOptions = {}) {
    const names = Object.keys(OPTIONS);
    checkNames("WorkflowPlanPlugin", options, names, '{ plannable: ["*", "!delete_file"] }');
    const { plannable, onEvent } = options;
    this.plannable = plannable === undefined ? ALL_TOOLS : patternsOf(plannable);
    this.isExplicit = plannable !== undefined;
    this.honorFinal = booleanOf(options.honorFinal ?? true, "honorFinal");
    this.policy = policyOf(options.policy, options.maxSteps);
    this.input = inputOf(options.input);
    checkListener(onEvent);
    this.onEvent = onEvent;
    const approvals = approvalsOf(options.approvals);
    this.pauses = approvals === "pause";
    this.approvePlan = approvePlanOf(options.approvePlan ?? false, approvals);
    const reusable = options.reusable ?? (this.pauses ? ALL_TOOLS : undefined);
    this.turns = new Turns(reusable === undefined ? undefined : namedBy(reusable, "reusable"));
  }

  /**
   * Add the tool and the hooks to an agent; the SDK calls this as it sets the agent up, which
   * is before its first invocation or in `agent.initialize()`.
   *
   * @throws Error if the agent is of another copy of the SDK than this package's, the
   *   installed SDK lacks a name that plans need, or the agent has interventions, no plan is
   *   to wait, and `plannable` was not given.
   */
  initAgent(agent: LocalAgent): void {
    requireSdk(agent);
    const gates = this.pauses ? [] : interventionsOf(agent);
    if (gates.length > 0 && !this.isExplicit) {
      throw new Error(
        `${PLUGIN_NAME}: this agent has interventions (${gates.join(", ")}), which may ` +
          "make a tool wait for a person, and a plan cannot wait. Name the tools that " +
          'plans may call, for example plannable: ["*", "!delete_file"].',
      );
    }
    const names = typeof this.input === "object" ? Object.keys(this.input) : [];
    const { turns } = this;
    const tool = new PlanTool(agent, planToolSpec(names), (order) => this.run(order), turns, {
      honorFinal: this.honorFinal,
      canPause: this.pauses,
      hasApproval: this.approvePlan,
    });
    agent.toolRegistry.add(tool);
    agent.addMiddleware(ExecuteToolStage, stoppingPlans(tool));
    const first = { order: HookOrder.SDK_FIRST };
    const last = { order: HookOrder.SDK_LAST };
    // After the hooks that may refuse the invocation: a turn that begins has an end.
    agent.addHook(BeforeInvocationEvent, (event) => turns.of(event.agent).begin(event), last);
    // Before a session manager stores the agent.
    agent.addHook(AfterInvocationEvent, (event) => turns.of(event.agent).end(event), first);
    agent.addHook(BeforeToolsEvent, (event) => turns.of(event.agent).beginBatch(event), first);
    agent.addHook(BeforeToolsEvent, noteMessage, first);
    agent.addHook(AfterToolCallEvent, noteReviewed, { order: BEFORE_OFFLOADING });
    agent.addHook(ToolResultEvent, noteAnswered, first);
    // After the hooks that may still change what goes into the conversation.
    agent.addHook(AfterToolsEvent, (event) => endBatch(turns.of(event.agent), event), last);
    this.agents.add(new WeakRef(agent));
  }

  /**
   * Run a plan with an agent's tools, without its model.
   *
   * Such a plan cannot wait for a person: a step that would have to fails. It needs no approval,
   * and takes over nothing from other plans.
   *
   * @param plan - The plan, as an object or as JSON text.
   * @param options - See `RunPlanOptions`.
   * @returns What the plan asked for and how each step went.
   * @throws PlanError if the plan is refused; `diagnostics` holds every reason.
   * @throws AgentInterruptedError if the agent waits for the answer to an interrupt, under
   *   `approvals: "refuse"`.
   * @throws TypeError if there is no such option.
   * @throws Error if it is not clear which agent is meant.
   * @throws An `AbortError` if `agent.cancel()` was called in the invocation that this runs
   *   in; or the reason of `signal`. What was in flight has been told to stop.
   * @throws What a hook of the user's threw.
   */
  async runPlan(plan: PlanGiven, options: RunPlanOptions = {}): Promise<PlanResult> {
    checkNames("runPlan", options, Object.keys(RUN_OPTIONS), "{ agent }");
    const agent = options.agent ?? this.onlyAgent();
    if (agent.cancelSignal.aborted) throw new AgentCancelledError();
    await this.prepared(agent);
    const stop = new Stop(agent.cancelSignal, options.signal);
    const { invocationState } = options;
    try {
      const invoker = new AgentToolInvoker(agent, { invocationState, stop });
      const { result } = await this.run({ plan, invoker });
      return result;
    } catch (error) {
      throw error instanceof HookRaised ? error.error : error;
    } finally {
      stop.done();
    }
  }

  private async run(order: PlanRun): Promise<Ran> {
    const { invoker, memory } = order;
    const { agent } = invoker;
    if (!this.pauses && isInterrupted(agent)) throw new AgentInterruptedError();
    const policy = isSequential(agent) ? { ...this.policy, max_concurrency: 1 } : this.policy;
    const given = this.input;
    const values = typeof given === "function" ? given(invoker.state) : given;
    // It is refused below, and nobody hears whether it rejects.
    if (values instanceof Promise) values.catch(() => undefined);
    const input = values === undefined ? undefined : takenIn(values);
    const tools = toolInfos(agent, this.plannable);
    const checked = checkPlan(order.plan as PlanGiven, { tools, policy, input });
    const { resume } = order;
    if (resume !== undefined && resume.plan !== planHash(checked.plan)) throw new PlanChanged();
    // What goes on was approved before it began.
    if (resume === undefined) order.approve?.(checked);
    const result = await executePlan(checked, invoker, {
      input,
      runId: invoker.runId,
      onEvent: both(order.onEvent, this.onEvent),
      resume,
      memory,
      signal: invoker.signal,
    });
    return { result, plan: checked.plan };
  }

  /** An agent sets its plugins up only when it is first used, which may be now. */
  private async prepared(agent: LocalAgent): Promise<void> {
    if ([...this.agents].some((known) => known.deref() === agent)) return;
    const starting = this.starting.get(agent) ?? initialized(agent);
    this.starting.set(agent, starting);
    await starting;
  }

  private onlyAgent(): LocalAgent {
    const known = [...this.agents].flatMap((reference) => reference.deref() ?? []);
    const [agent] = known;
    if (agent !== undefined && known.length === 1) return agent;
    throw new Error(
      agent === undefined
        ? `${PLUGIN_NAME}: no agent has this plugin yet. Give it to one: ` +
            "new Agent({ plugins: [plugin] }), which sets it up when it is first used, or " +
            "in agent.initialize()."
        : `${PLUGIN_NAME}: ${known.length} agents have this plugin. Say which is meant: ` +
            "runPlan(plan, { agent }).",
    );
  }
}

function endBatch(turn: Turn, event: AfterToolsEvent): void {
  const batch = closed(event);
  const { endings } = batch;
  for (const { raised } of endings) {
    if (raised !== undefined) throw raised.error;
  }
  turn.settle(batch);
  const [result, ...others] = resultsOf(event);
  const ending = endings.at(-1);
  // Beside other results the model has to be heard: only it knows what they are together.
  if (result === undefined || ending === undefined || others.length > 0 || event.endTurn)
    return;
  const closing = ending.closingFor(result);
  // A list, since an empty string would not count as set.
  if (closing !== undefined) event.endTurn = [new TextBlock(closing)];
}

function both(first: OnEvent | undefined, second: OnEvent | undefined): OnEvent | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (event) => {
    first(event);
    // A promise that it gives is heard by the run.
    return second(event);
  };
}

function isSequential(agent: LocalAgent): boolean {
  return "toolExecutor" in agent && agent.toolExecutor instanceof SequentialToolExecutor;
}

/** Say at once what is missing, not in the middle of a plan. */
function requireSdk(agent: LocalAgent): void {
  if (!isOfThisCopy(agent)) {
    throw new Error(
      `${PLUGIN_NAME}: this agent is of another copy of @strands-agents/sdk than ` +
        "strands-plan-tool imports, so its hooks would never be called. Have one copy: " +
        "install strands-plan-tool from what `npm pack` makes, not as a link to its folder; " +
        "`npm ls @strands-agents/sdk` shows the copies.",
    );
  }
  const missing = missingNames(agent);
  if (missing.length > 0) {
    throw new Error(
      `${PLUGIN_NAME} needs ${NEEDS}; the installed version lacks ${missing.join(", ")}.`,
    );
  }
}
