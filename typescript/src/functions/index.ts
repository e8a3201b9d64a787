/** The listed functions: the one table of what may be called, with what, and what it does. */

export { FUNCTIONS, type ListedFunction } from "./table.js";
