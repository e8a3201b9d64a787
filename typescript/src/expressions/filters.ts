/** Filters in templates, `{{ x | upper }}`, as the calls that they are here. */

const BLANK = "[ \\t\\r\\n]*";
const GIVEN = `("[^"\\\\]*"|'[^'\\\\]*'|[0-9]+)`;
const FILTER = new RegExp(
  `${BLANK}\\|${BLANK}([A-Za-z_]+)(?:\\(${BLANK}${GIVEN}${BLANK}\\))?${BLANK}`,
  "y",
);
const PATH = /\$?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*/y;
const DIGITS = /^[0-9]+$/;
const CALLS: ReadonlyMap<string, string> = new Map([
  ["upper", "uppercase"],
  ["upcase", "uppercase"],
  ["lower", "lowercase"],
  ["downcase", "lowercase"],
  ["tojson", "string"],
  ["json", "string"],
  ["string", "string"],
  ["sum", "sum"],
  ["abs", "abs"],
]);

/** A path with filters as an expression; undefined for all else, or an unknown filter. */
export function piped(content: string): string | undefined {
  PATH.lastIndex = 0;
  const path = PATH.exec(content);
  if (path === null) return undefined;
  let expression = path[0];
  let at = PATH.lastIndex;
  while (at < content.length) {
    FILTER.lastIndex = at;
    const found = FILTER.exec(content);
    if (found === null) return undefined;
    const [, name = "", given] = found;
    const call = CALLS.get(name);
    if (call !== undefined && given === undefined) {
      expression = `$${call}(${expression})`;
    } else if (name === "join" && given !== undefined && !DIGITS.test(given)) {
      expression = `$join(${expression}, ${given})`;
    } else if ((name === "default" || name === "d") && given !== undefined) {
      expression = `(${expression} ?? ${given})`;
    } else {
      return undefined;
    }
    at = FILTER.lastIndex;
  }
  return expression;
}
