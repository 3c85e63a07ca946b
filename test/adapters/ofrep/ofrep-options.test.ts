import { expect, it } from 'vitest';
import { ofrep as inExpress } from '../../../src/adapters/express/index.js';
import { ofrep } from '../../../src/adapters/ofrep/index.js';

const context = () => ({ targetingKey: 'user' });
const flags = ['flag'];
const KNOWN = 'context, flags, values, allow, domain, provider, push';

it.each<[unknown, string]>([
  [undefined, 'ofrep: options: expected an object of options, got undefined'],
  [{ flags }, 'ofrep: context: expected a function, got undefined'],
  [
    { context },
    'ofrep: flags: expected a list of flag keys or a function that says which flags the browser may see, got undefined',
  ],
  [
    { context, flags: '*' },
    'ofrep: flags: expected a list of flag keys or a function that says which flags the browser may see, got a string',
  ],
  [
    { context, flags, values: 'number' },
    "ofrep: values: expected 'key', 'typed' or a function that says which for a flag, got a string",
  ],
  [{ context, flags, allow: 'plan' }, 'ofrep: allow: expected a list of names of attributes, got a string'],
  [{ context, flags, allow: [1] }, 'ofrep: allow.0: expected a list of names of attributes, got 1'],
  [
    { context, flags, allow: ['plan', 'targetingKey'] },
    'ofrep: allow: expected names of attributes without targetingKey, which only context gives, got a list',
  ],
  [{ context, flags, domain: 7 }, 'ofrep: domain: expected a string, got 7'],
  [{ context, flags, provider: {} }, 'ofrep: provider: expected a FliptProvider, got an object'],
  [{ context, flags, push: 'on' }, 'ofrep: push: expected true, false or an object of options, got a string'],
  [{ context, flags, push: { maxStreams: 0 } }, 'ofrep: push.maxStreams: expected streams >= 1, got 0'],
  [
    { context, flags, push: { requestUri: '//elsewhere.test/' } },
    'ofrep: push.requestUri: expected a path that begins with one slash, got a string',
  ],
  [
    { context, flags, push: { requestUri: 'https://elsewhere.test/' } },
    'ofrep: push.requestUri: expected a path that begins with one slash, got a string',
  ],
  [
    { context, flags, push: { path: '/' } },
    'ofrep: push.path: unknown option, expected one of maxStreams, requestUri',
  ],
  [
    { context, flags, push: true, provider: { evaluateEach: () => undefined } },
    'ofrep: provider: expected a FliptProvider, because push needs its events, got an object without events',
  ],
  [{ context, flags, cors: true }, `ofrep: cors: unknown option, expected one of ${KNOWN}`],
])('refuses %o', (options, message) => {
  expect(() => ofrep(options as never)).toThrow(new TypeError(message));
  expect(() => inExpress(options as never)).toThrow(new TypeError(message));
});
