import {
  metrics,
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import type { FliptEvent, FliptEventType, FliptStatus } from '../../index.js';
import { checkOptions } from '../../options/check-options.js';
import { count, eventCounters, OBSERVED } from './event-counters.js';
import { errorType, FLIPT_STATISTICS, METRICS, type Metric } from './metrics.js';
import * as v from 'valibot';
import { rulesWithoutSecrets } from '../../options/entry-rules.js';
import { having, members, plain, type RulesOf } from '../../options/shapes.js';

/** OpenTelemetry's name for the source of the metrics. */
const METER = 'openfeature-flipt-provider';

/** Upper bounds in seconds. Half of `http.timeoutMs` and half of `deadlineMs` are among them. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Upper bounds in questions; 50 is the default of `batch.maxItems`. */
const BATCHES = [1, 2, 5, 10, 20, 30, 40, 50, 100, 200, 500];

/**
 * Reports the provider's metrics to OpenTelemetry from now on. Returns a function that stops it and releases everything.
 * The metrics are the same for any provider and never name a user; docs/operating.md in the repository lists them.
 * The provider may be of another copy of this package, ES module or CommonJS.
 * Throws a TypeError about a wrong provider or option.
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
 * A histogram cannot be read later, so it is recorded at once. Only resolves and requests that waited for Flipt are
 * recorded, so the cost does not matter.
 */
function recorder(meter: Meter, common: Attributes): (event: FliptEvent) => void {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(`openfeature.flipt.${name}`, {
      unit,
      description,
      advice: { explicitBucketBoundaries },
    });
  const resolves = histogram('resolve.duration', 's', 'Resolves that waited for Flipt', DURATIONS);
  const requests = histogram('request.duration', 's', 'Attempts of HTTP requests', DURATIONS);
  const batches = histogram('batch.size', '{question}', 'Questions of a request', BATCHES);
  return (event) => {
    if (event.type === 'batch-sent') batches.record(event.items, common);
    else if (event.type === 'attempt' || (event.type === 'resolved' && event.durationMs !== 0)) {
      const durations = event.type === 'attempt' ? requests : resolves;
      durations.record(event.durationMs / 1_000, { ...common, ...errorType(event.failure) });
    }
  };
}

/** The part of a `FliptProvider` that is used. It may come from another copy of this package. */
export interface ObservedProvider {
  /** As in `FliptProvider`. */
  getStatus(): FliptStatus;
  /** As in `FliptProvider`. */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void;
}

/** A wrong or unknown option is a TypeError that names it. */
export interface ObserveOptions {
  /** Default: the global one of `@opentelemetry/api`, as it is at the call. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Flags to count by key. A list of keys: `openfeature.flipt.resolves` has `feature_flag.key` for these. `'all'`:
   * the counter `flipt_evaluations_requests` that Flipt v2 has, for each flag that was evaluated without asking Flipt.
   * Each flag is a time series of its own. Default: none.
   */
  readonly perFlag?: readonly string[] | 'all' | undefined;
  /**
   * Added to the attributes of each metric. Needed to distinguish providers with the same namespace and environment:
   * otherwise OpenTelemetry would keep only the values of the last one. Default: none.
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
