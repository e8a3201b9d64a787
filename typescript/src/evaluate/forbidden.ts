/** Names that no object which an expression makes may have for a key. */

/** The reference, or the language that runs it, means something of its own by these. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  "__proto__",
  "_jsonata_lambda",
  "_jsonata_function",
]);
