import { quoted, messageOf } from '../../base/text/describe.js';
import { Logger } from '@nestjs/common';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { systemClock } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';
import { FliptProvider } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { moduleRules, type FliptModuleAsyncOptions, type FliptModuleOptions } from './module-options.js';

/**
 * Under this symbol, a Nest app holds the providers that its FliptModules have registered. All copies of this package
 * share the symbol.
 */
const REGISTERED = Symbol.for('openfeature-flipt-provider.nest-providers');

type Domain = string | undefined;
type Close = () => Promise<void>;

type AppProviders = ReturnType<typeof appProviders>;

/** Returns the object that holds the providers of all FliptModules of one app. */
export function providersOf(app: object & { readonly [REGISTERED]?: AppProviders }): AppProviders {
  const value = app[REGISTERED] ?? appProviders();
  Object.defineProperty(app, REGISTERED, { value });
  return value;
}

function appProviders() {
  const domains = new Set<Domain>();
  const open: Close[] = [];
  let isRefused = false;
  return {
    domains,
    /**
     * Reserves a domain. Throws an Error if the app already has a provider for this domain, because OpenFeature would
     * silently replace the first provider by the second one.
     */
    claim(domain: Domain): void {
      if (isRefused)
        throw new Error('FliptModule: the app does not start, because another FliptModule failed');
      if (domains.has(domain)) {
        const name = domain === undefined ? 'the default domain' : `the domain ${quoted(domain)}`;
        throw new Error(
          `FliptModule: two FliptModules are registered for ${name}; remove one of them, or give each a domain of its own`,
        );
      }
      domains.add(domain);
    },
    /** Remembers how to close a provider, in case the app does not start. */
    opened: (close: Close) => open.push(close),
    /**
     * Closes the providers of an app that does not start, unless another app uses them, and makes each later `claim`
     * throw.
     */
    async refuse(): Promise<void> {
      isRefused = true;
      // A provider that fails to close must not hide why the app did not start.
      await Promise.allSettled(open.map(async (close) => close()));
    },
  };
}

/**
 * Runs a step of an app's start. If the step fails, the app does not start, and this function closes all providers that
 * only this app uses, because Nest calls no shutdown hook of an app that does not start.
 */
export async function startingWith<T>(app: object, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await providersOf(app).refuse();
    throw error;
  }
}

/**
 * Returns the domain for code that names no domain: the domain of the app's only provider, or else the default domain
 * (`undefined`). Throws an Error if the app has several providers but none for the default domain.
 */
export function impliedDomain(app: object, owner: string): Domain {
  const { domains } = providersOf(app);
  if (domains.size === 0 || domains.has(undefined)) return undefined;
  if (domains.size === 1) return [...domains][0];
  const named = Array.from(domains, (domain) => quoted(domain ?? '')).join(', ');
  throw new Error(
    `${owner}: domain: missing; expected one of ${named}, because this app has a provider for each of these`,
  );
}

/**
 * Registers the provider for an app, and waits until the provider is ready, but at most for `readyTimeoutMs`. Rejects,
 * for example, if the options are wrong, if the app already has a provider for the domain, or if a required provider is
 * not ready. If the registration fails, the app does not start, and all providers that only this app uses are closed.
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
      new Logger('FliptModule').warn(
        `The provider is not ready, so the app gets defaults for now: ${reason}`,
      );
    }
    return { options, provider, close };
  });
}

/** A provider that is registered for a Nest app, with the function that closes the provider. */
export type Registration = Awaited<ReturnType<typeof register>>;

/** How many apps use each provider. Each copy of this package counts on its own, as docs/frameworks.md says. */
const apps = new WeakMap<Provider, number>();

/**
 * Counts an app that uses the provider. The app calls the returned function when it shuts down. The provider is closed
 * when the last of the apps that use it shuts down. A second call of the returned function does not change the count.
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
  // OpenFeature does not initialize a provider that is already registered, even if an earlier app has closed it.
  if (registered === provider) await provider.initialize?.();
  else if (domain === undefined) await OpenFeature.setProviderAndWait(provider);
  else await OpenFeature.setProviderAndWait(domain, provider);
}

/**
 * Makes the function that returns the options for `forRootAsync`. Nest calls the returned function with the app as the
 * first argument, followed by the injected values. The provider is injected by `domain`, so if `domain` is set, the
 * returned options must not name another domain.
 */
export function optionsFactory<R extends object>({ domain, useFactory }: FliptModuleAsyncOptions<R>) {
  return async (app: object, ...injected: unknown[]) =>
    startingWith(app, async () => {
      const options = await useFactory(...injected);
      if (domain === undefined) return options;
      checkOptions(moduleRules, options);
      if (options.domain === undefined || options.domain === domain) return { ...options, domain };
      throw new TypeError(
        `FliptModule.forRootAsync: domain: useFactory returned ${quoted(options.domain)}, expected ${quoted(domain)}`,
      );
    });
}
