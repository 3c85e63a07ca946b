import type { FailureKind, FliptEvent, FliptEventType } from '../index.js';

/** Counts by an attribute. */
export type Totals<By extends string> = Map<By, number>;

/** Resolves of one source. */
export interface ResolveTotals {
  ok: number;
  stale: number;
  missing: number;
  readonly failed: Totals<FailureKind>;
}

type Source = 'cache' | 'service' | 'in-process';
export type BySource = Readonly<Record<Source, ResolveTotals>>;

/**
 * Totals of the events so far. OpenTelemetry reads them when it collects; adding to its own counters on each event
 * takes far longer.
 */
export interface EventTotals {
  /** Resolves of the flags that are not counted by key. */
  readonly resolves: BySource;
  /** Resolves of each flag that is counted by key. */
  readonly ofFlags: ReadonlyMap<string, BySource>;
  readonly lookUps: Totals<'hit' | 'stale-hit' | 'joined' | 'miss'>;
  readonly attempts: Totals<Failed>;
  readonly retries: Totals<FailureKind>;
  readonly polls: Totals<Failed>;
  readonly shed: Totals<'queue-full' | 'late'>;
  flagsChanged: number;
  /** Evaluations without asking Flipt, by flag; `undefined` if they are not counted. */
  readonly unasked: Totals<string> | undefined;
  /** Resolves that joined a question, by flag. They wait here until it is known whether the flag exists. */
  readonly joined: Totals<string>;
}

/** `ok` if nothing failed. */
export type Failed = FailureKind | 'ok';

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

export function eventTotals(perFlag: readonly string[] | 'all'): EventTotals {
  return {
    resolves: bySource(),
    ofFlags: new Map(perFlag === 'all' ? [] : perFlag.map((flag) => [flag, bySource()])),
    lookUps: new Map(),
    attempts: new Map(),
    retries: new Map(),
    polls: new Map(),
    shed: new Map(),
    flagsChanged: 0,
    unasked: perFlag === 'all' ? new Map() : undefined,
    joined: new Map(),
  };
}

function bySource(): BySource {
  const none = (): ResolveTotals => ({ ok: 0, stale: 0, missing: 0, failed: new Map() });
  return { cache: none(), service: none(), 'in-process': none() };
}

/** Runs for each resolve. */
export function count(totals: EventTotals, event: FliptEvent): void {
  switch (event.type) {
    case 'resolved':
      countResolve(totals, event);
      break;
    case 'hit':
    case 'stale-hit':
    case 'miss':
      add(totals.lookUps, event.type);
      break;
    case 'joined':
      add(totals.lookUps, event.type);
      if (totals.unasked !== undefined) add(totals.joined, event.flag);
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
  { resolves, ofFlags, unasked, joined }: EventTotals,
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

function add<By extends string>(totals: Totals<By>, by: By, more = 1): void {
  totals.set(by, (totals.get(by) ?? 0) + more);
}
