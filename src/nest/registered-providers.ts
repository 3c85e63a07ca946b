import { quoted } from '../text/quote.js';

/** An app carries them under this symbol, which all copies of this package share. */
const REGISTERED = Symbol.for('openfeature-flipt-provider.nest-providers');

type Domain = string | undefined;
type Close = () => Promise<void>;

/** The providers that the modules of one app register. */
export interface RegisteredProviders {
  readonly domains: ReadonlySet<Domain>;
  /** Throws if the app has a provider for the domain: a second one would silently replace it for all of the app. */
  readonly claim: (domain: Domain) => void;
  /** Remembers how to close one, if the app does not start. */
  readonly opened: (close: Close) => void;
  /** The app does not start: closes what is open. Claims that come later are refused. */
  readonly refuse: Close;
}

export function registeredIn(app: object): RegisteredProviders {
  const known = knownIn(app);
  if (known !== undefined) return known;
  const registered = registeredProviders();
  Object.defineProperty(app, REGISTERED, { value: registered });
  return registered;
}

/** A step of an app's start. If it fails, the app does not start, and Nest calls no shutdown hook: all is closed here. */
export async function startingWith<T>(app: object, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await registeredIn(app).refuse();
    throw error;
  }
}

function knownIn(app: object): RegisteredProviders | undefined {
  return (app as { readonly [REGISTERED]?: RegisteredProviders })[REGISTERED];
}

function registeredProviders(): RegisteredProviders {
  const domains = new Set<Domain>();
  const open: Close[] = [];
  let isRefused = false;
  return {
    domains,
    claim(domain) {
      if (isRefused) throw new Error('FliptModule: another FliptModule has kept the app from starting');
      if (domains.has(domain)) {
        throw new Error(
          `FliptModule: two forRoot for ${nameOf(domain)}; import one of them, or give each a domain`,
        );
      }
      domains.add(domain);
    },
    opened: (close) => open.push(close),
    async refuse() {
      isRefused = true;
      // What kept the app from starting is the error to see.
      await Promise.allSettled(open.map(async (close) => close()));
    },
  };
}

function nameOf(domain: Domain): string {
  return domain === undefined ? 'the default domain' : `the domain ${quoted(domain)}`;
}

/**
 * The domain that an app's code means when it names none: that of its one provider, or else the default one. Undefined
 * for the default one. Throws an Error if the app has providers for other domains only.
 */
export function impliedDomain(app: object, owner: string): Domain {
  const domains = knownIn(app)?.domains ?? new Set();
  if (domains.size === 0 || domains.has(undefined)) return undefined;
  if (domains.size === 1) return [...domains][0];
  const named = Array.from(domains, (domain) => quoted(domain ?? '')).join(', ');
  throw new Error(`${owner}: domain: missing; expected one of ${named}, which this app has a provider for`);
}
