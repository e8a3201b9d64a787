/**
 * Regular expressions: what the grammar takes, and what its patterns match.
 *
 * Every match here is what jsonata 2.2.2 gives in Node, but where a comment says otherwise.
 */

import { expect, it } from "vitest";
import { PatternError } from "../src/functions/pattern-errors.js";
import { parseFlags } from "../src/functions/pattern-grammar.js";
import {
  contains,
  type Match,
  matches,
  Pattern,
  replace,
  split,
} from "../src/functions/patterns.js";
import { EvaluationError, MAX_LIST, MAX_TEXT } from "../src/values/budget.js";

type Found = readonly [text: string, start: number, groups: readonly (string | undefined)[]];

function pattern(source: string, flags = ""): Pattern {
  return new Pattern(source, parseFlags(flags));
}

function found(source: string, flags: string, text: string, limit?: number): Found[] {
  return matches(text, pattern(source, flags), limit).map((match) => [
    match.text,
    match.start,
    match.groups,
  ]);
}

function codeOf(use: () => unknown): unknown {
  try {
    use();
  } catch (error) {
    if (error instanceof EvaluationError) return error.code;
    if (error instanceof PatternError) return [error.code, error.position];
    throw error;
  }
  return undefined;
}

/** Counts the steps that are taken, and throws once there are none left. */
class Budget {
  used = 0;

  constructor(private readonly steps = Number.MAX_SAFE_INTEGER) {}

  readonly charge = (steps: number): void => {
    this.used += steps;
    if (this.used > this.steps)
      throw new EvaluationError("expression_limit", "out of steps", "");
  };
}

// biome-ignore format: a row a line reads best
const REFUSED: readonly (readonly [source: string, code: string, position: number])[] = [
  ["(a)\\1", "not_in_profile", 3],
  ["\\p{L}", "not_in_profile", 0],
  ["\\P{L}", "not_in_profile", 0],
  ["a\\z", "not_in_profile", 1],
  ["a\\Z", "not_in_profile", 1],
  ["\\Aa", "not_in_profile", 0],
  ["\\C", "not_in_profile", 0],
  ["\\cA", "not_in_profile", 0],
  ["\\0", "not_in_profile", 0],
  ["\\07", "not_in_profile", 0],
  ["\\Qa.b\\E", "not_in_profile", 0],
  ["\\k<a>", "not_in_profile", 0],
  ["\\a", "not_in_profile", 0],
  ["\\q", "not_in_profile", 0],
  ["\\é", "not_in_profile", 0],
  ["\\u{61}", "not_in_profile", 0],
  ["\\u61", "not_in_profile", 0],
  ["\\x6", "not_in_profile", 0],
  ["\\uD83D\\uDE00", "not_in_profile", 0],
  ["a\\", "syntax", 1],
  ["[[:alpha:]]", "not_in_profile", 1],
  ["x[a[:^digit:]]", "not_in_profile", 3],
  ["[a\\B]", "not_in_profile", 2],
  ["[\\1]", "not_in_profile", 1],
  ["a[]", "not_in_profile", 1],
  ["[^]", "not_in_profile", 0],
  ["x[a", "syntax", 1],
  ["[z-a]", "syntax", 1],
  ["[a-b-+-!]", "syntax", 5],
  ["a(?=b)", "not_in_profile", 1],
  ["a(?!b)", "not_in_profile", 1],
  ["(?<=a)b", "not_in_profile", 0],
  ["(?<!a)b", "not_in_profile", 0],
  ["(?<year>a)", "not_in_profile", 0],
  ["(?P<year>a)", "not_in_profile", 0],
  ["(?i)a", "not_in_profile", 0],
  ["(?i:a)", "not_in_profile", 0],
  ["(?>a)", "not_in_profile", 0],
  ["(?#a)", "not_in_profile", 0],
  ["a(b", "syntax", 1],
  ["a)", "syntax", 1],
  ["*a", "syntax", 0],
  ["a**", "syntax", 2],
  ["a++", "syntax", 2],
  ["a{2}{3}", "syntax", 4],
  ["a|+", "syntax", 2],
  ["^*", "syntax", 1],
  ["a\\b+", "syntax", 3],
  ["$?", "syntax", 1],
  ["a{,3}", "not_in_profile", 1],
  ["a{x}", "not_in_profile", 1],
  ["{", "not_in_profile", 0],
  ["a}", "not_in_profile", 1],
  ["a]", "not_in_profile", 1],
  ["a{3,2}", "syntax", 1],
  ["a{1001}", "not_in_profile", 1],
  ["a{0,1001}", "not_in_profile", 1],
  ["(?:a{40}){26}", "not_in_profile", 9],
  ["(?:(?:a{2}b){30,}){17}", "not_in_profile", 18],
  ["(?:abcdefghijk){1000}", "not_in_profile", 0],
  ["(a)+", "not_in_profile", 3],
  ["(?:(a)|b)*", "not_in_profile", 9],
  ["(a){2}", "not_in_profile", 3],
  ["(a){0}", "not_in_profile", 3],
  ["(a*)?", "not_in_profile", 4],
  ["(?:(a)?)?", "not_in_profile", 8],
  ["(?:|a)*", "not_in_profile", 6],
  ["(?:a*|b)+", "not_in_profile", 8],
  ["(?:a??)*", "not_in_profile", 7],
  ["(?:a*?){0,2}", "not_in_profile", 7],
  ["", "syntax", 0],
  ["a".repeat(257), "not_in_profile", 256],
  ["a\ud83d", "not_in_profile", 1],
];

