import { Logger } from '@nestjs/common';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { inTime, systemClock } from '../clock.js';
import { FliptProvider } from '../index.js';
import { messageOf } from '../text/describe.js';
import { checkOptions } from '../options/check-options.js';
import { moduleRules, type FliptModuleOptions } from './module-options.js';
import { registeredIn, startingWith, type RegisteredProviders } from './registered-providers.js';

/** A provider that is registered for an app. */
export interface Registration {
  readonly options: FliptModuleOptions;
  readonly provider: Provider;
  /** Closes the provider, unless another app still uses it. May be called again. */
  readonly close: () => Promise<void>;
}

/**
 * Registers the provider for an app and waits until it is ready. Rejects if the options are wrong, if the app has a
 * provider for the domain already, or if a provider that is required is not ready. Such an app does not start: all its
 * providers are closed.
 */
export async function register(options: FliptModuleOptions, app: object = {}): Promise<Registration> {
  return startingWith(app, async () => {
    checkOptions(moduleRules, options);
    return registeredFor(registeredIn(app), options);
  });
}

async function registeredFor(
  registered: RegisteredProviders,
  options: FliptModuleOptions,
): Promise<Registration> {
  const { domain, readyTimeoutMs = 10_000, required = false } = options;
  registered.claim(domain);
  const { provider = new FliptProvider() } = options;
  const late = () => new Error(`it was not ready within ${readyTimeoutMs} ms (readyTimeoutMs)`);
  const close = use(provider);
  registered.opened(close);
  try {
    await inTime(started(provider, domain), readyTimeoutMs, systemClock, late);
  } catch (error) {
    const reason = messageOf(error);
    if (required) throw new Error(`FliptModule: the provider is not ready: ${reason}`, { cause: error });
    new Logger('FliptModule').warn(`The provider is not ready, defaults are served: ${reason}`);
  }
  return { options, provider, close };
}

/** How many apps use a provider. Each copy of this package counts separately; docs/frameworks.md says so. */
const apps = new WeakMap<Provider, number>();

/**
 * Counts one more app that uses the provider. The app calls the returned function when it has finished; the last app
 * closes the provider.
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
  const registered = domain === undefined ? OpenFeature.getProvider() : OpenFeature.getProvider(domain);
  // OpenFeature does not initialize a provider a second time, even if an earlier app has closed it.
  if (registered === provider) await provider.initialize?.();
  else if (domain === undefined) await OpenFeature.setProviderAndWait(provider);
  else await OpenFeature.setProviderAndWait(domain, provider);
}
