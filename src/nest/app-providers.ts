import { quoted } from '../text/describe.js';

/** The symbol under which an app has its registered providers. All copies of this package share it. */
const REGISTERED = Symbol.for('openfeature-flipt-provider.nest-providers');

type Domain = string | undefined;
type Close = () => Promise<void>;

type AppProviders = ReturnType<typeof appProviders>;

/** The providers that the modules of one app register. */
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
     * Throws if the app already has a provider for the domain: a second one would silently replace the first in the
     * whole app.
     */
    claim(domain: Domain): void {
      if (isRefused)
        throw new Error('FliptModule: the app does not start, because another FliptModule failed');
      if (domains.has(domain)) {
        const name = domain === undefined ? 'the default domain' : `the domain ${quoted(domain)}`;
        throw new Error(`FliptModule: two forRoot for ${name}; import one of them, or give each a domain`);
      }
      domains.add(domain);
    },
    /** Remembers how to close a provider, in case the app does not start. */
    opened: (close: Close) => open.push(close),
    /** Called when the app does not start: closes all open providers, and refuses later claims. */
    async refuse(): Promise<void> {
      isRefused = true;
      // A provider that fails to close must not hide why the app did not start.
      await Promise.allSettled(open.map(async (close) => close()));
    },
  };
}

/**
 * Runs a step of an app's start. If the step fails, the app does not start. Nest then calls no shutdown hook, so all
 * providers are closed here.
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
 * The domain for code that names none: the domain of the app's only provider, else the default one (`undefined`).
 * Throws an Error if the app has several providers and none for the default domain.
 */
export function impliedDomain(app: object, owner: string): Domain {
  const { domains } = providersOf(app);
  if (domains.size === 0 || domains.has(undefined)) return undefined;
  if (domains.size === 1) return [...domains][0];
  const named = Array.from(domains, (domain) => quoted(domain ?? '')).join(', ');
  throw new Error(`${owner}: domain: missing; expected one of ${named}, which this app has a provider for`);
}
