import { once } from 'node:events';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { FliptClient } from 'openfeature-flipt-provider/client';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createCheckout } from './checkout.js';

const FEATURES = {
  flags: [
    { key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: false },
    {
      key: 'payment',
      enabled: true,
      variants: [{ key: 'card', default: true }, { key: 'invoice' }],
      rules: [{ segment: 'companies', distributions: [{ variant: 'invoice', rollout: 100 }] }],
    },
  ],
  segments: [
    {
      key: 'companies',
      constraints: [
        { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'prefix', value: 'company-' },
      ],
    },
  ],
};

// These times are long, so that a stall of a busy machine does not lead to a default.
const PATIENT = { deadlineMs: 15_000, http: { timeoutMs: 15_000 } };

let service;
let server;

// One service serves all tests of this file. It starts in a few milliseconds, on a port that the system chooses, so
// that test files can run side by side.
beforeAll(async () => {
  service = await startLocalService({ features: FEATURES });
  // Without a cache, each resolve asks the service, so a test sees at once what it has set.
  const provider = new FliptProvider({ url: service.url, cache: false, watch: false, ...PATIENT });
  await OpenFeature.setProviderAndWait(provider);
  server = createCheckout().listen(0);
  await once(server, 'listening');
});

// Each test begins with the flags as they are defined above.
afterEach(() => {
  service.reset();
});

afterAll(async () => {
  await OpenFeature.close();
  await service.close();
  server.close();
});

async function checkout(user) {
  const response = await fetch(`http://localhost:${server.address().port}/?user=${user}`);
  return response.json();
}

test('a company pays by invoice', async () => {
  expect(await checkout('ada')).toEqual({ checkout: 'old', payment: 'card' });
  expect(await checkout('company-7')).toEqual({ checkout: 'old', payment: 'invoice' });
});

test('a flag that is switched on in mid-test is seen at once', async () => {
  expect((await checkout('ada')).checkout).toBe('old');
  service.set('new-checkout', true);
  expect((await checkout('ada')).checkout).toBe('new');
});

test('one user pays otherwise, whatever the rules say', async () => {
  service.set('payment', 'invoice', { for: 'ada' });
  expect((await checkout('ada')).payment).toBe('invoice');
  expect((await checkout('grace')).payment).toBe('card');
});

test('a segment that is made through the client is there, and can be used by a rule', async () => {
  const client = new FliptClient({ url: service.url, http: PATIENT.http });
  const made = await client.segments.create('default', { key: 'friends', name: 'Friends' });
  expect(made).toMatchObject({ key: 'friends', matchType: 'ALL_MATCH_TYPE', constraints: [] });
  const rule = await client.rules.create('default', 'payment', { segmentKey: 'friends', rank: 2 });
  expect(rule).toMatchObject({ segmentKey: 'friends', rank: 2 });
  await client.close();
});
