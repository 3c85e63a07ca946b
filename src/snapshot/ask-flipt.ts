import type { Clock } from '../base/time/clock.js';
import { isV2, semanticsOfRelease, tagsOfRelease, type V2Semantics } from '../engine/version-differences.js';
import type { Send } from '../http/reply.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { LONGEST_FETCH_MS, snapshotFetcher, type Fetched, type HowToFetch } from './fetch.js';
import { askVersion, type FliptVersion } from './flipt-version.js';
import { KeepFlags, type CurrentlyKnown, type Poll, type Wanted } from './keep-flags.js';
import type { Known } from './snapshot.js';

interface AskSettings extends SnapshotPlace {
  readonly http: { readonly timeoutMs: number };
  readonly watch: { readonly pollMs: number; readonly maxAgeMs: number };
  readonly acceptLossAfterMs: number;
}

const MINUTE_MS = 60_000;
const VERSION_EVERY_MS = 600_000;
const UNMEASURED_SILENCE_MS = 30_000;
const WHOLES_WITHIN_MS = 600_000;
const LONGEST_INTERVAL_MS = 300_000;

/** What one poll asks of Flipt: which ETag it names, by which rules the body is read, and what an emptiness means. */
export class AskFlipt {
  private readonly fetch: ReturnType<typeof snapshotFetcher>;
  private readonly keepFlags: KeepFlags;
  private version: FliptVersion | undefined;
  private askedAt = -Infinity;
  private hasFailed = false;
  /** From then on, a poll names no ETag. */
  private checkAt = Infinity;
  private wholeMs: number | undefined;
  /** The last two whole bodies. */
  private wholes: readonly { readonly at: number; readonly ms: number }[] = [];

  constructor(
    private readonly send: Send,
    private readonly settings: AskSettings,
    private readonly clock: Clock,
    private readonly random: () => number,
    private readonly signal: AbortSignal,
  ) {
    this.fetch = snapshotFetcher(send, settings, clock, signal);
    this.keepFlags = new KeepFlags({ ...settings, pollMs: settings.watch.pollMs }, clock);
    this.setCheck();
  }

  fliptVersion(): string | undefined {
    return this.version?.version;
  }

  async ask(current: CurrentlyKnown, wanted: Wanted | undefined): Promise<Poll> {
    const known = current();
    const isNamed = this.namesTag(known, wanted);
    let asking = this.isVersionDue(isNamed) ? this.askVersion() : undefined;
    const versionKnown = async () => {
      // A Flipt that was away may have been replaced.
      if (this.hasFailed) asking ??= this.askVersion();
      await asking;
    };
    const semantics = async () => {
      await versionKnown();
      return this.semantics();
    };
    const how = { semantics, etag: isNamed ? known?.etag : undefined };
    let fetched = await this.request(how);
    // A connection may have died while nobody looked, for example while the process was paused.
    if (isDead(fetched) && known !== undefined && !this.hasFailed && !this.signal.aborted)
      fetched = await this.request(how);
    if (fetched.kind === 'unchanged') {
      await versionKnown();
      // Flipt has turned out to be one whose ETags are wrong, or which evaluates by other rules.
      if (!this.namesTag(known, wanted)) fetched = await this.request({ semantics });
    }
    if (fetched.kind === 'snapshot') {
      this.wholeMs = fetched.wholeMs;
      this.wholes = [...this.wholes.slice(-1), { at: this.clock.now(), ms: fetched.wholeMs }];
      this.setCheck();
    }
    // An overloaded Flipt is asked cheaply again.
    if (fetched.kind === 'failed' && !isNamed) this.checkAt = this.clock.now() + this.settings.watch.maxAgeMs;
    this.hasFailed = fetched.kind === 'failed';
    return this.keepFlags.judge(fetched, current(), wanted);
  }

  /** A slow Flipt is polled less often, unless only one of its last two bodies was slow. */
  intervalMs(): number {
    const { pollMs } = this.settings.watch;
    const [one, other] = this.wholes;
    if (one === undefined || other === undefined || this.clock.now() - one.at > WHOLES_WITHIN_MS)
      return pollMs;
    return Math.max(pollMs, Math.min(20 * Math.min(one.ms, other.ms), LONGEST_INTERVAL_MS));
  }

  private request(how: HowToFetch): Promise<Fetched> {
    const patientMs = Math.max(4 * this.settings.http.timeoutMs, this.expectedMs());
    const silentMs = Math.min(patientMs, LONGEST_FETCH_MS);
    return this.fetch({ silentMs, ...how });
  }

  private expectedMs(): number {
    return this.wholeMs === undefined ? UNMEASURED_SILENCE_MS : 3 * this.wholeMs;
  }

  private tags() {
    return tagsOfRelease(this.version?.release);
  }

  private semantics(): V2Semantics {
    return semanticsOfRelease(this.version?.release);
  }

  private namesTag(known: Known | undefined, wanted: Wanted | undefined): boolean {
    if (known?.etag === undefined || wanted !== undefined) return false;
    const before = known.snapshot.semantics;
    const isReadAlike = this.version === undefined || !isV2(before) || before === this.semantics();
    return isReadAlike && this.tags() !== 'wrong' && this.clock.now() < this.checkAt;
  }

  /** What takes long comes from a database, whose ETags are right. */
  private setCheck(): void {
    const { maxAgeMs } = this.settings.watch;
    const doubtfulMs = Math.max(MINUTE_MS, 600 * (this.wholeMs ?? 0));
    const everyMs = this.tags() === 'doubtful' ? Math.min(doubtfulMs, maxAgeMs) : maxAgeMs;
    this.checkAt = this.clock.now() + everyMs * (1 - 0.4 * this.random());
  }

  private isVersionDue(isNamed: boolean): boolean {
    return !isNamed || this.clock.now() - this.askedAt >= VERSION_EVERY_MS;
  }

  /** Without an answer, the last version known stands. */
  private async askVersion(): Promise<void> {
    this.askedAt = this.clock.now();
    this.version = (await askVersion(this.send, this.signal)) ?? this.version;
  }
}

function isDead(fetched: Fetched): boolean {
  if (fetched.kind !== 'failed') return false;
  const { kind, cause } = fetched.failure;
  if (kind === 'timeout' || kind === 'stale-connection') return true;
  return kind === 'connection' && cause !== undefined && 'code' in cause && RESETS.includes(cause.code);
}

const RESETS: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
