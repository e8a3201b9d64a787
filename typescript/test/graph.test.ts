/** Dependencies, levels and cycles, as the published functions give them and at any size. */

import { describe, expect, test } from "vitest";
import { components, type Dependencies, levelsOfGraph, shortestCycle } from "../src/cycles.js";
import {
  DanglingReferenceError,
  DuplicateStepError,
  PlanCycleError,
  StepLimitError,
  ToolNotPlannableError,
} from "../src/errors.js";
import {
  buildGraph,
  dependenciesOf,
  type LevelOptions,
  planLevels,
  type Reference,
  textReferences,
} from "../src/graph.js";
import type { PlanStepInput } from "../src/models.js";

function step(id = "a", fields: Partial<PlanStepInput> = {}): PlanStepInput {
  return { id, tool: "t", ...fields };
}

function levels(steps: PlanStepInput[], options: LevelOptions = {}): string[][] {
  const found = planLevels({ steps, returns: ["a"] }, options);
  return found.map((level) => level.map((each) => each.id));
}

describe("the dependencies of a step", () => {
  const of = (fields: Partial<PlanStepInput>) => [...dependenciesOf(step("x", fields))].sort();

  test("are what its expressions read and what stands in after", () => {
    expect(
      of({
        bind: { p: "steps.a.v & steps.b", q: '$lookup(steps, "c").v' },
        when: "$steps.d.ok",
        for_each: "steps.`e`.list",
        after: ["f", "a"],
      }),
    ).toEqual([..."abcdef"]);
  });

  test("leave out the step itself, strings and comments", () => {
    const bind = { p: 'steps.x.v & "steps.b" /* steps.c */' };
    expect(of({ bind, after: ["x"] })).toEqual([]);
  });

  test("show in a refused expression too", () => {
    expect(of({ when: "steps.a.at < $now()" })).toEqual(["a"]);
    expect(of({ when: "steps.a.n ==" })).toEqual(["a"]);
  });
});

describe("in a foreign language references are found by their looks", () => {
  test.each([
    ["steps.abc.x + steps.ab", ["abc", "ab"]],
    ["$steps.abc and jobs.steps.abd and 'steps.abc'", ["abc", "abd"]],
    ["{{ steps . abc }}", ["abc"]],
    ["steps.Abc, xsteps.abc, steps.9, steps.`abc`, steps.abc.", ["abc"]],
    [`steps.${"a".repeat(33)}`, []],
    ["ésteps.ab, steps.abé, steps\u00a0.\u2003cd, steps\ufeff.ef", ["cd"]],
  ])("%s", (text, ids) => {
    expect(textReferences(text)).toEqual(ids);
  });
});

