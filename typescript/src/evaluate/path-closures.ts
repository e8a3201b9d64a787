/** Closures of paths: each step goes through all that the step before it found. */

import type { Closure, Compile } from "../functions/compiling.js";
import { ordered } from "../functions/sorting.js";
import type { Name, Node, Path, Sort } from "../tree.js";
import {
  failed,
  listTooLong,
  MAX_LIST,
  madeList,
  outOfSteps,
  type State,
  spend,
} from "../values/budget.js";
import { isObject } from "../values/index.js";
import {
  Cons,
  collapse,
  filled,
  Kept,
  lookUp,
  RootList,
  Sequence,
} from "../values/sequences.js";
import { filterClosure, groupClosure } from "./filter-closures.js";
import { missingName } from "./missing.js";

/** What a step of a path became: from all contexts to all that it finds in them. */
type Advance = (contexts: readonly unknown[], state: State) => unknown[];

/** What follows what a path has found so far: the rest of its steps, and its end. */
type Follow = (found: unknown, from: number, state: State) => unknown;

/**
 * A path, its group included.
 *
 * @param node - The path.
 * @param compiler - What makes closures of its steps.
 * @param whole - Whether nothing follows, so that a sequence that it gives is collapsed.
 */
export function pathClosure(node: Path, compiler: Compile, whole = false): Closure {
  const { steps } = node;
  const begin = beginning(steps, compiler);
  const advances = steps
    .slice(1)
    .map((step, place) => advanceOf(step, compiler, place === steps.length - 2));
  const group = node.group === undefined ? undefined : groupClosure(node.group, compiler);
  const keep = node.keepSingleton;

  const follow: Follow = (given, from, state) => {
    if (!Array.isArray(given)) {
      return group === undefined ? given : group(given, state);
    }
    let found: unknown[] = given;
    for (let at = from; at < advances.length && found.length > 0; at += 1) {
      found = (advances[at] as Advance)(found, state);
    }
    if (keep && found instanceof Cons) {
      found = filled(new Kept(), [found]);
    } else if (keep && found instanceof Sequence && found.length > 0) {
      found = filled(new Kept(), found);
    }
    if (group !== undefined) {
      return group(found, state);
    }
    return whole ? collapse(found) : found;
  };

  const walk = walkOf(steps, begin.closure, follow, whole && !keep && group === undefined);
  if (walk !== undefined) {
    return walk;
  }
  return (context, state) => {
    spend(state, 1);
    return follow(begin.begin(context, state), 0, state);
  };
}

/** How a path begins. */
interface Beginning {
  /** From the path's context to what its first step finds. */
  readonly begin: Closure;
  /** The closure of the first step, where that is a variable. */
  readonly closure: Closure | undefined;
}

/** The first step, which sees the context itself; a variable sees a list as one context. */
function beginning(steps: readonly Node[], compiler: Compile): Beginning {
  const step = steps[0] as Node;
  if ((step.kind === "array" || step.kind === "block") && step.cons) {
    const next = steps[1];
    const sortedAlone = next?.kind === "sort" && (steps.length === 2 || next.stages.length > 0);
    return { begin: consBeginning(compiler.closure(step), sortedAlone), closure: undefined };
  }
  const isLast = steps.length === 1;
  if (step.kind === "variable") {
    const closure = compiler.closure(step);
    const advance = advanceBy(closure, stagesOf(step, compiler), isLast);
    return { begin: (context, state) => advance([context], state), closure };
  }
  const advance = advanceOf(step, compiler, isLast);
  return {
    begin: (context, state) => advance(Array.isArray(context) ? context : [context], state),
    closure: undefined,
  };
}

