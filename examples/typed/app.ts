import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { flagKeys, typed } from './flags.js';

const service = await startLocalService({ features: new URL('features.yml', import.meta.url) });
const provider = new FliptProvider({
  url: service.url,
  // This makes the output the same on a busy computer. In an app, keep the default.
  deadlineMs: 5000,
  http: { timeoutMs: 5000 },
});
await OpenFeature.setProviderAndWait(provider);
const client = typed(OpenFeature.getClient());
const user = { targetingKey: 'user-1' };

// The provider fetches all flags of the page in one request.
await provider.prefetch(flagKeys, user);

const isNew: boolean = await client.getBooleanValue('new-checkout', false, user);
const banner: 'blue' | 'red' | 'none' = await client.getStringValue('banner', 'none', user);
const { colour, width } = await client.getObjectValue('banner', { colour: 'grey', width: 1 }, user);
const size: number = await client.getNumberValue('page-size', 10, user);
console.log(isNew, banner, colour, width, size);

/** The compiler refuses these calls. This function is never called. */
export const refused = [
  // @ts-expect-error -- A misspelt key does not compile.
  () => client.getBooleanValue('new-chekout', false, user),
  // @ts-expect-error -- Nor does a flag of another type.
  () => client.getNumberValue('banner', 0, user),
];

await OpenFeature.close();
await service.close();
