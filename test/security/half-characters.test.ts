import { describe, expect, it } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { startLocalService } from '../../src/local/index.js';
import { localService, open } from '../provider/open.fixture.js';
import { useUnhandledRejections } from '../unhandled-rejections.fixture.js';

/* `'tenant-😀'.slice(0, 8)` ends in half an emoji, for which `encodeURIComponent` throws a URIError. */

const HALF = 'tenant-😀'.slice(0, 8);
const unhandled = useUnhandledRejections();

const OPTIONS: readonly (readonly [option: string, options: FliptProviderOptions])[] = [
  ['namespace', { namespace: HALF }],
  ['environment', { environment: HALF }],
  ['reference', { reference: HALF }],
  ['url', { url: `http://localhost:1/${HALF}` }],
  ['headers.x-tenant', { headers: { 'x-tenant': HALF } }],
  ['auth.token', { auth: { token: HALF } }],
  ['auth.tokenFile', { auth: { tokenFile: HALF } }],
  ['http.socketPath', { http: { socketPath: HALF } }],
  ['http.tls.servername', { http: { tls: { servername: HALF } } }],
  ['snapshot.file', { snapshot: { file: HALF } }],
];

it.each(OPTIONS)('the option %s with half a character is refused', (option, options) => {
  expect(() => new FliptProvider(options)).toThrow(TypeError);
  expect(() => new FliptProvider(options)).toThrow(`FliptProvider: ${option}: expected `);
});

it('the message names the option, what it needs, and what was given', () => {
  expect(() => new FliptProvider({ namespace: HALF })).toThrow(
    'FliptProvider: namespace: expected the key of a namespace in well-formed Unicode, got a string',
  );
});

it('the embedded service refuses a file whose path has half a character', async () => {
  await expect(startLocalService({ features: { flags: [] }, data: HALF })).rejects.toThrow(
    'startLocalService: data: expected the path of a file in well-formed Unicode',
  );
});

it('the client refuses half a character in a path, and sends nothing', async () => {
  const client = new FliptClient({ url: 'http://localhost:1' });
  const refused = new TypeError('namespace: expected well-formed Unicode, got a lone surrogate');
  await expect(client.segments.list(HALF)).rejects.toThrow(refused);
  await client.close();
});

describe.each(['remote', 'in-process'] as const)('%s', (evaluation) => {
  it('a flag key with half a character is a flag that does not exist', async () => {
    const service = await localService({
      features: { flags: [{ key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
    });
    const { provider, client } = await open({ url: service.url, evaluation });
    const user = { targetingKey: HALF, [HALF]: HALF };

    expect(await client.getBooleanDetails(HALF, true, user)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    await provider.prefetch([HALF], user);
    provider.invalidate([HALF]);
    expect(await provider.evaluateAll(user, [HALF, 'on'])).toMatchObject({ on: { value: true } });
    expect(await provider.explain(HALF, user)).toMatchObject({ answer: { kind: 'missing' } });
    expect(await unhandled()).toEqual([]);
  });
});
