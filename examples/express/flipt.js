import { watchFile, unwatchFile } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startLocalService } from 'openfeature-flipt-provider/local';

const FEATURES = process.env.FEATURES_FILE ?? fileURLToPath(new URL('features.yml', import.meta.url));
const LOOK_EVERY_MS = 250;

/**
 * Runs a stand-in for Flipt in this process. The page can stop it and start it again at the same address, and it
 * reloads features.yml when the file changes.
 */
export async function startFlipt() {
  let service = await startLocalService({ features: FEATURES });
  const { url } = service;
  const listeners = new Set();
  // The page's switches stay as they are when Flipt is stopped and started. An edit of the file overrides them.
  const switched = new Map();
  let problem;
  // A boolean flag gets this value whatever its rules say. `enabled` would be its value only where no rollout matches.
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
      // Flipt keeps its old features. Each line of the message names the file, which the page need not repeat.
      problem = error.message.replaceAll(`${FEATURES}:`, 'line ');
    }
    changed(true);
  };
  // Presses are handled one after another, because the next one may come while Flipt stops or starts.
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
    /** Why the edited features file cannot be used. */
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
          // Somebody may have removed the flag from the file meanwhile.
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
