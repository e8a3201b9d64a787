/** What a schedule wants done outside. */

import type { Fault } from "./faults.js";
import type { Attempt, Call } from "./progress.js";

/** Begin this attempt; set its deadline before that, if the policy has one. */
export interface Start {
  readonly kind: "start";
  readonly attempt: Attempt;
}

/** Report `rested` for this call in so many seconds, by a timer even if they are 0. */
export interface Rest {
  readonly kind: "rest";
  readonly call: Call;
  readonly seconds: number;
}

/** Nobody waits for this attempt any more, for this reason: tell it to stop. */
export interface Stop {
  readonly kind: "stop";
  readonly attempt: Attempt;
  readonly reason: Fault;
}

/** Give the event loop a turn, then report `resumed`. */
export interface Turn {
  readonly kind: "turn";
}

/** What must happen outside. */
export type Action = Start | Rest | Stop | Turn;
