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
import type { Explanation } from '../engine/explain/explanation.js';
import type { FliptEvent, FliptEventType } from '../model/events/flipt-event.js';
import type { FliptProviderOptions } from '../options/provider-options.js';
import { Lifecycle } from './lifecycle.js';
import type { FliptStatus } from './status/flipt-status.js';
import { providerSettings } from '../options/settings.js';
import { startErrorOf } from './mapping/openfeature-errors.js';
import { evaluateAll, evaluateEach, type EvaluatedFlag, type FlagOutcome } from './evaluate/evaluate-many.js';
import { resolvers, type Resolvers } from './evaluate/resolve-as.js';
import { checkFlagKey, checkFlagKeys } from '../base/text/describe.js';
import { timeoutOf, type RefreshOptions } from './refresh-options.js';

/** Marks the providers of all copies of this package. */
export const FLIPT_PROVIDER = Symbol.for('openfeature-flipt-provider.is-provider');

/**
 * OpenFeature server provider for Flipt, and for any service that speaks its v1 interface.
 *
 * Its constructor throws a TypeError that names the option, what was expected and what was given, if an option is wrong
 * or unknown. It sends nothing until it is registered or a flag is resolved.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 *
 * // Defaults are served until Flipt answers; the provider recovers by itself.
 * await OpenFeature.setProviderAndWait(new FliptProvider({ url: 'http://localhost:8080' })).catch(() => {});
 * const isNew = await OpenFeature.getClient().getBooleanValue('new-checkout', false, { targetingKey: 'user-1' });
 * ```
 */
export class FliptProvider implements Provider {
  /** Where it runs, in OpenFeature's terms: the SDK for browsers refuses it. */
  readonly runsOn = 'server';
  /** For hooks and telemetry. */
  readonly metadata = {
    /** The same for all providers of this package, whichever service they use. */
    name: 'flipt',
  } as const;
  /** There are none. */
  readonly hooks = [];
  /** PROVIDER_READY, STALE, ERROR, and CONFIGURATION_CHANGED with the flags that changed, and after `invalidate`. */
  readonly events = new OpenFeatureEventEmitter();

  static {
    Object.defineProperty(this.prototype, FLIPT_PROVIDER, { value: true });
  }

  readonly #lifecycle: Lifecycle;
  readonly #resolveAs: Resolvers;

  /** All options have defaults. A wrong or unknown one is a TypeError. */
  constructor(options?: FliptProviderOptions) {
    const settings = providerSettings(options);
    this.#lifecycle = new Lifecycle(settings, this.events, { clock: systemClock, random: Math.random });
    this.#resolveAs = resolvers(this.#lifecycle, settings.namespace);
  }

  /**
   * Asks the service one real question, and repeats it until the service answers or `initTimeoutMs` is over.
   * Rejects with PROVIDER_FATAL if the service rejects the credentials, with GENERAL if it cannot be reached. In both
   * cases the provider keeps trying in the background, and PROVIDER_READY follows. Concurrent calls share one start. A
   * call after `onClose` starts the provider again.
   */
  async initialize(): Promise<void> {
    const failure = await this.#lifecycle.start();
    if (failure !== undefined) throw startErrorOf(failure);
  }

  /** Ends timers and sockets within 2 s, whatever hangs; waiting resolves get PROVIDER_NOT_READY. May be called again. */
  async onClose(): Promise<void> {
    await this.#lifecycle.close();
  }

  /**
   * The value of a boolean flag. Of a variant flag: the key `true` or `false`, else an attachment that is a JSON
   * boolean, else TYPE_MISMATCH. A resolve of any type ends within `deadlineMs`; one that fails returns the default.
   */
  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<boolean>> {
    return this.#resolveAs.boolean(flagKey, defaultValue, context, logger);
  }

  /** The key of the variant, within `deadlineMs`. A boolean flag is a TYPE_MISMATCH. */
  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<string>> {
    return this.#resolveAs.string(flagKey, defaultValue, context, logger);
  }

  /** The variant's key if it is a JSON number, else an attachment that is one, else TYPE_MISMATCH; within `deadlineMs`. */
  resolveNumberEvaluation(
    flagKey: string,
    defaultValue: number,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<number>> {
    return this.#resolveAs.number(flagKey, defaultValue, context, logger);
  }

  /**
   * The attachment of the variant if it is a JSON object or array, a fresh copy each time, else TYPE_MISMATCH;
   * malformed JSON is a PARSE_ERROR. Within `deadlineMs`. The value is not checked against `T`.
   */
  resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<T>> {
    // The caller chooses the type. Like other providers, this one does not check the value against it.
    return this.#resolveAs.object(flagKey, defaultValue, context, logger) as Promise<ResolutionDetails<T>>;
  }

  /** For `client.track`: an event for `tracking.send`. Does nothing without the option, and after the close. Never throws. */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    trackingEventDetails: TrackingEventDetails = {},
  ): void {
    this.#lifecycle.running()?.tracking?.track(trackingEventName, context, trackingEventDetails);
  }

