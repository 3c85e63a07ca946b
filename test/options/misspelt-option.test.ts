import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { clientSettings } from '../../src/options/settings.js';
import { settled } from './settled.fixture.js';

const client = { get: () => undefined, set: () => undefined };
const store = { load: () => undefined, save: () => undefined };

describe('an unknown option leads to the one that was probably meant', () => {
  it.each<[object, string]>([
    [{ cahce: {} }, 'cahce: unknown option; did you mean "cache"?'],
    [{ uri: 'x' }, 'uri: unknown option; did you mean "url"?'],
    [{ URL: 'x' }, 'URL: unknown option; did you mean "url"?'],
    [{ cache: { freshForMS: 1 } }, 'cache.freshForMS: unknown option; did you mean "freshForMs"?'],
    [{ auth: { tokn: 'dummy' } }, 'auth: unknown member; did you mean "token"?'],
    // An option of a group.
    [{ pollMs: 1 }, 'pollMs: unknown option; did you mean watch: { pollMs }?'],
    [{ pollMS: 1 }, 'pollMS: unknown option; did you mean watch: { pollMs }?'],
    [{ file: 'a' }, 'file: unknown option; did you mean snapshot: { file }?'],
    [{ ca: 'a' }, 'ca: unknown option; did you mean http: { tls: { ca } }?'],
    [{ http: { ca: 'a' } }, 'http.ca: unknown option; did you mean http: { tls: { ca } }?'],
    [{ maxBytes: 1 }, 'maxBytes: unknown option; did you mean cache: { maxBytes } or batch: { maxBytes }?'],
    [{ cache: { pollMs: 1 } }, 'cache.pollMs: unknown option; did you mean watch: { pollMs }?'],
    [
      { http: { deadlineMs: 1 } },
      'http.deadlineMs: unknown option; did you mean deadlineMs outside of http?',
    ],
    // What other clients call it.
    [{ apiKey: 'dummy' }, 'apiKey: unknown option; did you mean auth: { token } or auth: { jwt }?'],
    [{ clientToken: 'dummy' }, 'clientToken: unknown option; did you mean auth: { token } or auth: { jwt }?'],
    [{ baseUrl: 'x' }, 'baseUrl: unknown option; did you mean "url"?'],
    [{ timeout: 5 }, 'timeout: unknown option; did you mean http: { timeoutMs }?'],
    [{ fetch: 'x' }, 'fetch: unknown option; did you mean http: { dispatcher }?'],
    [{ http: { agent: {} } }, 'http.agent: unknown option; did you mean http: { dispatcher }?'],
    [
      { rejectUnauthorized: false },
      'rejectUnauthorized: unknown option; did you mean http: { tls: { ca } }?',
    ],
    [{ mode: 'x' }, "mode: unknown option; did you mean evaluation: 'in-process'?"],
    [
      { watch: { pollIntervalMs: 5 } },
      'watch.pollIntervalMs: unknown option; did you mean watch: { pollMs }?',
    ],
    // The beginning of a name, or more than it.
    [{ env: 'x' }, 'env: unknown option; did you mean "environment"?'],
    [{ namespaceKey: 'x' }, 'namespaceKey: unknown option; did you mean "namespace"?'],
    [{ streaming: true }, 'streaming: unknown option; did you mean watch: { stream }?'],
    [{ cache: { max: 5 } }, 'cache.max: unknown option; did you mean "maxEntries" or "maxBytes"?'],
    [{ updateInterval: 5 }, 'updateInterval: unknown option; did you mean watch: { pollMs }?'],
    // A snapshot, or what keeps it, in the wrong place.
    [{ snapshot: store }, 'snapshot.load: unknown option; did you mean snapshot: { store }?'],
    [{ snapshot: { flags: [] } }, 'snapshot.flags: unknown option; did you mean snapshot: { initial }?'],
    [
      { snapshot: client },
      "snapshot.get: unknown option; did you mean snapshot: { store: redisStore(client) }, from 'openfeature-flipt-provider/redis'?",
    ],
  ])('%j', (options, message) => {
    expect(() => settled(options as FliptProviderOptions)).toThrow(
      new TypeError(`FliptProvider: ${message}`),
    );
  });

  it.each<[object, RegExp]>([
    [{ snapshot: { initial: '{}' } }, /, got ".*"; did you mean JSON\.parse\(…\)\?$/],
    [{ snapshot: 'file.json' }, /, got "file\.json"; did you mean snapshot: \{ file \}\?$/],
    [
      { snapshot: { store: client } },
      /, got an object; did you mean snapshot: \{ store: redisStore\(client\) \}/,
    ],
    [{ snapshot: { store: () => store } }, /, got a function; did you mean snapshot: \{ store: redisStore/],
    [{ auth: 'dummy' }, /, got a string; did you mean auth: \{ token \} or auth: \{ jwt \}\?$/],
  ])('so does a value of the wrong kind: %j', (options, message) => {
    expect(() => settled(options as FliptProviderOptions)).toThrow(message);
  });

  it.each<[object, RegExp]>([
    [{ colour: 'red' }, /colour: unknown option, expected one of url, .*, tracking$/],
    [{ cache: { ttl: 5 } }, /cache\.ttl: unknown option, expected one of freshForMs, .*, maxBytes$/],
    [{ snapshot: { path: 'a' } }, /snapshot\.path: unknown option, expected one of file, store/],
  ])('if none is near, the message lists those of the group: %j', (options, message) => {
    expect(() => settled(options as FliptProviderOptions)).toThrow(message);
  });

  it('never to an option that the client does not have', () => {
    expect(() => clientSettings({ pollMs: 5 } as never)).toThrow(
      /pollMs: unknown option, expected one of url, auth, .*, logger$/,
    );
  });
});
