import type { Reply } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';

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
