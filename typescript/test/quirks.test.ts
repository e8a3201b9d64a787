/**
 * What is reported to go wrong with plans, run: each ends as the plan language says.
 *
 * The reports are a corpus beside the checkout. What each must end in stands by its id in
 * `python/tests/quirk_expectations.json`, in the words that `test_quirks.py` there explains.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PlanError } from "../src/errors.js";
import { executePlan } from "../src/executor/index.js";
import type { Diagnostic, PlanResult } from "../src/models.js";
import { type Stub, StubTools, sameJson, VirtualClock } from "../src/testing/index.js";
import { readJson } from "../src/testing/json-lines.js";
import { validatePlan } from "../src/validate/index.js";

// biome-ignore lint/suspicious/noExplicitAny: reports and expectations are data of many forms
type Data = any;
type Words = Record<string, Data>;

const CORPUS = fileURLToPath(new URL("../../../shared/cases/quirks.jsonl", import.meta.url));
const EXPECTED: Words = read("../../python/tests/quirk_expectations.json");
const ABSENT = "the reports are not beside this checkout";
const EMPTY: Words = {
  refused: [],
  calls: [],
  ledger: {},
  returned: {},
  repaired: [],
  ends_at_ms: 0,
};

function read(path: string): Words {
  return readJson(readFileSync(new URL(path, import.meta.url), "utf8")) as Words;
}

function reports(): Words[] {
  if (!existsSync(CORPUS)) return [];
  const lines = readFileSync(CORPUS, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => readJson(line) as Words);
}

/** The report with the data that it only tells of in words. */
function asTold(report: Words, expected: Words): Words {
  const told = structuredClone(report);
  if ("range_to" in expected) {
    const items = Array.from({ length: expected.range_to }, (_, n) => n + 1);
    told.tool_results.lookup.items = items;
  }
  if ("nested" in expected) {
    let deep: Words = {};
    for (let depth = 1; depth < expected.nested; depth += 1) deep = { n: deep };
    told.plan.steps[0].args.deep = deep;
  }
  return told;
}

/** A tool of the corpus as the data of a stub tool. */
function stub(result: Data): Stub {
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    return { returns: result };
  }
  if ("__delay__" in result) {
    return { ...stub(result.value), takes_ms: result.__delay__ * 1000 };
  }
  if ("__error__" in result) return { fails: result.__error__ };
  if ("__cancel__" in result) return { cancels: true };
  if ("__echo__" in result) return { echo: true };
  return { returns: result };
}

/** How a report's plan ends, and all that is said of what is wrong with it. */
async function ending(report: Words, expected: Words): Promise<[Words, string]> {
  const clock = new VirtualClock();
  const results: [string, Data][] = Object.entries(report.tool_results);
  const stubs = Object.fromEntries(results.map(([name, result]) => [name, stub(result)]));
  const tools = new StubTools(stubs, { clock });
  const host = { policy: expected.policy ?? {}, tools: expected.infos };
  const found = validatePlan(report.plan, host);
  let result: PlanResult;
  try {
    result = await clock.run(() => executePlan(report.plan, tools, { ...host, clock }));
  } catch (refused) {
    if (!(refused instanceof PlanError)) throw refused;
    expect([refused.diagnostics, tools.calls]).toEqual([found, []]);
    return [{ refused: found.map(({ code, path }) => [code, path]) }, said(found)];
  }
  expect(found).toEqual([]);
  for (const { args } of tools.calls) expectPlain(args);
  const seen = {
    calls: tools.calls.map(({ step_id, args }) => [step_id, args]),
    ledger: Object.fromEntries(
      result.ledger.map(({ id, status, code }) => [id, code ? `${status} ${code}` : status]),
    ),
    returned: result.returned,
    repaired: result.notes.map((note) => note.split(": ")[0]),
    ends_at_ms: clock.now() * 1000,
  };
  return [seen, result.ledger.map(({ error }) => error ?? "").join("\n")];
}

function said(found: readonly Diagnostic[]): string {
  return found.map(({ path, message, hint }) => `${path} ${message} ${hint}`).join("\n");
}

/** Nothing but plain lists and objects reaches a tool. */
function expectPlain(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  expect([Array.prototype, Object.prototype]).toContain(Object.getPrototypeOf(value));
  for (const inner of Object.values(value)) expectPlain(inner);
}

const found = reports();
const ofPlans = found.filter(({ id }) => !("agent" in EXPECTED[id]));

describe.skipIf(found.length === 0)("what is reported to go wrong with plans", () => {
  test("every report has an expectation and none is left over", () => {
    expect(found.map(({ id }) => id)).toEqual(Object.keys(EXPECTED));
  });

  test.each(ofPlans.map((report) => [report.id, report] as const))(
    "%s ends as the language says",
    async (id, report) => {
      const expected: Words = EXPECTED[id];
      const [seen, words] = await ending(asTold(report, expected), expected);
      if (!("ends_at_ms" in expected)) delete seen.ends_at_ms;
      const wanted = Object.fromEntries(
        Object.keys(seen).map((key) => [key, expected[key] ?? EMPTY[key]]),
      );
      expect(seen).toEqual(wanted);
      expect(sameJson(seen, wanted)).toBe(true);
      const names: string[] = expected.names ?? [];
      expect(names.filter((name) => !words.includes(name))).toEqual([]);
    },
  );
});

// Reports with `agent` are about agents, and belong to the plugin's tests.
test.runIf(found.length === 0)(`reports: ${ABSENT}`, (context) => context.skip(ABSENT));
