import {
  OpenFeatureEventEmitter,
  type EvaluationContext,
  type JsonValue,
  type Logger,
  type Provider,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/server-sdk';
import { systemClock } from '../base/time/clock.js';
import type { Explanation } from '../engine/explanation.js';
import type { FliptEvent, FliptEventType } from '../model/events/flipt-event.js';
import type { FliptProviderOptions } from '../options/provider-options.js';
import { Lifecycle } from './lifecycle.js';
import type { FliptStatus } from './flipt-status.js';
import { providerSettings } from '../options/settings.js';
import { startErrorOf } from './mapping/openfeature-errors.js';
import type { EvaluatedFlag, FlagOutcome } from './evaluate/many.js';
import { resolvers } from './evaluate/resolve.js';
import { checkFlagKey, checkFlagKeys } from '../options/check-arguments.js';
import { timeoutOf, type RefreshOptions } from './refresh-options.js';

/** Marks the providers of all copies of this package. */
export const FLIPT_PROVIDER = Symbol.for('openfeature-flipt-provider.is-provider');

/**
 * An OpenFeature server provider for Flipt, and for any service with the HTTP interface of Flipt v1. It sends nothing
 * before it is registered or one of its methods is called. A wrong or unknown option is a TypeError that names it.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 *
 * // Calls get their defaults until Flipt answers. The provider recovers by itself.
 * await OpenFeature.setProviderAndWait(new FliptProvider({ url: 'http://localhost:8080' })).catch(() => {});
 * const isNew = await OpenFeature.getClient().getBooleanValue('new-checkout', false, { targetingKey: 'user-1' });
 * ```
 */
export class FliptProvider implements Provider {
  /** The SDK for browsers refuses it. */
  readonly runsOn = 'server';
  readonly metadata = { name: 'flipt' } as const;
  readonly hooks = [];
  /**
   * PROVIDER_READY, PROVIDER_STALE, PROVIDER_ERROR, and PROVIDER_CONFIGURATION_CHANGED with the keys of the flags that
   * have changed, or without keys after an `invalidate()` of all.
   */
  readonly events = new OpenFeatureEventEmitter();

  static {
    Object.defineProperty(this.prototype, FLIPT_PROVIDER, { value: true });
  }

  readonly #lifecycle: Lifecycle;
  readonly #resolveAs: ReturnType<typeof resolvers>;

  constructor(options?: FliptProviderOptions) {
    const settings = providerSettings(options);
    this.#lifecycle = new Lifecycle(settings, this.events, { clock: systemClock, random: Math.random });
    this.#resolveAs = resolvers(this.#lifecycle, settings.namespace);
  }

  /**
   * Asks Flipt until it answers, for at most `initTimeoutMs`. Without an answer and without a snapshot to evaluate
   * from, it rejects: with PROVIDER_FATAL if Flipt rejects the credentials, else with GENERAL. The provider goes on
   * trying, and emits PROVIDER_READY when Flipt answers. After `onClose`, it starts the provider again.
   */
  async initialize(): Promise<void> {
    const failure = await this.#lifecycle.start();
    if (failure !== undefined) throw startErrorOf(failure);
  }

  /**
   * Ends within 2 s, even if a store, a connection or `tracking.send` hangs. Calls that still wait for Flipt get their
   * default with PROVIDER_NOT_READY.
   */
  async onClose(): Promise<void> {
    await this.#lifecycle.close();
  }

  /**
   * The value of a boolean flag. Of a variant flag: its variant's key if that is `true` or `false`, else an attachment
   * that is a JSON boolean, else TYPE_MISMATCH.
   */
  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<boolean>> {
    return this.#resolveAs.boolean(flagKey, defaultValue, context, logger);
  }

  /** The key of a variant flag's variant. A boolean flag is a TYPE_MISMATCH. */
  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<string>> {
    return this.#resolveAs.string(flagKey, defaultValue, context, logger);
  }

  /**
   * The key of a variant flag's variant if it is a JSON number, else an attachment that is one, else TYPE_MISMATCH.
   */
  resolveNumberEvaluation(
    flagKey: string,
    defaultValue: number,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<number>> {
    return this.#resolveAs.number(flagKey, defaultValue, context, logger);
  }

  /**
   * The attachment of a variant flag's variant, a fresh copy for each call: a JSON object or array, else TYPE_MISMATCH.
   * Malformed, too large (1,048,576 characters) or nested too deep, it is a PARSE_ERROR. It is not checked against `T`.
   */
  resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<T>> {
    return this.#resolveAs.object(flagKey, defaultValue, context, logger) as Promise<ResolutionDetails<T>>;
  }

  /**
   * Passes an event to `tracking.send` later. Does nothing without the option `tracking` or after the close, and never
   * throws.
   */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    trackingEventDetails: TrackingEventDetails = {},
  ): void {
    this.#lifecycle.current()?.tracking?.track(trackingEventName, context, trackingEventDetails);
  }

  /** Passes all waiting tracking events to `tracking.send`, within 2 s. Never rejects. `onClose` does the same. */
  async flush(): Promise<void> {
    await this.#lifecycle.current()?.tracking?.flush();
  }

  /**
   * Asks for flags that have no fresh answer in one batch, so that later resolves for the same context find them in the
   * cache. Resolves within `deadlineMs`, also if Flipt fails: the resolves report it. Rejects only with a TypeError, if
   * `flagKeys` is no list of strings.
   */
  async prefetch(flagKeys: readonly string[], context: EvaluationContext = {}): Promise<void> {
    checkFlagKeys('prefetch', flagKeys);
    await this.#lifecycle.current()?.prefetch(flagKeys, context);
  }

  /**
   * Drops the cached answers of these flags, or of all, and polls Flipt. In remote mode it emits
   * PROVIDER_CONFIGURATION_CHANGED at once, in-process once the poll has found a change. Without `flagKeys`, it also
   * accepts that a namespace has lost all its flags. A TypeError if `flagKeys` is no list of strings.
   */
  invalidate(flagKeys?: readonly string[]): void {
    if (flagKeys !== undefined) checkFlagKeys('invalidate', flagKeys);
    this.#lifecycle.forget(flagKeys);
  }

  /**
   * Waits for a poll that is due or under way, and for the save after it, for at most `timeoutMs`; the poll then goes
   * on. Rejects only with a TypeError about its options.
   */
  async refresh(options?: RefreshOptions): Promise<void> {
    await this.#lifecycle.current()?.refresh(timeoutOf(options));
  }

  /**
   * The values of these flags, or of all flags of the namespace, as plain JSON, for example for a page. They come from
   * the snapshot if there is one. Without one, each of `flagKeys` is resolved, and no `flagKeys` is an error (GENERAL).
   * A flag that does not exist or could not be evaluated is absent. Rejects with INVALID_CONTEXT or
   * TARGETING_KEY_MISSING if the context cannot be used, and with PROVIDER_NOT_READY after the close.
   */
  async evaluateAll(
    context: EvaluationContext,
    flagKeys?: readonly string[],
  ): Promise<Readonly<Record<string, EvaluatedFlag>>> {
    if (flagKeys !== undefined) checkFlagKeys('evaluateAll', flagKeys);
    return this.#lifecycle.open().evaluateAll(context, flagKeys);
  }

  /**
   * The outcome of each flag, for adapters to other protocols such as `ofrep`. In-process, all come from one snapshot.
   * A function as `flagKeys` chooses among the flags of the snapshot, and without one it is an error (GENERAL). Rejects
   * like `evaluateAll`.
   */
  async evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>> {
    if (typeof flagKeys !== 'function') checkFlagKeys('evaluateEach', flagKeys);
    return this.#lifecycle.open().evaluateEach(context, flagKeys);
  }

  /**
   * The snapshot in plain JSON, for the option `snapshot.initial`, or `undefined` if there is none yet. In remote mode
   * the start does not wait for it: await `refresh()` before.
   */
  async getSnapshot(): Promise<object | undefined> {
    return this.#lifecycle.current()?.source?.getSnapshot();
  }

  /** Sends nothing, and works before the start and after the close. */
  getStatus(): FliptStatus {
    return this.#lifecycle.status();
  }

  /**
   * Calls the listener for events of these types, by default of all, also after a close and a new start. Returns a
   * function that removes it. The listener runs within the evaluation: for `hit` and `resolved`, it should be quick. If
   * it throws, the error is logged once. A TypeError for an unknown type.
   */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void {
    return this.#lifecycle.listen(listener, types);
  }

  /**
   * Why a flag has its value for a context: its rules or rollouts in order, what each compared, and which one decided.
   * From the newest snapshot (a cached answer can be older), and for people and tools: slower than a resolve. Rejects
   * with GENERAL without a snapshot within `deadlineMs`, and like `evaluateAll`.
   */
  async explain(flagKey: string, context: EvaluationContext = {}): Promise<Explanation> {
    checkFlagKey('explain', flagKey);
    return this.#lifecycle.open().explain(flagKey, context);
  }
}
