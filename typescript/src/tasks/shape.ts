/** Whether a plain value has the shape of a task plan, told in our own words. */

import { anyOf, closest, type Finding, listing, type Path, quoted } from "../diagnostics.js";
import { SCHEMA_MAX_STEPS, STEP_ID_PATTERN, TaskPlan, TaskStep } from "../models.js";
import { isObject, type Members } from "../values/index.js";
import { idLike } from "../wire/fields.js";
import { kindOf } from "../wire/wording.js";

const ID = new RegExp(STEP_ID_PATTERN);
const PLAN_FIELDS: readonly string[] = Object.keys(TaskPlan.shape);
const STEP_FIELDS: readonly string[] = Object.keys(TaskStep.shape);
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["steps", '"steps": [{"id": ..., "instruction": ...}]'],
  ["id", '"id": a short name'],
  ["instruction", '"instruction": what to do'],
]);

/** Where a value is not of the shape of a task plan; nothing if it is. */
export function* shapeFindings(value: unknown): Generator<Finding> {
  if (!isObject(value)) {
    yield wrongType([], "the plan", "an object", value, 'write {"steps": [...]}');
    return;
  }
  yield* fields([], value, "the plan", PLAN_FIELDS, ["steps"]);
  if (has(value, "steps")) yield* steps(value.steps);
}

function* steps(value: unknown): Generator<Finding> {
  const path: Path = ["steps"];
  if (!Array.isArray(value)) {
    yield wrongType(path, '"steps"', "an array", value, "write an array of steps");
  } else if (value.length === 0) {
    const hint = "write at least one step";
    yield { code: "too_short", path, message: '"steps" is empty', hint };
  } else if (value.length > SCHEMA_MAX_STEPS) {
    const hint = `write at most ${SCHEMA_MAX_STEPS} steps`;
    yield { code: "too_long", path, message: `${value.length} steps`, hint };
  } else {
    for (const [at, each] of value.entries()) yield* step([...path, at], each);
  }
}

function* step(path: Path, value: unknown): Generator<Finding> {
  if (!isObject(value)) {
    const hint = 'write an object with "id", "instruction"';
    yield wrongType(path, "a step", "an object", value, hint);
    return;
  }
  yield* fields(path, value, "a step", STEP_FIELDS, ["id", "instruction"]);
  if (has(value, "id")) yield* id([...path, "id"], value.id);
  if (has(value, "instruction")) {
    yield* instruction([...path, "instruction"], value.instruction);
  }
  if (has(value, "depends_on")) yield* dependsOn([...path, "depends_on"], value.depends_on);
}

function* instruction(path: Path, text: unknown): Generator<Finding> {
  const hint = "write in words what to do";
  if (typeof text !== "string") {
    yield wrongType(path, '"instruction"', "a string", text, hint);
  } else if (text === "") {
    yield { code: "too_short", path, message: '"instruction" is empty', hint };
  }
}

function* dependsOn(path: Path, names: unknown): Generator<Finding> {
  if (!Array.isArray(names)) {
    yield wrongType(path, '"depends_on"', "an array", names, "write an array of step ids");
    return;
  }
  if (names.length > SCHEMA_MAX_STEPS) {
    const hint = `write at most ${SCHEMA_MAX_STEPS} step ids`;
    yield { code: "too_long", path, message: `${names.length} step ids`, hint };
    return;
  }
  for (const [at, name] of names.entries()) yield* id([...path, at], name);
}

function* id(path: Path, name: unknown): Generator<Finding> {
  if (typeof name !== "string") {
    yield wrongType(path, "a step id", "a string", name, "write a step id");
  } else if (!ID.test(name)) {
    const meant = idLike(name);
    const everywhere = path.at(-1) === "id" ? ", here and wherever it is used" : "";
    yield {
      code: "bad_pattern",
      path,
      message:
        `${quoted(name)} is no step id: a lower-case letter, then up to 31 lower-case ` +
        "letters, digits or underscores",
      hint:
        meant === undefined
          ? "write a short name"
          : `change ${quoted(name)} to ${quoted(meant)}${everywhere}`,
    };
  }
}

function* fields(
  path: Path,
  value: Members,
  owner: string,
  known: readonly string[],
  required: readonly string[],
): Generator<Finding> {
  const free = known.filter((name) => !has(value, name));
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const meant = closest(name, free);
    yield {
      code: "unknown_field",
      path: [...path, name],
      message: `${owner} has no field ${quoted(name)}`,
      hint:
        meant === undefined
          ? `remove it; ${owner} has ${anyOf(known)}`
          : `rename it to ${quoted(meant)}`,
    };
  }
  const lacking = required.filter((name) => !has(value, name));
  if (lacking.length > 0) {
    yield {
      code: "missing_field",
      path,
      message: `${owner} lacks ${listing(lacking)}`,
      hint: `add ${lacking.map((name) => WRITTEN.get(name)).join(", ")}`,
    };
  }
}

/** A member that is `undefined`, as an optional one may be in TypeScript, is not there. */
function has(value: Members, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function wrongType(
  path: Path,
  name: string,
  expected: string,
  value: unknown,
  hint: string,
): Finding {
  const message = `${name} must be ${expected}, not ${kindOf(value)}`;
  return { code: "wrong_type", path, message, hint };
}
