/** A list that gives up its first and its last item at the same small cost, however long it is. */
export function deque<T>() {
  /** By their places. Those from `start` to `end`, without `end`, are taken. */
  const items = new Map<number, T>();
  let start = 0;
  let end = 0;

  return {
    size: () => items.size,
    push: (item: T) => void items.set(end++, item),
    first: () => items.get(start),
    last: () => items.get(end - 1),
    takeFirst: (): T | undefined => {
      const item = items.get(start);
      if (items.delete(start)) start++;
      return item;
    },
    takeLast: (): T | undefined => {
      const item = items.get(end - 1);
      if (items.delete(end - 1)) end--;
      return item;
    },
  };
}
