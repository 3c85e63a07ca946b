/** A list whose first and last items can be removed in constant time. */
export class Deque<T> {
  /** The items by their positions. The positions from `start` up to, but not including, `end` are in use. */
  private readonly items = new Map<number, T>();
  private start = 0;
  private end = 0;

  get size(): number {
    return this.items.size;
  }

  push(item: T): void {
    this.items.set(this.end++, item);
  }

  first(): T | undefined {
    return this.items.get(this.start);
  }

  last(): T | undefined {
    return this.items.get(this.end - 1);
  }

  takeFirst(): T | undefined {
    const item = this.first();
    if (this.items.delete(this.start)) this.start++;
    return item;
  }

  takeLast(): T | undefined {
    const item = this.last();
    if (this.items.delete(this.end - 1)) this.end--;
    return item;
  }
}
