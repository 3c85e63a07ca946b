import { isRecord, kindOf } from '../base/text/describe.js';
import { isHeaderText } from '../base/text/header.js';
import { CLOSE_MS, closingController, orLate } from '../base/time/in-time.js';
import { openAuthorizedTransport } from '../http/auth.js';
import { CONNECT_MS } from '../http/dispatcher.js';
import { environmentHeaders } from '../http/reply.js';
import { withRetries } from '../http/retry.js';
import { silentRuntime } from '../model/runtime.js';
import type { ConnectionOptions } from '../options/connection-options.js';
import { clientSettings, type ConnectionSettings } from '../options/settings.js';
import { openCall, type AnswerCheck, type Call } from './call.js';
import type { EvaluationOperations, EvaluationResponseType } from './evaluation-types.js';
import type {
  FlagOperations,
  FlagPage,
  IterateOptions,
  ListPage,
  PageOptions,
  RuleOperations,
  RulePage,
  SegmentOperations,
  SegmentPage,
  TokenOperations,
  VariantOperations,
} from './management-types.js';

/**
 * A typed client of Flipt's REST interface, with the provider's connection options and their environment variables, but
 * without cache and circuit breaker.
 *
 * An operation, or a page of an iteration, ends within `http.timeoutMs` × (`http.retries` + 1) milliseconds, and 3 s for
 * connecting, and rejects with a {@link FliptServiceError} if Flipt refuses it or cannot be reached. Reads and evaluations are repeated after a
 * failed connection and after 408, 429, 502, 503 and 504; a change is sent once. A key or id that is empty, not
 * well-formed Unicode, or has `.` or `..` as a part, as in `a/../b`, is a TypeError.
 *
 * @example
 * ```ts
 * import { FliptClient } from 'openfeature-flipt-provider/client';
 *
 * const client = new FliptClient({ url: 'http://localhost:8080', auth: { tokenFile: '/run/secrets/flipt' } });
 * await client.segments.create('default', { key: 'beta', name: 'Beta' });
 * await client.close();
 * ```
 */
export class FliptClient implements AsyncDisposable {
  readonly tokens: TokenOperations;
  /** The only operation that Flipt v2 offers. */
  readonly evaluation: EvaluationOperations;
  readonly flags: FlagOperations;
  readonly rules: RuleOperations;
  readonly variants: VariantOperations;
  readonly segments: SegmentOperations;
  readonly #close: () => Promise<void>;

  /** Opens no connection yet. A wrong option is a TypeError that names it. */
  constructor(options: ConnectionOptions = {}) {
    const settings = clientSettings(options);
    const { url, http } = settings;
    const runtime = silentRuntime();
    const withinMs = CONNECT_MS + http.timeoutMs * (http.retries + 1);
    const closing = closingController();
    const transport = openAuthorizedTransport(settings, closing.signal, runtime);
    const repeatedly = withRetries(transport.send, { retries: http.retries, withinMs }, runtime);
    const call = openCall(repeatedly, { url, withinMs }, closing.signal, runtime.clock);
    this.tokens = tokenOperations(call);
    this.evaluation = evaluationOperations(call, settings);
    this.flags = flagOperations(call);
    this.rules = ruleOperations(call);
    this.variants = variantOperations(call);
    this.segments = segmentOperations(call);
    this.#close = async () => {
      closing.abort();
      await orLate(transport.close(), CLOSE_MS, runtime.clock);
    };
  }

  /** Within 2 s. Operations under way, and later ones, reject with the code `CANCELLED`. */
  close(): Promise<void> {
    return this.#close();
  }

  /** Does the same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

function evaluationOperations(
  call: Call,
  defaults: Pick<ConnectionSettings, 'reference' | 'environment'>,
): EvaluationOperations {
  return {
    async batch(requests, { signal, requestId, ...given } = {}) {
      const { reference = defaults.reference, environment = defaults.environment } = given;
      if (!isHeaderText(environment ?? '')) {
        throw new TypeError('environment: expected text without line breaks or characters beyond Latin-1');
      }
      return call('evaluation.batch', 'POST', '/evaluate/v1/batch', {
        headers: environmentHeaders(environment),
        body: { requestId, requests, reference },
        signal,
        repeatable: true,
        check: responsesTo(requests.length),
      });
    },
  };
}

const MEMBER_OF_TYPE: ReadonlyMap<unknown, string> = new Map<EvaluationResponseType, string>([
  ['VARIANT_EVALUATION_RESPONSE_TYPE', 'variantResponse'],
  ['BOOLEAN_EVALUATION_RESPONSE_TYPE', 'booleanResponse'],
  ['ERROR_EVALUATION_RESPONSE_TYPE', 'errorResponse'],
]);

/** Responses belong to requests only by their position. */
function responsesTo(requests: number): AnswerCheck {
  return ({ responses }) => {
    if (!Array.isArray(responses)) return `responses: expected a list, got ${kindOf(responses)}`;
    if (responses.length !== requests)
      return `responses: expected a list of ${requests}, got a list of ${responses.length}`;
    const wrong = responses.findIndex((response: unknown) => {
      const member = isRecord(response) ? MEMBER_OF_TYPE.get(response.type) : undefined;
      return member === undefined || !isRecord(response) || !isRecord(response[member]);
    });
    return wrong === -1 ? undefined : `responses.${wrong}: expected a type of response, and its member`;
  };
}

