/** For tests of plans and tools: virtual time, tools made of data, and records of a run. */

export { VirtualClock } from "./clock.js";
export { callRow, Recorder, RecordingInvoker, type Row, timelineRow } from "./recording.js";
export {
  type Stub,
  type StubAnswer,
  StubToolError,
  StubTools,
  sameJson,
} from "./tools.js";
