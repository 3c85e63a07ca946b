import { expect, it, vi } from 'vitest';
import { credentialsWith } from './credentials.fixture.js';

vi.mock('../../../src/http/auth/token-file.js', () => {
  throw new Error('Cannot find module');
});

it('the failure says that the code of a source of credentials is gone', async () => {
  expect(await credentialsWith({ tokenFile: '/run/token' }).current()).toMatchObject({
    kind: 'credentials',
    message: expect.stringMatching(
      /^no credentials for Flipt: the code of the option auth cannot be loaded: /,
    ) as string,
  });
});
