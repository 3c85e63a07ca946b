import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.fixture.js';
import { open, recordingLogger, serving, temporaryFolder } from '../provider/open.fixture.js';
import { itemsOf } from '../servers/scripted.fixture.js';
import { patientWithStores } from './hurry.fixture.js';
import { ANN, BANNER, evaluating, LIST, newer, SEMVER } from './newer-flipt.fixture.js';

const MODES = ['remote', 'in-process'] as const;
const CANNOT_READ =
  /^this version of the package cannot read the flag "list" \(type: expected a flag of a known type, got "LIST_FLAG_TYPE"\); /;

describe('in-process, an unreadable flag', () => {
  it('is asked of the service in batches, with the context; no other flag is', async () => {
    const { client, asked, server } = await newer({ evaluation: 'in-process' });
    const values = await Promise.all([
      client.getStringValue('list', 'none', ANN),
      client.getStringValue('semver', 'none', ANN),
      client.getBooleanValue('banner', false, ANN),
    ]);

    expect(values).toEqual(['list-value', 'semver-value', true]);
    expect(asked()).toEqual([['list', 'semver']]);
    expect(itemsOf(server.requests.at(-1) ?? { body: '' })[0]).toMatchObject({
      entityId: 'ann',
      context: { plan: 'pro' },
    });
  });

  it('is part of evaluateAll, evaluateEach and prefetch', async () => {
    const { provider, asked } = await newer({ evaluation: 'in-process' });
    const waited = new Map<string, boolean>();
    const stop = provider.onEvent(
      (event) => {
        if (event.type === 'resolved') waited.set(event.flag, event.durationMs > 0);
      },
      ['resolved'],
    );
    const all = await provider.evaluateAll(ANN);
    stop();
    const each = await provider.evaluateEach(ANN, (flagKey) => flagKey !== 'semver');

    expect(all).toMatchObject({
      banner: { value: true },
      list: { type: 'variant', value: 'list-value' },
      semver: { value: 'semver-value' },
    });
    expect([...each.keys()]).toEqual(['banner', 'list']);
    expect(Object.fromEntries(waited)).toEqual({ banner: false, list: true, semver: true });
    expect(asked()).toEqual([['list', 'semver']]);

    await provider.prefetch(['banner', 'list'], { targetingKey: 'bob' });
    expect(asked().slice(1)).toEqual([['list']]);
  });

  it('spoils nothing if the context cannot be sent, although all others are evaluated', async () => {
    const { client, provider } = await newer({ evaluation: 'in-process' });
    const context = { ...ANN, when: new Date(NaN) };

    expect(await client.getStringDetails('list', 'none', context)).toMatchObject({
      value: 'none',
      errorCode: 'PARSE_ERROR',
      errorMessage: expect.stringMatching(/the provider cannot ask Flipt: .*"when"/) as string,
    });
    expect(Object.keys(await provider.evaluateAll(context))).toEqual(['banner']);
  });

  it('is forgotten by invalidate, which announces it', async () => {
    const { client, provider, asked } = await newer({ evaluation: 'in-process' });
    const announced: unknown[] = [];
    client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
      announced.push(details?.flagsChanged);
    });
    await client.getStringValue('list', 'none', ANN);
    provider.invalidate(['list']);
    provider.invalidate(['banner']);
    await client.getStringValue('list', 'none', ANN);

    expect(asked()).toEqual([['list'], ['list']]);
    expect(announced).toEqual([['list']]);
  });
});