// biome-ignore format: a row a line reads best
const MATCHES: readonly (readonly [source: string, flags: string, text: string, found: readonly Found[]])[] = [
  ["\\d+", "", "a12b345 ٣", [["12", 1, []], ["345", 4, []]]],
  ["\\w+", "", "né_9", [["n", 0, []], ["_9", 2, []]]],
  ["\\s", "", "a\u00a0\ufeff\u2028\u000b\u001c\u0085", [["\u00a0", 1, []], ["\ufeff", 2, []], ["\u2028", 3, []], ["\u000b", 4, []]]],
  ["\\S+", "", "a\u3000b c", [["a", 0, []], ["b", 2, []], ["c", 4, []]]],
  ["[^\\s\\S]", "", "a", []],
  ["[\\s\\S]", "", "\n", [["\n", 0, []]]],
  ["\\D\\W", "", "1a-é", [["a-", 1, []]]],
  ["\\x41B\\n\\t\\r\\f\\v", "", "AB\n\t\r\f\u000b", [["AB\n\t\r\f\u000b", 0, []]]],
  ["\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\^\\$\\\\", "", ".*+?()[]{}|/^$\\", [[".*+?()[]{}|/^$\\", 0, []]]],
  ["\\-\\_\\ \\@\\\"\\,", "", "-_ @\",", [["-_ @\",", 0, []]]],
  [".+", "", "a\rb\u2028c\u0085d", [["a", 0, []], ["b", 2, []], ["c\u0085d", 4, []]]],
  ["[a-c]+", "", "abcd", [["abc", 0, []]]],
  ["[\\w.-]+", "", "a.b-c d", [["a.b-c", 0, []], ["d", 6, []]]],
  ["[\\w-.]+", "", "a.b-c,", [["a.b-c", 0, []]]],
  ["[a-z-9]+", "", "b-9A", [["b-9", 0, []]]],
  ["[-a]+", "", "-a-b", [["-a-", 0, []]]],
  ["[+--]+", "", "+,-.", [["+,-", 0, []]]],
  ["[\\b]", "", "a\bc", [["\b", 1, []]]],
  ["[^a]", "", "a\né", [["\n", 1, []], ["é", 2, []]]],
  ["[.*^|?]", "", "a^", [["^", 1, []]]],
  ["[é-ü]", "", "eöz", [["ö", 1, []]]],
  ["k", "i", "kKK", [["k", 0, []], ["K", 1, []]]],
  ["[r-s]", "i", "RsSſ", [["R", 0, []], ["s", 1, []], ["S", 2, []]]],
  ["[^k]", "i", "KkK", [["K", 2, []]]],
  ["[Z-a]", "i", "zAb_", [["z", 0, []], ["A", 1, []], ["_", 3, []]]],
  ["\\x6b", "i", "K", [["K", 0, []]]],
  ["^b", "", "a\nb", []],
  ["a$", "", "a\n", []],
  ["\\bb\\b", "", "ab b é b", [["b", 3, []], ["b", 7, []]]],
  ["\\Bb", "", "ab b éb", [["b", 1, []]]],
  ["^.", "m", "a\nb\rc\u2028d\u2029e", [["a", 0, []], ["b", 2, []], ["c", 4, []], ["d", 6, []], ["e", 8, []]]],
  [".$", "m", "a\r\nb\u2029", [["a", 0, []], ["b", 3, []]]],
  ["^$\\r", "m", "a\r\rb", [["\r", 2, []]]],
  ["a$\r\n^b", "m", "a\r\nb", [["a\r\nb", 0, []]]],
  ["$[\\s\\S]^", "m", "a\rb\nc", [["\r", 1, []], ["\n", 3, []]]],
  ["^[^a]", "m", "a\u0001\r\u0002a\n\u0001", [["\u0002", 3, []], ["\u0001", 6, []]]],
  ["^\\B.", "m", "a\r-", [["-", 2, []]]],
  ["a|ab", "", "ab", [["a", 0, []]]],
  ["(a|ab)(c|bcd)(d*)", "", "abcd", [["abcd", 0, ["a", "bcd", ""]]]],
  ["a*?b", "", "aab", [["aab", 0, []]]],
  ["a{2,3}", "", "aaaaaa", [["aaa", 0, []], ["aaa", 3, []]]],
  ["a{2,3}?", "", "aaaaa", [["aa", 0, []], ["aa", 2, []]]],
  ["a{0}b", "", "ab", [["b", 1, []]]],
  ["xa{1}?", "", "xa", [["xa", 0, []]]],
  ["(?:a*b*)*c", "", "abbac", [["abbac", 0, []]]],
  ["(?:a|b?)+c", "", "bac", [["bac", 0, []]]],
  ["(?:a?){3}b", "", "aaaab", [["aaab", 1, []]]],
  ["(?:|a){2}b", "", "aab", [["aab", 0, []]]],
  ["(?:a*)+?b", "", "aab", [["aab", 0, []]]],
  ["(?:)b", "", "ab", [["b", 1, []]]],
  ["a(b)?c", "", "ac", [["ac", 0, [undefined]]]],
  ["(a)|(b)", "", "ba", [["b", 0, [undefined, "b"]], ["a", 1, ["a", undefined]]]],
  ["(a*)b", "", "b", [["b", 0, [""]]]],
  ["(\\d+)-(?:(\\d+)-)?(\\d+)", "", "1-2", [["1-2", 0, ["1", undefined, "2"]]]],
  ["(a){1}(b){0,1}", "", "a", [["a", 0, ["a", undefined]]]],
  ["((é)(b))", "", "xéb", [["éb", 1, ["éb", "é", "b"]]]],
  ["$", "", "abc", [["", 3, []]]],
  ["x*", "", "", [["", 0, []]]],
  ["\\s*$", "", "ab  ", [["  ", 2, []]]],
  ["a*", "", "aaa", [["aaa", 0, []]]],
];

