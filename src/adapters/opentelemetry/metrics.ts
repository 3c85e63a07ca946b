import type { Attributes, MetricOptions } from '@opentelemetry/api';
import type { FailureKind, FliptEvent, FliptEventType, FliptStatus } from 'openfeature-flipt-provider';

/** The values of a metric, each with its attributes. */
type Readings = readonly (readonly [value: number, attributes?: Attributes])[];

type Kind = 'createObservableCounter' | 'createObservableGauge';

/** A metric whose values OpenTelemetry reads each time that it collects metrics. */
export interface Metric {
  readonly kind: Kind;
  readonly name: string;
  /**
   * The metric's unit and description. By OpenTelemetry's convention, a unit that is a word, such as `{flag}`, stands
   * in braces. Prometheus does not add a unit in braces to the name of a metric.
   */
  readonly options: MetricOptions;
  readonly read: (totals: EventCounters, status: FliptStatus) => Readings;
}

const metric =
  (kind: Kind) =>
  (name: string, unit: string, description: string, read: Metric['read']): Metric => ({
    kind,
    name: `openfeature.flipt.${name}`,
    options: { unit, description },
    read,
  });
const counter = metric('createObservableCounter');
const gauge = metric('createObservableGauge');

const CONDITIONS = ['not-started', 'starting', 'ready', 'stale', 'error', 'closed'] as const;
const PROBLEMS = [
  'unreachable',
  'credentials-rejected',
  'circuit-open',
  'responses-unusable',
  'flags-lost',
  'watch-lost',
] as const;
const CIRCUIT_STATES = ['closed', 'open', 'half-open'] as const;

export const METRICS: readonly Metric[] = [
  counter('resolves', '{resolve}', 'Resolves, by source and outcome', ({ resolves, ofFlags }) => [
    ...resolvesOf(resolves),
    ...Array.from(ofFlags, ([flag, own]) => resolvesOf(own, { 'feature_flag.key': flag })).flat(),
  ]),
  counter('cache.lookups', '{lookup}', 'Look-ups in the cache, by result', ({ lookUps }) =>
    by('result', lookUps),
  ),
  counter('requests', '{request}', 'Attempts of HTTP requests that have ended', (totals) =>
    byFailure(totals.attempts),
  ),
  counter('retries', '{request}', 'Attempts that repeat a failed one', (totals) => byFailure(totals.retries)),
  counter('polls', '{poll}', 'Requests for the snapshot that have ended', (totals) =>
    byFailure(totals.polls),
  ),
  counter('flags.changed', '{flag}', 'Changes of flags', ({ flagsChanged }) => [[flagsChanged]]),
  counter('questions.shed', '{question}', 'Questions that were never sent', ({ shed }) => by('reason', shed)),
  counter('tracking.events', '{event}', 'Events of the option tracking, by outcome', (_, { tracking }) =>
    tracking === null ? [] : by('outcome', Object.entries({ sent: tracking.sent, lost: tracking.lost })),
  ),
  // The metrics below show the provider's status.
  gauge('condition', '1', '1 for the condition that the provider is in', (_, { condition }) =>
    oneFor('state', CONDITIONS, [condition]),
  ),
  gauge('problems', '1', '1 for each problem that the provider has', (_, { problems }) =>
    oneFor('problem', PROBLEMS, problems),
  ),
  gauge('circuit', '1', '1 for the state of the circuit breaker', (_, { circuit }) =>
    circuit === null ? [] : oneFor('state', CIRCUIT_STATES, [circuit.state]),
  ),
  gauge('snapshot.age', 's', 'Time since Flipt confirmed the snapshot', (_, { watch }) =>
    typeof watch?.ageMs === 'number' ? [[watch.ageMs / 1_000]] : [],
  ),
  gauge('flags.unreadable', '{flag}', 'Flags that this version cannot evaluate', (_, { watch }) =>
    watch === null ? [] : [[watch.unreadable.count]],
  ),
  gauge('cache.entries', '{entry}', 'Answers in the cache', (_, { cache }) => [[cache.entries]]),
  gauge('cache.size', 'By', 'Memory that the answers in the cache take', (_, { cache }) => [[cache.bytes]]),
  gauge('questions.waiting', '{question}', 'Questions that wait to be sent', (_, { requests }) => [
    [requests.waiting],
  ]),
  gauge('requests.active', '{request}', 'HTTP requests under way', (_, { requests }) => [
    [requests.inFlight],
  ]),
];

/**
 * This counter has the same name and labels as a counter of Flipt v2 itself. If Flipt's user interface queries
 * Prometheus for this counter, it also shows the evaluations for which the provider did not ask Flipt.
 */
export const FLIPT_STATISTICS: Metric = {
  kind: 'createObservableCounter',
  name: 'flipt_evaluations_requests',
  options: { description: 'Evaluations that did not ask Flipt' },
  read({ unasked = new Map<string, number>() }, { namespace, environment }) {
    const of = { flipt_environment: environment ?? 'default', flipt_namespace: namespace };
    return Array.from(unasked, ([flag, count]) => [count, { ...of, flipt_flag: flag }]);
  },
};

function resolvesOf(totals: BySource, of: Attributes = {}): Readings {
  return Object.entries(totals).flatMap(([source, { failed, ...others }]) => {
    const common = { ...of, 'openfeature.flipt.source': source };
    const ended = (outcome: string) => ({ ...common, 'openfeature.flipt.outcome': outcome });
    const all: Readings = [
      ...Object.entries(others).map(([outcome, count]) => [count, ended(outcome)] as const),
      ...Array.from(failed, ([kind, count]) => [count, { ...ended('failed'), ...errorType(kind) }] as const),
    ];
    return all.filter(([count]) => count > 0);
  });
}

