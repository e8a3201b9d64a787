/** What is handed from one who makes it to one who waits for it. */

/** What comes, in order, for one who waits for it. */
export class Queue<T> implements AsyncIterable<T> {
  private readonly waiting: T[] = [];
  private over = false;
  private wake: () => void = () => undefined;

  put(item: T): void {
    this.waiting.push(item);
    this.wake();
  }

  end(): void {
    this.over = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      yield* this.waiting.splice(0);
      if (this.waiting.length > 0) continue;
      if (this.over) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
