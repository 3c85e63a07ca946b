import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { recordingLogger } from './open.fixture.js';

const loaded = vi.hoisted(() => ({ isLoaded: false }));
vi.mock('../../src/provider/start/after-start.js', async (original) => {
  loaded.isLoaded = true;
  return original();
});

it('a provider that is closed while it starts loads no code afterwards', async () => {
  const http = { dispatcher: { request: () => new Promise<never>(() => undefined) } };
  const provider = new FliptProvider({ http, watch: false, logger: recordingLogger() });
  const started = provider.initialize();
  await provider.onClose();
  await expect(started).rejects.toThrow('closed');
  await new Promise(setImmediate);
  expect(loaded.isLoaded).toBe(false);
  // As the counterproof.
  await new FliptProvider({ watch: false }).evaluateAll({}).catch(() => undefined);
  expect(loaded.isLoaded).toBe(true);
});
