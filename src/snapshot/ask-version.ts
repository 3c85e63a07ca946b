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
 * If an upgrade of Flipt would change answers, the provider asks for the version beside each poll, but never sooner
 * than these milliseconds after the last question.
 */
const ASK_OFTEN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** What {@link FliptVersion} needs in order to ask Flipt for its version. */
interface VersionSettings {
  readonly send: Send;
  readonly timeoutMs: number;
  /** Aborting this signal ends the questions that are under way. */
  readonly signal: AbortSignal;
  /**
   * Called when the snapshot in force has to be read again, because Flipt's answer has changed its semantics. Default:
   * nobody is told.
   */
  readonly newSemantics?: () => void;
  /**
   * Called when Flipt has answered. `release` is `undefined` if Flipt runs a build that is no release. Default: nobody
   * is told.
   */
  readonly answered?: (release: string | undefined) => void;
}

/**
 * Knows the version of Flipt, and the semantics of its v2 snapshots. The provider has to ask Flipt, because neither a
 * v2 snapshot nor its ETag shows an upgrade. The question is sent beside a poll and never delays it. A failed question
 * has no effect. If Flipt answers without naming a release, the provider takes it for the newest one. If Flipt does not
 * answer, the provider keeps the version that it knows.
 */
export class FliptVersion {
  readonly semantics: SemanticsInForce;
  private version: string | undefined;
  private askedAt = -Infinity;
  private lastQuestion: Promise<void> | undefined;
  /**
   * Whether Flipt has been unreachable since the last question. When polls succeed again, another version may be
   * running.
   */
  private mayBeAnother = false;
  /** When there was last a reason to expect an upgrade: Flipt was not the newest version, or was unreachable. */
  private expectedAt: number;
  /** The search for flags that an upgrade would evaluate differently, once it has begun. */
  private check: Promise<void> | undefined;
  /**
   * Whether an upgrade would change answers of this snapshot. The map is weak, so that it does not keep replaced
   * snapshots in memory.
   */
  private readonly matters = new WeakMap<Snapshot, boolean>();

  constructor(
    private readonly settings: VersionSettings,
    private readonly clock: Clock,
  ) {
    this.expectedAt = clock.now();
    this.semantics = new SemanticsInForce(clock, settings.newSemantics);
  }

  /** Returns the version as Flipt writes it, or `undefined` if Flipt has not named one. */
  read(): string | undefined {
    return this.version;
  }

  /**
   * Asks Flipt for its version. The promise resolves when Flipt has answered or the request has failed, and never
   * rejects.
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
   * Call this when a poll begins. Only the first question is sent at this moment. The others follow a poll that
   * succeeded, so that a Flipt that serves no snapshots is not asked again.
   */
  polling(): void {
    if (this.askedAt === -Infinity) void this.ask();
  }

  /** Call this when a poll has ended. `snapshot` is `undefined` if the poll has failed. */
  polled(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) {
      this.expectAnother();
      return;
    }
    const now = this.clock.now();
    // If Flipt v1 is replaced by v2, that may be any release of v2.
    if (!isV2(snapshot.semantics)) this.expectedAt = now;
    if (this.mayBeAnother || now - this.askedAt >= ASK_EVERY_MS) {
      const isRepeated = this.mayBeAnother;
      this.mayBeAnother = false;
      void this.ask(isRepeated);
    } else if (now - this.askedAt >= ASK_OFTEN_MS && now - this.expectedAt < ASK_EVERY_MS) {
      this.check = this.askIfItMatters(snapshot);
    }
  }

  /** Call this when Flipt may have been replaced although no poll has failed. */
  expectAnother(): void {
    this.mayBeAnother = true;
    this.expectedAt = this.clock.now();
  }

  /** Waits for the question and the search that the last poll has begun beside it. Never rejects. */
  async settled(): Promise<void> {
    const { timeoutMs } = this.settings;
    // The runtime may have ended the call that began the search. The search then never settles, so the wait has a
    // limit.
    if (this.check !== undefined) await orLate(this.check, timeoutMs, this.clock);
    this.check = undefined;
    const asked = this.lastQuestion;
    if (asked !== undefined) await orLate(asked, timeoutMs, this.clock);
    if (this.lastQuestion === asked) this.lastQuestion = undefined;
  }

  private replied({ status, bytes, redact }: Reply, isRepeated: boolean): void {
    const kind = failureKindOf(status);
    // The poll beside this question may be renewing the credentials at this moment, so the question is repeated once.
    if (kind === 'unauthorized' && !isRepeated) this.mayBeAnother = true;
    // A response of a gateway, an error of the server and a demand for credentials say nothing about the version.
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
   * Asks for the version if an upgrade would change answers. A restart of Flipt between two polls goes unnoticed
   * otherwise, because a poll's connection does not last until the next poll.
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
 * Flipt v1 writes its version at the top of the response, and v2 writes it in `build`. A build that is no release has a
 * version number without a meaning.
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
 * During a rolling upgrade, two versions answer at one address. Their answers must not change the semantics each time,
 * so new semantics stay for at least these milliseconds.
 */
const KEPT_FOR_MS = 60_000;

/**
 * Decides which semantics apply to snapshots of v2. The last answer of Flipt counts, but it changes the semantics at
 * most once a minute.
 */
export class SemanticsInForce {
  /** The semantics of the snapshot in force. */
  private current: Semantics | undefined;
  /** What Flipt's last answer says, until a snapshot has been read by it. */
  private news: { readonly v2: V2Semantics } | undefined;
  private used: { readonly v2: V2Semantics } | undefined;
  private announced: V2Semantics | undefined;
  private changedAt = -Infinity;
  private hasAnswered = false;

  /**
   * The function `newSemantics` is called when the snapshot in force should be read again, because its semantics have
   * changed.
   */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly newSemantics: () => void = () => undefined,
  ) {}

  /** Call this when Flipt has named its version, whose snapshots have the semantics `v2`. */
  answered(v2: V2Semantics): void {
    this.news = { v2 };
    this.announce();
  }

  /**
   * Returns the semantics by which to read the next snapshot of v2. `known` are those of the snapshot in force, if
   * there is one.
   */
  after(known: Semantics | undefined): V2Semantics {
    const { news } = this;
    this.current = known;
    const before = known !== undefined && isV2(known) ? known : undefined;
    const isUsed = before === undefined || before === news?.v2 || (news && this.isDue(news.v2));
    this.used = isUsed ? news : undefined;
    return this.used?.v2 ?? before ?? NEWEST_V2;
  }

  /** Call this when a snapshot has come into force that was read by these semantics. */
  applied(semantics: Semantics): void {
    // The semantics assumed before Flipt's first answer are no version that this address has had, so they count as no
    // change.
    if (this.hasAnswered && this.current !== semantics) this.changedAt = this.clock.now();
    this.hasAnswered ||= this.used !== undefined;
    this.current = semantics;
    // When Flipt v1 is in force, nobody knows yet which release of v2 will replace it.
    if (!isV2(semantics)) this.hasAnswered = false;
    if (this.news === this.used) this.news = undefined;
    this.used = undefined;
    this.announce();
  }

  /**
   * Calls `newSemantics` only once for the same semantics. A body may name other semantics than Flipt's answers do, and
   * reading the body again would not change that.
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
