import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { clientSettings } from '../../src/options/settings.js';
import { useUnhandledRejections } from '../unhandled-rejections.fixture.js';

const unhandledRejections = useUnhandledRejections();

describe('a logger', () => {
  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects, as an async method may', async () => Promise.reject(new Error('disk full'))],
    [
      'rejects in another realm',
      runInNewContext("() => Promise.reject(new Error('disk full'))") as () => void,
    ],
  ])('that %s harms nobody', async (_, log) => {
    const { logger } = clientSettings({ logger: { error: log, warn: log, info: log, debug: log } }, {});
    for (const level of ['error', 'warn', 'info', 'debug'] as const) logger[level]('a line');
    expect(await unhandledRejections()).toEqual([]);
  });
});
