/** Where an operand starts and ends in a row of tokens, and edits that move one. */

import { Edit } from "./problems.js";
import type { Scan } from "./scan.js";
import { CLOSING } from "./tokens.js";

const WILD: ReadonlySet<string> = new Set(["*", "**", "%"]);

/** The index of the last token of the path, call or literal that starts at an index. */
export function operandEnd(scan: Scan, start: number): number | undefined {
  const { tokens } = scan;
  let at = start;
  while (scan.isSign(at, "-") || scan.isSign(at, "!")) at += 1;
  while (at < tokens.length) {
    const token = scan.token(at);
    if (token.kind === "operator") {
      if (scan.opens.has(at)) at = scan.other(at);
      else if (!(token.prefix && WILD.has(token.sign))) return undefined;
    }
    while (scan.opens.has(at + 1) && !scan.token(at + 1).prefix) at = scan.other(at + 1);
    if (!scan.isSign(at + 1, ".")) return at;
    at += 2;
  }
  return undefined;
}

/** The index of the first token of the path, call or literal that ends at an index. */
export function operandStart(scan: Scan, end: number): number | undefined {
  let at = end;
  while (at >= 0) {
    const token = scan.token(at);
    if (token.kind === "operator") {
      if (CLOSING.has(token.sign)) {
        at = scan.other(at);
        if (!scan.token(at).prefix) {
          at -= 1;
          continue;
        }
        if (scan.opens.get(at) === "sort") {
          at -= 2;
          continue;
        }
      } else if (!(token.prefix && WILD.has(token.sign))) {
        return undefined;
      }
    }
    if (!scan.isSign(at - 1, ".")) return at;
    at -= 2;
  }
  return undefined;
}

/**
 * Turns the call whose name stands at a place into one of a listed function.
 *
 * `x.name(y)` becomes `$meant(x, y)`.
 */
export function callEdits(scan: Scan, position: number, meant: string): readonly Edit[] {
  const at = scan.indexOf(position);
  const name = scan.token(at);
  if (!scan.isSign(at - 1, ".")) return [new Edit(name.start, name.end, `$${meant}`)];
  const last = scan.partner.get(at + 1);
  const first = operandStart(scan, at - 2);
  if (last === undefined || first === undefined) return [];
  const start = scan.token(first).start;
  const between = last > at + 2 ? ", " : "";
  const call = new Edit(scan.token(at - 1).start, scan.token(at + 1).end, between);
  return [new Edit(start, start, `$${meant}(`), call];
}
