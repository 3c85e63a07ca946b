/** A store in memory of one instance. It loads the last text that it has saved, and the test sees all of them. */
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
