import { watchFile, unwatchFile } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startLocalService } from 'openfeature-flipt-provider/local';

const FEATURES = process.env.FEATURES_FILE ?? fileURLToPath(new URL('features.yml', import.meta.url));
const LOOK_EVERY_MS = 250;

/** Flipt in this process, which can be stopped and started again at the same address. Reads features.yml when it changes. */
export async function startFlipt() {
  let service = await startLocalService({ features: FEATURES });
  const { url } = service;
  const listeners = new Set();
  // A switch stays as it was set when Flipt is stopped and started. An edit of the file wins.
  const switched = new Map();
  let problem;
  // A boolean flag gets its value whatever its rules say. `enabled` would only be the value without a matching rollout.
  const press = async (key, { value, enabled }) => {
    if (value === undefined) await service.setFlag('default', key, { enabled });
    else service.set(key, value);
  };
  const changed = (flags = false) => {
    for (const listener of listeners) listener({ flags });
  };

  const reload = async () => {
    try {
      await service?.load(FEATURES);
      service?.reset();
      switched.clear();
      problem = undefined;
    } catch (error) {
      // Flipt keeps its features. Each line of the message names the file.
      problem = error.message.replaceAll(`${FEATURES}: `, '');
    }
    changed(true);
  };
  // One press after another, because the next may come while Flipt stops or starts.
  let last = Promise.resolve();
  const inTurn = (task) => {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  };
  watchFile(FEATURES, { interval: LOOK_EVERY_MS, persistent: false }, reload);

  return {
    url,
    isRunning: () => service !== undefined,
    /** Why the edited features file cannot be read. */
    problem: () => problem,
    /** Calls the listener with `flags: true` if flags may have changed. */
    onChange: (listener) => listeners.add(listener),
    /** `to` is `{ value }` for a boolean flag, and `{ enabled }` for one with variants. */
    switchFlag: (key, to) =>
      inTurn(async () => {
        if (service === undefined) throw new Error('Flipt is stopped');
        await press(key, to);
        switched.set(key, to);
        changed(true);
      }),
    stop: () =>
      inTurn(async () => {
        const stopping = service;
        service = undefined;
        await stopping?.close();
        changed();
      }),
    start: () =>
      inTurn(async () => {
        if (service !== undefined) return;
        service = await startLocalService({ features: FEATURES, port: Number(new URL(url).port) });
        for (const [key, to] of switched) {
          // The flag may have been removed from the file meanwhile.
          await press(key, to).catch(() => switched.delete(key));
        }
        changed();
      }),
    close: () =>
      inTurn(async () => {
        unwatchFile(FEATURES, reload);
        await service?.close();
      }),
  };
}