function consBeginning(closure: Closure, sortedAlone: boolean): Closure {
  return (context, state) => {
    const found = closure(
      Array.isArray(context) ? context : filled(new Sequence(), [context]),
      state,
    );
    if (Array.isArray(found) || found === undefined) {
      return found;
    }
    // The reference goes through what is no list as if it were one: through a text unit by
    // unit, through anything else not at all, unless it is only to be sorted.
    if (found === null) {
      throw failed(
        "a path goes on from parentheses that hold null",
        "leave the parentheses out",
      );
    }
    if (sortedAlone && found !== "") {
      return filled(new Sequence(), [found]);
    }
    if (typeof found === "string") {
      return found === "" ? found : found.split("");
    }
    return new Sequence();
  };
}

/**
 * A path that begins with names, or a variable and names, as long as each finds one value.
 *
 * @param steps - The path's steps.
 * @param first - The closure of its first step, where that is a variable.
 * @param follow - What goes on where a name finds a list, and from the first other step.
 * @param whole - Whether the path's value is what its last step finds.
 * @returns undefined if the path begins otherwise.
 */
function walkOf(
  steps: readonly Node[],
  first: Closure | undefined,
  follow: Follow,
  whole: boolean,
): Closure | undefined {
  const isVariable = first !== undefined;
  if (isVariable && (steps[0] as Node).stages.length > 0) {
    return undefined;
  }
  const skipped = isVariable ? 1 : 0;
  const others = steps.slice(skipped);
  const end = others.findIndex((step) => !isPlainName(step));
  const walked = others.slice(0, end < 0 ? others.length : end) as readonly Name[];
  const names = walked.map((name) => name.value);
  const count = names.length;
  if (count === 0) {
    return undefined;
  }
  const isWhole = whole && count === others.length;

  const from = (begun: unknown, state: State): unknown => {
    let value = begun;
    for (let at = 0; at < count; at += 1) {
      const name = names[at] as string;
      state.left -= 1;
      let found: unknown =
        isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      if (Array.isArray(found)) {
        found = collapse(found);
        if (Array.isArray(found)) {
          const isLast = at + skipped === steps.length - 1;
          spend(state, 0);
          return follow(joined([found], state, isLast), at + skipped, state);
        }
      }
      if (found === undefined) {
        spend(state, 0);
        const strict = walked[at]?.strict;
        const error = strict === undefined ? undefined : missingName([value], strict, name);
        if (error !== undefined) {
          throw error;
        }
        return isWhole ? undefined : follow(new Sequence(), 0, state);
      }
      value = found;
    }
    if (state.left < 0) {
      throw outOfSteps(state);
    }
    return isWhole ? value : follow(only(value), count - 1 + skipped, state);
  };

  if (first === undefined) {
    const advance = nameAdvance(walked[0] as Name, [], steps.length === 1);
    return (context, state) => {
      state.left -= 1;
      if (Array.isArray(context)) {
        return follow(advance(context, state), 0, state);
      }
      return from(context, state);
    };
  }
  return (context, state) => {
    state.left -= 1;
    const value = first(context, state);
    if (value === undefined) {
      return isWhole ? undefined : follow(new Sequence(), 0, state);
    }
    if (Array.isArray(value)) {
      return follow(joined([value], state, false), 0, state);
    }
    return from(value, state);
  };
}

function only(value: unknown): Sequence {
  const found = new Sequence();
  found[0] = value;
  return found;
}

function isPlainName(step: Node): step is Name {
  return (
    step.kind === "name" &&
    step.stages.length === 0 &&
    step.predicates.length === 0 &&
    step.group === undefined &&
    !step.keepArray
  );
}

function stagesOf(step: Node, compiler: Compile): readonly Closure[] {
  return step.stages.map((stage) => filterClosure(stage, compiler));
}

function advanceOf(step: Node, compiler: Compile, isLast: boolean): Advance {
  if (step.kind === "sort") {
    return sortAdvance(step, compiler);
  }
  const stages = stagesOf(step, compiler);
  const isBare = step.predicates.length === 0 && step.group === undefined && !step.keepArray;
  if (step.kind === "name" && isBare) {
    return nameAdvance(step, stages, isLast);
  }
  return advanceBy(compiler.closure(step), stages, isLast);
}

