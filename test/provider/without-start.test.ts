import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { recordingLogger } from './open.fixture.js';

it('a provider that resolves without a start knows that Flipt does not keep up', async () => {
  const provider = new FliptProvider({
    cache: false,
    batch: { maxItems: 1, maxConcurrent: 1, maxWaiting: 1 },
    http: { dispatcher: { request: () => new Promise(() => undefined) }, timeoutMs: 60_000 },
    deadlineMs: 60_000,
    watch: false,
    logger: recordingLogger(),
  });
  const resolves: Promise<unknown>[] = [];
  await eventually(() => {
    resolves.push(provider.resolveBooleanEvaluation(`flag-${resolves.length}`, false, {}));
    expect(provider.getStatus().overload.since).not.toBeNull();
  });
  await provider.onClose();
  await Promise.all(resolves);
});
