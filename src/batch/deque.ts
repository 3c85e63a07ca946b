/** So many places at the front may be empty before the list is copied without them. */
const FEW = 64;

/** A list that gives up its first and its last item at the same small cost, however long it is. */
export function deque<T>() {
  let items: (T | undefined)[] = [];
  let start = 0;

  return {
    size: () => items.length - start,
    push(item: T) {
      items.push(item);
    },
    first: () => items[start],
    last: () => items.at(-1),
    takeFirst: (): T | undefined => {
      if (start === items.length) return undefined;
      const item = items[start];
      // The item must not stay in memory until the next copy.
      items[start] = undefined;
      start++;
      // Only when half of the list is empty, so that each item is copied once on average.
      if (start > FEW && start * 2 > items.length) {
        items = items.slice(start);
        start = 0;
      }
      return item;
    },
    takeLast: () => (start === items.length ? undefined : items.pop()),
  };
}

export type Deque<T> = ReturnType<typeof deque<T>>;
