/**
 * JSON as the protocol of the conformance suite carries it: with whole numbers of any length
 * and with a minus zero, both of which `JSON.parse` and `JSON.stringify` lose.
 */

// In a text that JSON.parse reads a long integer stands as a string that begins so; and in one
// that JSON.stringify wrote, what is to stand without its quotes.
const MARK = "\u{10fffe}number:";
const MARKED = new RegExp(`"${MARK}([-+.e0-9]+)"`, "g");
const LONG = /[0-9]{16}/;
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
const INTEGER = /^-?[0-9]{16,}$/;

/**
 * The value of a JSON text; an integer beyond ±(2^53−1) is a bigint.
 *
 * @throws SyntaxError if it is no JSON.
 */
export function readJson(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK)
      ? BigInt(value.slice(MARK.length))
      : value,
  );
}

/**
 * A value as JSON text on one line: a bigint with all its digits, a minus zero as `-0`, a
 * large double as one.
 *
 * @throws TypeError if something in it is no JSON.
 */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === "bigint") return `${MARK}${member}`;
    if (Object.is(member, -0)) return `${MARK}-0`;
    // Written as an integer it would be read with other digits than the double has.
    if (Number.isInteger(member) && !Number.isSafeInteger(member)) {
      return `${MARK}${(member as number).toExponential()}`;
    }
    const odd =
      member === undefined ||
      typeof member === "function" ||
      (typeof member === "number" && !Number.isFinite(member));
    if (odd) throw new TypeError(`${String(member)} at ${JSON.stringify(key)} is not JSON`);
    return member;
  });
  return text.replace(MARKED, "$1");
}
