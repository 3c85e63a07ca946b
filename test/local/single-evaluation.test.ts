import { describe, expect, it } from 'vitest';
import { ask } from './requests.fixture.js';
import { useServices } from './running.fixture.js';

const start = useServices();
const features = {
  flags: [
    { key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'color', enabled: true, variants: [{ key: 'green', default: true, attachment: { hex: '0f0' } }] },
  ],
} as const;
const BOOLEAN = 'POST /evaluate/v1/boolean';
const VARIANT = 'POST /evaluate/v1/variant';

/** What 1.61.1 and 2.11.0 answered to the same requests, but for times and ids. */
describe('a single evaluation', () => {
  it('is answered as an item of a batch is', async () => {
    const { url } = await start({ features });
    const boolean = await ask(url, BOOLEAN, { body: { flagKey: 'on', entityId: 'ada' } });
    expect(boolean).toMatchObject({
      status: 200,
      body: { enabled: true, reason: 'DEFAULT_EVALUATION_REASON', flagKey: 'on', segmentKeys: [] },
    });
    expect(boolean.body.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const asked = { flagKey: 'color', entityId: 'ada', requestId: 'mine', context: { plan: 'pro' } };
    expect(await ask(url, VARIANT, { body: asked })).toMatchObject({
      status: 200,
      body: {
        match: false,
        reason: 'DEFAULT_EVALUATION_REASON',
        variantKey: 'green',
        variantAttachment: '{"hex":"0f0"}',
        requestId: 'mine',
      },
    });
  });

  it.each([
    [BOOLEAN, { flagKey: 'color' }, 400, { code: 3, message: 'flag type VARIANT_FLAG_TYPE invalid' }],
    [VARIANT, { flagKey: 'on' }, 400, { code: 3, message: 'flag type BOOLEAN_FLAG_TYPE invalid' }],
    [VARIANT, { flagKey: 'gone' }, 404, { code: 5, message: 'flag "default/gone" not found' }],
    [BOOLEAN, {}, 404, { code: 5, message: 'flag "default" not found' }],
    [BOOLEAN, { flagKey: 'x', namespaceKey: 'gone' }, 404, { code: 5, message: 'flag "gone/x" not found' }],
    [VARIANT, { flagKey: 5 }, 400, { code: 3 }],
  ])('%s with %j is a %i', async (where, body, status, answer) => {
    const { url } = await start({ features });
    expect(await ask(url, where, { body })).toMatchObject({ status, body: answer });
  });

  it('wants a token that may use its namespace, where tokens are required', async () => {
    const { url } = await start({ features, bootstrapToken: 'first-token' });
    const body = { name: 'one namespace', namespaceKey: 'default' };
    const made = await ask(url, 'POST /auth/v1/method/token', { token: 'first-token', body });
    const token = String(made.body.clientToken);
    const statusOf = async (namespaceKey: string, sent?: string) =>
      (await ask(url, BOOLEAN, { token: sent, body: { flagKey: 'on', namespaceKey } })).status;
    expect(await statusOf('default')).toBe(401);
    expect(await statusOf('default', token)).toBe(200);
    expect(await statusOf('other', token)).toBe(401);
  });
});
