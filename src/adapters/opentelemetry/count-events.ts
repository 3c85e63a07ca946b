import type { FailureKind, FliptEvent, FliptEventType } from '../../index.js';

/** The kind of a failure, or `ok` if nothing failed. */
type Failed = FailureKind | 'ok';
type LookUp = 'hit' | 'stale-hit' | 'joined' | 'miss';

/**
 * Counts the provider's events. OpenTelemetry reads the totals when it collects, because adding to OpenTelemetry's own
 * counters on each event takes far longer.
 */
export function eventCounters(perFlag: readonly string[] | 'all') {
  const byKey = perFlag === 'all' ? [] : perFlag;
  return {
    /** Resolves of all flags that are not counted one by one. */
    resolves: bySource(),
    /** Resolves of each flag that is counted one by one. */
    ofFlags: new Map(byKey.map((flag) => [flag, bySource()])),
    lookUps: new Map<LookUp, number>(),
    attempts: new Map<Failed, number>(),
    retries: new Map<Failed, number>(),
    polls: new Map<Failed, number>(),
    shed: new Map<'queue-full' | 'late', number>(),
    flagsChanged: 0,
    /** For each flag, how many evaluations did not ask Flipt. It is `undefined` if such evaluations are not counted. */
    unasked: perFlag === 'all' ? new Map<string, number>() : undefined,
    /**
     * For each flag, how many resolves shared a question that was already under way. The resolves that share a question
     * are added to the totals when the answer tells whether the flag exists.
     */
    joined: new Map<string, number>(),
  };
}

export type EventCounters = ReturnType<typeof eventCounters>;

/** Counts resolves by their source and outcome. */
function bySource() {
  const none = () => ({ ok: 0, stale: 0, missing: 0, failed: new Map<FailureKind, number>() });
  return { cache: none(), service: none(), 'in-process': none() };
}

export type BySource = ReturnType<typeof bySource>;

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

/** Adds an event to the totals. The function runs for each resolve, so it must be fast. */
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
    // A question that Flipt was asked is not counted here, because Flipt itself counts it.
    const unaskedNow = source === 'service' ? joinedNow : joinedNow + 1;
    if (unasked !== undefined && unaskedNow > 0) add(unasked, flag, unaskedNow);
  }
}

function add<By extends string>(totals: Map<By, number>, by: By, more = 1) {
  return totals.set(by, (totals.get(by) ?? 0) + more);
}
