import { NOOP_PROVIDER, OpenFeature, ProviderEvents, type Provider } from '@openfeature/server-sdk';

interface Use {
  apps: number;
  readonly domains: Set<string | undefined>;
}

/** Each copy of this package counts its own apps, as docs/frameworks.md says. */
const uses = new WeakMap<Provider, Use>();

export interface AppsProvider {
  readonly provider: Provider;
  readonly start: () => Promise<void>;
  /** Only for the last app that uses the provider. */
  readonly close: () => Promise<void>;
}

/** Several apps of a process may share the provider. */
export function appsProvider(provider: Provider, domain: string | undefined): AppsProvider {
  const use = uses.get(provider) ?? { apps: 0, domains: new Set() };
  const wasClosed = use.apps === 0;
  const registeredBefore = [...use.domains];
  use.apps += 1;
  use.domains.add(domain);
  uses.set(provider, use);
  let isOpen = true;
  return {
    provider,
    async start() {
      // OpenFeature starts no provider that it has, although an earlier app has closed it.
      if (wasClosed) {
        for (const old of registeredBefore)
          if (isRegistered(provider, old)) await registered(NOOP_PROVIDER, old);
      }
      await (isRegistered(provider, domain) ? ready(domain) : registered(provider, domain));
    },
    async close() {
      if (isOpen) use.apps -= 1;
      isOpen = false;
      if (use.apps === 0) await provider.onClose?.();
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
