import { Logger } from '@nestjs/common';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { systemClock } from '../time/clock.js';
import { inTime } from '../time/in-time.js';
import { FliptProvider } from '../index.js';
import { messageOf } from '../text/describe.js';
import { checkOptions } from '../options/check-options.js';
import { moduleRules, type FliptModuleOptions } from './module-options.js';
import { providersOf, startingWith } from './app-providers.js';

/**
 * Registers the provider for an app and waits until it is ready. Rejects if the options are wrong, if the app has a
 * provider for the domain already, or if a provider that is required is not ready. Such an app does not start: all its
 * providers are closed.
 */
export async function register(options: FliptModuleOptions, app: object = {}) {
  return startingWith(app, async () => {
    const { domain, readyTimeoutMs, required, ...checked } = checkOptions(moduleRules, options);
    const providers = providersOf(app);
    providers.claim(domain);
    const { provider = new FliptProvider() } = checked;
    const late = () => new Error(`it was not ready within ${readyTimeoutMs} ms (readyTimeoutMs)`);
    const close = use(provider);
    providers.opened(close);
    try {
      await inTime(started(provider, domain), readyTimeoutMs, systemClock, late);
    } catch (error) {
      const reason = messageOf(error);
      if (required) throw new Error(`FliptModule: the provider is not ready: ${reason}`, { cause: error });
      new Logger('FliptModule').warn(`The provider is not ready, defaults are served: ${reason}`);
    }
    return { options, provider, close };
  });
}

/** A provider that is registered for an app. */
export type Registration = Awaited<ReturnType<typeof register>>;

/** How many apps use a provider. Each copy of this package counts separately; docs/frameworks.md says so. */
const apps = new WeakMap<Provider, number>();

/**
 * Counts one more app that uses the provider. The app calls the returned function when it has finished; the last app
 * closes the provider. The function may be called again.
 */
function use(provider: Provider): () => Promise<void> {
  apps.set(provider, (apps.get(provider) ?? 0) + 1);
  let inUse = true;
  return async () => {
    if (inUse) apps.set(provider, (apps.get(provider) ?? 1) - 1);
    inUse = false;
    if (apps.get(provider) === 0) await provider.onClose?.();
  };
}

async function started(provider: Provider, domain: string | undefined): Promise<void> {
  const registered = OpenFeature.getProvider(domain);
  // OpenFeature does not initialize a provider a second time, even if an earlier app has closed it.
  if (registered === provider) await provider.initialize?.();
  else if (domain === undefined) await OpenFeature.setProviderAndWait(provider);
  else await OpenFeature.setProviderAndWait(domain, provider);
}
