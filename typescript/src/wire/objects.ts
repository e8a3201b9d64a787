/** Members of objects by name, where a name may be one that every object inherits. */

import { type Members, toJsonText } from "../values/index.js";

/** An object's own member, else undefined. */
export function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Sets a member whatever its name: `__proto__` would otherwise change what is inherited. */
export function put(members: Members, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(members, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    members[name] = value;
  }
}

/** The JSON of an object whose members stand in a certain order, whatever their names. */
export function objectText(members: ReadonlyMap<string, string>): string {
  const written = Array.from(members, ([name, text]) => `${toJsonText(name)}:${text}`);
  return `{${written.join(",")}}`;
}
