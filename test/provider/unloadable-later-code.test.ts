import { ErrorCode } from '@openfeature/server-sdk';
import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';

vi.mock('../../src/provider/evaluate/evaluate-many.js', () => {
  throw Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' });
});

it('flags are resolved if the code that the first answer does not need is gone; the log and evaluateAll say so', async () => {
  const errors: unknown[] = [];
  const ignored = () => undefined;
  const provider = new FliptProvider({
    evaluation: 'in-process',
    watch: false,
    snapshot: { initial: { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] } },
    logger: {
      error: (line: unknown) => void errors.push(line),
      warn: ignored,
      info: ignored,
      debug: ignored,
    },
  });
  await provider.initialize();
  expect(await provider.resolveBooleanEvaluation('on', false, {})).toMatchObject({ value: true });
  await eventually(() => errors.length > 0);
  expect(errors).toEqual([
    expect.stringMatching(
      /^evaluateAll, evaluateEach, explain and the search .* its code cannot be loaded: /,
    ),
  ]);
  for (const ask of ['evaluateAll', 'evaluateEach', 'explain'] as const) {
    await expect(
      ask === 'explain' ? provider.explain('on') : provider[ask]({}, ['on']),
    ).rejects.toMatchObject({
      code: ErrorCode.GENERAL,
      message: expect.stringMatching(new RegExp(`^${ask}: its code cannot be loaded: `)) as string,
    });
  }
  await provider.onClose();
});
