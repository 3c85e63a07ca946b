import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { recordingLogger } from './open.fixture.js';

const loading = vi.hoisted(() => ({ hasBegun: false, hasEnded: false }));
vi.mock('../../src/provider/start/later-code.js', async (original) => {
  loading.hasBegun = true;
  const code = await original<object>();
  loading.hasEnded = true;
  return code;
});

it('a provider that is closed while it starts loads no code after the close', async () => {
  const provider = new FliptProvider({
    http: { dispatcher: { request: () => new Promise(() => undefined) } },
    watch: false,
    logger: recordingLogger(),
  });
  expect(loading.hasBegun).toBe(false);
  const started = expect(provider.initialize()).rejects.toThrow('closed');
  await provider.onClose();
  expect(loading.hasEnded).toBe(true);
  await started;
});
