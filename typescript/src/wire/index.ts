/** What a plan is read from: one plain JSON value, the same in every language. */

export { checkJson, readPlan, type Wire } from "./read.js";
