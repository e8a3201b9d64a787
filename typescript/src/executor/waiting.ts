/**
 * Work that is done at once unless it has to wait for an expression in a host's own language.
 *
 * The engine's own language is evaluated at once, so the order of a run is settled without
 * waiting. A host's may give promises, and then all that follows from an event waits with it.
 */

/** Work under way: it yields each promise that it waits for, and returns what it gives. */
export type Work<T> = Generator<PromiseLike<unknown>, T, unknown>;

/**
 * Do the work: what it gives, or a promise of that if there is something to wait for.
 *
 * @param work - The work.
 * @param limit - Asked for if there is: what it rejects with ends the wait for any promise.
 */
export function done<T>(work: Work<T>, limit?: () => Promise<never>): T | Promise<T> {
  const step = work.next();
  return step.done ? step.value : carriedOn(work, step.value, limit?.());
}

async function carriedOn<T>(
  work: Work<T>,
  first: PromiseLike<unknown>,
  limit: Promise<never> | undefined,
): Promise<T> {
  let waitedFor = first;
  for (;;) {
    const settling = limit === undefined ? waitedFor : Promise.race([waitedFor, limit]);
    const resume = await settling.then(
      (value) => () => work.next(value),
      (error: unknown) => () => work.throw(error),
    );
    const step = resume();
    if (step.done) return step.value;
    waitedFor = step.value;
  }
}

/** The value itself, waited for if it is a promise. */
export function* waited<T>(value: T | PromiseLike<T>): Work<T> {
  return isPromise(value) ? ((yield value) as T) : value;
}

/** Whether something has to be waited for. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}
