import * as v from 'valibot';
import type { Semantics } from '../engine/features.js';
import { isV2, NEWEST_V2, semanticsOfRelease, type V2Semantics } from '../engine/version-differences.js';
import { failureKindOf, type Reply, type Send } from '../http/reply.js';
import { rejectsCredentials } from '../model/failure.js';
import { isRecord } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import { orLate } from '../base/time/in-time.js';
import type { Clock } from '../base/time/clock.js';
import { dependsOnRelease, type Snapshot } from './snapshot.js';

const PATH = '/meta/info';
const ASK_EVERY_MS = 600_000;
/**
 * If an upgrade of Flipt would change answers, the provider asks for Flipt's version with each poll, but at most once
 * in these milliseconds.
 */
const ASK_OFTEN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** What {@link FliptVersion} needs in order to ask Flipt for its version. */
interface VersionSettings {
  readonly send: Send;
  readonly timeoutMs: number;
  /** If this signal is aborted, the requests for the version that are under way end. */
  readonly signal: AbortSignal;
  /**
   * To be called when the snapshot in force has to be read again, because Flipt has named a version with other
   * evaluation rules. Default: nobody is told.
   */
  readonly newSemantics?: () => void;
  /**
   * To be called when Flipt has answered the request for its version. `release` is `undefined` if Flipt runs a build
   * that is no release. Default: nobody is told.
   */
  readonly answered?: (release: string | undefined) => void;
}

/**
 * Knows the version of Flipt, and the semantics (the evaluation rules) of its v2 snapshots. The provider has to ask
 * Flipt, because neither a v2 snapshot nor its ETag shows an upgrade. The request for the version is sent at the same
 * time as a poll and never delays the poll. If the request fails, nothing changes. If Flipt answers without naming a
 * release, the provider assumes that Flipt runs the newest release. If Flipt does not answer, the provider keeps the
 * version that it knows.
 */
export class FliptVersion {
  readonly semantics: SemanticsInForce;
  private version: string | undefined;
  private askedAt = -Infinity;
  private lastQuestion: Promise<void> | undefined;
  /**
   * Whether Flipt has been unreachable since the last request for the version. After Flipt was unreachable, it may run
   * another version when polls succeed again.
   */
  private mayBeAnother = false;
  /**
   * The last time at which there was a reason to expect an upgrade, because Flipt did not run the newest version or was
   * unreachable.
   */
  private expectedAt: number;
  /**
   * The search for flags that an upgrade of Flipt would evaluate differently, or `undefined` if no search has begun.
   */
  private check: Promise<void> | undefined;
  /**
   * For each snapshot, whether an upgrade of Flipt would change the snapshot's answers. The map is weak, so that
   * replaced snapshots do not stay in memory.
   */
  private readonly matters = new WeakMap<Snapshot, boolean>();

  constructor(
    private readonly settings: VersionSettings,
    private readonly clock: Clock,
  ) {
    this.expectedAt = clock.now();
    this.semantics = new SemanticsInForce(clock, settings.newSemantics);
  }

  /** Returns the version in the form in which Flipt writes it, or `undefined` if Flipt has not named a version. */
  read(): string | undefined {
    return this.version;
  }

  /**
   * Asks Flipt for its version. The promise resolves when Flipt has answered or when the request has failed. The
   * promise never rejects.
   */
  ask(isRepeated = false): Promise<void> {
    const { send, timeoutMs, signal } = this.settings;
    this.askedAt = this.clock.now();
    const download = { timeoutMs, maxBytes: MAX_BYTES };
    const request = {
      method: 'GET',
      path: PATH,
      download,
      optional: true,
      repeatable: true,
      signal,
    } as const;
    const question = send(request).then((outcome) => {
      if (question !== this.lastQuestion || signal.aborted) return;
      this.lastQuestion = undefined;
      if (outcome.kind === 'reply') this.replied(outcome, isRepeated);
    });
    this.lastQuestion = question;
    return question;
  }

  /**
   * To be called when a poll begins. Only the first request for the version is sent at this moment. Later requests for
   * the version are sent after a poll that has succeeded, so that a Flipt that serves no snapshots gets no more of
   * them.
   */
  polling(): void {
    if (this.askedAt === -Infinity) void this.ask();
  }

