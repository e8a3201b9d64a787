/** Random numbers that a seed settles, the same each time. */
export class Dice {
  constructor(private state: number) {}

  /** A number from 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(likely: number): boolean {
    return this.next() < likely;
  }

  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  some<T>(items: readonly T[], likely: number): T[] {
    return items.filter(() => this.chance(likely));
  }

  shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => [this.next(), item] as const);
    return keyed.sort(([one], [other]) => one - other).map(([, item]) => item);
  }
}