describe.each(MODES)('%s, an unreadable flag', (evaluation) => {
  it('has its last known answer if the service does not answer, else the default and PARSE_ERROR', async () => {
    const { client, fail } = await newer({ evaluation, cache: { freshForMs: 0, staleForMs: 0 } });
    expect(await client.getStringValue('list', 'none', ANN)).toBe('list-value');
    fail();

    expect(await client.getStringDetails('list', 'none', ANN)).toMatchObject({
      value: 'list-value',
      reason: 'STALE',
    });
    expect(await client.getStringDetails('list', 'none', { targetingKey: 'bob' })).toMatchObject({
      value: 'none',
      errorCode: 'PARSE_ERROR',
      errorMessage: expect.stringMatching(CANNOT_READ) as string,
    });
    expect(await client.getBooleanValue('banner', false, ANN)).toBe(true);
  });

  it('is cached by age, because the snapshot cannot confirm it', async () => {
    const { client, asked } = await newer({ evaluation, cache: { freshForMs: 0, staleForMs: 0 } });
    for (const flag of ['list', 'banner', 'list', 'banner']) await client.getStringValue(flag, 'none', ANN);

    expect(asked()).toEqual(
      evaluation === 'remote' ? [['list'], ['banner'], ['list']] : [['list'], ['list']],
    );
  });

  it('is asked for again although the service does not know it any more, until a poll finds that it is gone', async () => {
    const cache = { freshForMs: 0, staleForMs: 0, negativeForMs: 0 };
    const { client, asked, serve, deleteAll } = await newer({ evaluation, cache });
    deleteAll();
    for (let time = 0; time < 2; time++) {
      expect(await client.getStringDetails('list', '', ANN)).toMatchObject({
        errorCode: 'PARSE_ERROR',
        errorMessage: expect.stringContaining('Flipt does not know the flag "list"') as string,
      });
    }
    expect(asked()).toEqual([['list'], ['list']]);

    expect(await serve([BANNER])).toEqual(['list', 'semver']);
    for (let time = 0; time < 2; time++) await client.getStringValue('list', '', ANN);
    expect(asked().slice(2)).toEqual(evaluation === 'remote' ? [['list']] : []);
  });

  it('is announced when it becomes readable, and when it is gone', async () => {
    const { client, asked, serve } = await newer({ evaluation });
    await client.getStringValue('list', 'none', ANN);

    expect(await serve([BANNER, { ...BANNER, key: 'list' }, SEMVER])).toEqual(['list']);
    if (evaluation === 'in-process') {
      expect(await client.getBooleanValue('list', false, ANN)).toBe(true);
      expect(asked()).toHaveLength(1);
    }
    expect(await serve([BANNER, SEMVER])).toEqual(['list']);
    if (evaluation === 'in-process') {
      expect(await client.getStringDetails('list', '', ANN)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
    }
    expect(await serve([BANNER, SEMVER, LIST])).toEqual(['list']);
    expect(await client.getStringValue('list', 'none', ANN)).toBe('list-value');
  });
});

describe('unreadable flags', () => {
  it.each(MODES)('are in one warning and in the status, %s', async (evaluation) => {
    const { provider, logger, serve } = await newer({ evaluation });
    await serve([BANNER, { ...LIST, enabled: false }, SEMVER]);

    await eventually(() => {
      expect(provider.getStatus().watch).toMatchObject({
        flags: 3,
        unreadable: {
          count: 2,
          flags: [
            { key: 'list', reason: 'type: expected a flag of a known type, got "LIST_FLAG_TYPE"' },
            {
              key: 'semver',
              reason: expect.stringContaining('"SEMVER_CONSTRAINT_COMPARISON_TYPE"') as string,
            },
          ],
        },
      });
    });
    const warnings = logger.warn.mock.calls.map(([line]) => String(line));
    expect(warnings).toEqual([
      expect.stringMatching(
        /cannot read these flags: "list", "semver"; .*The reason for the first one: type: /,
      ),
    ]);
  });

  it('are explained by the place, in both forms', async () => {
    const { provider } = await newer({ evaluation: 'in-process' });
    const reason = 'type: expected a flag of a known type, got "LIST_FLAG_TYPE"';

    expect(await provider.explain('list', ANN)).toEqual({
      namespace: 'default',
      flag: 'list',
      entity: 'ann',
      answer: { kind: 'unreadable', reason },
      decidedBy: { by: 'unreadable' },
      steps: [],
    });
  });

  it('beyond 20 are only counted', async () => {
    const flags = Array.from({ length: 30 }, (_, at) => ({ ...LIST, key: `list-${at}` }));
    const { provider } = await newer({ evaluation: 'in-process' }, [BANNER, ...flags]);

    // Flags are read in the background.
    await eventually(() => {
      expect(provider.getStatus().watch?.unreadable).toMatchObject({ count: 30 });
    });
    expect(provider.getStatus().watch?.unreadable.flags).toHaveLength(20);
  });
});

it('a saved snapshot holds an unreadable flag as Flipt wrote it, also after a start without Flipt', async () => {
  patientWithStores();
  const file = join(await temporaryFolder(), 'snapshot');
  const written = '{"key":"list","type":"LIST_FLAG_TYPE","newer":{"deep":[1.0,"\\u0061"]}}';
  const body = `{"namespace":{"key":"default"},"flags":[${JSON.stringify(BANNER)},\n${written}]}`;
  const server = await serving(evaluating, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const options = { url: server.url, snapshot: { file }, evaluation: 'in-process' } as const;
  const first = await open(options);
  await first.provider.onClose();
  await server.close();
  const second = await open(options);

  expect(await second.client.getBooleanValue('banner', false, ANN)).toBe(true);
  expect(await second.client.getStringDetails('list', 'none', ANN)).toMatchObject({
    errorCode: 'PARSE_ERROR',
    errorMessage: expect.stringMatching(CANNOT_READ) as string,
  });
  expect(await second.provider.getSnapshot()).toMatchObject({ flags: [BANNER, JSON.parse(written)] });
  await second.provider.onClose();
  expect(await readFile(file, 'utf8')).toContain(written);
});

it('offline, an unreadable flag has the default and PARSE_ERROR at once', async () => {
  const initial = { digest: '', flags: [BANNER, LIST] };
  const logger = recordingLogger();
  const options = { evaluation: 'in-process', watch: false, snapshot: { initial }, logger } as const;
  const { client, provider } = await open(options);

  expect(await client.getStringDetails('list', 'none', ANN)).toMatchObject({
    value: 'none',
    errorCode: 'PARSE_ERROR',
    errorMessage: expect.stringMatching(CANNOT_READ) as string,
  });
  expect(await client.getBooleanValue('banner', false, ANN)).toBe(true);
  expect(Object.keys(await provider.evaluateAll(ANN))).toEqual(['banner']);

  const warning = expect.stringContaining('"list"; calls get their defaults') as string;
  await eventually(() => logger.warn.mock.calls.length > 0);
  expect(logger.warn.mock.calls).toEqual([[warning]]);
});