const ENDLESS: readonly (readonly [source: string, flags: string, text: string])[] = [
  ["x*", "", "abc"],
  ["a*", "", "aab"],
  ["\\b", "", "abc"],
  ["a|", "", "ab"],
  ["a*?", "", "a"],
  ["^", "m", "a\nb"],
  ["$", "m", "a\r"],
  ["b|$", "m", "ab\nc"],
];

// biome-ignore format: a row a line reads best
const LIMITED: readonly (readonly [limit: number | undefined, first: readonly Found[], pieces: readonly string[], replaced: string])[] = [
  [0, [], [], "a-b-c"],
  [1, [["-", 1, []]], ["a"], "a+b-c"],
  [2, [["-", 1, []], ["-", 3, []]], ["a", "b"], "a+b+c"],
  [3, [["-", 1, []], ["-", 3, []]], ["a", "b", "c"], "a+b+c"],
  [undefined, [["-", 1, []], ["-", 3, []]], ["a", "b", "c"], "a+b+c"],
];

const SPLITS: readonly (readonly [source: string, text: string, pieces: readonly string[]])[] =
  [
    ["\\s*,\\s*", "a , b,c ", ["a", "b", "c "]],
    ["(\\d)", "a1b2", ["a", "b", ""]],
    ["z", "abc", ["abc"]],
    [",", "", [""]],
    [",", ",,", ["", "", ""]],
    ["é", "aébéc", ["a", "b", "c"]],
  ];

// biome-ignore format: a row a line reads best
const REPLACED: readonly (readonly [source: string, text: string, replacement: string, made: string])[] = [
  ["(\\d+)-(\\d+)", "1-2", "$2/$1", "2/1"],
  ["b", "abc", "$0$0", "abbc"],
  ["b", "abc", "$$", "a$c"],
  ["b", "abc", "$1", "ac"],
  ["(b)", "abc", "[$2]", "a[]c"],
  ["(b)", "abc", "$12", "ab2c"],
  ["(b)", "abc", "$01", "ab1c"],
  ["(b)", "abc", "\\1", "a\\1c"],
  ["(b)", "abc", "$", "a$c"],
  ["(b)", "abc", "$a$", "a$a$c"],
  ["(b)|(c)", "abc", "<$1$2>", "a<b><c>"],
  ["b", "abc", "$ 1", "a$ 1c"],
  ["b", "abc", "$-1", "a$-1c"],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$10$1", "ja"],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$11", "a1"],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$ 1", "a1"],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$+2", "b2"],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$-3", ""],
  ["(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$-0", "0"],
  ["é", "aéb", "<$0>", "a<é>b"],
  ["z", "abc", "$0", "abc"],
];

