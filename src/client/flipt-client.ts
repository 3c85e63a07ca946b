import { systemClock } from '../clock.js';
import type { ConnectionOptions } from '../options/provider-options.js';
import { authorized } from '../http/auth/authorized.js';
import { credentialsOf } from '../http/auth/credentials.js';
import { openTransport } from '../http/transport.js';
import { openCaller } from './call.js';
import { evaluationOperations, type EvaluationOperations } from './operations/evaluation.js';
import { ruleOperations, type RuleOperations } from './operations/rules.js';
import { segmentOperations, type SegmentOperations } from './operations/segments.js';
import { tokenOperations, type TokenOperations } from './operations/tokens.js';
import { variantOperations, type VariantOperations } from './operations/variants.js';
import { retried } from '../http/retried.js';
import { retryBudget } from '../http/retry.js';
import { clientSettings } from '../options/settings.js';

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
