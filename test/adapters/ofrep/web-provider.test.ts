import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as Web, ProviderEvents, type Client } from '@openfeature/web-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { localService, open } from '../../provider/open.fixture.js';
import { FEATURES, KEYS } from './features.fixture.js';
import { hosted, HOSTS, type Host } from './hosts.fixture.js';

afterEach(async () => {
  await Web.clearProviders();
});

/** An app, and a browser that shows it to the user of its session, whatever user it asks for. */
async function browsing(host: Host) {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({ url: service.url, evaluation: 'in-process' });
  const session = { user: 'ada', plan: 'free' };
  const contextOf = () => ({ targetingKey: session.user, plan: session.plan });
  const baseUrl = await hosted(host, { provider, flags: KEYS, contextOf });
  await Web.setContext({ targetingKey: 'grace', plan: 'pro' });
  // Its type says that it may have hooks that are undefined.
  const web = Object.assign(new OFREPWebProvider({ baseUrl, cacheMode: 'disabled' }), { hooks: [] });
  await Web.setProviderAndWait(web);
  return { client: Web.getClient(), service, provider, session, web, baseUrl };
}

const proOf = (client: Client) => client.getBooleanDetails('for-pro', true);

describe.each([HOSTS[0], HOSTS[3]])('the web provider and %s', (_, host) => {
  it('resolves flags of each kind, and its own default where no variant applies', async () => {
    const { client } = await browsing(host);
    expect(proOf(client)).toMatchObject({ value: false, variant: 'false', reason: 'STATIC' });
    expect(client.getStringDetails('matched', 'none')).toMatchObject({
      value: 'red',
      variant: 'red',
      reason: 'TARGETING_MATCH',
      flagMetadata: { attachment: '{"rgb":"f00"}' },
    });
    expect(client.getStringDetails('unmatched', 'own')).toMatchObject({ value: 'own', reason: 'UNKNOWN' });
    expect(client.getStringDetails('disabled', 'own')).toMatchObject({ value: 'own', reason: 'DISABLED' });
    expect(client.getBooleanDetails('secret', false)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  });

  it("gets another user's flags when somebody else has logged in", async () => {
    const { client, session } = await browsing(host);
    expect(proOf(client).value).toBe(false);
    Object.assign(session, { user: 'grace', plan: 'pro' });
    await Web.setContext({ targetingKey: 'ada', plan: 'free' });
    expect(proOf(client)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    Object.assign(session, { user: 'ada', plan: 'free' });
    await Web.setContext({ targetingKey: 'grace', plan: 'pro' });
    expect(proOf(client).value).toBe(false);
  });

  it('keeps its flags while the app has no answer', async () => {
    const { client, provider, web } = await browsing(host);
    const failed = new Promise((resolve) => {
      client.addHandler(ProviderEvents.Error, resolve);
    });
    await provider.onClose();
    await web.onContextChange({}, {});
    await failed;
    expect(client.getStringValue('matched', 'none')).toBe('red');
  });
});
