import { inBackground, nextTurn } from '../base/time/turns.js';
import type { UnreadableFlag } from '../model/answer.js';
import type { WatchCondition } from '../model/events/flipt-event.js';
import type { Emptied, LostHalf } from '../model/events/internal-events.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { Turn } from './keep-flags.js';
import { hasFlags, type Known, type Snapshot } from './snapshot.js';

const MANY_FLAGS = 10;

/** What the provider does about news of the snapshot. It is called before listeners hear of the news. */
export interface SnapshotNews {
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  readonly polled: (failure: Failure | undefined) => void;
  readonly changed: (flags: readonly string[]) => void;
}

/** What the provider, listeners and the log hear of the polls. */
export class Reports {
  private lastCondition: WatchCondition | undefined;
  private isLate = false;
  private current: Snapshot | undefined;
  private unreadable = '';

  constructor(
    private readonly runtime: Runtime,
    private readonly warn: (message: string) => void,
    private readonly news?: SnapshotNews,
  ) {}

  condition(state: WatchCondition, failure: Failure | undefined): void {
    if (state === this.lastCondition) return;
    this.lastCondition = state;
    this.news?.watched(state, failure);
    this.runtime.report({ type: 'watch-changed', state, failure });
  }

  lateness(late: { readonly pauseMs: number; readonly withinMs: number } | undefined): void {
    const wasLate = this.isLate;
    this.isLate = late !== undefined;
    if (late === undefined || wasLate) return;
    const why =
      late.pauseMs > 0
        ? `Flipt has asked for a pause of ${seconds(late.pauseMs)}`
        : 'whole snapshots take Flipt so long that it is polled less often';
    this.warn(`The provider may need up to ${seconds(late.withinMs)} to see a change in Flipt: ${why}`);
  }

  unknownNamespace(failure: Failure): void {
    this.runtime.report({ type: 'namespace-suspect', failure });
  }

  polled(durationMs: number, failure: Failure | undefined, emptied: Emptied | undefined): void {
    this.news?.polled(failure);
    this.runtime.report({ type: 'snapshot-polled', durationMs, failure, emptied });
  }

  /** Called once the snapshot is in force, so that a listener reads the new one. */
  replaced(
    before: Snapshot | undefined,
    known: Known | undefined,
    changed: readonly string[] | undefined,
    turn: Turn,
  ): Emptied | undefined {
    if (known === undefined) return undefined;
    this.inForce(known.snapshot);
    if (turn.kind !== 'snapshot') return undefined;
    const isEmpty = !hasFlags(known.snapshot);
    const emptied =
      before && isEmpty && hasFlags(before)
        ? { flags: before.flags.keys().size, because: turn.isEmptyBecause }
        : undefined;
    // For an unknown namespace, v1 sends an empty snapshot without an ETag; also for a new one, that has no flags yet.
    if (isEmpty && emptied === undefined && known.etag === undefined && known.snapshot !== before)
      this.runtime.report({ type: 'namespace-suspect', failure: undefined });
    if (before !== undefined && changed !== undefined && changed.length > 0) {
      const lostHalf = lostHalfOf(before, known.snapshot);
      this.news?.changed(changed);
      this.runtime.report({ type: 'flags-changed', flags: changed, lostHalf, emptied });
    }
    return emptied;
  }

  inForce(snapshot: Snapshot): void {
    void this.findUnreadable(snapshot);
  }

  /** In the background: which flags cannot be read is known when all have been read. */
  private async findUnreadable(snapshot: Snapshot): Promise<void> {
    if (snapshot === this.current) return;
    this.current = snapshot;
    const { flags } = snapshot;
    const turns = inBackground(this.runtime.clock);
    if (flags.repeated.size > 0) this.runtime.report({ type: 'flags-repeated', flags: [...flags.repeated] });
    await nextTurn(turns);
    const found = new Map<string, UnreadableFlag>();
    await flags.each(turns, (key, flag) => {
      if (flag !== undefined && 'reason' in flag) found.set(key, flag);
      return snapshot === this.current;
    });
    const keys = JSON.stringify([...found.keys()].sort());
    if (snapshot !== this.current || keys === (this.unreadable || '[]')) return;
    this.unreadable = keys;
    this.runtime.report({ type: 'flags-unreadable', flags: found });
  }
}

function lostHalfOf(before: Snapshot, after: Snapshot): LostHalf | undefined {
  const [had, has] = [before.flags.keys(), after.flags.keys()];
  const keys = [...had.keys()].filter((key) => !has.has(key));
  return had.size >= MANY_FLAGS && keys.length > had.size / 2 ? { keys, of: had.size } : undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