function advanceBy(closure: Closure, stages: readonly Closure[], isLast: boolean): Advance {
  return (contexts, state) => {
    const found = new Sequence();
    let size = 0;
    let hasList = false;
    for (let at = 0; at < contexts.length; at += 1) {
      let value = closure(contexts[at], state);
      for (const stage of stages) {
        value = stage(value, state);
      }
      if (value !== undefined) {
        found[size] = value;
        size += 1;
        hasList ||= Array.isArray(value);
      }
    }
    return hasList ? joined(found, state, isLast) : madeList(found);
  };
}

function nameAdvance(step: Name, stages: readonly Closure[], isLast: boolean): Advance {
  const { value: name, strict } = step;
  return (contexts, state) => {
    spend(state, contexts.length);
    const found = new Sequence();
    let size = 0;
    let hasList = false;
    const values: unknown[] = stages.length === 0 ? found : [];
    for (let at = 0; at < contexts.length; at += 1) {
      const value = collapse(field(contexts[at], name, state));
      if (value !== undefined) {
        found[size] = value;
        size += 1;
        hasList ||= Array.isArray(value);
      }
      if (values !== found) {
        values.push(value);
      }
    }
    if (size === 0 && strict !== undefined) {
      const error = missingName(contexts, strict, name);
      if (error !== undefined) {
        throw error;
      }
    }
    if (values === found) {
      return hasList ? joined(found, state, isLast) : madeList(found);
    }
    return joined(staged(values, stages, state), state, isLast);
  };
}

/** What filters leave of each value. */
function staged(
  values: readonly unknown[],
  stages: readonly Closure[],
  state: State,
): unknown[] {
  const found: unknown[] = [];
  for (const given of values) {
    let value = given;
    for (const stage of stages) {
      value = stage(value, state);
    }
    if (value !== undefined) {
      found.push(value);
    }
  }
  return found;
}

/** A field of an object, or a sequence of the fields of the objects of a list. */
export function field(context: unknown, name: string, state: State): unknown {
  if (Array.isArray(context)) {
    return lookUp(state, context, name);
  }
  return isObject(context) && Object.hasOwn(context, name) ? context[name] : undefined;
}

/** What a step found, its lists spread out; a single list at the end stays what it is. */
function joined(found: readonly unknown[], state: State, isLast: boolean): unknown[] {
  if (isLast && found.length === 1 && isListOfItsOwn(found[0])) {
    return found[0];
  }
  const made = new Sequence();
  let size = 0;
  for (let place = 0; place < found.length; place += 1) {
    const value = found[place];
    if (Array.isArray(value) && !(value instanceof Cons)) {
      spend(state, value.length);
      for (let at = 0; at < value.length; at += 1) {
        made[size] = value[at];
        size += 1;
      }
      if (size > MAX_LIST) {
        throw listTooLong();
      }
    } else {
      made[size] = value;
      size += 1;
    }
  }
  return madeList(made);
}

/** Whether a value is a list of the data or one that was written, and not one just found. */
function isListOfItsOwn(value: unknown): value is unknown[] {
  return (
    Array.isArray(value) &&
    !(value instanceof Sequence || value instanceof Kept || value instanceof RootList)
  );
}

function sortAdvance(step: Sort, compiler: Compile): Advance {
  const terms = step.terms.map(({ expression, descending }) => ({
    closure: compiler.closure(expression),
    descending,
  }));
  const stages = stagesOf(step, compiler);
  return (contexts, state) => {
    spend(state, 1 + contexts.length);
    if (contexts.length > MAX_LIST) {
      throw listTooLong();
    }
    let found: unknown = contexts.length <= 1 ? contexts : ordered(contexts, terms, state);
    spend(state, (found as unknown[]).length);
    for (const stage of stages) {
      found = stage(found, state);
    }
    return found as unknown[];
  };
}