/** Returns one reading for each count. The attribute of a reading says what was counted. */
function by(attribute: string, counts: Iterable<readonly [value: string, count: number]>): Readings {
  return Array.from(counts, ([value, count]) => [count, { [`openfeature.flipt.${attribute}`]: value }]);
}

/**
 * Returns a reading of 1 for each value of `all` that is in `now`, and a reading of 0 for every other value of `all`.
 * The compiler refuses a value of `now` that is missing in `all`.
 */
function oneFor<T extends string>(label: string, all: readonly T[], now: readonly NoInfer<T>[]): Readings {
  return all.map((value) => [now.includes(value) ? 1 : 0, { [`openfeature.flipt.${label}`]: value }]);
}

function byFailure(totals: ReadonlyMap<string, number>): Readings {
  return Array.from(totals, ([kind, count]) => [count, errorType(kind)]);
}

/**
 * Returns the attribute `error.type`, in which OpenTelemetry expects the kind of a failure. Returns no attribute if
 * there was no failure.
 */
export function errorType(failure: string | undefined): Attributes {
  return failure === undefined || failure === 'ok' ? {} : { 'error.type': failure };
}

/** The kind of a failure, or `ok` if nothing failed. */
type Failed = FailureKind | 'ok';
type LookUp = 'hit' | 'stale-hit' | 'joined' | 'miss';

/**
 * Makes the counters of the provider's events, all of them 0. OpenTelemetry reads the totals when it collects metrics,
 * because adding to OpenTelemetry's own counters on each event would take far longer.
 */
export function eventCounters(perFlag: readonly string[] | 'all') {
  const byKey = perFlag === 'all' ? [] : perFlag;
  return {
    /** The resolves of all flags that have no counts of their own in `ofFlags`. */
    resolves: bySource(),
    /** The resolves of each flag that the option `perFlag` lists, by the flag's key. */
    ofFlags: new Map(byKey.map((flag) => [flag, bySource()])),
    lookUps: new Map<LookUp, number>(),
    attempts: new Map<Failed, number>(),
    retries: new Map<Failed, number>(),
    polls: new Map<Failed, number>(),
    shed: new Map<'queue-full' | 'late', number>(),
    flagsChanged: 0,
    /**
     * For each flag, how many resolves succeeded without a request to Flipt of their own. The member is `undefined` if
     * the option `perFlag` is not `'all'`.
     */
    unasked: perFlag === 'all' ? new Map<string, number>() : undefined,
    /**
     * For each flag, how many resolves wait for a request that another resolve has caused. At the next event `resolved`
     * of the flag, `countResolve` removes this number, and adds it to `unasked` if the resolve has succeeded.
     */
    joined: new Map<string, number>(),
  };
}

type EventCounters = ReturnType<typeof eventCounters>;

/** Makes counts of resolves by their source and outcome, all of them 0. */
function bySource() {
  const none = () => ({ ok: 0, stale: 0, missing: 0, failed: new Map<FailureKind, number>() });
  return { cache: none(), service: none(), 'in-process': none() };
}

type BySource = ReturnType<typeof bySource>;

type EventOf<Type extends FliptEventType> = FliptEvent & { readonly type: Type };

const countLookUp = ({ lookUps }: EventCounters, { type }: EventOf<LookUp>) => add(lookUps, type);

/** For each type of event, what an event adds to the totals. */
const ADDS: { readonly [Type in FliptEventType]?: (totals: EventCounters, event: EventOf<Type>) => unknown } =
  {
    resolved: countResolve,
    hit: countLookUp,
    'stale-hit': countLookUp,
    joined(totals, event) {
      countLookUp(totals, event);
      if (totals.unasked !== undefined) add(totals.joined, event.flag);
    },
    miss: countLookUp,
    attempt: ({ attempts }, { failure = 'ok' }) => add(attempts, failure),
    'snapshot-polled': ({ polls }, { failure = 'ok' }) => add(polls, failure),
    retry: ({ retries }, { failure }) => add(retries, failure),
    shed: ({ shed }, { reason, questions }) => add(shed, reason, questions),
    'flags-changed': (totals, { flags }) => (totals.flagsChanged += flags.length),
  };

/** The types of events that the counters or the histograms need. */
export const OBSERVED = [...(Object.keys(ADDS) as FliptEventType[]), 'batch-sent'] as const;

/** Adds an event to the totals. This function runs for each resolve, so it must be fast. */
export function count<Type extends FliptEventType>(totals: EventCounters, event: EventOf<Type>): void {
  ADDS[event.type]?.(totals, event);
}

function countResolve(
  { resolves, ofFlags, unasked, joined }: EventCounters,
  { flag, source, stale, missing, failure }: EventOf<'resolved'>,
): void {
  const mine = (ofFlags.size === 0 ? resolves : (ofFlags.get(flag) ?? resolves))[source];
  const joinedNow = joined.get(flag) ?? 0;
  if (joinedNow > 0) joined.delete(flag);
  if (failure !== undefined) add(mine.failed, failure);
  else if (missing) mine.missing++;
  else {
    mine[stale ? 'stale' : 'ok']++;
    // Flipt itself counts each evaluation that it was asked for, so `unasked` must count only the other evaluations.
    const unaskedNow = source === 'service' ? joinedNow : joinedNow + 1;
    if (unasked !== undefined && unaskedNow > 0) add(unasked, flag, unaskedNow);
  }
}

function add<By extends string>(totals: Map<By, number>, by: By, more = 1) {
  return totals.set(by, (totals.get(by) ?? 0) + more);
}
