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
  // What was switched here outlasts a stop; what is written into the file wins.
  const switched = new Map();
  let problem;
  const changed = (flags = false) => {
    for (const listener of listeners) listener({ flags });
  };

  const reload = async () => {
    try {
      await service?.load(FEATURES);
      switched.clear();
      problem = undefined;
    } catch (error) {
      // It keeps what it has.
      problem = error.message;
    }
    changed(true);
  };
  watchFile(FEATURES, { interval: LOOK_EVERY_MS, persistent: false }, reload);

  return {
    url,
    isRunning: () => service !== undefined,
    /** Why the features file as it is now cannot be read. */
    problem: () => problem,
    /** Calls the listener with `flags: true` if flags may have changed. */
    onChange: (listener) => listeners.add(listener),
    async setFlag(key, enabled) {
      await service?.setFlag('default', key, { enabled });
      switched.set(key, enabled);
      changed(true);
    },
    async stop() {
      const stopping = service;
      service = undefined;
      await stopping?.close();
      changed();
    },
    async start() {
      if (service !== undefined) return;
      const next = await startLocalService({ features: FEATURES, port: Number(new URL(url).port) });
      for (const [key, enabled] of switched) await next.setFlag('default', key, { enabled });
      service = next;
      changed();
    },
    async close() {
      unwatchFile(FEATURES, reload);
      await service?.close();
    },
  };
}
