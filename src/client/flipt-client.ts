import type { ConnectionOptions } from '../options/connection-options.js';
import { openDirectTransport } from '../http/direct-transport.js';
import { silentRuntime } from '../model/runtime.js';
import { openCaller } from './call.js';
import { operationsOf } from './operations.js';
import type { EvaluationOperations } from './operations/evaluation.js';
import type { FlagOperations } from './operations/flag-list.js';
import type { RuleOperations, VariantOperations } from './operations/flag-parts.js';
import type { SegmentOperations } from './operations/segments.js';
import type { TokenOperations } from './operations/tokens.js';
import { CLOSE_MS, closingController, orLate } from '../base/time/in-time.js';
import { clientSettings } from '../options/settings.js';

/**
 * A typed client of Flipt's REST interface. The client takes the provider's connection options, such as `url` and
 * `auth`, and the environment variables for these options. The client has no cache and no circuit breaker.
 *
 * If Flipt refuses an operation or cannot be reached, the operation rejects with a {@link FliptServiceError}. Each
 * operation, and each page of an iteration, ends within `http.timeoutMs` × (`http.retries` + 1) milliseconds. The time
 * for an operation includes the wait for credentials and all retries. The client retries a read or an evaluation up to
 * `http.retries` times if the connection fails, or if the status is 408, 429, 502, 503 or 504. The client does not
 * retry an operation that changes something. If Flipt answers a change with 401, the operation rejects, and the next
 * call uses new credentials.
 *
 * The client percent-encodes keys and ids in paths. An operation rejects with a TypeError if a key or an id in its path
 * is empty, is not well-formed Unicode, or has `.` or `..` as a part, as in `a/../b`, because such a path would lead to
 * another address, or could not be written.
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
  /** The operations on client tokens: create a token, and read the record of a token. */
  readonly tokens: TokenOperations;
  /** The operation that evaluates flags. Flipt v2 offers evaluations, but no other operation of this client. */
  readonly evaluation: EvaluationOperations;
  /** The operations on flags: list the flags of a namespace, with their descriptions and variants. */
  readonly flags: FlagOperations;
  /** The operations on the rules of a flag: create a rule, and list the rules. */
  readonly rules: RuleOperations;
  /** The operation on the variants of a flag: update a variant. */
  readonly variants: VariantOperations;
  /** The operations on segments: create, read, list and update segments. */
  readonly segments: SegmentOperations;
  readonly #close: () => Promise<void>;

  /**
   * Creates a client. The client opens no connection before its first operation is called. If an option is wrong, the
   * constructor throws a TypeError that names the option.
   */
  constructor(options: ConnectionOptions = {}) {
    const settings = clientSettings(options);
    const { url, http } = settings;
    const runtime = silentRuntime();
    const withinMs = http.timeoutMs * (http.retries + 1);
    const closing = closingController();
    const { repeatedly, close } = openDirectTransport(withinMs, settings, closing.signal, runtime);
    const call = openCaller(repeatedly, { url, withinMs }, closing.signal, runtime.clock);
    const operations = operationsOf(call, settings);
    this.tokens = operations.tokens;
    this.evaluation = operations.evaluation;
    this.flags = operations.flags;
    this.rules = operations.rules;
    this.variants = operations.variants;
    this.segments = operations.segments;
    this.#close = async () => {
      closing.abort();
      await orLate(close(), CLOSE_MS, runtime.clock);
    };
  }

  /**
   * Closes the connections of the client, and resolves within 2 s. Operations under way, and operations that are called
   * later, reject with a {@link FliptServiceError} that has the code `CANCELLED`. You can call `close` more than once.
   */
  close(): Promise<void> {
    return this.#close();
  }

  /** Does the same as `close`, and resolves within 2 s. `await using` calls this method at the end of its block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
