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

/** The symbol that marks the providers of all copies of this package. */
export const FLIPT_PROVIDER = Symbol.for('openfeature-flipt-provider.is-provider');

/**
 * This is an OpenFeature server provider for Flipt, and for any service that speaks the interface of Flipt v1.
 *
 * If an option is wrong or unknown, the constructor throws a TypeError that names the option, what was expected and what
 * was given. The provider sends nothing until you register it or resolve a flag.
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
  /** Tells OpenFeature that this provider runs on servers, so that the SDK for browsers refuses it. */
  readonly runsOn = 'server';
  /** Names the provider in hooks and telemetry. */
  readonly metadata = {
    /** The name is the same for all providers of this package, whichever service they use. */
    name: 'flipt',
  } as const;
  /** The provider brings no hooks. */
  readonly hooks = [];
  /**
   * Emits PROVIDER_READY, PROVIDER_STALE, PROVIDER_ERROR and PROVIDER_CONFIGURATION_CHANGED. The provider emits
   * PROVIDER_CONFIGURATION_CHANGED with the keys of the flags that have changed, and also after `invalidate`.
   */
  readonly events = new OpenFeatureEventEmitter();

  static {
    Object.defineProperty(this.prototype, FLIPT_PROVIDER, { value: true });
  }

  readonly #lifecycle: Lifecycle;
  readonly #resolveAs: Resolvers;

  /** Creates a provider. All options have defaults. Throws a TypeError if an option is wrong or unknown. */
  constructor(options?: FliptProviderOptions) {
    const settings = providerSettings(options);
    this.#lifecycle = new Lifecycle(settings, this.events, { clock: systemClock, random: Math.random });
    this.#resolveAs = resolvers(this.#lifecycle, settings.namespace);
  }

  /**
   * Starts the provider. The start asks the service one real question, and repeats it until the service answers or
   * `initTimeoutMs` is over. With `watch: { background: false }`, and in-process with `watch: false`, the start sends
   * no question. Rejects with PROVIDER_FATAL if the service rejects the credentials, and with GENERAL if the service
   * cannot be reached. In both cases, the provider keeps trying in the background, and PROVIDER_READY follows.
   * Concurrent calls share one start. A call after `onClose` starts the provider again.
   */
  async initialize(): Promise<void> {
    const failure = await this.#lifecycle.start();
    if (failure !== undefined) throw startErrorOf(failure);
  }

  /**
   * Closes the provider. All timers and sockets end within 2 s, even if a store or a connection hangs. Calls that still
   * wait for a flag get their default with PROVIDER_NOT_READY. You can call this function several times.
   */
  async onClose(): Promise<void> {
    await this.#lifecycle.close();
  }

  /**
   * Resolves a boolean value within `deadlineMs`. A boolean flag gives its own value. A variant flag gives `true` or
   * `false` if that is the key of its variant, or else its attachment if that is a JSON boolean. Any other variant is a
   * TYPE_MISMATCH. A resolve that fails returns the default, whatever its type.
   */
  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<boolean>> {
    return this.#resolveAs.boolean(flagKey, defaultValue, context, logger);
  }

  /** Resolves the key of the flag's variant within `deadlineMs`. A boolean flag is a TYPE_MISMATCH. */
  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<string>> {
    return this.#resolveAs.string(flagKey, defaultValue, context, logger);
  }

  /**
   * Resolves a number within `deadlineMs`. The value is the variant's key if that is a JSON number, or else its
   * attachment if that is a JSON number. Any other value is a TYPE_MISMATCH.
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
   * Resolves the attachment of the flag's variant within `deadlineMs`, if that is a JSON object or array. Each call
   * returns a fresh copy. Malformed JSON is a PARSE_ERROR, and any other value is a TYPE_MISMATCH. The value is not
   * checked against `T`.
   */
  resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<T>> {
    // The caller chooses the type `T`. Like other providers, this one does not check the value against `T`.
    return this.#resolveAs.object(flagKey, defaultValue, context, logger) as Promise<ResolutionDetails<T>>;
  }

  /**
   * Takes an event of `client.track` and passes it to `tracking.send` later. Without the option `tracking`, or after
   * the close, the function does nothing. The function never throws.
   */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    trackingEventDetails: TrackingEventDetails = {},
  ): void {
    this.#lifecycle.running()?.tracking?.track(trackingEventName, context, trackingEventDetails);
  }

  /**
   * Sends the events that wait to `tracking.send`, for 2 s at most. `onClose` does the same. The promise never rejects.
   */
  async flush(): Promise<void> {
    await this.#lifecycle.running()?.tracking?.flush();
  }

  /**
   * Asks for flags in one batch, or in several if `batch` limits its size. Later resolves for the same context then
   * find known answers, or join the request. You need not know the types of the flags. The promise resolves when the
   * flags are answered, at the latest after `deadlineMs`. The promise does not reject if the service fails, because the
   * later resolve reports that failure. A flag that is evaluated in-process needs no request, so that nothing is sent
   * for it. Throws a TypeError if `flagKeys` is not a list of strings.
   */
  async prefetch(flagKeys: readonly string[], context: EvaluationContext = {}): Promise<void> {
    checkFlagKeys('prefetch', flagKeys);
    await this.#lifecycle.running()?.prefetch(flagKeys, context);
  }

  /**
   * Forgets the known answers of some flags, or of all flags, polls, and emits PROVIDER_CONFIGURATION_CHANGED. If you
   * leave out `flagKeys`, and Flipt has no flags any more although it had some before, the provider accepts that they
   * are gone. Throws a TypeError if `flagKeys` is not a list of strings.
   */
  invalidate(flagKeys?: readonly string[]): void {
    if (flagKeys !== undefined) checkFlagKeys('invalidate', flagKeys);
    this.#lifecycle.forget(flagKeys);
  }

  /**
   * Polls if the last poll is older than `watch.pollMs` and no other call polls. The promise resolves when the poll has
   * ended, at the latest after `timeoutMs`. A poll that takes longer than `timeoutMs` goes on. With
   * `watch: { background: false }`, the poll ends with the call, and `refresh` also loads and saves the snapshot that
   * is kept across restarts. Rejects only with a TypeError about its options.
   */
  async refresh(options?: RefreshOptions): Promise<void> {
    await this.#lifecycle.running()?.refresh(timeoutOf(options));
  }

  /**
   * Evaluates all flags of the namespace for one context, and returns them in plain JSON values, for example for a
   * page. The flags come from the snapshot. Without a snapshot, the provider asks for `flagKeys` in batches, or rejects
   * with GENERAL if you have not given `flagKeys`. A flag is left out if it does not exist, or was not answered within
   * `deadlineMs`. Rejects with INVALID_CONTEXT or TARGETING_KEY_MISSING for a context that cannot be used, with
   * PROVIDER_NOT_READY after the close, and with a TypeError if `flagKeys` is not a list of strings.
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
   * Returns the outcome of each of these flags, evaluated as in a resolve. A flag that has no answer within
   * `deadlineMs` has failed. This function is made for adapters to other protocols, such as `ofrep`. In-process, all
   * outcomes come from one snapshot. If `flagKeys` is a function, it selects flags of the snapshot. If `flagKeys` is a
   * function and there is no snapshot, the promise rejects with GENERAL. If the function returns anything but `true` or
   * `false`, the promise rejects with a TypeError. In all other cases, the promise rejects for the same reasons as the
   * promise of `evaluateAll`.
   */
  async evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>> {
    const running = this.#lifecycle.open();
    return evaluateEach(running, context, flagKeys, systemClock);
  }

  /**
   * Returns the snapshot in force in plain JSON values, with the date at which Flipt last confirmed it, or `undefined`
   * before the first snapshot. You can give the result to `snapshot.initial`. In the first seconds after a start, this
   * call has to read all flags at once, which blocks the event loop for a quarter of a second for 10,000 flags.
   */
  getSnapshot(): object | undefined {
    return this.#lifecycle.running()?.snapshots?.opened()?.body();
  }

  /**
   * Returns the provider's state in plain JSON values. The call is cheap, sends nothing, and works before the start and
   * after the close.
   */
  getStatus(): FliptStatus {
    return this.#lifecycle.status();
  }

  /**
   * Calls the listener for each event of these types from now on, by default for events of all types. Returns a
   * function that stops the listener. The listener is called synchronously where the event happens, so it should be
   * quick, because `hit` and `resolved` occur in each resolve. If the listener throws, the error is logged once and has
   * no other effect. The listener stays when the provider closes and starts again. Throws a TypeError if `listener` is
   * not a function, or if `types` names an unknown type.
   */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void {
    return this.#lifecycle.userListeners.add(listener, types);
  }

  /**
   * Explains why a flag has its value for a context: its rules or rollouts in order, what each of them compared, and
   * which one decided. The explanation uses the newest snapshot, while an answer in the cache can be older. The
   * function is made for people and tools, and is slower than a resolve. Rejects with GENERAL if no snapshot comes
   * within `deadlineMs`, with INVALID_CONTEXT or TARGETING_KEY_MISSING for a context that cannot be used, with
   * PROVIDER_NOT_READY after the close, and with a TypeError if `flagKey` is not a string.
   */
  async explain(flagKey: string, context: EvaluationContext = {}): Promise<Explanation> {
    checkFlagKey('explain', flagKey);
    return this.#lifecycle.open().explain(flagKey, context);
  }
}
