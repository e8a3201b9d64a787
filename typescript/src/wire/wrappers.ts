/**
 * Plans that stand inside something else, where no repair may take them out.
 *
 * One wrapper that holds nothing but a plan is removed (`repairs`). With anything beside the
 * plan that would be a guess, so it is told instead: where the plan stands.
 */

import type { Path } from "../diagnostics.js";
import { isObject } from "../values/index.js";
import { own } from "./objects.js";
import { leftStripped } from "./strings.js";

const DEEPEST = 3;
const MOST = 3;
const LOOKED_AT = 200;

/**
 * Where the plans stand that an object holds which is none itself, outermost first.
 *
 * @param value - Plain JSON. Text is not decoded: it counts if it looks like a plan.
 */
export function plansInside(value: unknown): readonly Path[] {
  if (!isHolder(value)) return [];
  const found: Path[] = [];
  let level: readonly (readonly [Path, object])[] = [[[], value]];
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const inner = level.slice(0, LOOKED_AT).flatMap(([path, holder]) =>
      Object.entries(holder)
        .slice(0, LOOKED_AT)
        .map(([name, member]): [Path, unknown] => [[...path, name], member]),
    );
    found.push(...inner.filter(([, member]) => isPlan(member)).map(([path]) => path));
    level = inner.flatMap(([path, member]) =>
      isHolder(member) ? [[path, member] as const] : [],
    );
  }
  return found.slice(0, MOST);
}

function isHolder(value: unknown): value is object {
  return isObject(value) && !Object.hasOwn(value, "steps");
}

function isPlan(value: unknown): boolean {
  if (typeof value === "string") {
    return leftStripped(value).startsWith("{") && value.includes('"steps"');
  }
  if (!isObject(value)) return false;
  const steps = own(value, "steps");
  return typeof steps === "string" || (typeof steps === "object" && steps !== null);
}
