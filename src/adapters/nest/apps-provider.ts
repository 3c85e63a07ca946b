import { NOOP_PROVIDER, OpenFeature, ProviderEvents, type Provider } from '@openfeature/server-sdk';

/** How many apps use a provider: 0 once the last one has closed it. Each copy of this package counts its own apps. */
const users = new WeakMap<Provider, number>();

/** Several apps of a process may share the provider: the last one closes it. */
export function appsProvider(provider: Provider, domain: string | undefined) {
  const wasClosed = users.get(provider) === 0;
  users.set(provider, (users.get(provider) ?? 0) + 1);
  let isOpen = true;
  return {
    provider,
    async start(): Promise<void> {
      // OpenFeature starts no provider that it has, although an earlier app has closed it.
      if (wasClosed && isRegistered(provider, domain)) await registered(NOOP_PROVIDER, domain);
      await (isRegistered(provider, domain) ? ready(domain) : registered(provider, domain));
    },
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      const left = (users.get(provider) ?? 1) - 1;
      users.set(provider, left);
      if (left === 0) await provider.onClose?.();
    },
  };
}

const isRegistered = (provider: Provider, domain: string | undefined) =>
  OpenFeature.getProvider(domain) === provider;

async function registered(provider: Provider, domain: string | undefined): Promise<void> {
  await (domain === undefined
    ? OpenFeature.setProviderAndWait(provider)
    : OpenFeature.setProviderAndWait(domain, provider));
}

/** Another app, or the app itself, has registered it. */
async function ready(domain: string | undefined): Promise<void> {
  const client = domain === undefined ? OpenFeature.getClient() : OpenFeature.getClient(domain);
  await new Promise<void>((resolve, reject) => {
    // OpenFeature calls a handler at once if the provider is in that state.
    for (const event of [ProviderEvents.Ready, ProviderEvents.Stale]) {
      client.addHandler(event, () => {
        resolve();
      });
    }
    client.addHandler(ProviderEvents.Error, (details) => {
      reject(new Error(details?.message ?? 'its start has failed'));
    });
  });
}