describe("levels", () => {
  test("hold the steps in document order", () => {
    const reader = step("b", { bind: { x: "steps.a.v" } });
    expect(levels([step("d", { after: ["b"] }), reader, step("a"), step("c")])).toEqual([
      ["a", "c"],
      ["b"],
      ["d"],
    ]);
  });

  test("hold the plan's own steps", () => {
    const steps = [step("a"), step("b", { after: ["a"] })];
    const found = planLevels({ steps, returns: ["a"] });
    expect(found[0]?.[0]).toBe(steps[0]);
    expect(found[1]?.[0]).toBe(steps[1]);
  });

  test.each([
    [[step(), step("b")], { maxSteps: 1 }, StepLimitError, { count: 2, limit: 1 }],
    [[step(), step()], {}, DuplicateStepError, { stepId: "a" }],
    [
      [step("a", { after: ["z"] })],
      {},
      DanglingReferenceError,
      { stepId: "a", missing: "z", field: "dependencies" },
    ],
    [[step("b")], {}, DanglingReferenceError, { stepId: "a", missing: "a", field: "returns" }],
    [
      [step(), step("b")],
      { allowedTools: new Set(["y", "x", "y"]) },
      ToolNotPlannableError,
      { stepId: "a", tool: "t", allowed: ["x", "y"] },
    ],
    [
      [step("a", { after: ["b"] }), step("b", { after: ["a"] }), step("c", { after: ["b"] })],
      {},
      PlanCycleError,
      { remaining: ["a", "b"] },
    ],
    [[step("a", { bind: { x: "steps.a.v" } })], {}, PlanCycleError, { remaining: ["a"] }],
  ])("of a plan that cannot run throw as published: %#", (steps, options, kind, attributes) => {
    let caught: unknown;
    try {
      levels(steps, options);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(kind);
    expect(caught).toMatchObject(attributes);
  });

  test("take any iterable of allowed tools but one string", () => {
    expect(levels([step()], { allowedTools: new Set(["t"]) })).toEqual([["a"]]);
    expect(() => levels([step()], { allowedTools: "t" })).toThrow(TypeError);
  });

  test("of a chain of ten thousand are ten thousand", () => {
    const size = 10_000;
    const steps = Array.from({ length: size }, (_, at) =>
      step(`s${at}`, at > 0 ? { bind: { x: `steps.s${at - 1}.v` } } : {}),
    );
    const plan = { steps: steps.toReversed(), returns: ["s0"] };
    const found = planLevels(plan, { maxSteps: size });
    expect(found.map((level) => level[0]?.id)).toEqual(steps.map(({ id }) => id));
  });
});

describe("a cycle", () => {
  /** The cycles of steps with one-letter ids; `"ab"` is a that waits for b. */
  function cycles(edges: string[], ids: string): unknown[] {
    const references = edges.map(([owner = "", target = ""]): Reference => {
      const at = ids.indexOf(owner);
      return { owner: at, target, path: ["steps", at, "after", target], field: "dependencies" };
    });
    return buildGraph([...ids], references).findings.map(({ code, subject }) => [
      code,
      subject?.[0],
    ]);
  }

  test("is the shortest one through the earliest step", () => {
    expect(cycles(["ab", "bc", "ca", "ac"], "abc")).toEqual([["cycle", ["a", "c"]]]);
  });

  test("of equally short ones is that of earlier dependencies", () => {
    expect(cycles(["ac", "ab", "ba", "ca"], "abc")).toEqual([["cycle", ["a", "b"]]]);
    expect(cycles(["ad", "ac", "cb", "db", "ba"], "abcd")).toEqual([
      ["cycle", ["a", "c", "b"]],
    ]);
  });

  test("is told with a place that closes it", () => {
    const field = "dependencies";
    const references: Reference[] = [
      { owner: 0, target: "b", path: ["steps", 0, "when"], field },
      { owner: 1, target: "a", path: ["steps", 1, "x"], field },
    ];
    expect(buildGraph(["a", "b"], references).findings.map(({ hint }) => hint)).toEqual([
      'break it, for example at /steps/1/x, which reads "a"',
    ]);
  });

  test("of ten thousand is one of them all", () => {
    const size = 10_000;
    const steps = Array.from({ length: size }, (_, at) =>
      step(`s${at}`, { after: [`s${(at + 1) % size}`] }),
    );
    let caught: unknown;
    try {
      planLevels({ steps, returns: ["s0"] }, { maxSteps: size });
    } catch (error) {
      caught = error;
    }
    if (!(caught instanceof PlanCycleError)) throw caught;
    expect(caught.remaining).toEqual(steps.map(({ id }) => id));
    expect(caught.diagnostics.length).toBe(1);
    expect(caught.diagnostics[0]?.message.length).toBeLessThan(200);
  });
});

test("thousands of equal ids each get a name of their own", () => {
  const { findings } = buildGraph(new Array<string>(10_000).fill("a"), []);
  expect(new Set(findings.map(({ hint }) => hint)).size).toBe(9_999);
});

test("levels and cycles are those that a search of all finds", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const size = 1 + random(8);
    const edges = Array.from({ length: size }, (_, at) => {
      const targets = Array.from({ length: random(4) }, () => random(size));
      return [...new Set(targets)].filter((to) => to !== at).sort((one, other) => one - other);
    });
    const reach = edges.map((_, at) => reachable(edges, at));
    const knots = new Map<number, ReadonlySet<number>>();
    for (const [at, found] of reach.entries()) {
      const knot = [...found].filter((to) => reach[to]?.has(at));
      if (found.has(at)) knots.set(Math.min(...knot), new Set(knot));
    }
    const { levels: found, stuck } = levelsOfGraph(edges);
    expect(stuck.length === 0).toBe(knots.size === 0);
    const groups = components(edges, [...edges.keys()]);
    expect(new Map(groups.map((group) => [Math.min(...group), group]))).toEqual(knots);
    for (const [first, knot] of knots) {
      expect(shortestCycle(edges, first, knot)).toEqual(firstCycle(edges, first));
    }
    if (knots.size === 0) {
      const wanted = edges.map((each) =>
        each.reduce((most, to) => Math.max(most, (found[to] ?? 0) + 1), 0),
      );
      expect(found).toEqual(wanted);
    }
  }
});

function reachable(edges: Dependencies, start: number): Set<number> {
  const seen = new Set<number>();
  const work = [...(edges[start] ?? [])];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (!seen.has(at)) work.push(...(edges[at] ?? []));
    seen.add(at);
  }
  return seen;
}

/** The first simple cycle through a step, shortest first and then by positions. */
function firstCycle(edges: Dependencies, start: number): readonly number[] {
  const next = (way: readonly number[]) => edges[way.at(-1) ?? 0] ?? [];
  let ways: (readonly number[])[] = [[start]];
  while (ways.length > 0) {
    const closed = ways.find((way) => next(way).includes(start));
    if (closed !== undefined) return closed;
    ways = ways.flatMap((way) =>
      next(way)
        .filter((to) => !way.includes(to))
        .map((to) => [...way, to]),
    );
  }
  return [];
}
