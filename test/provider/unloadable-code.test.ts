import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';

const { gone } = vi.hoisted(() => ({
  gone: () => {
    throw Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
}));
vi.mock('../../src/snapshot/snapshot-source.js', gone);

it('says as an error that snapshots are not there because of their code, not because of Flipt', async () => {
  const lines: string[] = [];
  const note = (line: unknown) => void lines.push(String(line));
  const provider = new FliptProvider({
    evaluation: 'in-process',
    watch: false,
    snapshot: { initial: { flags: [] } },
    logger: { error: note, warn: note, info: note, debug: () => undefined },
  });
  const why = /the code for snapshots cannot be loaded: /;
  await expect(provider.initialize()).rejects.toThrow(why);
  expect(lines).toEqual([
    expect.stringMatching(/^Flipt's changes are not watched; answers expire by age: the code for/),
  ]);
  await provider.onClose();
});
