import { afterEach, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { eventually, PATIENT } from '../eventually.fixture.js';
import { ownAddress, placeOf } from '../servers/own-address.fixture.js';
import { untimedRequests } from '../servers/untimed.fixture.js';
import { describeInBrowser, type OpenTab } from './browser.fixture.js';
import { pushedApp, type Place } from './pushed.fixture.js';

vi.setConfig({ testTimeout: 120_000 });
const dispatcher = untimedRequests();

const banner = (key: string) => ({
  key: 'banner',
  enabled: true,
  variants: [{ key, default: true }, { key: 'for-grace' }, { key: 'other' }],
  rules: [{ segment: 'grace', distributions: [{ variant: 'for-grace', rollout: 100 }] }],
});
const featuresWith = (key: string) => ({
  flags: [banner(key), { key: 'secret', type: 'BOOLEAN_FLAG_TYPE', enabled: true } as const],
  segments: [
    {
      key: 'grace',
      constraints: [
        { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'eq', value: 'grace' } as const,
      ],
    },
  ],
});

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end().catch(() => undefined);
});

async function flipt(key: string, place: Place = { host: ownAddress() }): Promise<LocalService> {
  const service = await startLocalService({ features: featuresWith(key), ...place });
  ends.push(() => service.close());
  return service;
}

/** Polls only when the test says so, unless `pollMs` is given. */
async function following(url: string, pollMs = 600_000): Promise<FliptProvider> {
  const silent = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const provider = new FliptProvider({
    url,
    ...PATIENT,
    http: { ...PATIENT.http, dispatcher },
    evaluation: 'in-process',
    watch: { pollMs },
    breaker: { failures: 1, openForMs: 50, maxOpenForMs: 100 },
    logger: silent,
  });
  await provider.initialize();
  ends.push(() => provider.onClose());
  return provider;
}

async function page(open: OpenTab, { pollMs }: { pollMs?: number } = {}) {
  const service = await flipt('blue');
  const provider = await following(service.url, pollMs);
  const app = await pushedApp(provider);
  ends.push(app.close);
  const tab = await open(app.url);
  const shows = (value: string) =>
    tab.page.getByText(`banner is ${value}`, { exact: true }).waitFor({ timeout: 60_000 });
  await shows('blue');
  await eventually(() => app.streams() === 1);
  const events = () => tab.page.evaluate<readonly string[]>('window.events');
  await eventually(async () => (await events()).length === 1);
  return { ...tab, service, provider, app, shows, events };
}

/** Resolves when the provider has asked Flipt. */
const polled = (provider: FliptProvider) =>
  new Promise<void>((resolve) => {
    const stop = provider.onEvent(() => {
      stop();
      resolve();
    }, ['snapshot-polled']);
    provider.invalidate();
  });

describeInBrowser('a page that never polls', (open) => {
  it('shows a change that the app is told of, and hears nothing of a flag that it may not see', async () => {
    const { service, provider, shows, events, messages } = await page(open);
    await service.setFlag('default', 'secret', { enabled: false });
    await polled(provider);
    service.set('banner', 'other');
    await polled(provider);
    await shows('other');
    const data = '{"type":"refetchEvaluation"}';
    expect((await events()).map((event) => event.replace(/^\w+/, ''))).toEqual([data, data]);
    expect(messages).toEqual([]);
  });

  it('follows a login and a logout on the same stream', async () => {
    const { page: tab, service, provider, app, shows } = await page(open);
    app.session.user = 'grace';
    await tab.evaluate('logIn("grace")');
    await shows('for-grace');
    app.session.user = 'guest';
    await tab.evaluate('logIn("nobody")');
    await shows('blue');
    service.set('banner', 'other');
    await polled(provider);
    await shows('other');
    expect(app.streams()).toBe(1);
  });

  it('comes back by itself when the app has restarted, and shows what has changed meanwhile', async () => {
    const { service, provider, app, shows, events } = await page(open);
    const before = (await events()).length;
    await provider.onClose();
    await eventually(() => app.streams() === 0);
    await app.close();
    service.set('banner', 'other');
    const restarted = await pushedApp(await following(service.url), placeOf(app.url));
    ends.push(restarted.close);
    await shows('other');
    // A page whose stream was refused asks for its flags first, and then opens another stream.
    await eventually(async () => (await events()).length > before);
    service.reset();
    await eventually(() => restarted.streams() === 1);
  });

  it('keeps its value while Flipt is stopped, and follows it when it is back', async () => {
    const { service, provider, app, shows, events } = await page(open, { pollMs: 100 });
    const stale = new Promise<void>((resolve) => {
      const stop = provider.onEvent(() => {
        stop();
        resolve();
      }, ['watch-changed']);
    });
    await service.close();
    await stale;
    await shows('blue');
    expect(await events()).toHaveLength(1);
    await flipt('green', placeOf(service.url));
    await shows('green');
    expect(app.streams()).toBe(1);
  });

  it('closes its stream in the background, and shows all changes when it is seen again', async () => {
    const { page: tab, service, provider, app, shows } = await page(open);
    await tab.evaluate('become("hidden")');
    await eventually(() => app.streams() === 0);
    service.set('banner', 'other');
    await polled(provider);
    await shows('blue');
    await tab.evaluate('become("visible")');
    await shows('other');
    await eventually(() => app.streams() === 1);
  });
});
