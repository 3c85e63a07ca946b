import { inTime, type Clock } from '../../clock.js';
import { SILENT, type Reporter } from '../../diagnostics/diagnostics.js';
import type { Failure } from '../../model/failure.js';
import type { AuthOptions } from '../../options/auth-options.js';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../../text/header.js';
import {
  CredentialProblem,
  LoginFailed,
  type AuthHeaders,
  type CredentialSource,
} from './credential-source.js';
import { fileSource } from './token-file.js';
import { isPlainObject } from '../../text/describe.js';
import { oneLine, quoted } from '../../text/quote.js';
import { untilAborted } from '../attempt.js';

/** The headers to send. `version` differs from that of all earlier ones. */
export interface Credential {
  readonly headers: AuthHeaders;
  readonly version: number;
}

/** The only owner of credentials. They are kept in closures, so that printing the provider does not show them. */
export interface Credentials {
  /** Changes when other credentials are sent. */
  readonly version: () => number;
  /** What to send now. */
  current(): Promise<Credential | Failure>;
  /** Gets new ones after the service has rejected these. Concurrent callers share one refresh. */
  refresh(rejected: Credential): Promise<Credential | Failure>;
}

/** Credentials that need no login. */
export type PlainAuth = Exclude<AuthOptions, { readonly kubernetes: unknown }>;

export interface CredentialLimits {
  readonly timeoutMs: number;
  /** Ends what waits for a function of the user's. Its timer would keep the process alive. */
  readonly ending?: AbortSignal | undefined;
}

export function credentialsOf(
  auth: PlainAuth | undefined,
  clock: Clock,
  { timeoutMs, ending }: CredentialLimits,
  reporter?: Reporter,
): Credentials {
  const source = sourceOf(auth);
  const tooLate = () => new CredentialProblem(`auth took longer than ${timeoutMs} ms (http.timeoutMs)`);
  const load = async (again: boolean) => ({ headers: await source(again) });
  return credentialsFrom(
    async (again) => {
      const loaded = await inTime(untilAborted(load(again), ending), timeoutMs, clock, tooLate);
      if ('kind' in loaded) throw new LoginFailed(loaded);
      return loaded.headers;
    },
    clock,
    reporter,
  );
}

/** `source` must settle by itself. */
export function credentialsFrom(
  source: CredentialSource,
  { hasBackground }: Pick<Clock, 'hasBackground'> = {},
  { report }: Pick<Reporter, 'report'> = SILENT,
): Credentials {
  let version = 0;
  let last: AuthHeaders | undefined;
  let refreshing: Promise<Credential | Failure> | undefined;

  const load = async (again: boolean): Promise<Credential | Failure> => {
    try {
      const headers = await source(again);
      if (again || (last !== undefined && !isSame(headers, last))) version++;
      last = headers;
      return { headers, version };
    } catch (error) {
      if (error instanceof LoginFailed) return error.failure;
      return { kind: 'credentials', message: `no credentials for Flipt: ${causeOf(error)}` };
    }
  };

  const refreshed = async () => {
    const outcome = await load(true);
    report({ type: 'credentials-refreshed', failure: 'kind' in outcome ? outcome : undefined });
    return outcome;
  };

  return {
    version: () => version,
    current: () => load(false),
    refresh(rejected) {
      // Another request has refreshed them meanwhile: try the new ones first.
      if (version > rejected.version) return load(false);
      // Without a background, another caller's refresh may end with that caller.
      if (hasBackground === false) return refreshed();
      refreshing ??= refreshed().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}

function isSame(one: AuthHeaders, other: AuthHeaders): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function sourceOf(auth: PlainAuth | undefined): CredentialSource {
  if (auth === undefined) return constant({});
  if ('token' in auth) return constant({ authorization: `Bearer ${auth.token}` });
  if ('jwt' in auth) return constant({ authorization: `JWT ${auth.jwt}` });
  if ('tokenFile' in auth) return fileSource(auth.tokenFile);
  return async () => checked(await auth.headers());
}

function constant(headers: AuthHeaders): CredentialSource {
  return () => Promise.resolve(headers);
}

function checked(headers: unknown): AuthHeaders {
  // A `Headers` object or a promise has no own entries: no header would be sent, and no error would say so.
  if (!isPlainObject(headers)) {
    throw new CredentialProblem('auth.headers returned no plain object of names and values');
  }
  const known: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    // A text that is no name may be a credential that was put into the wrong place.
    if (!isHeaderName(name)) {
      throw new CredentialProblem('auth.headers returned a name that is no name of a header');
    }
    if (typeof value !== 'string' || !isHeaderText(value)) {
      throw new CredentialProblem(`auth.headers returned a value for ${quoted(name)} that is no header text`);
    }
    if (isConnectionHeader(name)) {
      throw new CredentialProblem(`auth.headers returned ${quoted(name)}, which is the connection's own`);
    }
    known[name.toLowerCase()] = value;
  }
  return known;
}

/** Names only the kind of an unknown error, because its message may contain a secret. */
function causeOf(error: unknown): string {
  if (error instanceof CredentialProblem) return error.message;
  return `auth.headers threw ${error instanceof Error ? oneLine(error.name) : typeof error}`;
}
