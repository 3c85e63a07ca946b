import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientSettings } from '../../src/options/settings.js';

const rejections: unknown[] = [];
const note = (reason: unknown) => rejections.push(reason);
beforeEach(() => {
  rejections.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
});

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
    // Node reports a rejection that nobody handles at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  });
});
