/**
 * The JSONata library's parser, fed with our tokens: the one place that touches it.
 *
 * Only its grammar runs here. Each token goes in as a stand-in of one width, so that its
 * tokenizer, which compiles regular expressions and reads a `/` by what its parser is doing,
 * has nothing to tell; and what comes out is read back by the token that stands at a node's
 * position. Names, texts and numbers never reach the library.
 */

import jsonata from "jsonata";
import type { Common, Parsed, ParsedPair, ParsedVariable } from "./parsed.js";
import type { Scan } from "./scan.js";
import { Pattern, type Token } from "./tokens.js";

/** A text that is no JSONata. */
export class UnreadableError extends Error {
  /**
   * @param code - The library's code of the fault.
   * @param at - The index of the token where it shows; the number of tokens for the end.
   * @param wanted - What should stand there, where that is one thing.
   */
  constructor(
    readonly code: string,
    readonly at: number,
    readonly wanted?: string | undefined,
  ) {
    super(code);
    this.name = "UnreadableError";
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the library's tree has no types.
type Raw = any;

/** The width of a stand-in: that of the longest, and a space. */
const CELL = "function ".length;
const FALLBACKS: ReadonlySet<string> = new Set(["??", "?:"]);

/**
 * The library's tree of a text that was scanned without a fault.
 *
 * @throws UnreadableError if the text is no JSONata.
 */
export function parse(scan: Scan): Parsed {
  const { tokens } = scan;
  const text = tokens.map((token) => standIn(token).padEnd(CELL)).join("");
  let tree: Raw;
  try {
    tree = jsonata(text).ast();
  } catch (error) {
    throw unreadable(error);
  }
  return new Reader(scan).node(tree);
}

/** What the library's grammar treats as it treats a token, whatever its parser is doing. */
function standIn(token: Token): string {
  switch (token.kind) {
    case "variable":
      return "$";
    case "number":
      return "1";
    case "value":
      return "null";
    case "string":
    case "regex":
      // The grammar takes both in the same places, and this one ends everywhere alike.
      return '""';
    case "operator":
      // A `/` may open a regular expression, and `%` binds as it does.
      if (token.sign === "/") return "%";
      return FALLBACKS.has(token.sign) ? "?:" : token.sign;
    default:
      return token.value === "function" || token.value === "λ" ? "function" : "a";
  }
}

/** The index of the token behind which the library stood; the number of tokens at the end. */
function indexOf(position: number): number {
  return Math.floor(position / CELL);
}

function unreadable(error: Raw): unknown {
  if (error instanceof Error || typeof error?.code !== "string") return error;
  const wanted = error.code === "S0202" || error.code === "S0203" ? error.value : undefined;
  return new UnreadableError(error.code, indexOf(error.position), wanted);
}

/** Reads the library's tree back. */
class Reader {
  constructor(private readonly scan: Scan) {}

  node(n: Raw): Parsed {
    // The library's mark of a tail call; it is the call itself.
    if (n.type === "lambda" && n.thunk === true) return this.node(n.body);
    if (n.type === "path") return this.path(n);
    if (n.type === "binary" || n.type === "apply") return this.operations(n);
    if (this.isFallback(n)) return this.fallbacks(n);
    const token = this.token(n);
    const common = this.common(n);
    switch (n.type) {
      case "name":
      case "string":
        if (token.value instanceof Pattern) {
          return { type: "regex", value: token.value, ...common };
        }
        return { type: n.type, value: String(token.value), ...common };
      case "number":
        // The library negates a literal in place.
        return { type: "number", value: Number(token.value) * n.value, ...common };
      case "value":
        return { type: "value", value: literalOf(token), ...common };
      case "variable":
        return { type: "variable", value: String(token.value), ...common };
      case "wildcard":
      case "descendant":
        return { type: n.type, ...common };
      case "condition":
        return {
          type: "condition",
          test: this.node(n.condition),
          chosen: this.node(n.then),
          otherwise: n.else === undefined ? undefined : this.node(n.else),
          ...common,
        };
      case "unary":
        return this.unary(n, common);
      case "function":
        return {
          type: "function",
          procedure: this.node(n.procedure),
          arguments: this.every(n.arguments),
          ...common,
        };
      case "block": {
        const expressions = this.every(n.expressions);
        return { type: "block", expressions, consarray: n.consarray === true, ...common };
      }
      case "sort": {
        const terms = n.terms.map((term: Raw) => ({
          expression: this.node(term.expression),
          descending: term.descending === true,
        }));
        return { type: "sort", terms, ...common };
      }
      case "bind":
        return { type: "bind", lhs: this.variable(n.lhs), rhs: this.node(n.rhs), ...common };
      case "lambda": {
        const parameters = n.arguments.map((each: Raw) => this.variable(each));
        return { type: "lambda", arguments: parameters, body: this.node(n.body), ...common };
      }
      default:
        // Marks that only these are made of are refused before.
        throw new UnreadableError("S0206", indexOf(n.position));
    }
  }

  private path(n: Raw): Parsed {
    const steps = this.every(n.steps);
    return {
      type: "path",
      steps,
      keepSingletonArray: n.keepSingletonArray === true,
      position: steps[0]?.position ?? 0,
      ...this.after(n),
    };
  }

  /** Operations from the left; by calls a long sum would go deeper than there is room. */
  private operations(last: Raw): Parsed {
    const row: Raw[] = [];
    let first = last;
    while (first.type === "binary" || first.type === "apply") {
      row.push(first);
      first = first.lhs;
    }
    let lhs = this.node(first);
    for (const n of row.reverse()) {
      const rhs = this.node(n.rhs);
      const common = this.common(n);
      lhs =
        n.type === "apply"
          ? { type: "apply", lhs, rhs, ...common }
          : { type: "binary", value: this.token(n).sign, lhs, rhs, ...common };
    }
    return lhs;
  }

  /** Fallbacks from the right; of each the library keeps the left side twice. */
  private fallbacks(first: Raw): Parsed {
    const row: Raw[] = [];
    let last = first;
    while (this.isFallback(last)) {
      row.push(last);
      last = last.else;
    }
    let rhs = this.node(last);
    for (const n of row.reverse()) {
      const lhs = this.node(n.then);
      rhs = { type: "binary", value: this.token(n).sign, lhs, rhs, ...this.common(n) };
    }
    return rhs;
  }

  private isFallback(n: Raw): boolean {
    return n.type === "condition" && FALLBACKS.has(this.token(n).sign);
  }

  private unary(n: Raw, common: Common): Parsed {
    if (n.value === "[") {
      const expressions = this.every(n.expressions);
      return { type: "list", expressions, consarray: n.consarray === true, ...common };
    }
    if (n.value === "{") return { type: "object", pairs: this.pairs(n.lhs), ...common };
    return { type: "negation", expression: this.node(n.expression), ...common };
  }

  private variable(n: Raw): ParsedVariable {
    return { type: "variable", value: String(this.token(n).value), ...this.common(n) };
  }

  private token(n: Raw): Token {
    return this.scan.token(indexOf(n.position));
  }

  private common(n: Raw): Common {
    return { position: this.token(n).start, ...this.after(n) };
  }

  /** What any node may have behind it. */
  private after(n: Raw): Omit<Common, "position"> {
    return {
      predicate: n.predicate?.map((each: Raw) => this.node(each.expr)),
      stages: n.stages?.map((each: Raw) => this.node(each.expr)),
      group: n.group === undefined ? undefined : this.pairs(n.group.lhs),
      keepArray: n.keepArray === true,
    };
  }

  private every(nodes: readonly Raw[]): Parsed[] {
    return nodes.map((each) => this.node(each));
  }

  private pairs(pairs: readonly Raw[]): ParsedPair[] {
    return pairs.map(([key, value]) => [this.node(key), this.node(value)]);
  }
}

function literalOf(token: Token): boolean | null {
  return typeof token.value === "boolean" ? token.value : null;
}
