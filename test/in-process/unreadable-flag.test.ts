import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { open, recordingLogger, serving } from '../provider/open.fixture.js';
import { answering, answerJson, item, itemsOf, orMissing, type Script } from '../servers/scripted.fixture.js';

const MODES = ['remote', 'in-process'] as const;
const BANNER = { key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled: true };
const LIST = { key: 'list', type: 'LIST_FLAG_TYPE', enabled: true };
const SEMVER = {
  key: 'semver',
  rules: [{ segments: [{ key: 's', constraints: [{ type: 'SEMVER_CONSTRAINT_COMPARISON_TYPE' }] }] }],
};
const ANN = { targetingKey: 'ann', plan: 'pro' };
const CANNOT_READ =
  /^this version of the package cannot read the flag "list" \(type: expected a flag of a known type, got "LIST_FLAG_TYPE"\); /;

const evaluating = answering(
  orMissing(({ flagKey }) =>
    flagKey === 'banner' ? item.boolean('banner') : item.variant(flagKey, `${flagKey}-value`),
  ),
);
const failing: Script = (_, response) => {
  answerJson(response, { code: 14, message: 'no' }, 503);
};

/** A service of a newer version, whose evaluation and snapshot the test may change. */
async function newer(options: FliptProviderOptions, flags: readonly object[] = [BANNER, LIST, SEMVER]) {
  let evaluation = evaluating;
  const snapshots: Script = (_, response) => {
    answerJson(response, { namespace: { key: 'default' }, flags });
  };
  const server = await serving((request, response) => evaluation(request, response), snapshots);
  const logger = recordingLogger();
  const opened = await open({ url: server.url, logger, ...options });
  await eventually(() => opened.provider.getSnapshot() !== undefined);
  /** The keys of the flags in each batch, without health checks. */
  const asked = () =>
    server.requests
      .filter(({ method }) => method === 'POST')
      .map((request) => itemsOf(request).map(({ flagKey }) => flagKey))
      .filter(([first]) => first !== '');
  return {
    ...opened,
    logger,
    asked,
    server,
    fail: () => (evaluation = failing),
    serve: (next: readonly object[]) => {
      flags = next;
      return new Promise<readonly string[] | undefined>((resolve) => {
        opened.client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
          if (details?.flagsChanged?.length) resolve(details.flagsChanged);
        });
        opened.provider.invalidate([]);
      });
    },
  };
}

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
    const all = await provider.evaluateAll(ANN);
    const each = await provider.evaluateEach(ANN, (flagKey) => flagKey !== 'semver');

    expect(all).toMatchObject({
      banner: { value: true },
      list: { type: 'variant', value: 'list-value' },
      semver: { value: 'semver-value' },
    });
    expect([...each.keys()]).toEqual(['banner', 'list']);
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
      errorMessage: expect.stringMatching(/Flipt cannot be asked: .*"when"/) as string,
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

    expect(provider.getStatus().watch).toMatchObject({
      flags: 3,
      unreadable: {
        count: 2,
        flags: [
          { key: 'list', reason: 'type: expected a flag of a known type, got "LIST_FLAG_TYPE"' },
          { key: 'semver', reason: expect.stringContaining('"SEMVER_CONSTRAINT_COMPARISON_TYPE"') as string },
        ],
      },
    });
    const warnings = logger.warn.mock.calls.map(([line]) => String(line));
    expect(warnings).toEqual([expect.stringMatching(/cannot read: "list", "semver"; .*The first: type: /)]);
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

    expect(provider.getStatus().watch?.unreadable).toMatchObject({ count: 30 });
    expect(provider.getStatus().watch?.unreadable.flags).toHaveLength(20);
  });
});

it('offline, an unreadable flag has the default and PARSE_ERROR at once', async () => {
  const initial = { flags: [BANNER, LIST] };
  const logger = recordingLogger();
  const options = { evaluation: 'in-process', watch: false, snapshot: { initial }, logger } as const;
  const { client, provider } = await open(options);

  expect(logger.warn.mock.calls).toEqual([[expect.stringContaining('"list"; they have their defaults')]]);

  expect(await client.getStringDetails('list', 'none', ANN)).toMatchObject({
    value: 'none',
    errorCode: 'PARSE_ERROR',
    errorMessage: expect.stringMatching(CANNOT_READ) as string,
  });
  expect(await client.getBooleanValue('banner', false, ANN)).toBe(true);
  expect(Object.keys(await provider.evaluateAll(ANN))).toEqual(['banner']);
});