it.each(REFUSED)("refuses /%s/ where it leaves the grammar", (source, code, position) => {
  expect(codeOf(() => new Pattern(source))).toEqual([code, position]);
});

it.each(["é", "[^é]", "\\xe9", "[a-\\u00ff]", "a😀"])(
  "refuses /%s/ where case is ignored, since it goes beyond ASCII",
  (source) => {
    expect(codeOf(() => new Pattern(source))).toBeUndefined();
    expect(codeOf(() => new Pattern(source, { ignoreCase: true }))).toEqual([
      "not_in_profile",
      expect.any(Number),
    ]);
  },
);

it("names in a refusal what is wrong and the edit that mends it", () => {
  expect(() => new Pattern("(?<year>a)")).toThrow(
    expect.objectContaining({
      message: "The regular expression has a group with a name, (?<",
      hint: "Write a plain group, (...), and use its number.",
    }),
  );
});

it("repeats every digit of a count that is too high", () => {
  expect(() => new Pattern("a{99999999999999999999,1}")).toThrow(
    "a count from 99999999999999999999 to 1",
  );
});

it.each(["g", "ii", "imi", "im "])(
  "refuses the flags %j, which are i and m each once",
  (flags) => {
    expect(parseFlags("")).toEqual({ ignoreCase: false, multiline: false });
    expect(parseFlags("mi")).toEqual({ ignoreCase: true, multiline: true });
    expect(() => parseFlags(flags)).toThrow(PatternError);
  },
);

it.each(MATCHES)("matches /%s/%s in %j as ECMAScript does", (source, flags, text, expected) => {
  expect(found(source, flags, text)).toEqual(expected);
  expect(contains(text, pattern(source, flags))).toBe(expected.length > 0);
});

it.each(ENDLESS)(
  "fails where /%s/%s would match nothing in %j for ever",
  (source, flags, text) => {
    const one = pattern(source, flags);
    for (const use of [
      () => matches(text, one),
      () => matches(text, one, 1),
      () => split(text, one),
      () => replace(text, one, "-"),
    ]) {
      expect(codeOf(use)).toBe("evaluation_failed");
    }
    expect(contains(text, one)).toBe(true);
  },
);

it("takes characters beyond the first plane as single ones", () => {
  // The reference would see the halves of their surrogate pairs.
  expect(found(".", "", "😀é")).toEqual([
    ["😀", 0, []],
    ["é", 1, []],
  ]);
  expect(found("[😀-😂]+x", "", "a😁😀x")).toEqual([["😁😀x", 1, []]]);
  expect(found("(😀{2})(é)?", "", "a😀😀")).toEqual([["😀😀", 1, ["😀😀", undefined]]]);
  expect(found("\\B", "", "aé")).toEqual([["", 2, []]]);
  expect(split("😀,é,😀", pattern(","))).toEqual(["😀", "é", "😀"]);
  expect(found("^.$", "m", "😀\r😁")).toEqual([
    ["😀", 0, []],
    ["😁", 2, []],
  ]);
});

it("takes half of a surrogate pair in a text as a character", () => {
  expect(found("a.b", "", "a\ud83db")).toEqual([["a\ud83db", 0, []]]);
  expect(split("a\ud83d,\ude00", pattern(","))).toEqual(["a\ud83d", "\ude00"]);
  expect(replace("\ud83d,\ude00", pattern(","), "")).toBe("😀");
});

it.each(LIMITED)(
  "counts matches, pieces or replacements up to %s",
  (limit, first, pieces, made) => {
    expect(found("-", "", "a-b-c", limit)).toEqual(first);
    expect(split("a-b-c", pattern("-"), limit)).toEqual(pieces);
    expect(replace("a-b-c", pattern("-"), "+", limit)).toBe(made);
  },
);

it.each(SPLITS)(
  "splits at the matches of /%s/ without their groups",
  (source, text, pieces) => {
    expect(split(text, pattern(source))).toEqual(pieces);
  },
);

it.each(REPLACED)("replaces /%s/ in %j by %j", (source, text, replacement, made) => {
  expect(replace(text, pattern(source), replacement)).toBe(made);
});