  /** To be called when a poll has ended. `snapshot` is `undefined` if the poll has failed. */
  polled(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) {
      this.expectAnother();
      return;
    }
    const now = this.clock.now();
    // If Flipt v1 is replaced by Flipt v2, the new Flipt can be any release of v2.
    if (!isV2(snapshot.semantics)) this.expectedAt = now;
    if (this.mayBeAnother || now - this.askedAt >= ASK_EVERY_MS) {
      const isRepeated = this.mayBeAnother;
      this.mayBeAnother = false;
      void this.ask(isRepeated);
    } else if (now - this.askedAt >= ASK_OFTEN_MS && now - this.expectedAt < ASK_EVERY_MS) {
      this.check = this.askIfItMatters(snapshot);
    }
  }

  /** To be called when Flipt may have been replaced although no poll has failed. */
  expectAnother(): void {
    this.mayBeAnother = true;
    this.expectedAt = this.clock.now();
  }

  /**
   * Waits for the request for the version and for the search for affected flags that the last poll has started. The
   * promise never rejects.
   */
  async settled(): Promise<void> {
    const { timeoutMs } = this.settings;
    // The wait for the search has a limit, because the search never settles if the runtime has ended the call that
    // began the search.
    if (this.check !== undefined) await orLate(this.check, timeoutMs, this.clock);
    this.check = undefined;
    const asked = this.lastQuestion;
    if (asked !== undefined) await orLate(asked, timeoutMs, this.clock);
    if (this.lastQuestion === asked) this.lastQuestion = undefined;
  }

  private replied({ status, bytes, redact }: Reply, isRepeated: boolean): void {
    const kind = failureKindOf(status);
    // The poll that runs at the same time may be renewing the credentials at this moment, so the request for the
    // version is repeated once.
    if (kind === 'unauthorized' && !isRepeated) this.mayBeAnother = true;
    // A gateway's response, a server error and a demand for credentials do not show which version Flipt runs.
    if (status >= 500 || kind === 'gateway' || rejectsCredentials({ kind })) return;
    const said = releaseIn(bytes);
    this.version = said && redact(said.version);
    const named = said?.isRelease ? this.version : undefined;
    this.settings.answered?.(named);
    const semantics = semanticsOfRelease(named);
    if (semantics !== NEWEST_V2) this.expectedAt = this.clock.now();
    this.semantics.answered(semantics);
  }

  /**
   * Asks for the version if an upgrade of Flipt would change answers. Without this request, a restart of Flipt between
   * two polls would go unnoticed, because the connection of a poll does not last until the next poll.
   */
  private async askIfItMatters(snapshot: Snapshot): Promise<void> {
    const { signal } = this.settings;
    const isAsked =
      this.matters.get(snapshot) ?? (await dependsOnRelease(snapshot, this.clock, () => !signal.aborted));
    this.matters.set(snapshot, isAsked);
    if (isAsked && !signal.aborted) void this.ask();
  }
}

/**
 * Flipt v1 writes its version at the top level of the response, and Flipt v2 writes its version in the member `build`.
 * If the build is no release, its version number has no meaning.
 */
const release = v.object({
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,64}$/), v.regex(/^v?\d+\.\d+\.\d/)),
  isRelease: v.optional(v.boolean(), false),
});

function releaseIn(bytes: Buffer | undefined): v.InferOutput<typeof release> | undefined {
  const info = parsedJson(bytes?.toString('utf8') ?? '');
  const read = v.safeParse(release, isRecord(info) ? (info.build ?? info) : info);
  return read.success ? read.output : undefined;
}

/**
 * During a rolling upgrade, two versions of Flipt answer at one address. The semantics must not change with each
 * answer, so new semantics stay for at least these milliseconds.
 */
const KEPT_FOR_MS = 60_000;

/**
 * Decides which semantics (evaluation rules) apply to snapshots of Flipt v2. The version that Flipt named last decides,
 * but the semantics change at most once a minute.
 */
export class SemanticsInForce {
  /** The semantics of the snapshot in force. */
  private current: Semantics | undefined;
  /**
   * The semantics of the version that Flipt named last, or `undefined` once a snapshot has been read by these
   * semantics.
   */
  private news: { readonly v2: V2Semantics } | undefined;
  private used: { readonly v2: V2Semantics } | undefined;
  private announced: V2Semantics | undefined;
  private changedAt = -Infinity;
  private hasAnswered = false;

  /** The function `newSemantics` is called when the snapshot in force should be read again by other semantics. */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly newSemantics: () => void = () => undefined,
  ) {}

  /** To be called when Flipt has named its version. `v2` are the semantics of that version's snapshots. */
  answered(v2: V2Semantics): void {
    this.news = { v2 };
    this.announce();
  }

  /**
   * Returns the semantics by which the next snapshot of Flipt v2 has to be read. `known` are the semantics of the
   * snapshot in force, or `undefined` if there is no snapshot.
   */
  after(known: Semantics | undefined): V2Semantics {
    const { news } = this;
    this.current = known;
    const before = known !== undefined && isV2(known) ? known : undefined;
    const isUsed = before === undefined || before === news?.v2 || (news && this.isDue(news.v2));
    this.used = isUsed ? news : undefined;
    return this.used?.v2 ?? before ?? NEWEST_V2;
  }

  /** To be called when a snapshot that was read by these semantics has come into force. */
  applied(semantics: Semantics): void {
    // Before Flipt has named its version, the semantics are only assumed. Replacing assumed semantics does not count as
    // a change.
    if (this.hasAnswered && this.current !== semantics) this.changedAt = this.clock.now();
    this.hasAnswered ||= this.used !== undefined;
    this.current = semantics;
    // If the snapshot in force is one of Flipt v1, nobody knows yet which release of v2 will replace that Flipt.
    if (!isV2(semantics)) this.hasAnswered = false;
    if (this.news === this.used) this.news = undefined;
    this.used = undefined;
    this.announce();
  }

  /**
   * Calls `newSemantics` only once for the same semantics. The body of a snapshot may name other semantics than Flipt's
   * version has. Reading that body again would not change its semantics.
   */
  private announce(): void {
    const { news } = this;
    if (news === undefined || !this.isDue(news.v2) || news.v2 === this.announced) return;
    this.announced = news.v2;
    this.newSemantics();
  }

  private isDue(v2: V2Semantics): boolean {
    const { current } = this;
    const isOther = current !== undefined && isV2(current) && v2 !== current;
    return isOther && this.clock.now() - this.changedAt >= KEPT_FOR_MS;
  }
}