function tokenOperations(call: Call): TokenOperations {
  return {
    create: (body, options) =>
      call('tokens.create', 'POST', '/auth/v1/method/token', { body, signal: options?.signal }),
    get: (id, options) =>
      call('tokens.get', 'GET', '/auth/v1/tokens/{id}', { parts: { id }, signal: options?.signal }),
  };
}

const FLAGS = '/api/v1/namespaces/{namespace}/flags';
const RULES = `${FLAGS}/{flag}/rules`;
const VARIANT = `${FLAGS}/{flag}/variants/{id}`;
const SEGMENTS = '/api/v1/namespaces/{namespace}/segments';
const SEGMENT = `${SEGMENTS}/{key}`;

function flagOperations(call: Call): FlagOperations {
  const read = pagesOf<FlagPage>(call, 'flags.list', FLAGS, 'flags');
  return {
    list: (namespace, page) => read({ namespace }, page),
    iterate: (namespace, options) => entries(read, { namespace }, options, ({ flags }) => flags),
  };
}

function ruleOperations(call: Call): RuleOperations {
  const read = pagesOf<RulePage>(call, 'rules.list', RULES, 'rules');
  return {
    create: (namespace, flag, body, options) =>
      call('rules.create', 'POST', RULES, { parts: { namespace, flag }, body, signal: options?.signal }),
    list: (namespace, flag, page) => read({ namespace, flag }, page),
    iterate: (namespace, flag, options) => entries(read, { namespace, flag }, options, ({ rules }) => rules),
  };
}

function variantOperations(call: Call): VariantOperations {
  return {
    update: (namespace, flag, id, body, options) =>
      call('variants.update', 'PUT', VARIANT, {
        parts: { namespace, flag, id },
        body,
        signal: options?.signal,
      }),
  };
}

function segmentOperations(call: Call): SegmentOperations {
  const read = pagesOf<SegmentPage>(call, 'segments.list', SEGMENTS, 'segments');
  return {
    list: (namespace, page) => read({ namespace }, page),
    iterate: (namespace, options) => entries(read, { namespace }, options, ({ segments }) => segments),
    get: (namespace, key, { signal, reference } = {}) =>
      call('segments.get', 'GET', SEGMENT, { parts: { namespace, key }, query: { reference }, signal }),
    create: (namespace, body, options) =>
      call('segments.create', 'POST', SEGMENTS, { parts: { namespace }, body, signal: options?.signal }),
    update: (namespace, key, body, options) =>
      call('segments.update', 'PUT', SEGMENT, { parts: { namespace, key }, body, signal: options?.signal }),
  };
}

type Parts = Readonly<Record<string, string>>;
type ReadPage<Page> = (parts: Parts, page?: PageOptions, before?: ReadonlySet<unknown>) => Promise<Page>;

/** A page whose token is one of those `before` would make an iteration endless. */
function pagesOf<Page>(
  call: Call,
  operation: string,
  path: string,
  member: keyof Page & string,
): ReadPage<Page> {
  return (parts, { signal, limit, offset, pageToken } = {}, before) =>
    call(operation, 'GET', path, {
      parts,
      query: { limit, offset, pageToken },
      signal,
      check: (page) => {
        if (!Array.isArray(page[member])) return `${member}: expected a list, got ${kindOf(page[member])}`;
        return before?.has(page.nextPageToken)
          ? 'expected a page whose nextPageToken has not come before'
          : undefined;
      },
    });
}

const ENTRIES_PER_REQUEST = 100;

async function* entries<Page extends ListPage, Entry>(
  read: ReadPage<Page>,
  parts: Parts,
  { limit = ENTRIES_PER_REQUEST, signal }: IterateOptions = {},
  entriesOf: (page: Page) => readonly Entry[],
): AsyncGenerator<Entry, void, undefined> {
  const before = new Set<string>();
  let pageToken: string | undefined;
  do {
    const page = await read(parts, { limit, pageToken, signal }, before);
    yield* entriesOf(page);
    pageToken = page.nextPageToken;
    before.add(pageToken);
  } while (pageToken);
}
