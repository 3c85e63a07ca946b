import type { FailureKind, FliptEvent, FliptEventType } from '../index.js';

/** `ok` if nothing failed. */
type Failed = FailureKind | 'ok';

export const COUNTED = [
  'resolved',
  'hit',
  'stale-hit',
  'joined',
  'miss',
  'attempt',
  'retry',
  'shed',
  'snapshot-polled',
  'flags-changed',
  'batch-sent',
] as const satisfies readonly FliptEventType[];

/**
 * Totals of the events so far. OpenTelemetry reads them when it collects; adding to its own counters on each event
 * takes far longer.
 */
export function eventCounters(perFlag: readonly string[] | 'all') {
  const byKey = perFlag === 'all' ? [] : perFlag;
  return {
    /** Resolves of the flags that are not counted by key. */
    resolves: bySource(),
    /** Resolves of each flag that is counted by key. */
    ofFlags: new Map(byKey.map((flag) => [flag, bySource()])),
    lookUps: new Map<'hit' | 'stale-hit' | 'joined' | 'miss', number>(),
    attempts: new Map<Failed, number>(),
    retries: new Map<Failed, number>(),
    polls: new Map<Failed, number>(),
    shed: new Map<'queue-full' | 'late', number>(),
    flagsChanged: 0,
    /** Evaluations without asking Flipt, by flag; `undefined` if they are not counted. */
    unasked: perFlag === 'all' ? new Map<string, number>() : undefined,
    /** Resolves that joined a question, by flag. They wait here until it is known whether the flag exists. */
    joined: new Map<string, number>(),
  };
}

export type EventCounters = ReturnType<typeof eventCounters>;

/** The resolves of each source. */
function bySource() {
  const none = () => ({ ok: 0, stale: 0, missing: 0, failed: new Map<FailureKind, number>() });
  return { cache: none(), service: none(), 'in-process': none() };
}

export type BySource = ReturnType<typeof bySource>;

/** Runs for each resolve. */
export function count(totals: EventCounters, event: FliptEvent): void {
  switch (event.type) {
    case 'resolved':
      countResolve(totals, event);
      break;
    case 'joined':
    case 'hit':
    case 'stale-hit':
    case 'miss':
      add(totals.lookUps, event.type);
      if (event.type === 'joined' && totals.unasked !== undefined) add(totals.joined, event.flag);
      break;
    case 'attempt':
      add(totals.attempts, event.failure ?? 'ok');
      break;
    case 'snapshot-polled':
      add(totals.polls, event.failure ?? 'ok');
      break;
    case 'retry':
      add(totals.retries, event.failure);
      break;
    case 'shed':
      add(totals.shed, event.reason, event.questions);
      break;
    case 'flags-changed':
      totals.flagsChanged += event.flags.length;
      break;
    default:
  }
}

function countResolve(
  { resolves, ofFlags, unasked, joined }: EventCounters,
  { flag, source, stale, missing, failure }: Extract<FliptEvent, { type: 'resolved' }>,
): void {
  const mine = (ofFlags.size === 0 ? resolves : (ofFlags.get(flag) ?? resolves))[source];
  const joinedNow = joined.get(flag) ?? 0;
  if (joinedNow > 0) joined.delete(flag);
  if (failure !== undefined) {
    add(mine.failed, failure);
    return;
  }
  if (missing) {
    mine.missing++;
    return;
  }
  if (stale) mine.stale++;
  else mine.ok++;
  // Flipt itself has counted the questions that it was asked.
  const unaskedNow = source === 'service' ? joinedNow : joinedNow + 1;
  if (unasked !== undefined && unaskedNow > 0) add(unasked, flag, unaskedNow);
}

function add<By extends string>(totals: Map<By, number>, by: By, more = 1): void {
  totals.set(by, (totals.get(by) ?? 0) + more);
}
