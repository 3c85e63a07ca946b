import { ErrorCode } from '@openfeature/server-sdk';
import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';

vi.mock('../../src/engine/explain/explain.js', () => {
  throw Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' });
});

it('explain rejects with GENERAL if its code is gone, as after an update under a running process', async () => {
  const initial = { flags: [] };
  const provider = new FliptProvider({ evaluation: 'in-process', watch: false, snapshot: { initial } });
  await provider.initialize();
  await expect(provider.explain('a', {})).rejects.toMatchObject({
    code: ErrorCode.GENERAL,
    message: expect.stringMatching(/^explain: its code cannot be loaded: /) as string,
  });
  await provider.onClose();
});
