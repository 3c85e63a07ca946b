import { setMaxListeners } from 'node:events';
import { systemClock } from '../clock.js';
import type { ConnectionOptions } from '../options/provider-options.js';
import { authorized } from '../http/auth/authorized.js';
import { openCredentials } from '../http/auth/open-credentials.js';
import { openTransport } from '../http/transport.js';
import { openCaller } from './call.js';
import { evaluationOperations, type EvaluationOperations } from './operations/evaluation.js';
import { ruleOperations, type RuleOperations } from './operations/rules.js';
import { segmentOperations, type SegmentOperations } from './operations/segments.js';
import { tokenOperations, type TokenOperations } from './operations/tokens.js';
import { variantOperations, type VariantOperations } from './operations/variants.js';
import { retried } from '../http/retries/retried.js';
import { retryBudget } from '../http/retries/retry-budget.js';
import { clientSettings } from '../options/settings.js';

/**
 * A typed client of the service's REST interface. It takes the provider's connection options and environment variables,
 * but has no cache and no circuit breaker: each call is a request.
 *
 * A failure is a `FliptServiceError`. Reads and evaluations are retried after a failed connection, 408, 429, 502, 503 or
 * 504 (`http.retries`), within `http.timeoutMs` × (`http.retries` + 1). A change is sent once. An empty key or id is a
 * TypeError.
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
    const transport = openTransport(settings, systemClock);
    const closing = new AbortController();
    // Each call that waits for credentials adds a listener.
    setMaxListeners(0, closing.signal);
    const loggingIn = { send: transport.send, ending: closing.signal };
    const credentials = openCredentials(settings, loggingIn, systemClock, Math.random);
    const send = authorized(transport.send, credentials);
    const retries = { retries: http.retries, withinMs: http.timeoutMs * (http.retries + 1) };
    const resilient = retried(send, retries, retryBudget(), systemClock, Math.random);
    const { call, close } = openCaller(resilient, url);
    this.tokens = tokenOperations(call);
    this.evaluation = evaluationOperations(call, settings);
    this.rules = ruleOperations(call);
    this.variants = variantOperations(call);
    this.segments = segmentOperations(call);
    this.#close = async () => {
      close();
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
