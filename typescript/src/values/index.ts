/** Plain JSON coming in and going out, and the difference between nothing and null. */

export { isNumber, type Numeric, numberToText } from "./doubles.js";
export { type IntegerMode, ingest, ValueFault } from "./intake.js";
export {
  copyOut,
  isContainer,
  isObject,
  isWellFormed,
  jsonSize,
  jsonString,
  type Members,
  NOTHING,
  Opaque,
  toJsonText,
} from "./plain.js";
export { codePoints, utf8Size } from "./utf8.js";
