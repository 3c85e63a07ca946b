import { setMaxListeners } from 'node:events';
import type { ConnectionOptions } from '../options/connection-options.js';
import { openAuthorizedTransport } from '../http/auth/authorized-transport.js';
import { silentRuntime } from '../runtime.js';
import { openCaller } from './call.js';
import { evaluationOperations, type EvaluationOperations } from './operations/evaluation.js';
import { ruleOperations, type RuleOperations } from './operations/rules.js';
import { segmentOperations, type SegmentOperations } from './operations/segments.js';
import { tokenOperations, type TokenOperations } from './operations/tokens.js';
import { variantOperations, type VariantOperations } from './operations/variants.js';
import { withRetries } from '../http/retries/with-retries.js';
import { clientSettings } from '../options/settings.js';

/**
 * A typed client of the service's REST interface. It takes the provider's connection options and environment variables,
 * but has no cache and no circuit breaker: each call is a request.
 *
 * A failure is a `FliptServiceError`. Reads and evaluations are retried after a failed connection, 408, 429, 502, 503 or
 * 504 (`http.retries`), within `http.timeoutMs` × (`http.retries` + 1). A change is sent once; a 401 then refreshes the
 * credentials for the next call only. Keys may contain any characters; an empty key or id is a TypeError.
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
  /** Creates client tokens and reads their records. */
  readonly tokens: TokenOperations;
  /** Evaluates flags; the only operation that Flipt v2 also has. */
  readonly evaluation: EvaluationOperations;
  /** Creates and lists the rules of a flag. */
  readonly rules: RuleOperations;
  /** Updates the variants of a flag. */
  readonly variants: VariantOperations;
  /** Creates, reads, lists and updates segments. */
  readonly segments: SegmentOperations;
  readonly #close: () => Promise<void>;

  /** Throws a TypeError that names the wrong option. Opens no connection yet. */
  constructor(options: ConnectionOptions = {}) {
    const settings = clientSettings(options);
    const { url, http } = settings;
    const runtime = silentRuntime();
    const closing = new AbortController();
    // Each call that waits for credentials adds a listener.
    setMaxListeners(0, closing.signal);
    const transport = openAuthorizedTransport(settings, closing.signal, runtime);
    const retries = { retries: http.retries, withinMs: http.timeoutMs * (http.retries + 1) };
    const call = openCaller(withRetries(transport.send, retries, runtime), url, closing.signal);
    this.tokens = tokenOperations(call);
    this.evaluation = evaluationOperations(call, settings);
    this.rules = ruleOperations(call);
    this.variants = variantOperations(call);
    this.segments = segmentOperations(call);
    this.#close = async () => {
      closing.abort();
      await transport.close();
    };
  }

  /**
   * Closes the connections. Calls in progress, and later ones, reject with a `FliptServiceError` of code `CANCELLED`. May
   * be called again.
   */
  close(): Promise<void> {
    return this.#close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
