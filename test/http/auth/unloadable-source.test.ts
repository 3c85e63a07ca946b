import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { credentialsWith } from './credentials.fixture.js';

const TOKEN_FILE = '../../../src/http/auth/token-file.js';
vi.mock('../../../src/http/auth/token-file.js', () => {
  throw new Error('Cannot find module');
});

it('the failure says that the code of a source of credentials is gone; the next use loads it again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flipt-test-'));
  const path = join(folder, 'token');
  await writeFile(path, 'of-the-file');
  const credentials = credentialsWith({ tokenFile: path });
  const failure = {
    kind: 'credentials',
    message: expect.stringMatching(
      /^no credentials for Flipt: the code of the option auth cannot be loaded: /,
    ) as string,
  };
  expect(await credentials.current()).toMatchObject(failure);
  expect(await credentials.current()).toMatchObject(failure);
  vi.doUnmock(TOKEN_FILE);
  vi.resetModules();
  expect(await credentials.current()).toMatchObject({ headers: { authorization: 'Bearer of-the-file' } });
  await rm(folder, { recursive: true });
});
