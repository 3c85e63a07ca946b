import type { Attributes, Meter, Observable } from '@opentelemetry/api';
import type { FliptStatus } from '../index.js';
import type { BySource, EventTotals } from './event-totals.js';

/** Records a value with its attributes. */
export type Observe = (value: number, attributes?: Attributes) => void;

/** A metric that is read when OpenTelemetry collects. */
export interface Instrument {
  readonly observable: Observable;
  readonly read: (observe: Observe, totals: EventTotals, status: FliptStatus) => void;
}

const CIRCUIT_STATES = ['closed', 'open', 'half-open'] as const;
const CONDITIONS = ['not-started', 'starting', 'ready', 'stale', 'error', 'closed'] as const;

const STATE = 'openfeature.flipt.state';
const RESULT = 'openfeature.flipt.result';
const REASON = 'openfeature.flipt.reason';

/** Units in braces are words, as OpenTelemetry writes them. Prometheus leaves them out of the names. */
export function counters(meter: Meter): readonly Instrument[] {
  const counter = (
    name: string,
    unit: string,
    description: string,
    read: Instrument['read'],
  ): Instrument => ({
    observable: meter.createObservableCounter(`openfeature.flipt.${name}`, { unit, description }),
    read,
  });
  return [
    counter('resolves', '{resolve}', 'Resolves, by source and outcome', (observe, { resolves, ofFlags }) => {
      readResolves(observe, resolves);
      for (const [flag, own] of ofFlags) readResolves(observe, own, { 'feature_flag.key': flag });
    }),
    counter('cache.lookups', '{lookup}', 'Look-ups in the cache, by result', (observe, { lookUps }) => {
      for (const [result, count] of lookUps) observe(count, { [RESULT]: result });
    }),
    counter('requests', '{request}', 'Attempts of HTTP requests that have ended', (observe, { attempts }) => {
      readFailures(observe, attempts);
    }),
    counter('retries', '{request}', 'Attempts that repeat a failed one', (observe, { retries }) => {
      readFailures(observe, retries);
    }),
    counter('polls', '{poll}', 'Requests for the snapshot that have ended', (observe, { polls }) => {
      readFailures(observe, polls);
    }),
    counter('flags.changed', '{flag}', 'Changes of flags', (observe, { flagsChanged }) => {
      observe(flagsChanged);
    }),
    counter('questions.shed', '{question}', 'Questions that were never sent', (observe, { shed }) => {
      for (const [reason, count] of shed) observe(count, { [REASON]: reason });
    }),
  ];
}

/** The values of the provider's status. */
export function gauges(meter: Meter): readonly Instrument[] {
  const gauge = (
    name: string,
    unit: string,
    description: string,
    read: (observe: Observe, status: FliptStatus) => void,
  ): Instrument => ({
    observable: meter.createObservableGauge(`openfeature.flipt.${name}`, { unit, description }),
    read: (observe, _, status) => {
      read(observe, status);
    },
  });
  return [
    gauge('condition', '1', '1 for the condition that the provider is in', (observe, { condition }) => {
      for (const state of CONDITIONS) observe(state === condition ? 1 : 0, { [STATE]: state });
    }),
    gauge('circuit', '1', '1 for the state of the circuit breaker', (observe, { circuit }) => {
      if (circuit === null) return;
      for (const state of CIRCUIT_STATES) observe(state === circuit.state ? 1 : 0, { [STATE]: state });
    }),
    gauge('snapshot.age', 's', 'Since Flipt confirmed the snapshot', (observe, { watch }) => {
      if (watch?.ageMs !== null && watch?.ageMs !== undefined) observe(watch.ageMs / 1_000);
    }),
    gauge('flags.unreadable', '{flag}', 'Flags that this version cannot evaluate', (observe, { watch }) => {
      if (watch !== null) observe(watch.unreadable.count);
    }),
    gauge('cache.entries', '{entry}', 'Answers in the cache', (observe, { cache }) => {
      observe(cache.entries);
    }),
    gauge('cache.size', 'By', 'What the answers in the cache take', (observe, { cache }) => {
      observe(cache.bytes);
    }),
    gauge('questions.waiting', '{question}', 'Questions that wait to be sent', (observe, { requests }) => {
      observe(requests.waiting);
    }),
    gauge('requests.active', '{request}', 'HTTP requests under way', (observe, { requests }) => {
      observe(requests.inFlight);
    }),
  ];
}

/** Has the same name and labels as in Flipt v2, whose pages query Prometheus for it. */
export function fliptStatistics(meter: Meter): Instrument {
  return {
    observable: meter.createObservableCounter('flipt_evaluations_requests', {
      description: 'Evaluations that Flipt was not asked for',
    }),
    read(observe, { unasked }, { namespace, environment }) {
      for (const [flag, count] of unasked ?? []) {
        observe(count, {
          flipt_environment: environment ?? 'default',
          flipt_namespace: namespace,
          flipt_flag: flag,
        });
      }
    },
  };
}

function readResolves(observe: Observe, totals: BySource, attributes: Attributes = {}): void {
  for (const [source, { ok, stale, missing, failed }] of Object.entries(totals)) {
    const put = (outcome: string, count: number, more?: Attributes) => {
      if (count === 0) return;
      observe(count, {
        ...attributes,
        'openfeature.flipt.source': source,
        'openfeature.flipt.outcome': outcome,
        ...more,
      });
    };
    put('ok', ok);
    put('stale', stale);
    put('missing', missing);
    for (const [kind, count] of failed) put('failed', count, { 'error.type': kind });
  }
}

/** `error.type` is OpenTelemetry's name for the kind of failure; absent if nothing failed. */
function readFailures(observe: Observe, totals: ReadonlyMap<string, number>): void {
  for (const [kind, count] of totals) observe(count, errorType(kind));
}

export function errorType(failure: string | undefined): Attributes {
  return failure === undefined || failure === 'ok' ? {} : { 'error.type': failure };
}
