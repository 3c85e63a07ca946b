import {
  metrics,
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
  type Observable,
} from '@opentelemetry/api';
import * as v from 'valibot';
import type { FliptEvent, FliptEventType, FliptStatus } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { having, plain, optionRules, type RulesOf } from '../../options/value-rules.js';

/** The methods of a `FliptProvider` that are used. It can come from another copy of this package. */
export interface ObservedProvider {
  getStatus(): FliptStatus;
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void;
}

/** The options of {@link observeProvider}, which throws a TypeError that names a wrong or unknown one. */
export interface ObserveOptions {
  /** Gets the metrics. Default: the global MeterProvider of `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider | undefined;
  /** The keys of flags whose resolves are counted apart, under `feature_flag.key`. Each makes time series. Default: none. */
  readonly perFlag?: readonly string[] | undefined;
  /** Added to each metric, to tell two providers with the same namespace and environment apart. Default: none. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const attribute = v.union([v.string(), v.number(), v.boolean()], 'a string, a number or a boolean');
const flagKeys = 'a list of flag keys';

const observeRules = optionRules('observeProvider', {
  meterProvider: v.optional(having<MeterProvider>(['getMeter'], 'a MeterProvider of OpenTelemetry')),
  perFlag: v.optional(v.array(v.string(flagKeys), flagKeys), []),
  attributes: v.optional(plain(v.record(v.string(), attribute), 'an object of attributes'), {}),
} satisfies RulesOf<ObserveOptions>);

const providerRules = optionRules('observeProvider', {
  provider: having(['getStatus', 'onEvent'], 'a FliptProvider'),
});

/**
 * Reports the provider's metrics to OpenTelemetry from now on, and returns the function that ends it. No metric names a
 * user, a context or a value; docs/operating.md in the repository lists the metrics.
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
  checkOptions(providerRules, { provider });
  const { meterProvider = metrics, perFlag, attributes } = checkOptions(observeRules, options);
  const meter = meterProvider.getMeter('openfeature-flipt-provider');
  const { namespace, environment } = provider.getStatus();
  const common: Attributes = {
    ...attributes,
    'feature_flag.provider.name': 'flipt',
    'feature_flag.set.id': namespace,
    ...(environment !== null && { 'openfeature.flipt.environment': environment }),
  };
  const counters = counting(meter, common, new Set(perFlag));
  const stopCounting = provider.onEvent(
    <Type extends FliptEventType>(event: FliptEvent & { readonly type: Type }) => {
      counters[event.type]?.(event);
    },
    Object.keys(counters) as FliptEventType[],
  );

  const gauges = gauging(meter);
  const collect = (result: BatchObservableResult) => {
    const status = provider.getStatus();
    for (const [gauge, read] of gauges) {
      for (const [value, own] of read(status)) result.observe(gauge, value, { ...common, ...own });
    }
  };
  const observables = [...gauges.keys()];
  meter.addBatchObservableCallback(collect, observables);
  return () => {
    stopCounting();
    meter.removeBatchObservableCallback(collect, observables);
  };
}

const PREFIX = 'openfeature.flipt.';
/** Half of the defaults of `http.timeoutMs` and `deadlineMs` are among them. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Up to 50, the default of `batch.maxItems`, and beyond. */
const QUESTIONS = [1, 2, 5, 10, 20, 30, 40, 50, 100, 200, 500];

function counting(meter: Meter, common: Attributes, perFlag: ReadonlySet<string>) {
  const counter = (name: string, unit: string, description: string) => {
    const instrument = meter.createCounter(PREFIX + name, { unit, description });
    return (count: number, own?: Attributes) => {
      instrument.add(count, { ...common, ...own });
    };
  };
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) => {
    const advice = { explicitBucketBoundaries };
    const instrument = meter.createHistogram(PREFIX + name, { unit, description, advice });
    return (value: number, own?: Attributes) => {
      instrument.record(value, { ...common, ...own });
    };
  };
  const resolves = counter('resolves', '{resolve}', 'Resolves, by source and outcome');
  const lookUps = counter('cache.lookups', '{lookup}', 'Look-ups in the cache, by result');
  const requests = counter('requests', '{request}', 'Attempts of HTTP requests that have ended');
  const retries = counter('retries', '{request}', 'Attempts that repeat a failed one');
  const polls = counter('polls', '{poll}', 'Requests for the snapshot that have ended');
  const flagsChanged = counter('flags.changed', '{flag}', 'Changes of flags');
  const shed = counter('questions.shed', '{question}', 'Questions that were never sent');
  const tracked = counter('tracking.events', '{event}', 'Events of the option tracking, by outcome');
  const waited = histogram('resolve.duration', 's', 'Duration of resolves that waited for Flipt', SECONDS);
  const durations = histogram('request.duration', 's', 'Duration of attempts of HTTP requests', SECONDS);
  const batches = histogram('batch.size', '{question}', 'Questions in a request', QUESTIONS);

