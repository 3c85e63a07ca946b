import {
  metrics,
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import type { FliptEvent, FliptEventType, FliptStatus } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import {
  count,
  errorType,
  eventCounters,
  FLIPT_STATISTICS,
  METRICS,
  OBSERVED,
  type Metric,
} from './metrics.js';
import * as v from 'valibot';
import { having, members, plain, rulesWithoutSecrets, type RulesOf } from '../../options/value-rules.js';

/** The name of the meter. OpenTelemetry attaches this name to each metric, to say where the metric comes from. */
const METER = 'openfeature-flipt-provider';

/**
 * The upper bounds of the buckets for durations, in seconds. Half of the default `http.timeoutMs` and half of the
 * default `deadlineMs` are among these bounds.
 */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/**
 * The upper bounds of the buckets for the sizes of batches. A batch's size is the number of questions (a flag and a
 * context) in one request. The default of `batch.maxItems`, 50, is one of these bounds.
 */
const BATCHES = [1, 2, 5, 10, 20, 30, 40, 50, 100, 200, 500];

/**
 * Reports the provider's metrics to OpenTelemetry from now on. Returns a function that stops the reports and removes
 * all listeners. The provider puts no user into a metric; docs/operating.md in the repository lists the metrics. The
 * provider can come from another copy of this package, such as its CommonJS build. Throws a TypeError if the provider
 * or an option is wrong.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';
 *
 * const provider = new FliptProvider();
 * const stop = observeProvider(provider, { perFlag: ['new-checkout'] });
 * await OpenFeature.setProviderAndWait(provider).catch(() => {});
 * // When the process ends:
 * stop();
 * ```
 */
export function observeProvider(provider: ObservedProvider, options: ObserveOptions = {}): () => void {
  checkOptions(observedRules, { provider });
  const { meterProvider = metrics, perFlag, attributes: added } = checkOptions(observeRules, options);
  const meter = meterProvider.getMeter(METER);
  const { namespace, environment } = provider.getStatus();
  const common: Attributes = {
    ...added,
    'feature_flag.provider.name': 'flipt',
    'feature_flag.set.id': namespace,
    ...(environment !== null && { 'openfeature.flipt.environment': environment }),
  };
  const totals = eventCounters(perFlag);
  const record = recorder(meter, common);
  const stopListening = provider.onEvent((event) => {
    count(totals, event);
    record(event);
  }, OBSERVED);

  const observe = ({ kind, name, options: described, read }: Metric, labels: Attributes) => ({
    observable: meter[kind](name, described),
    read,
    labels,
  });
  const observed = METRICS.map((metric) => observe(metric, common));
  if (perFlag === 'all') observed.push(observe(FLIPT_STATISTICS, added));
  const observables = observed.map(({ observable }) => observable);
  const collect = (result: BatchObservableResult) => {
    const status = provider.getStatus();
    for (const { observable, read, labels } of observed) {
      for (const [value, attributes] of read(totals, status)) {
        result.observe(observable, value, { ...labels, ...attributes });
      }
    }
  };
  meter.addBatchObservableCallback(collect, observables);
  return () => {
    stopListening();
    meter.removeBatchObservableCallback(collect, observables);
  };
}

/**
 * Returns a function that records the histograms at each event. OpenTelemetry reads counters only when it collects
 * metrics, but a histogram needs every single value. The function records nothing for a resolve that did not wait, so
 * the time that recording takes hardly matters.
 */
function recorder(meter: Meter, common: Attributes): (event: FliptEvent) => void {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(`openfeature.flipt.${name}`, {
      unit,
      description,
      advice: { explicitBucketBoundaries },
    });
  const resolves = histogram(
    'resolve.duration',
    's',
    'Duration of resolves that waited for Flipt',
    DURATIONS,
  );
  const requests = histogram('request.duration', 's', 'Duration of attempts of HTTP requests', DURATIONS);
  const batches = histogram('batch.size', '{question}', 'Questions in a request', BATCHES);
  return (event) => {
    if (event.type === 'batch-sent') batches.record(event.items, common);
    else if (event.type === 'attempt' || (event.type === 'resolved' && event.durationMs !== 0)) {
      const durations = event.type === 'attempt' ? requests : resolves;
      durations.record(event.durationMs / 1_000, { ...common, ...errorType(event.failure) });
    }
  };
}

/**
 * The methods of a `FliptProvider` that {@link observeProvider} uses. The provider can come from another copy of this
 * package.
 */
export interface ObservedProvider {
  /** Returns the provider's status, as `FliptProvider.getStatus` does. */
  getStatus(): FliptStatus;
  /**
   * Calls the listener for events of these types, as `FliptProvider.onEvent` does. Returns a function that removes the
   * listener.
   */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void;
}

/** The options of {@link observeProvider}. A wrong or unknown option causes a TypeError that names the option. */
export interface ObserveOptions {
  /**
   * The MeterProvider that gets the metrics. Default: the global MeterProvider of `@opentelemetry/api` at the time when
   * `observeProvider` is called.
   */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * The flags that get counts of their own. With a list of keys, the metric `openfeature.flipt.resolves` has the
   * attribute `feature_flag.key` for the listed flags. With `'all'`, the counter `flipt_evaluations_requests` counts,
   * for each flag, the successful evaluations for which the provider did not ask Flipt. Flipt v2 itself also has a
   * counter `flipt_evaluations_requests`. Each flag adds at least one time series. Default: none.
   */
  readonly perFlag?: readonly string[] | 'all' | undefined;
  /**
   * Attributes that are added to each metric. Two providers in one process with the same namespace and environment need
   * different attributes: otherwise OpenTelemetry cannot keep their values apart. Default: none.
   */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export const observedRules = {
  owner: 'observeProvider',
  shape: members({ provider: having(['getStatus', 'onEvent'], 'a FliptProvider') }),
};

const attribute = v.union([v.string(), v.number(), v.boolean()], 'a string, a number or a boolean');

export const observeRules = rulesWithoutSecrets('observeProvider', {
  meterProvider: v.optional(having<MeterProvider>(['getMeter'], 'a MeterProvider of OpenTelemetry')),
  perFlag: v.optional(v.union([v.literal('all'), v.array(v.string())], "'all' or a list of flag keys"), []),
  attributes: v.optional(plain(v.record(v.string(), attribute), 'an object of attributes'), {}),
} satisfies RulesOf<ObserveOptions>);
