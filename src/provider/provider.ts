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
import { evaluateAll, evaluateEach, type EvaluatedFlag, type FlagOutcome } from './evaluate/many.js';
import { resolvers } from './evaluate/resolve.js';
import { checkFlagKey, checkFlagKeys } from '../base/text/describe.js';
import { timeoutOf, type RefreshOptions } from './refresh-options.js';

/** The symbol that marks the providers of all copies of this package. */
export const FLIPT_PROVIDER = Symbol.for('openfeature-flipt-provider.is-provider');

/**
 * This is an OpenFeature server provider for Flipt, and for any service that has the HTTP interface of Flipt v1.
 *
 * If an option is wrong or unknown, the constructor throws a TypeError that names the option, what was expected and
 * what was given. The provider sends nothing until you register it or call one of its methods.
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
  /**
   * Tells OpenFeature that this provider runs on servers. The SDK for browsers refuses a provider that runs on servers.
   */
  readonly runsOn = 'server';
  /** The name of the provider in hooks and telemetry. */
  readonly metadata = {
    /** All providers of this package have this name, whichever service they use. */
    name: 'flipt',
  } as const;
  /** The provider brings no hooks. */
  readonly hooks = [];
  /**
   * Emits PROVIDER_READY, PROVIDER_STALE, PROVIDER_ERROR and PROVIDER_CONFIGURATION_CHANGED.
   * PROVIDER_CONFIGURATION_CHANGED has the keys of the flags that have changed. In remote mode, the provider also emits
   * PROVIDER_CONFIGURATION_CHANGED when you call `invalidate`, with the keys that you pass to `invalidate`, or without
   * keys.
   */
  readonly events = new OpenFeatureEventEmitter();

  static {
    Object.defineProperty(this.prototype, FLIPT_PROVIDER, { value: true });
  }

  readonly #lifecycle: Lifecycle;
  readonly #resolveAs: ReturnType<typeof resolvers>;

  /** Creates a provider. You can leave out every option. Throws a TypeError if an option is wrong or unknown. */
  constructor(options?: FliptProviderOptions) {
    const settings = providerSettings(options);
    this.#lifecycle = new Lifecycle(settings, this.events, { clock: systemClock, random: Math.random });
    this.#resolveAs = resolvers(this.#lifecycle, settings.namespace);
  }

  /**
   * Starts the provider. The start sends Flipt one evaluation request, and usually repeats it until Flipt answers or
   * `initTimeoutMs` is over. In-process with `watch: false`, the start sends
   * no evaluation request. If the start fails and there is no snapshot to evaluate from, the promise rejects: with
   * PROVIDER_FATAL if Flipt rejects the credentials, and otherwise with GENERAL. If there is a snapshot, for example a
   * saved one, the start succeeds even if Flipt does not answer. If you close the provider during the start, the
   * promise rejects with PROVIDER_NOT_READY. After a start to which Flipt has not answered, the provider keeps trying
   * in the background, and emits PROVIDER_READY when Flipt answers. Concurrent calls share one start. A call of
   * `initialize` after `onClose` starts the provider again.
   */
  async initialize(): Promise<void> {
    const failure = await this.#lifecycle.start();
    if (failure !== undefined) throw startErrorOf(failure);
  }

  /**
   * Closes the provider. The promise resolves within 2 s, even if a store, a connection or `tracking.send` hangs. Calls
   * that still wait for an answer of Flipt get their default with PROVIDER_NOT_READY. You can call `onClose` several
   * times.
   */
  async onClose(): Promise<void> {
    await this.#lifecycle.close();
  }

  /**
   * Resolves a boolean value within `deadlineMs`. A boolean flag gives its own value. A variant flag gives `true` or
   * `false` if the key of its variant is `true` or `false`. If the key is another text, the value is the variant's
   * attachment, provided that the attachment is a JSON boolean. A variant that gives no boolean is usually a
   * TYPE_MISMATCH, and a PARSE_ERROR if the attachment has more than 1,048,576 characters. If a resolve fails, the
   * caller gets the default, whatever the default's type is.
   */
  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<boolean>> {
    return this.#resolveAs.boolean(flagKey, defaultValue, context, logger);
  }

  /**
   * Resolves the key of a variant flag's variant within `deadlineMs`. If the flag is a boolean flag, the resolve fails
   * with TYPE_MISMATCH.
   */
  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<string>> {
    return this.#resolveAs.string(flagKey, defaultValue, context, logger);
  }

  /**
   * Resolves a number within `deadlineMs`. The value is the variant's key if the key is a JSON number. If the key is
   * not a JSON number, the value is the variant's attachment, provided that the attachment is a JSON number. A boolean
   * flag is a TYPE_MISMATCH. A variant that gives no number is usually a TYPE_MISMATCH, and a PARSE_ERROR if the
   * attachment has more than 1,048,576 characters.
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
   * Resolves the attachment of the flag's variant within `deadlineMs`, if the attachment is a JSON object or array.
   * Each call returns a fresh copy. An attachment that is malformed JSON, too large or nested too deep is a
   * PARSE_ERROR. Any other attachment that is neither an object nor an array is a TYPE_MISMATCH, and so is a boolean
   * flag. The provider does not check the value against the type `T`.
   */
  resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
    logger?: Logger,
  ): Promise<ResolutionDetails<T>> {
    // The caller chooses the type `T`, and the provider does not check the value against `T`.
    return this.#resolveAs.object(flagKey, defaultValue, context, logger) as Promise<ResolutionDetails<T>>;
  }

  /**
   * Takes a tracking event of `client.track`, and usually passes it to `tracking.send` later. If, for example, too many
   * events wait, events are lost. Without the option `tracking`, or after the close, `track` does nothing. `track`
   * never throws.
   */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    trackingEventDetails: TrackingEventDetails = {},
  ): void {
    this.#lifecycle.current()?.tracking?.track(trackingEventName, context, trackingEventDetails);
  }

  /**
   * Passes all waiting tracking events to `tracking.send`, and waits for at most 2 s. `onClose` also sends waiting
   * tracking events. The promise of `flush` never rejects.
   */
  async flush(): Promise<void> {
    await this.#lifecycle.current()?.tracking?.flush();
  }

  /**
   * Asks Flipt for those of the flags that have no fresh cached answer, in one batch, or in several batches if the
   * flags do not fit into one. If the cache is on, later resolves for the same context then find cached answers, or
   * wait for the same request. You need not know the types of the flags. The promise resolves when each of the flags
   * has an answer or has failed, at the latest after `deadlineMs`. The promise does not reject if Flipt fails, because
   * a later resolve reports the failure. For flags that are evaluated in-process, `prefetch` sends no evaluation
   * request. The promise rejects
   * with a TypeError if `flagKeys` is not a list of strings.
   */
  async prefetch(flagKeys: readonly string[], context: EvaluationContext = {}): Promise<void> {
    checkFlagKeys('prefetch', flagKeys);
    await this.#lifecycle.current()?.prefetch(flagKeys, context);
  }

  /**
   * Removes the cached answers of some flags, or of all flags if you leave out `flagKeys`. If the option `watch` is on,
   * `invalidate` also makes the provider poll Flipt: at once,
   * or after the pause if Flipt has asked for one. In remote mode, `invalidate` emits PROVIDER_CONFIGURATION_CHANGED at
   * once. For flags that are evaluated in-process, the provider emits PROVIDER_CONFIGURATION_CHANGED only if a poll
   * finds that flags have changed. If Flipt has lost all its flags, a call of `invalidate` without `flagKeys` makes the
   * provider accept that the flags are gone, as soon as a poll confirms it. Throws a TypeError if `flagKeys` is not a
   * list of strings.
   */
  invalidate(flagKeys?: readonly string[]): void {
    if (flagKeys !== undefined) checkFlagKeys('invalidate', flagKeys);
    this.#lifecycle.forget(flagKeys);
  }

  /**
   * If the option `watch` is on, waits for a poll that is due or under way. By default, a poll is due
   * `watch.pollMs` after the last one, and the first poll is due at once. The promise resolves when the poll has ended,
   * at the latest after `timeoutMs`. A poll that takes longer than `timeoutMs` goes on in the background.
   * `refresh` also saves the snapshot if a save is due. The promise rejects
   * with a TypeError if an option of `refresh` is wrong, and never for another reason.
   */
  async refresh(options?: RefreshOptions): Promise<void> {
    await this.#lifecycle.current()?.refresh(timeoutOf(options));
  }

  /**
   * Evaluates the flags in `flagKeys`, or all flags of the namespace if you leave out `flagKeys`, for one context.
   * Returns the values as plain JSON, for example for a web page. If the provider has a snapshot, it usually evaluates
   * the flags from the snapshot. Otherwise, the provider resolves each flag in `flagKeys` as in a resolve, and the
   * promise rejects with GENERAL if you have not given `flagKeys`. The result has no value for a flag that does not
   * exist, or that could not be evaluated, for example because Flipt has not answered within `deadlineMs`. The promise
   * rejects with INVALID_CONTEXT or TARGETING_KEY_MISSING if the context cannot be used, with PROVIDER_NOT_READY after
   * the close, and with a TypeError if `flagKeys` is not a list of strings.
   */
  async evaluateAll(
    context: EvaluationContext,
    flagKeys?: readonly string[],
  ): Promise<Readonly<Record<string, EvaluatedFlag>>> {
    if (flagKeys !== undefined) checkFlagKeys('evaluateAll', flagKeys);
    return evaluateAll(this.#lifecycle.open().many, context, flagKeys, systemClock);
  }

  /**
   * Returns the outcome of each flag in `flagKeys`, evaluated as in a resolve. A flag that has neither an answer within
   * `deadlineMs` nor a last known answer gets the outcome `failed`. This method is made for adapters to other
   * protocols, such as `ofrep`. In-process, all outcomes usually come from one snapshot. If `flagKeys` is a function,
   * this function selects flags of the snapshot. If `flagKeys` is a function and there is no snapshot, the promise
   * rejects with GENERAL. If the function `flagKeys` returns anything but `true` or `false`, the promise rejects with a
   * TypeError. Apart from these errors about `flagKeys`, the promise rejects for the same reasons as the promise of
   * `evaluateAll`.
   */
  async evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>> {
    return evaluateEach(this.#lifecycle.open().many, context, flagKeys, systemClock);
  }

  /**
   * The current snapshot in plain JSON values, or `undefined` if there is none yet, and after the close. You can pass it
   * to the option `snapshot.initial`. In remote mode, the start does not wait for the first snapshot: await `refresh()`
   * before.
   */
  async getSnapshot(): Promise<object | undefined> {
    return this.#lifecycle.current()?.source?.getSnapshot();
  }

  /**
   * Returns the provider's state as plain JSON values. The call takes little time, sends nothing, and works before the
   * start and after the close.
   */
  getStatus(): FliptStatus {
    return this.#lifecycle.status();
  }

  /**
   * From now on, calls the listener for each event of these types. Default: events of all types. Returns a function
   * that removes the listener. The provider calls the listener synchronously when the event happens. A listener for
   * `hit` or `resolved` should be quick, because these events occur in most evaluations. If the listener throws, the
   * provider logs the error once, and the error has no other effect. The listener stays when the provider is closed and
   * started again. Throws a TypeError if `listener` is not a function, or if `types` names an unknown type.
   */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void {
    return this.#lifecycle.listeners.add(listener, types);
  }

  /**
   * Explains why a flag has its value for a context: its rules or rollouts in order, what each of them compared, and
   * which one decided. The explanation uses the newest snapshot, while a cached answer can be older. This method is
   * made for people and tools, and is slower than a resolve. The promise rejects with GENERAL if the provider gets no
   * snapshot within `deadlineMs`, and with INVALID_CONTEXT or TARGETING_KEY_MISSING if the context cannot be used. The
   * promise rejects with PROVIDER_NOT_READY after the close, and with a TypeError if `flagKey` is not a string.
   */
  async explain(flagKey: string, context: EvaluationContext = {}): Promise<Explanation> {
    checkFlagKey('explain', flagKey);
    return this.#lifecycle.open().explain(flagKey, context);
  }
}
