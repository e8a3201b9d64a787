/** What a policy says about one tool. */

import { describe, expect, test } from "vitest";
import { Policy, Retry } from "../src/models.js";
import { backoffAfter, effectOf, matches, ONCE, retryFor } from "../src/policy.js";

describe("a star is any run of characters and all else is itself", () => {
  test.each([
    ["get_x", "get_x", true],
    ["get_x", "get_xy", false],
    ["*", "", true],
    ["*", "anything", true],
    ["get_*", "get_", true],
    ["get_*", "get_user", true],
    ["get_*", "forget_user", false],
    ["*_user", "get_user", true],
    ["*_user", "get_users", false],
    ["get_*_by_*", "get_user_by_id", true],
    ["get_*_by_*", "get_user", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*ab*ab*", "abxab", true],
    ["*ab*ab*", "xabx", false],
    ["*a*a", "xaa", true],
    ["a.c", "abc", false],
    ["[a]*", "ab", false],
    ["g?t", "get", false],
  ])("%s and %s: %s", (pattern, name, fits) => {
    expect(matches(pattern, name)).toBe(fits);
  });
});

test("a long pattern of stars is matched in no time", () => {
  expect(matches(`${"*a".repeat(200)}b`, "a".repeat(100_000))).toBe(false);
});

test("a tool has the effect of its name, then of the pattern that says most", () => {
  const effects = { "*": "write", "get_*": "read", get_secret: "write" } as const;
  const policy = Policy.parse({ effects });
  const found = ["get_secret", "get_user", "pay"].map((tool) => effectOf(policy, tool));
  expect(found).toEqual(["write", "read", "write"]);
  expect(effectOf(Policy.parse({}), "pay")).toBeUndefined();
  expect(effectOf(Policy.parse({}), "constructor")).toBeUndefined();
});

test("of patterns that say as much the first by code point counts", () => {
  const first = (effects: Policy["effects"], tool: string) =>
    effectOf(Policy.parse({ effects }), tool);
  expect(first({ "x*": "read", "*y": "write" }, "xy")).toBe("write");
  expect(first({ "*y": "write", "x*": "read" }, "xy")).toBe("write");
  expect(first({ "😀*": "read", "*\uffee": "write" }, "😀\uffee")).toBe("write");
  expect(first({ "😀*": "read", "\uffee*": "write" }, "\uffee")).toBe("write");
});

test("a tool is retried by its name whatever it does", () => {
  const policy = Policy.parse({ retry: { pay: { attempts: 2 } }, effects: { pay: "write" } });
  expect(retryFor(policy, "pay")).toEqual(Retry.parse({ attempts: 2 }));
  expect(retryFor(policy, "other")).toEqual(ONCE);
});

test("a pattern retries only tools that are declared to read", () => {
  const policy = Policy.parse({
    retry: { "*": { attempts: 2 }, "get_*": { attempts: 3 } },
    effects: { "get_*": "read", list: "read", "set_*": "write" },
  });
  const tools = ["get_x", "list", "set_x", "unknown"];
  expect(tools.map((tool) => retryFor(policy, tool).attempts)).toEqual([3, 2, 1, 1]);
});

test("the wait doubles and never overflows", () => {
  const retry = Retry.parse({ attempts: 5000, backoff_s: 0.5 });
  expect([1, 2, 3, 4].map((at) => backoffAfter(retry, at))).toEqual([0.5, 1, 2, 4]);
  expect(backoffAfter(retry, 4999)).toBe(backoffAfter(retry, 100));
  expect(backoffAfter(Retry.parse({ attempts: 2 }), 1)).toBe(0);
});
