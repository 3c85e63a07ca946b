import { describe, expect, it } from 'vitest';
import type { FliptEvent, FliptProviderOptions } from '../../../src/index.js';
import { eventually } from '../../eventually.fixture.js';
import { answering, answerJson, item } from '../../servers/scripted.fixture.js';
import { flipt, register, serving } from '../open.fixture.js';

const USER = { targetingKey: 'user-1' };

/** A service without any of the flags that are asked for, whose snapshot comes when the test says so. */
async function withLateSnapshot(options: FliptProviderOptions, flags: readonly string[] = ['banner']) {
  let serve: () => void = () => undefined;
  const served = new Promise<void>((resolve) => {
    serve = resolve;
  });
  const list = flags.map((key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: true }));
  const server = await serving(
    answering(({ flagKey }) => item.missing(flagKey)),
    async (_, response) => {
      await served;
      answerJson(response, { namespace: { key: 'default' }, flags: list });
    },
  );
  const provider = flipt({ url: server.url, ...options });
  const suggested: FliptEvent[] = [];
  provider.onEvent((event) => suggested.push(event), ['flag-key-suspect']);
  register(provider);
  const ask = async (flagKey: string) => {
    const { errorCode } = await provider.resolveBooleanEvaluation(flagKey, false, USER);
    expect(errorCode).toBe('FLAG_NOT_FOUND');
  };
  return { provider, suggested, ask, serve };
}

const MODES: readonly (readonly [string, FliptProviderOptions])[] = [
  ['in remote mode', {}],
  ['in remote mode without a cache', { cache: false }],
  ['in-process', { evaluation: 'in-process' }],
];

describe('a misspelt key that is asked for once, before the first snapshot', () => {
  it.each(MODES)('is warned of when the snapshot comes, %s', async (_, options) => {
    const { suggested, ask, serve } = await withLateSnapshot(options);
    await ask('baner');
    await ask('something-else');
    expect(suggested).toEqual([]);
    serve();
    await eventually(() => {
      expect(suggested).toEqual([{ type: 'flag-key-suspect', flag: 'baner', like: 'banner' }]);
    });
  });

  it('is not warned of if the flag has been created meanwhile', async () => {
    const { suggested, ask, serve } = await withLateSnapshot({}, ['banner', 'banner2', 'footer']);
    await ask('banner2');
    await ask('footr');
    serve();
    await eventually(() => {
      expect(suggested).toEqual([{ type: 'flag-key-suspect', flag: 'footr', like: 'footer' }]);
    });
  });

  it('is remembered with 19 others at most', async () => {
    const { suggested, ask, serve } = await withLateSnapshot({}, ['banner', 'footer']);
    for (let at = 0; at < 20; at++) await ask(`of-another-provider-${at}`);
    await ask('baner');
    serve();
    await eventually(async () => {
      await ask('footr');
      expect(suggested).toEqual([{ type: 'flag-key-suspect', flag: 'footr', like: 'footer' }]);
    });
  });
});
