/**
 * Simulates a shop with 1,000 visitors, some of whom buy, and prints what its events say about each variant. It ends by
 * itself.
 */
import { fileURLToPath } from 'node:url';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { table } from '../express/table.js';

const VISITORS = 1_000;

const service = await startLocalService({
  features: fileURLToPath(new URL('features.yml', import.meta.url)),
});
const events = [];
const provider = new FliptProvider({
  url: service.url,
  // This makes the output the same on a busy computer. In an app, keep the default.
  deadlineMs: 5_000,
  // Each visitor is new, so a cache would never be used.
  cache: false,
  tracking: { send: (more) => void events.push(...more) },
});
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();

for (let n = 0; n < VISITORS; n++) {
  const visitor = { targetingKey: `visitor-${n}` };
  const checkout = await client.getStringValue('checkout', 'classic', visitor);
  const isShippingFree = await client.getBooleanValue('free-shipping', false, visitor);
  if (buys(n, checkout, isShippingFree)) client.track('bought', visitor, { value: 20 });
}
await OpenFeature.close(); // sends the events that wait
await service.close();

const buyers = new Set(
  events.filter(({ name }) => name === 'bought').map(({ targetingKey }) => targetingKey),
);
const rows = new Map();
for (const { kind, flagKey, variant, targetingKey } of events) {
  if (kind !== 'exposure') continue;
  const row = rows.get(`${flagKey} ${variant}`) ?? { flagKey, variant, users: 0, conversions: 0 };
  row.users += 1;
  if (buyers.has(targetingKey)) row.conversions += 1;
  rows.set(`${flagKey} ${variant}`, row);
}
const shown = [...rows.values()]
  .sort((a, b) => (a.flagKey + a.variant < b.flagKey + b.variant ? -1 : 1))
  .map(({ flagKey, variant, users, conversions }) => [
    flagKey,
    variant,
    String(users),
    `${conversions} (${Math.round((100 * conversions) / users)} %)`,
  ]);
console.log(table(['flag', 'variant', 'users', 'conversions'], shown));

/** Whether a visitor buys. Every tenth does, and a few more do with the new checkout or with free shipping. */
function buys(n, checkout, isShippingFree) {
  return n % 10 === 0 || (checkout === 'one-page' && n % 10 === 1) || (isShippingFree && n % 10 === 2);
}
