import { Logger } from '@nestjs/common';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { inTime, systemClock } from '../clock.js';
import { FliptProvider } from '../index.js';
import { messageOf } from '../text/describe.js';
import { checkOptions } from '../options/check-options.js';
import { moduleRules, type FliptModuleOptions } from './module-options.js';

/** The provider of an app, which has begun with its start. */
export interface Registration {
  readonly options: FliptModuleOptions;
  /** Closes the provider, unless another app still uses it. May be called again. */
  readonly close: () => Promise<void>;
}

/** Registers the provider and waits until it is ready; rejects only where the app is not to start without it. */
export async function register(options: FliptModuleOptions): Promise<Registration> {
  checkOptions(moduleRules, options);
  const { provider = new FliptProvider(), domain, readyTimeoutMs = 10_000, required = false } = options;
  const late = () => new Error(`no word of it within ${readyTimeoutMs} ms (readyTimeoutMs)`);
  const close = use(provider);
  try {
    await inTime(started(provider, domain), readyTimeoutMs, systemClock, late);
  } catch (error) {
    const reason = messageOf(error);
    if (required) {
      await close();
      throw new Error(`FliptModule: the provider is not ready: ${reason}`, { cause: error });
    }
    new Logger('FliptModule').warn(`The provider is not ready, defaults are served: ${reason}`);
  }
  return { options, close };
}

/** How many apps use a provider. Each copy of this package counts by itself, which docs/frameworks.md says. */
const apps = new WeakMap<Provider, number>();

/** One more app uses the provider, until it calls what is returned: the last one closes it. */
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
  // OpenFeature leaves alone what it knows, even if an app before this one has closed it.
  if (registered === provider) await provider.initialize?.();
  else if (domain === undefined) await OpenFeature.setProviderAndWait(provider);
  else await OpenFeature.setProviderAndWait(domain, provider);
}
