import { firstOf, quoted } from '../base/text/describe.js';
import { inBackground, nextTurn } from '../base/time/turns.js';
import type { UnreadableFlag } from '../model/answer.js';
import type { StreamState, WatchCondition } from '../model/events/flipt-event.js';
import type { Log } from '../model/events/reporter.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import type { Turn } from './keep-flags.js';
import { hasFlags, type Known, type Snapshot } from './snapshot.js';

const MANY_FLAGS = 10;
const MOST_NAMED = 20;
/** Two replicas with different flags would otherwise repeat their lists for ever. */
const MOST_LISTS = 20;
const OLD_MS = 86_400_000;

export interface ReportsSettings {
  readonly namespace: string;
  readonly environment: string | undefined;
  readonly evaluation: 'remote' | 'in-process';
  readonly watch: object | undefined;
  readonly snapshot: SnapshotOptions;
  readonly logger: Log<'error' | 'warn' | 'info' | 'debug'>;
}

/** What listeners and the log hear of the snapshot. */
export class Reports {
  private isLate = false;
  private wasOld = false;
  private wasUnreadable = false;
  private isStreamMissed = false;
  private current: Snapshot | undefined;
  private unreadable = '[]';
  private unknown: Failure | undefined;
  private readonly unreadableLists = new Set<string>();
  private isNamespaceSuspect = false;
  private hasSaidRepeated = false;

  constructor(
    private readonly settings: ReportsSettings,
    private readonly ageMs: () => number,
    private readonly runtime: Runtime,
    private readonly warn: (message: string) => void,
  ) {}

