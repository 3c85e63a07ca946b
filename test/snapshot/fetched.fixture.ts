import type { Reply, Send, ServiceRequest } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';
import { WholeSnapshots } from '../../src/snapshot/poll-cost.js';
import {
  snapshotFetcher,
  type ExpectedSnapshot,
  type FetchSnapshot,
} from '../../src/snapshot/fetch-snapshot.js';
import type { Clock } from '../../src/base/time/clock.js';

/** Makes a flag of the snapshot, which is on or off for everybody. */
export function flagJson(key: string, enabled = true): object {
  return { key, type: 'BOOLEAN_FLAG_TYPE', enabled };
}

/** Makes a snapshot's body with these flags. */
export function bodyJson(flags: Readonly<Record<string, boolean>>, more: object = {}): object {
  const list = Object.entries(flags).map(([key, enabled]) => flagJson(key, enabled));
  return { namespace: { key: 'default' }, flags: list, ...more };
}

export function reply(status: number, body: object | string = '', headers: Reply['headers'] = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  return {
    kind: 'reply',
    status,
    headers: { 'content-type': type, ...headers },
    text,
    ...(status === 200 && { bytes: Buffer.from(text) }),
    redact: (shown) => shown,
  };
}

export const refusedConnection: Failure = { kind: 'connection', message: 'connection refused' };

/** Fetches from a function that answers the requests, for a watch with the default interval. */
export function fetching(answer: Send, clock: Clock, expected?: ExpectedSnapshot) {
  const requests: ServiceRequest[] = [];
  const send: Send = (request) => {
    requests.push(request);
    return answer(request);
  };
  const settings = {
    url: 'http://flipt.test',
    namespace: 'default',
    environment: undefined,
    http: { timeoutMs: 500 },
    expected,
  };
  const { signal } = new AbortController();
  const bodies = new WholeSnapshots(clock);
  const fetch: FetchSnapshot = snapshotFetcher(send, settings, clock, signal, undefined, bodies);
  return { fetch, requests };
}
