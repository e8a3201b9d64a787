/** Whether a bare word stands where only a text makes sense: then it lacks its quotes. */

import { trimmed } from "./blanks.js";
import { operandEnd, operandStart } from "./operands.js";
import type { Scope } from "./problems.js";
import type { Scan } from "./scan.js";

const EQUAL: ReadonlySet<string> = new Set(["=", "!=", "in"]);
const DEFAULT: ReadonlySet<string> = new Set(["?", "??", "?:", "|"]);

/**
 * Whether a word can be told to be a text.
 *
 * @param at - The index of the word.
 * @param first - The index of the first token of its path (`$.word`).
 */
export function isLiteral(scan: Scan, scope: Scope, at: number, first: number): boolean {
  if (trimmed(scan.text) !== "" && scan.tokens.length === at - first + 1) {
    const word = String(scan.token(at).value);
    const known = scope.hasItem || scope.closestId(word) !== undefined;
    return (scope.field === "bind" || scope.field === "output") && !known;
  }
  const before = scan.sign(first - 1);
  const after = scan.sign(at + 1);
  const held = scan.heldBy(at);
  const inObject = held === "object" || held === "group";
  if (after === ":" && (before === "{" || before === ",") && inObject) return true;
  if (EQUAL.has(before) && reads(scan, operandStart(scan, first - 2))) return true;
  if (EQUAL.has(after) && operandEnd(scan, at + 2) !== undefined && reads(scan, at + 2)) {
    return true;
  }
  if (scope.hasItem) return false;
  if (DEFAULT.has(before) || (before === ":" && !inObject)) return true;
  const alone = (before === "[" || before === ",") && (after === "]" || after === ",");
  return held === "list" && alone;
}

/** Whether an operand that starts at a token is more than a word or a literal. */
function reads(scan: Scan, at: number | undefined): boolean {
  if (at === undefined) return false;
  const { kind } = scan.token(at);
  if (kind === "variable") return true;
  return kind === "name" && (scan.isSign(at + 1, ".") || scan.isSign(at + 1, "("));
}
