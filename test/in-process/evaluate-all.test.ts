import { OpenFeature } from '@openfeature/server-sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import type { FliptProviderOptions } from '../../src/index.js';
import { PATIENCE_MS } from '../eventually.fixture.js';
import { heldBack, localService, open } from '../provider/open.fixture.js';
import { signal } from '../signal.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';

const offline = (options: FliptProviderOptions = {}) =>
  open({ evaluation: 'in-process', watch: false, snapshot: { initial: FEATURES }, ...options });

describe('evaluateAll', () => {
  const ALL = {
    banner: { type: 'boolean', value: true, variant: 'true', reason: 'DEFAULT' },
    colour: { type: 'variant', value: 'red', variant: 'red', reason: 'TARGETING_MATCH' },
  };

  it('gives every flag of the snapshot in plain JSON values', async () => {
    const { provider } = await offline();
    const flags = await provider.evaluateAll(PRO);
    expect(flags).toEqual(ALL);
    expect(Object.getPrototypeOf(flags)).toBeNull();
    expect(await provider.evaluateAll({ targetingKey: 'user-2' }, ['colour', 'missing'])).toEqual({
      colour: {
        type: 'variant',
        value: 'blue',
        variant: 'blue',
        attachment: { rgb: '00f' },
        reason: 'DEFAULT',
      },
    });
  });

  it('waits for the first snapshot, at once after the start', async () => {
    const service = await localService({ features: FEATURES });
    const { given: asked, give: goOn } = signal();
    const dispatcher = heldBack('/snapshot/', asked);
    const { provider } = await open({ url: service.url, http: { dispatcher }, deadlineMs: PATIENCE_MS });
    const all = provider.evaluateAll(PRO);
    const each = provider.evaluateEach(PRO, (key) => key === 'banner');
    goOn();
    expect(Object.keys(await all).sort()).toEqual(['banner', 'colour']);
    expect([...(await each).keys()]).toEqual(['banner']);
  });

  it('asks the service for named flags if there is no snapshot', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, watch: false });
    expect(await provider.evaluateAll(PRO, ['banner', 'colour', 'missing'])).toEqual(ALL);
    await expect(provider.evaluateAll(PRO)).rejects.toMatchObject({
      code: 'GENERAL',
      message: 'evaluateAll: there is no snapshot yet to take the flag keys from: pass flagKeys',
    });
  });

  it('lets other work run between 10,000 flags', async () => {
    const flags = Array.from({ length: 10_000 }, (_, flag) => ({
      key: `flag-${flag}`,
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: true,
    }));
    const { provider } = await offline({ snapshot: { initial: { flags } } });
    // Each look at the clock takes 0.1 ms, so that a fast machine shares turns as a slow one does.
    let nowMs = systemClock.now();
    const now = vi.spyOn(systemClock, 'now').mockImplementation(() => (nowMs += 0.1));
    onTestFinished(() => {
      now.mockRestore();
    });
    let turns = 0;
    let isCounting = true;
    const count = () => {
      turns++;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const keys = Object.keys(await provider.evaluateAll(PRO));
    expect(keys).toHaveLength(10_000);
    expect(turns).toBeGreaterThan(100);
    turns = 0;
    expect((await provider.evaluateEach(PRO, keys)).size).toBe(10_000);
    expect(turns).toBeGreaterThan(100);
    isCounting = false;
  });

  it.each(['', 'null', ' null', 'null\n'])(
    'takes %j for no attachment, as evaluateEach does',
    async (attachment) => {
      const defaultVariant = { id: '1', key: 'on', attachment };
      const flags = [{ key: 'plain', type: 'VARIANT_FLAG_TYPE', enabled: true, defaultVariant }];
      const { provider } = await offline({ snapshot: { initial: { flags } } });
      expect((await provider.evaluateAll(PRO)).plain).not.toHaveProperty('attachment');
      expect((await provider.evaluateEach(PRO, ['plain'])).get('plain')).not.toHaveProperty('attachment');
    },
  );

  it('lets other work run between large attachments', async () => {
    const attachment = JSON.stringify({ text: 'x'.repeat(500_000) });
    const flags = Array.from({ length: 20 }, (_, flag) => ({
      key: `flag-${flag}`,
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      defaultVariant: { id: '1', key: 'on', attachment },
    }));
    const { provider } = await offline({ snapshot: { initial: { digest: '', flags } } });
    // All flags are read.
    await provider.evaluateAll(PRO);
    let turns = 0;
    const parse = vi.spyOn(JSON, 'parse').mockImplementation(() => {
      const turn = turns;
      setImmediate(() => (turns = turn + 1));
      // Longer than work may keep a turn.
      for (const until = performance.now() + 3; performance.now() < until;);
      return turn;
    });
    onTestFinished(() => {
      parse.mockRestore();
    });
    const all = await provider.evaluateAll(PRO);
    expect(Object.values(all).map((flag) => flag.attachment)).toEqual(flags.map((_, at) => at));
  });

  it('writes an attribute as text once for 300 flags if the text is long', async () => {
    const flags = Array.from({ length: 300 }, (_, flag) => ({
      key: `flag-${flag}`,
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: true,
      rollouts: [
        {
          type: 'SEGMENT_ROLLOUT_TYPE',
          rank: 1,
          segment: {
            value: false,
            segments: [
              {
                key: 'many',
                matchType: 'ANY_SEGMENT_MATCH_TYPE',
                constraints: [
                  {
                    type: 'STRING_CONSTRAINT_COMPARISON_TYPE',
                    property: 'cart',
                    operator: 'suffix',
                    value: 'gold"}',
                  },
                ],
              },
            ],
          },
        },
      ],
    }));
    const { provider } = await offline({ snapshot: { initial: { digest: '', flags } } });
    const toJSON = vi.fn(() => ({ item: `${' '.repeat(60_000)}gold` }));
    const all = await provider.evaluateAll({ targetingKey: 'u', cart: { toJSON } as never });
    expect(Object.values(all).filter(({ value }) => value === false)).toHaveLength(300);
    expect(toJSON).toHaveBeenCalledTimes(1);
  });

  it('rejects with a code of OpenFeature if nothing can be evaluated', async () => {
    const { provider } = await offline({ targetingKey: 'required' });
    await expect(provider.evaluateAll({})).rejects.toMatchObject({ code: 'TARGETING_KEY_MISSING' });
    await expect(provider.evaluateAll(PRO, 'banner' as never)).rejects.toThrow(
      new TypeError('evaluateAll: expected a list of flag keys, got a string'),
    );
    await OpenFeature.clearProviders();
    await expect(provider.evaluateAll(PRO, ['banner'])).rejects.toMatchObject({ code: 'PROVIDER_NOT_READY' });
    await expect(provider.evaluateAll(PRO)).rejects.toMatchObject({ code: 'PROVIDER_NOT_READY' });
  });
});
