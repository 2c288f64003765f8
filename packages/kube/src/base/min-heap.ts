/** A priority queue: the smallest item first. */
export class MinHeap<T> {
  readonly #items: T[] = [];
  readonly #isLess: (a: T, b: T) => boolean;

  constructor(isLess: (a: T, b: T) => boolean) {
    this.#isLess = isLess;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex];
      if (parent === undefined || !this.#isLess(item, parent)) break;
      items[index] = parent;
      index = parentIndex;
    }
    items[index] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items.length = 0;
  }

  /** Puts an item in at the top and lets it sink to its place. */
  #sink(item: T): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      const leftIndex = 2 * index + 1;
      const left = items[leftIndex];
      if (left === undefined) break;
      const right = items[leftIndex + 1];
      const useRight = right !== undefined && this.#isLess(right, left);
      const child = useRight ? right : left;
      if (!this.#isLess(child, item)) break;
      items[index] = child;
      index = useRight ? leftIndex + 1 : leftIndex;
    }
    items[index] = item;
  }
}
