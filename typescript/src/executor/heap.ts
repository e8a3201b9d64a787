/** A queue that gives the smallest first. */

/**
 * A binary heap.
 *
 * @typeParam T - What it holds.
 */
export class Heap<T> {
  private readonly items: T[] = [];
  private readonly before: (one: T, other: T) => boolean;

  /** @param before - Whether one is to come out ahead of another; no two may be equal. */
  constructor(before: (one: T, other: T) => boolean) {
    this.before = before;
  }

  /** How many there are. */
  get size(): number {
    return this.items.length;
  }

  /** The smallest, which stays in; undefined if there is none. */
  get first(): T | undefined {
    return this.items[0];
  }

  /** Put one in. */
  push(item: T): void {
    const items = this.items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above] as T;
      if (!this.before(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  /** Take the smallest out; undefined if there is none. */
  pop(): T | undefined {
    const items = this.items;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.sink(last);
    return first;
  }

  /** Take everything out. */
  clear(): void {
    this.items.length = 0;
  }

  private sink(item: T): void {
    const items = this.items;
    const size = items.length;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && this.before(items[below + 1] as T, items[below] as T)) {
        below += 1;
      }
      const child = items[below] as T;
      if (!this.before(child, item)) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }
}
