/**
 * Levels and cycles of a graph whose steps are numbers and whose edges are dependencies.
 *
 * All of it is linear and nothing recurses: a chain of ten thousand is a plan like any other.
 */

/** For each step the steps that it waits for, ascending. */
export type Dependencies = readonly (readonly number[])[];

/** The level of each step, and the steps that never become ready. */
export function levelsOfGraph(dependencies: Dependencies): {
  readonly levels: readonly number[];
  readonly stuck: readonly number[];
} {
  const waiting = dependencies.map((each) => each.length);
  const readers: number[][] = dependencies.map(() => []);
  for (const [step, each] of dependencies.entries()) {
    for (const target of each) readers[target]?.push(step);
  }
  const levels = dependencies.map(() => 0);
  const ready = stepsWhere(waiting, (count) => count === 0);
  // The list grows while it is gone through.
  for (const step of ready) {
    const next = (levels[step] ?? 0) + 1;
    for (const reader of readers[step] ?? []) {
      levels[reader] = Math.max(levels[reader] ?? 0, next);
      const left = (waiting[reader] ?? 0) - 1;
      waiting[reader] = left;
      if (left === 0) ready.push(reader);
    }
  }
  return { levels, stuck: stepsWhere(waiting, (count) => count > 0) };
}

function stepsWhere(counts: readonly number[], holds: (count: number) => boolean): number[] {
  return counts.flatMap((count, step) => (holds(count) ? [step] : []));
}

/** A step on the way down, the next of its dependencies to follow, and how far up it gets. */
interface Visit {
  readonly step: number;
  readonly index: number;
  next: number;
  low: number;
}

/** The strongly connected components of more than one step (Tarjan, without recursion). */
export function components(
  dependencies: Dependencies,
  steps: readonly number[],
): readonly ReadonlySet<number>[] {
  const indexes = new Map<number, number>();
  const path: number[] = [];
  const onPath = new Set<number>();
  const found: ReadonlySet<number>[] = [];
  const visited = (step: number): Visit => {
    const index = indexes.size;
    indexes.set(step, index);
    path.push(step);
    onPath.add(step);
    return { step, index, next: 0, low: index };
  };
  for (const root of steps) {
    const work: Visit[] = indexes.has(root) ? [] : [visited(root)];
    for (let visit = work.at(-1); visit !== undefined; visit = work.at(-1)) {
      const target = dependencies[visit.step]?.[visit.next];
      visit.next += 1;
      if (target === undefined) {
        work.pop();
        const above = work.at(-1);
        if (above !== undefined) above.low = Math.min(above.low, visit.low);
        if (visit.low === visit.index) {
          const members = path.splice(path.lastIndexOf(visit.step));
          for (const member of members) onPath.delete(member);
          if (members.length > 1) found.push(new Set(members));
        }
      } else if (!indexes.has(target)) {
        work.push(visited(target));
      } else if (onPath.has(target)) {
        visit.low = Math.min(visit.low, indexes.get(target) ?? visit.low);
      }
    }
  }
  return found;
}

/** The shortest way from a step along dependencies back to it, ties to earlier ones. */
export function shortestCycle(
  dependencies: Dependencies,
  start: number,
  group: ReadonlySet<number>,
): readonly [number, ...number[]] {
  const came = new Map<number, number>();
  const queue = [start];
  for (const step of queue) {
    for (const target of dependencies[step] ?? []) {
      if (target === start) return [start, ...wayTo(step, start, came)];
      if (group.has(target) && !came.has(target)) {
        came.set(target, step);
        queue.push(target);
      }
    }
  }
  throw new Error("a component has a cycle through each of its steps");
}

/** The steps after `start` on the way to `end`. */
function wayTo(end: number, start: number, came: ReadonlyMap<number, number>): number[] {
  const way: number[] = [];
  let step: number | undefined = end;
  while (step !== undefined && step !== start) {
    way.push(step);
    step = came.get(step);
  }
  return way.reverse();
}