  const lookedUp = ({ type }: { readonly type: string }) => {
    lookUps(1, labelled('result', type));
  };

  const counters: { [Type in FliptEventType]?: (event: FliptEvent & { readonly type: Type }) => void } = {
    resolved({ flag, source, stale, missing, failure, durationMs }) {
      const outcome = failure !== undefined ? 'failed' : missing ? 'missing' : stale ? 'stale' : 'ok';
      resolves(1, {
        ...(perFlag.has(flag) && { 'feature_flag.key': flag }),
        ...labelled('source', source),
        ...labelled('outcome', outcome),
        ...errorType(failure),
      });
      if (durationMs > 0) waited(durationMs / 1_000, errorType(failure));
    },
    hit: lookedUp,
    'stale-hit': lookedUp,
    joined: lookedUp,
    miss: lookedUp,
    attempt({ failure, durationMs }) {
      requests(1, errorType(failure));
      durations(durationMs / 1_000, errorType(failure));
    },
    retry({ failure }) {
      retries(1, errorType(failure));
    },
    'snapshot-polled'({ failure }) {
      polls(1, errorType(failure));
    },
    'batch-sent'({ items }) {
      batches(items);
    },
    shed({ reason, questions }) {
      shed(questions, labelled('reason', reason));
    },
    'flags-changed'({ flags }) {
      flagsChanged(flags.length);
    },
    'tracking-sent'({ events }) {
      tracked(events, labelled('outcome', 'sent'));
    },
    'tracking-lost'({ events }) {
      tracked(events, labelled('outcome', 'lost'));
    },
  };
  return counters;
}

const labelled = (name: string, value: string): Attributes => ({ [PREFIX + name]: value });

/** OpenTelemetry's own attribute for the kind of a failure. */
const errorType = (failure: string | undefined): Attributes =>
  failure === undefined ? {} : { 'error.type': failure };

type Readings = readonly (readonly [value: number, attributes?: Attributes])[];

const CONDITIONS = ['not-started', 'starting', 'ready', 'stale', 'error', 'closed'] as const;
const PROBLEMS = ['unreachable', 'credentials-rejected', 'flags-lost', 'watch-lost'] as const;
const CIRCUIT_STATES = ['closed', 'open'] as const;

/** 1 for each value that is the case, 0 for the others. The compiler refuses a value that is missing in `all`. */
function oneFor<T extends string>(label: string, all: readonly T[], now: readonly NoInfer<T>[]): Readings {
  return all.map((value) => [now.includes(value) ? 1 : 0, labelled(label, value)]);
}

/** What the status says when OpenTelemetry asks. A unit in braces is no part of the name in Prometheus. */
function gauging(meter: Meter): ReadonlyMap<Observable, (status: FliptStatus) => Readings> {
  const gauges = new Map<Observable, (status: FliptStatus) => Readings>();
  const gauge = (
    name: string,
    unit: string,
    description: string,
    read: (status: FliptStatus) => Readings,
  ) => {
    gauges.set(meter.createObservableGauge(PREFIX + name, { unit, description }), read);
  };
  gauge('condition', '1', '1 for the condition that the provider is in', ({ condition }) =>
    oneFor('state', CONDITIONS, [condition]),
  );
  gauge('problems', '1', '1 for each problem that the provider has', ({ problems }) =>
    oneFor('problem', PROBLEMS, problems),
  );
  gauge('circuit', '1', '1 for the state of the circuit breaker', ({ circuit }) =>
    circuit === null ? [] : oneFor('state', CIRCUIT_STATES, [circuit.state]),
  );
  gauge('snapshot.age', 's', 'Time since Flipt confirmed the snapshot', ({ watch }) =>
    typeof watch?.ageMs === 'number' ? [[watch.ageMs / 1_000]] : [],
  );
  gauge('flags.unreadable', '{flag}', 'Flags that this version cannot evaluate', ({ watch }) =>
    watch === null ? [] : [[watch.unreadable.count]],
  );
  gauge('cache.entries', '{entry}', 'Answers in the cache', ({ cache }) => [[cache.entries]]);
  gauge('cache.size', 'By', 'Memory that the answers in the cache take', ({ cache }) => [[cache.bytes]]);
  gauge('questions.waiting', '{question}', 'Questions that wait to be sent', ({ requests }) => [
    [requests.waiting],
  ]);
  gauge('requests.active', '{request}', 'HTTP requests under way', ({ requests }) => [[requests.inFlight]]);
  return gauges;
}