  condition(state: WatchCondition, failure: Failure | undefined): void {
    this.runtime.report({ type: 'watch-changed', state, failure: failure?.kind });
    if (state === 'not-offered') this.logNotOffered(failure);
    if (state === 'working') this.settings.logger.debug('The provider watches Flipt for changes of flags');
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

  /** Without a failure: Flipt's snapshot has no flags. */
  suspectNamespace(failure?: Failure): void {
    this.unknown = failure;
    if (this.isNamespaceSuspect) return;
    this.isNamespaceSuspect = true;
    this.runtime.report({ type: 'namespace-suspect', failure: failure?.kind });
    this.settings.logger.warn(
      failure === undefined
        ? `Flipt has no flags in ${this.namespaceWords()}: ${CHECK_NAMESPACE}`
        : `Flipt does not know ${this.namespaceWords()} (${CHECK_NAMESPACE}): ${failure.message}`,
    );
  }

  polled(durationMs: number, failure: Failure | undefined, isNotOffered: boolean): void {
    this.runtime.report({ type: 'snapshot-polled', durationMs, failure: failure?.kind });
    this.logIfOld();
    const { wasUnreadable } = this;
    // If Flipt offers no snapshots, a gateway may answer each poll with a web page.
    this.wasUnreadable = failure?.kind === 'unreadable' && !isNotOffered;
    if (failure === undefined) return;
    const level = this.wasUnreadable && !wasUnreadable ? 'warn' : 'debug';
    this.settings.logger[level](`The provider could not fetch the snapshot: ${failure.message}`);
  }

  /** Called once the snapshot is in force, so that a listener reads the new one. */
  replaced(
    before: Snapshot | undefined,
    known: Known | undefined,
    changed: readonly string[] | undefined,
    turn: Turn,
  ): void {
    if (known === undefined) return;
    const { snapshot } = known;
    this.inForce(snapshot);
    if (turn.kind === 'failed' || turn.kind === 'no-news') return;
    const isEmpty = !hasFlags(snapshot);
    const isEmptied = isEmpty && before !== undefined && hasFlags(before);
    if (isEmpty && !isEmptied) this.suspectNamespace();
    if (!isEmpty) this.trustNamespace();
    if (before === undefined || changed === undefined || changed.length === 0) return;
    this.runtime.report({ type: 'flags-changed', flags: [...changed] });
    if (isEmptied) this.logEmptied(before, turn.emptyForMs);
    else this.logChanged(changed, before, snapshot);
  }

  inForce(snapshot: Snapshot): void {
    void this.findUnreadable(snapshot);
  }

  misspelt(flag: string, like: string): void {
    this.runtime.report({ type: 'flag-key-suspect', flag, like });
    const { namespace, logger } = this.settings;
    logger.warn(
      `There is no flag ${quoted(flag)} in the namespace ${quoted(namespace)}; is it ${quoted(like)}?`,
    );
  }

  stream(state: StreamState, why: string): void {
    this.runtime.report({ type: 'stream-changed', state });
    const { logger } = this.settings;
    const isOver = this.isStreamMissed && state === 'open';
    if (state === 'not-offered' && !this.isStreamMissed) logger.warn(`${STREAM_MISSED}: ${why}`);
    else logger[isOver ? 'info' : 'debug'](`The stream of changes is ${STREAM_WORDS[state]}: ${why}`);
    this.isStreamMissed = state === 'not-offered' || (this.isStreamMissed && !isOver);
  }

  /** Once until a poll confirms the snapshot. */
  logIfOld(): void {
    const ageMs = this.ageMs();
    const days = ageMs === Infinity ? 0 : Math.floor(ageMs / OLD_MS);
    const since = days === 1 ? 'a day' : `${days} days`;
    if (days > 0 && !this.wasOld)
      this.settings.logger.warn(`The snapshot is old: Flipt last confirmed it ${since} ago`);
    this.wasOld = days > 0;
  }

  /** In the background: which flags cannot be read is known when all have been read. */
  private async findUnreadable(snapshot: Snapshot): Promise<void> {
    if (snapshot === this.current) return;
    this.current = snapshot;
    const { flags } = snapshot;
    const turns = inBackground(this.runtime.clock);
    if (flags.repeated.size > 0) this.repeated([...flags.repeated]);
    await nextTurn(turns);
    const found = new Map<string, UnreadableFlag>();
    await flags.each(turns, (key, flag) => {
      if (flag !== undefined && 'reason' in flag) found.set(key, flag);
      return snapshot === this.current;
    });
    const keys = JSON.stringify([...found.keys()].sort());
    if (snapshot !== this.current || keys === this.unreadable) return;
    this.unreadable = keys;
    this.runtime.report({ type: 'flags-unreadable', flags: [...found.keys()] });
    this.logUnreadable(found);
  }

  private trustNamespace(): void {
    if (this.isNamespaceSuspect) this.settings.logger.warn(`Flipt has flags in ${this.namespaceWords()} now`);
    this.isNamespaceSuspect = false;
  }

  private namespaceWords(): string {
    const { namespace, environment } = this.settings;
    const of = environment === undefined ? '' : ` of the environment ${quoted(environment)}`;
    return `the namespace ${quoted(namespace)}${of}`;
  }

  private repeated(flags: readonly string[]): void {
    this.runtime.report({ type: 'flags-repeated', flags });
    if (this.hasSaidRepeated) return;
    this.hasSaidRepeated = true;
    this.settings.logger.warn(
      `Flipt has several flags of one key in the namespace ${quoted(this.settings.namespace)}: ` +
        `${firstOf(flags, MOST_NAMED)}; Flipt and the provider use the last flag of each key: remove the others`,
    );
  }

  private logNotOffered(failure: Failure | undefined): void {
    const { snapshot, logger } = this.settings;
    const why = failure === undefined ? '' : `: ${failure.message}`;
    // Flipt has offered snapshots before.
    if (this.ageMs() < Infinity) return logger.warn(`${NOT_SERVED_ANY_MORE}${why}`);
    if (failure !== undefined && failure === this.unknown)
      return logger.info(`There is no snapshot until Flipt knows the namespace; ${EXPIRING}${why}`);
    const kept = (['file', 'store'] as const).filter((name) => snapshot[name] !== undefined);
    const lost = kept.map((name) => `; snapshot.${name} has no effect`).join('');
    logger[lost === '' ? 'info' : 'warn'](`Flipt offers no snapshots; ${EXPIRING}${lost}${why}`);
  }

  private logEmptied(before: Snapshot, emptyForMs: number | undefined): void {
    this.isNamespaceSuspect = true;
    const { size } = before.flags.keys();
    const gone = size === 1 ? 'its flag is gone' : `its ${size} flags are gone`;
    const { namespace, logger } = this.settings;
    const of = `The namespace ${quoted(namespace)}`;
    if (emptyForMs === undefined) logger.warn(`${of} is empty, as invalidate() has accepted; ${gone}`);
    else
      logger.error(
        `${of} has had no flags for ${seconds(emptyForMs)} (cache.staleOnErrorForMs), so ${gone}, and calls get their ` +
          `defaults: ${CHECK_NAMESPACE}`,
      );
  }

  private logChanged(changed: readonly string[], before: Snapshot, after: Snapshot): void {
    const { logger } = this.settings;
    logger.info(`Flags have changed: ${firstOf(changed, MOST_NAMED)}`);
    const [had, has] = [before.flags.keys(), after.flags.keys()];
    const gone = [...had.keys()].filter((key) => !has.has(key));
    if (had.size >= MANY_FLAGS && gone.length > had.size / 2)
      logger.warn(
        `More than half of the flags are gone from Flipt, ${gone.length} of ${had.size}: ${firstOf(gone)}`,
      );
  }

  private logUnreadable(flags: ReadonlyMap<string, UnreadableFlag>): void {
    const { evaluation, watch, logger } = this.settings;
    const [first] = flags.values();
    if (first === undefined) return logger.info('The provider can read all flags again');
    const names = firstOf([...flags.keys()], MOST_NAMED);
    if (this.unreadableLists.has(names)) return;
    if (this.unreadableLists.size >= MOST_LISTS) this.unreadableLists.clear();
    this.unreadableLists.add(names);
    const here = watch === undefined ? 'calls get their defaults' : 'the provider asks Flipt for them';
    const meanwhile = evaluation === 'remote' ? `their ${EXPIRING}` : here;
    logger.warn(
      `This version of openfeature-flipt-provider cannot read these flags: ${names}; ${meanwhile}, ` +
        `and all others work. The reason for the first one: ${first.reason}`,
    );
  }
}

/** What happens to cached answers while nobody sees changes. */
export const EXPIRING = 'cached answers expire by their age';

const NOT_SERVED_ANY_MORE =
  'Flipt refuses snapshots, so that the saved or initial one does not change any more';

const CHECK_NAMESPACE =
  "check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's " +
  'log, and lint the features file';

const STREAM_MISSED =
  'watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by ' +
  'polls. Flipt has a stream since 2.9, and a proxy in between must pass the stream on at once, without buffering it';

const STREAM_WORDS: Readonly<Record<StreamState, string>> = {
  open: 'open',
  broken: 'broken, and the provider opens it again',
  'not-offered': 'not offered by Flipt, and the provider finds changes by polls',
};

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
