import type { HttpDispatcher } from '../../src/index.js';
import type { Clock } from '../../src/base/time/clock.js';
import { bodyJson } from '../../test/snapshot/fetched.fixture.js';
import { INFO_PATH, item, itemsOf, SNAPSHOT_PATH } from '../../test/servers/scripted.fixture.js';

/** Ten boolean flags, all on or all off. */
export const FLAGS = Array.from({ length: 10 }, (_, at) => `flag-${at}`);

export interface SimulatedService {
  readonly dispatcher: HttpDispatcher;
  /** Changes all flags. */
  readonly change: () => void;
  isDown: boolean;
  /** When each request came, and whether it fetched a whole snapshot. */
  readonly requests: { readonly at: number; readonly isWhole: boolean }[];
}

/**
 * A service that counts requests, and answers at once. Only whole snapshots take `wholeMs` each, one after another, as
 * in Flipt v1 with SQLite. It skips requests that the client has given up.
 */
export function simulatedService(clock: Clock, wholeMs = 0): SimulatedService {
  let state = 1;
  let made: Promise<void> = Promise.resolve();
  const passes = () => new Promise<void>((resolve) => clock.after(wholeMs, resolve));
  const service: SimulatedService = {
    isDown: false,
    requests: [],
    change() {
      state++;
    },
    dispatcher: {
      async request({ path, headers, body, signal }) {
        const etag = `state-${state}`;
        const isSnapshot = path.includes(SNAPSHOT_PATH);
        const isUnchanged = headers['if-none-match'] === etag;
        service.requests.push({ at: clock.now(), isWhole: isSnapshot && !isUnchanged && !service.isDown });
        if (service.isDown) throw new Error('connection refused');
        const isOn = state % 2 === 1;
        if (path === INFO_PATH) return response(200, { version: 'v1.61.1', isRelease: true });
        if (!isSnapshot) {
          const responses = itemsOf({ body: body ?? '' }).map(({ flagKey }) =>
            flagKey === '' ? item.missing('') : item.boolean(flagKey, isOn),
          );
          return response(200, { requestId: '', responses });
        }
        if (isUnchanged) return response(304, undefined, { etag });
        if (wholeMs > 0) {
          made = made.then(() => (signal.aborted ? undefined : passes()));
          await made;
        }
        const flags = Object.fromEntries(FLAGS.map((flag) => [flag, isOn]));
        return response(200, bodyJson(flags), { etag });
      },
    },
  };
  return service;
}

function response(statusCode: number, content: unknown, headers: Record<string, string> = {}) {
  const text = content === undefined ? '' : JSON.stringify(content);
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...headers },
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
