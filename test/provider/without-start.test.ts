import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { recordingLogger } from './open.fixture.js';

it('a provider that resolves without a start says that the service does not keep up', async () => {
  const logger = recordingLogger();
  const provider = new FliptProvider({
    cache: false,
    batch: { maxItems: 1, maxConcurrent: 1, maxWaiting: 1 },
    http: { dispatcher: { request: () => new Promise(() => undefined) }, timeoutMs: 60_000 },
    deadlineMs: 60_000,
    watch: false,
    logger,
  });
  const resolves: Promise<unknown>[] = [];
  await eventually(() => {
    resolves.push(provider.resolveBooleanEvaluation(`flag-${resolves.length}`, false, {}));
    expect(provider.getStatus().overload.since).not.toBeNull();
  });
  expect(logger.warn.mock.calls).toEqual([[expect.stringMatching(/^Flipt does not keep up/)]]);
  await provider.onClose();
  await Promise.all(resolves);
});
