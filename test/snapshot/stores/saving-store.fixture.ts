/**
 * Makes a store in memory for one instance. The store loads the last text that it has saved, and the test sees all
 * texts.
 */
export function savingStore() {
  const saved: string[] = [];
  const store = {
    load: () => Promise.resolve(saved.at(-1)),
    save: (text: string): Promise<void> => {
      saved.push(text);
      return Promise.resolve();
    },
  };
  return { store, saved };
}