it("asks a function for the replacement of each match before it seeks the next", () => {
  const seen: [string, number, number, readonly unknown[]][] = [];
  const bracketed = (match: Match): string => {
    seen.push([match.text, match.start, match.end, match.groups]);
    return `<${match.text}>`;
  };

  expect(codeOf(() => replace("éab", pattern("(a)|é|"), bracketed))).toBe("evaluation_failed");
  expect(seen).toEqual([
    ["é", 0, 1, [undefined]],
    ["a", 1, 2, ["a"]],
  ]);
  expect(replace("éab", pattern("(a)|é"), bracketed, 1)).toBe("<é>ab");
});

it("holds what it makes to the limits of lists and texts", () => {
  const many = "a,".repeat(MAX_LIST + 1);
  for (const attempt of [
    () => matches(many, pattern("a")),
    () => split(many, pattern(",")),
    () => replace("a".repeat(2048), pattern("a"), "$0".repeat(1024)),
    () => replace("a".repeat(MAX_TEXT), pattern("a+"), "$0$0"),
    () => replace("ab", pattern("b"), () => "é".repeat(MAX_TEXT / 2)),
  ]) {
    expect(codeOf(attempt)).toBe("expression_limit");
  }
  expect(split(",".repeat(MAX_LIST - 1), pattern(","))).toHaveLength(MAX_LIST);
});

let far = 272 + 32;
for (let rest = 1; rest < 80; rest += 1) far += 64 + rest * 3;

const STEPS: readonly (readonly [source: string, text: string, steps: number])[] = [
  // 32, and one for each character at each unit of weight; then 32 and the characters ahead;
  // and 32 for each match.
  ["a", "b".repeat(80), 32 + 80],
  ["[a-c]x", "b".repeat(80), 32 + 160],
  ["a", `bab${"b".repeat(77)}`, 32 + 80 + 32 + 33],
  ["ab", "ab".repeat(40), 32 + 160 + 39 * 36 + 40 * 32],
  ["\\s", "b".repeat(80), 32 + 240],
  ["a{100}", "b".repeat(80), 32 + 8000],
  // It may look far ahead: each search counts the rest of the text.
  ["a(?:.*b)?", "a".repeat(80), far],
  // What groups hold counts too.
  ["(b*)", "b".repeat(80), 32 + 80 + 10 + 32],
  // Lengths are code points.
  ["(😀*)", "😀".repeat(80), 32 + 80 + 10 + 32],
  // Too heavy to be kept compiled.
  ["(?:ab){1000}", "b".repeat(8), 32 + 16_000 + 64_000],
];

it.each(STEPS)("takes steps for the text and the pattern of /%s/", (source, text, steps) => {
  const budget = new Budget();
  matches(text, pattern(source), undefined, budget.charge);
  expect(budget.used).toBe(steps);
});

it.each([
  ["a(?:.*b)?", "a".repeat(100_000)],
  ['"[^"]*"|x', `"${"x".repeat(100_000)}`],
  ["(?:..)*?c", "xc".repeat(100_000)],
  ["([ab]*a[ab]{900})", "abaabbab".repeat(100_000)],
  ["(.*)a(.{500})b", "ab".repeat(100_000)],
])("runs out of steps where /%s/ would take long", (source, text) => {
  const { charge } = new Budget(2_000_000);
  expect(codeOf(() => matches(text, pattern(source), undefined, charge))).toBe(
    "expression_limit",
  );
});

it("takes no longer for nested repeats than for flat ones", () => {
  const budget = new Budget();
  const text = `${"a".repeat(5000)}b`;

  expect(contains(text, pattern("(?:a+)+$"), budget.charge)).toBe(false);
  expect(contains(text, pattern("^(?:a|a)*$"), budget.charge)).toBe(false);
  expect(budget.used).toBe(32 + 5001 + 32 + 10_002);
});

it("searches for a pattern of the largest size", () => {
  const nested = `${"(".repeat(127)}a${")".repeat(127)}`;

  expect(found(nested, "", "ba")).toEqual([["a", 1, new Array(127).fill("a")]]);
  expect(contains("é".repeat(3000), pattern("^(?:\\S\\S\\S){1000}$"))).toBe(true);
});

it("finds in a text of a megabyte what RE2 finds, whichever of its machines looks", () => {
  const text = `${"no luck 😀 here ".repeat(65_000)}Key-42 end`;

  expect(contains(text, pattern("key-\\d+ end$", "i"))).toBe(true);
  expect(found("([A-Z]\\w+)-(\\d+)", "", text)).toEqual([
    ["Key-42", 65_000 * 15, ["Key", "42"]],
  ]);
});
