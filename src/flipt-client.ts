import { systemClock } from './clock.js';
import type { ConnectionOptions } from './options.js';
import { authorized } from './service/authorized.js';
import { credentialsOf } from './service/credentials.js';
import { openTransport } from './service/http.js';
import { openCaller } from './service/operations/call.js';
import { evaluationOperations, type EvaluationOperations } from './service/operations/evaluation.js';
import { ruleOperations, type RuleOperations } from './service/operations/rules.js';
import { segmentOperations, type SegmentOperations } from './service/operations/segments.js';
import { tokenOperations, type TokenOperations } from './service/operations/tokens.js';
import { variantOperations, type VariantOperations } from './service/operations/variants.js';
import { retried } from './service/retried.js';
import { retryBudget } from './service/retry.js';
import { clientSettings } from './settings.js';

/**
 * The service's interface, operation by operation. It takes the same options and environment variables as the provider
 * and sends in the same way, but keeps nothing and has no circuit breaker: each call is a request.
 *
 * Failures are a `FliptServiceError`. Reading and evaluating are repeated after a failure of the connection, 408, 429,
 * 502, 503 or 504 (`http.retries`), so long as `http.timeoutMs` × (`http.retries` + 1) are not over. What changes
 * something is sent once. A part of a path that is empty is a TypeError.
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
  /** Makes client tokens, and reads what is known of them. */
  readonly tokens: TokenOperations;
  /** Evaluates flags; the only operation that Flipt v2 serves as well. */
  readonly evaluation: EvaluationOperations;
  /** Makes and lists the rules of a flag. */
  readonly rules: RuleOperations;
  /** Updates the variants of a flag. */
  readonly variants: VariantOperations;
  /** Makes, reads, lists and updates segments. */
  readonly segments: SegmentOperations;
  readonly #close: () => Promise<void>;

  /** Throws a TypeError that names the option that is wrong. Opens no connection yet. */
  constructor(options: ConnectionOptions = {}) {
    const settings = clientSettings(options);
    const { url, auth, http } = settings;
    const transport = openTransport(settings, systemClock);
    const send = authorized(transport.send, credentialsOf(auth, systemClock, http.timeoutMs));
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
      await transport.close();
    };
  }

  /**
   * Ends its connections, and what is under way: that, and what is called later, is a `FliptServiceError` with the
   * code `CANCELLED`. May be called again.
   */
  close(): Promise<void> {
    return this.#close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
