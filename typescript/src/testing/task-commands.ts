/** The commands of the conformance protocol that are about task plans. */

import { PlanError } from "../errors.js";
import { stepCall } from "../executor/calls.js";
import { type JsonValue, TaskPlan } from "../models.js";
import {
  checkTasks,
  runTasks,
  type TaskPlanGiven,
  type TaskRun,
  taskLevels,
} from "../tasks/index.js";
import { VirtualClock } from "./clock.js";
import { Recorder } from "./recording.js";
import { type Stub, StubTools } from "./tools.js";

/** What a command about a task plan may have. */
export interface TaskCommand {
  readonly task_plan?: TaskPlanGiven;
  readonly executors?: Record<string, Stub>;
  readonly max_steps?: number;
  readonly max_concurrency?: number;
  readonly waves?: boolean;
  readonly cancel_at_ms?: number;
}

type Message = Record<string, unknown>;

/** What checking a task plan finds; its levels too if it may run. */
export function tasksChecked({ task_plan, max_steps }: TaskCommand): Message {
  const plan = task_plan as TaskPlanGiven;
  const diagnostics = checkTasks(plan, { maxSteps: max_steps });
  if (diagnostics.length > 0) return { diagnostics };
  return { diagnostics, levels: taskLevels(TaskPlan.parse(plan)) };
}

/** How a task plan runs on virtual time, its executors stub tools by step id. */
export async function tasksExecuted(command: TaskCommand): Promise<Message> {
  const clock = new VirtualClock();
  const recorder = new Recorder();
  const stopping = new AbortController();
  const tools = new StubTools(command.executors ?? {}, { clock });
  const main = (): Promise<TaskRun> => {
    if (command.cancel_at_ms !== undefined) {
      void clock.sleep(command.cancel_at_ms / 1000).then(() => stopping.abort());
    }
    return runTasks(
      command.task_plan as TaskPlanGiven,
      ({ id }, results, signal) =>
        tools.invokeStep(
          stepCall({
            run_id: "run",
            step_id: id,
            index: null,
            attempt: 1,
            tool: id,
            args: { ...results } as Record<string, JsonValue>,
            signal,
          }),
        ),
      {
        maxSteps: command.max_steps,
        maxConcurrency: command.max_concurrency,
        waves: command.waves,
        runId: "run",
        onEvent: recorder.onEvent,
        clock,
        signal: stopping.signal,
      },
    );
  };
  let run: TaskRun | undefined;
  try {
    run = await clock.run(main);
  } catch (error) {
    if (error instanceof PlanError) return { diagnostics: error.diagnostics };
    if (!stopping.signal.aborted) throw error;
  }
  const calls = tools.calls.map((call) => ({ step: call.step_id, results: call.args }));
  const seen = { calls, timeline: recorder.timeline };
  return run === undefined ? { ...seen, cancelled: true } : { ...seen, ...run };
}
