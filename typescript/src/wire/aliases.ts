/**
 * What fields of plans and steps are called elsewhere, and what they hold if they are meant.
 *
 * Names are folded: in lower case, without signs. A name that has several fields stands in
 * the order in which they are tried.
 */

import { isObject } from "../values/index.js";
import { leftStripped } from "./strings.js";

/** A field's other names, and what one must hold to be meant for it. */
export interface Alias {
  readonly field: string;
  readonly fits: (value: unknown) => boolean;
  readonly names: string;
}

function isMembers(value: unknown): boolean {
  return isObject(value) || beginsWith(value, "{");
}

function isList(value: unknown): boolean {
  if (isObject(value)) return Object.hasOwn(value, "id") || Object.hasOwn(value, "tool");
  return Array.isArray(value) || beginsWith(value, "[");
}

function beginsWith(value: unknown, sign: string): boolean {
  return typeof value === "string" && leftStripped(value).startsWith(sign);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isCondition(value: unknown): boolean {
  return isText(value) || typeof value === "boolean";
}

function isSource(value: unknown): boolean {
  return isText(value) || Array.isArray(value);
}

/** Whether a value is a name or a list of names. */
export function areIds(value: unknown): value is string | string[] {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.every(isText);
}

/** Whether a value is text that may read something. */
export function isExpression(value: unknown): boolean {
  return typeof value === "string" && (value.includes("steps") || value.includes("$"));
}

function isName(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}

const OF_STEPS: readonly Alias[] = [
  {
    field: "args",
    fits: isMembers,
    names:
      "arguments argument params param parameters parameter input inputs kwargs toolinput " +
      "toolargs toolarguments toolparams payload with",
  },
  {
    field: "bind",
    fits: isMembers,
    names: "bindings binding binds expressions mapping mappings",
  },
  {
    field: "when",
    fits: isCondition,
    names: "condition conditions if where onlyif runif guard",
  },
  {
    field: "for_each",
    fits: isSource,
    names: "foreach each loop map for forloop over items iterate",
  },
  {
    field: "after",
    fits: areIds,
    names:
      "needs need requires require dependencies dependency dependson depends deps waitfor " +
      "waitsfor prerequisites runafter",
  },
  {
    field: "tool",
    fits: isText,
    names: "function action toolname functionname call uses method",
  },
  { field: "id", fits: isName, names: "name stepid step stepname" },
  { field: "tool", fits: isText, names: "name" },
];

const OF_PLANS: readonly Alias[] = [
  {
    field: "steps",
    fits: isList,
    names: "tasks task plan actions workflow nodes calls toolcalls step",
  },
  {
    field: "returns",
    fits: areIds,
    names:
      "return result results returned returnsteps outputs answer " +
      "finalanswer finalresult finaloutput",
  },
  {
    field: "output",
    fits: isExpression,
    names:
      "return result results returned outputs answer response " +
      "finalanswer finalresult finaloutput",
  },
];

function byName(aliases: readonly Alias[]): ReadonlyMap<string, readonly Alias[]> {
  const table = new Map<string, Alias[]>();
  for (const alias of aliases) {
    for (const name of alias.names.split(" ")) {
      const known = table.get(name);
      if (known === undefined) table.set(name, [alias]);
      else known.push(alias);
    }
  }
  return table;
}

export const STEP_NAMES = byName(OF_STEPS);
export const PLAN_NAMES = byName(OF_PLANS);

/** Where other formats keep the result of a step. */
export const STORED: ReadonlySet<string> = new Set(
  (
    "output outputs outputkey outputvar outputas result results resultkey returns saveas as " +
    "store storeas assign assignto variable var"
  ).split(" "),
);

/** What other formats let a plan say and is the policy's here. */
export const THE_HOSTS: ReadonlySet<string> = new Set(
  (
    "retry retries maxretries timeout timeouts timeoutms backoff maxattempts attempts " +
    "parallel concurrency maxconcurrency maxparallel maxsteps"
  ).split(" "),
);
