/** Diagnostics: pointers, the order of a document, and the name that was meant. */

import { expect, it } from "vitest";
import {
  anyOf,
  closest,
  diagnostic,
  type Finding,
  keyOrder,
  listing,
  ordered,
  type Path,
  pointer,
  quoted,
  Speller,
} from "../src/diagnostics.js";
import type { Code } from "../src/models.js";

it.each<[Path, string]>([
  [[], ""],
  [["steps", 0, "bind"], "/steps/0/bind"],
  [["a/b", "c~d", ""], "/a~1b/c~0d/"],
])("escapes in a pointer to %j what RFC 6901 escapes", (path, text) => {
  expect(pointer(path)).toBe(text);
});

it("builds a diagnostic from the parts of its place", () => {
  expect(diagnostic("cycle", ["steps", 0], "why", "how")).toEqual({
    code: "cycle",
    path: "/steps/0",
    message: "why",
    hint: "how",
  });
});

const DOCUMENT = {
  output: "x",
  steps: new Array(11).fill({ tool: "t", bind: { z: "1", "10": "2", "9": "3", a: "4" } }),
  returns: ["a", "b"],
};

function found(path: Path, code: Code = "syntax", message = ""): Finding {
  return { code, path, message, hint: "" };
}

it("puts problems into the order of the document", () => {
  const inOrder: Path[] = [
    [],
    ["output"],
    ["steps"],
    ["steps", 0],
    ["steps", 0, "tool"],
    ["steps", 0, "bind"],
    ["steps", 0, "bind", "9"],
    ["steps", 0, "bind", "10"],
    ["steps", 0, "bind", "z"],
    ["steps", 0, "bind", "a"],
    ["steps", 2, "tool"],
    ["steps", 10, "tool"],
    ["returns", 0],
    ["returns", 1],
  ];
  const given = inOrder.toReversed().map((path) => found(path));
  expect(ordered(given, DOCUMENT).map(({ path }) => path)).toEqual(inOrder);
});

it("puts problems of one place into the order of their codes", () => {
  const given = [found(["output"], "unknown_step"), found(["output"], "syntax")];
  expect(ordered(given, DOCUMENT)).toEqual(given.toReversed());
});

it("keeps of equal codes in one place the first", () => {
  const given = [found(["output"], "syntax", "left"), found(["output"], "syntax", "right")];
  expect(ordered(given, DOCUMENT)).toEqual(given.slice(0, 1));
});

it("puts a place that is not there behind what is", () => {
  const given = [found(["steps", 0, "gone", "x"]), found(["steps", 0, "bind", "a"])];
  expect(ordered(given, DOCUMENT)).toEqual(given.toReversed());
  const inherited = [found(["constructor"]), found(["returns"])];
  expect(ordered(inherited, DOCUMENT)).toEqual(inherited.toReversed());
});

it("puts array indexes first among keys, and nothing else", () => {
  const keys = ["b", "10", "01", "2", "-1", "4294967295", "4294967294", "0", ""];
  const inOrder = ["0", "2", "10", "4294967294", "b", "01", "-1", "4294967295", ""];
  expect(keyOrder(keys)).toEqual(inOrder);
  expect(Object.keys(Object.fromEntries(keys.map((key) => [key, 1])))).toEqual(inOrder);
});

it.each<[string, string[], string | undefined]>([
  ["when_", ["id", "when"], "when"],
  ["nmae", ["name"], undefined],
  ["usr", ["user"], "user"],
  ["ab", ["abc"], undefined],
  ["prs", ["pr", "prs2"], "pr"],
  ["get_user_nmae", ["get_user_name", "get_name"], "get_user_name"],
  ["ÄÖÜ", ["ÄÖU"], "ÄÖU"],
  ["😀😀😀", ["😀😀x"], "😀😀x"],
  ["", ["a"], undefined],
  ["lookup", [], undefined],
])("finds for %j the closest name that is at most a third away", (written, names, meant) => {
  expect(closest(written, names)).toBe(meant);
});

it("compares long names too", () => {
  const name = "x".repeat(4000);
  expect(closest(`${name}${"y".repeat(1000)}`, ["y".repeat(4000), name])).toBe(name);
});

it("means of equally close names the first listed, and a closer one before an earlier", () => {
  expect(closest("abc", ["abx", "aby"])).toBe("abx");
  expect(closest("abc", ["aby", "abx"])).toBe("aby");
  expect(closest("abcdef", ["abxxef", "abcdex"])).toBe("abcdex");
});

it("can keep a name from being meant", () => {
  const speller = new Speller(["user", "users"]);
  expect(speller.closest("usr")).toBe("user");
  expect(speller.closest("usersx", "users")).toBe("user");
  expect(speller.closest("usr", "user")).toBeUndefined();
});

it("does not compare ten thousand misspelled names with ten thousand", () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => String(at).padStart(5, "0"));
  const speller = new Speller(numbers.map((number) => `step_number_${number}`));
  const meant = numbers.map((number) => speller.closest(`stop_nimber_${number}`));
  expect(meant[0]).toBe("step_number_00000");
  expect(meant.at(-1)).toBeUndefined();
});

it("shows text as JSON, cut by code points and without half characters", () => {
  expect(quoted('a"b\n')).toBe('"a\\"b\\n"');
  expect(quoted("é\u2028")).toBe('"é\u2028"');
  expect(quoted("x".repeat(81))).toBe(`"${"x".repeat(77)}..."`);
  expect(quoted("😀".repeat(80))).toBe(`"${"😀".repeat(80)}"`);
  expect(quoted("😀".repeat(81))).toBe(`"${"😀".repeat(77)}..."`);
  expect(quoted("a\ud800b")).toBe('"a\ufffdb"');
});

it("ends lists of names after twenty", () => {
  const names = Array.from({ length: 22 }, (_, at) => `n${at}`);
  expect(listing(["a", "b"])).toBe('"a", "b"');
  expect(listing(names)).toMatch(/"n19" and 2 more$/);
  expect(anyOf(["a"])).toBe('"a"');
  expect(anyOf(["a", "b"])).toBe('one of "a", "b"');
});