  /** Sends the events that wait to `tracking.send`, for 2 s at most, as `onClose` does. Never rejects. */
  async flush(): Promise<void> {
    await this.#lifecycle.running()?.tracking?.flush();
  }

  /**
   * Asks for flags in one batch, or in several if `batch` limits it, so that later resolves for the same context find
   * known answers or join the request. The types of the flags need not be known. Resolves when the flags are answered,
   * at the latest after `deadlineMs`. Never rejects because of the service; the later resolve reports
   * the failure. It does nothing for a flag that is evaluated in-process. Throws a TypeError if `flagKeys` is not a list
   * of strings.
   */
  async prefetch(flagKeys: readonly string[], context: EvaluationContext = {}): Promise<void> {
    checkFlagKeys('prefetch', flagKeys);
    await this.#lifecycle.running()?.prefetch(flagKeys, context);
  }

  /**
   * Forgets the known answers of some flags, or of all, polls, and emits PROVIDER_CONFIGURATION_CHANGED. Without
   * `flagKeys`, a Flipt that has no flags any more, where it had some, is believed. Throws a TypeError if `flagKeys` is no
   * list of strings.
   */
  invalidate(flagKeys?: readonly string[]): void {
    if (flagKeys !== undefined) checkFlagKeys('invalidate', flagKeys);
    this.#lifecycle.forget(flagKeys);
  }

  /**
   * Polls if the last poll is older than `watch.pollMs` and no other call polls. Resolves when that is done, at the latest
   * after `timeoutMs`; the poll may go on. With `watch: { background: false }` the poll ends with it, and `refresh` also
   * loads and saves the kept snapshot. Rejects only with a TypeError, about its options.
   */
  async refresh(options?: RefreshOptions): Promise<void> {
    await this.#lifecycle.running()?.refresh(timeoutOf(options));
  }

  /**
   * All flags of the namespace for one context, in plain JSON values, for a page. They come from the snapshot. Without
   * one, `flagKeys` are asked for in batches; without these, it rejects with GENERAL. A flag that does not exist, or was
   * not answered within `deadlineMs`, is left out. Rejects with INVALID_CONTEXT or TARGETING_KEY_MISSING for a context
   * that cannot be used, with PROVIDER_NOT_READY after the close, and with a TypeError if `flagKeys` is no list of strings.
   */
  async evaluateAll(
    context: EvaluationContext,
    flagKeys?: readonly string[],
  ): Promise<Readonly<Record<string, EvaluatedFlag>>> {
    if (flagKeys !== undefined) checkFlagKeys('evaluateAll', flagKeys);
    const running = this.#lifecycle.open();
    return evaluateAll(running, context, flagKeys, systemClock);
  }

  /**
   * The outcome of each of these flags, evaluated as in a resolve, within `deadlineMs`; a flag without an answer by
   * then has failed. Made for adapters to other protocols, such as `ofrep`. In-process, all outcomes come from one
   * snapshot. A function as `flagKeys` selects flags of the snapshot; without a snapshot, it rejects with GENERAL. If
   * it returns anything but `true` or `false`, it is a TypeError. Otherwise it rejects as `evaluateAll` does.
   */
  async evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>> {
    const running = this.#lifecycle.open();
    return evaluateEach(running, context, flagKeys, systemClock);
  }

  /**
   * The snapshot in force, in JSON values, with the date at which Flipt last confirmed it, as `snapshot.initial` takes
   * it; `undefined` before the first. In the first seconds, it reads flags at once: 10,000 take a quarter of a second.
   */
  getSnapshot(): object | undefined {
    return this.#lifecycle.running()?.snapshots?.opened()?.body();
  }

  /**
   * The provider's state in plain JSON values. Cheap. It sends nothing, and works before the start and after the close.
   */
  getStatus(): FliptStatus {
    return this.#lifecycle.status();
  }

  /**
   * From now on, calls the listener for each event of these types, by default of all types. Returns a function that
   * stops it. The listener is called synchronously where the event happens, so it should be quick; `hit` and `resolved`
   * occur in each resolve. An error that it throws is logged once and harms nothing. The listener stays when the
   * provider closes and starts again. Throws a TypeError if `listener` is not a function, or `types` names an unknown
   * type.
   */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void {
    return this.#lifecycle.userListeners.add(listener, types);
  }

  /**
   * Why a flag has its value for a context: its rules or rollouts in order, what each compared, and what decided. Uses
   * the newest snapshot; an answer in the cache may be older. For people and tools: slower than a resolve. Rejects with
   * GENERAL if no snapshot comes within `deadlineMs`, with INVALID_CONTEXT or TARGETING_KEY_MISSING for a context that
   * cannot be used, with PROVIDER_NOT_READY after the close, and with a TypeError if `flagKey` is not a string.
   */
  async explain(flagKey: string, context: EvaluationContext = {}): Promise<Explanation> {
    checkFlagKey('explain', flagKey);
    return this.#lifecycle.open().explain(flagKey, context);
  }
}
