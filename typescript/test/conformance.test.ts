/** Every case under conformance/cases, run by this engine. */

import { describe, expect, test } from "vitest";
import { load, run } from "./conformance-loader.js";

const CASES = load();

describe("a case ends as it says", () => {
  test.each(CASES)("$id", async (one) => {
    const [seen, expected] = await run(one);
    expect(seen).toStrictEqual(expected);
  });
});

test("every file of cases is found, and no case twice", () => {
  expect(CASES.length).toBeGreaterThan(1900);
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
});
