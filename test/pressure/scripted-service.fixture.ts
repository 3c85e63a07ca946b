import type { HttpDispatcher, HttpDispatcherResponse } from '../../src/options/http-dispatcher.js';
import type { Clock } from '../../src/base/time/clock.js';
import { item, itemsOf, type Item } from '../servers/scripted.fixture.js';

export interface Script {
  /** How many milliseconds an answer takes. The test may change it. */
  readonly latencyMs: number;
  /** How many requests are evaluated at the same time. The others wait, as in a service with that many workers. */
  readonly workers?: number;
  /** Decides what becomes of a batch: a status, a reset connection, or no answer at all. */
  readonly status?: (items: readonly Item[]) => number | 'reset' | 'silence';
}

/**
 * A service on the injected clock, behind a dispatcher. It has the same latency for each request, whatever the size.
 */
export interface ScriptedService {
  readonly dispatcher: HttpDispatcher;
  /** The questions of each request, in order. */
  readonly requests: readonly (readonly Item[])[];
  /** Returns the largest number of requests that were under way at once. */
  readonly mostAtOnce: () => number;
}

export function scriptedService(clock: Clock, script: Script): ScriptedService {
  const { workers = Infinity, status } = script;
  const requests: (readonly Item[])[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  let underWay = 0;
  let mostAtOnce = 0;

  /** This goes on with a request whose caller has given up, because a service does not notice that. */
  const work = async () => {
    if (busy >= workers) await new Promise<void>((start) => waiting.push(start));
    else busy++;
    await new Promise<void>((done) => {
      clock.after(script.latencyMs, done);
    });
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next();
  };

  return {
    requests,
    mostAtOnce: () => mostAtOnce,
    dispatcher: {
      async request({ body }) {
        const items = itemsOf({ body: body ?? '' });
        requests.push(items);
        underWay++;
        mostAtOnce = Math.max(mostAtOnce, underWay);
        await work();
        const becomes = status?.(items) ?? 200;
        if (becomes === 'silence') return new Promise(() => undefined);
        underWay--;
        if (becomes === 'reset') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        return replyTo(items, becomes);
      },
    },
  };
}

function replyTo(items: readonly Item[], statusCode: number): HttpDispatcherResponse {
  const answers = items.map(({ flagKey }) => (flagKey === '' ? item.missing('') : item.boolean(flagKey)));
  const body = statusCode === 200 ? { requestId: '', responses: answers } : { code: 2, message: 'broken' };
  return { statusCode, headers: { 'content-type': 'application/json' }, body: once(JSON.stringify(body)) };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
