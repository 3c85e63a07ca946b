import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { node, served, type Ended, type Running } from './running.fixture.js';

const MAIN = 'examples/express/main.js';

// Waits for three seconds while the first tests run. The last test looks at the outcome.
let unanswered: Promise<Ended>;
beforeAll(async () => {
  const nowhere = await startLocalService({ features: { flags: [] } });
  await nowhere.close();
  unanswered = node([MAIN, '--once'], { FLIPT_URL: nowhere.url }).ended;
});

it('prints the table of flags, resolved with one request, and ends', async () => {
  const { code, output } = await node([MAIN, '--once']).ended;
  expect(output.replace(/ +/g, ' ')).toBe(
    `user plan flag value variant reason
----- ---- -------------- ---------------------------------- ------- ---------------
ada free new-checkout true true SPLIT
ada free button-color "green" green TARGETING_MATCH
ada free limits {"projects":3,"support":"forum"} free DEFAULT
ada free holiday-banner "none" DISABLED
grace pro new-checkout true true TARGETING_MATCH
grace pro button-color "green" green TARGETING_MATCH
grace pro limits {"projects":100,"support":"phone"} pro TARGETING_MATCH
grace pro holiday-banner "none" DISABLED
linus free new-checkout false false DEFAULT
linus free button-color "orange" orange TARGETING_MATCH
linus free limits {"projects":3,"support":"forum"} free DEFAULT
linus free holiday-banner "none" DISABLED

12 flags resolved with 1 HTTP request.
`,
  );
  expect(code).toBe(0);
});

describe('the app, once it serves', () => {
  let app: Running;
  beforeAll(async () => {
    app = await served([MAIN]);
  });

  it("serves each user's page", async () => {
    const pageOf = async (query: string) => (await fetch(`${app.url}/${query}`)).text();
    const [grace, linus, nobody] = await Promise.all([
      pageOf('?user=grace&plan=pro'),
      pageOf('?user=linus'),
      pageOf(''),
    ]);
    expect(grace).toContain('Hello grace (pro)');
    expect(grace).toContain('100 projects');
    expect(grace).toContain('Buy with one click');
    expect(linus).toContain('background: orange');
    expect(linus).toContain('3 projects');
    expect(linus).toContain('To the checkout');
    expect(nobody).toContain('Hello ada (free)');
    expect(await pageOf('?user=%3Cscript%3E')).not.toContain('<script>');
    const checkout = await fetch(`${app.url}/checkout?user=grace&plan=pro`);
    expect(await checkout.json()).toEqual({ checkout: 'new' });
  });

  it('starts Flipt again after any sequence of presses', async () => {
    const press = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${app.url}${path}`, init)).status;
    };
    expect(await press('/flags/holiday-banner', { isOn: true })).toBe(204);
    expect(await press('/flipt', { running: false })).toBe(204);
    expect(await press('/flags/missing', { isOn: true })).toBe(500);
    expect(await press('/flags/new-checkout', { isBoolean: true, isOn: true })).toBe(500);
    const twice = [true, true, false, true].map((running) => press('/flipt', { running }));
    expect(await Promise.all(twice)).toEqual([204, 204, 204, 204]);
    // They came over connections of their own, in any order.
    expect(await press('/flipt', { running: true })).toBe(204);
    expect(await press('/flags/holiday-banner', { isOn: false })).toBe(204);
    expect((await fetch(`${app.url}/modules/constructor.js`)).status).toBe(404);
  });

  it('says so if the port is in use, and ends with 1', async () => {
    const { port } = new URL(app.url);
    const { code, output } = await node([MAIN], { PORT: port }).ended;
    expect(output).toContain(`Port ${port} is in use already; choose another with PORT=…`);
    expect(code).toBe(1);
  });

  it('ends cleanly on Ctrl-C', async () => {
    expect(await app.interrupt()).toMatchObject({ code: 0, signal: null });
  });
});

it.each(['abc', '99999'])('says so if PORT is %s, and ends with 1', async (port) => {
  const { code, output } = await node([MAIN], { PORT: port }).ended;
  expect([code, output]).toEqual([1, `PORT: expected a number from 0 to 65535, got ${port}\n`]);
});

it('asks the service that FLIPT_URL names', async () => {
  const features = fileURLToPath(new URL('../../examples/express/features.yml', import.meta.url));
  await using service = await startLocalService({ features });
  await service.setFlag('default', 'holiday-banner', { enabled: true });
  const before = service.requests;
  const { code, output } = await node([MAIN, '--once'], { FLIPT_URL: service.url }).ended;
  expect([code, output]).toEqual([0, expect.stringContaining('12 flags resolved with 1 HTTP request.')]);
  // One at the start and one for the table; besides, the provider may have polled for changes and asked for the version.
  expect([2, 3, 4]).toContain(service.requests - before);
});

it('starts and shows the defaults if nobody answers at FLIPT_URL', async () => {
  const { code, output } = await unanswered;
  expect(output).toContain('Flipt is not ready, so the app gets defaults for now');
  expect(output).toContain('grey');
  expect(output).toMatch(/\n12 of 12 flags have their default: Flipt has not answered\.\n$/);
  expect(output).not.toContain('flags resolved');
  expect(code).toBe(0);
});
