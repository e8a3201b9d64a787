/**
 * Plans of work for executors: the check before anything runs, and the run itself.
 *
 * Nothing here knows what an executor is: `runTasks` is given a function that carries out
 * one step.
 */

export { checkTasks, MAX_TASKS, type TaskPlanGiven, taskLevels } from "./check.js";
export { type DoTask, runTasks, type TaskOptions, type TaskRun } from "./run.js";
