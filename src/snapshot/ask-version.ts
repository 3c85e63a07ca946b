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
/** Where an upgrade changes answers, it is asked beside each poll, but no more often than this. */
const ASK_OFTEN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** What a version of Flipt needs to be asked for. */
interface VersionSettings {
  readonly send: Send;
  readonly timeoutMs: number;
  /** Ends the questions. */
  readonly signal: AbortSignal;
  /** An answer changes the semantics of the snapshot in force. Default: nobody has to know. */
  readonly newSemantics?: () => void;
  /** Flipt has named its release; `undefined`: a version that is none. Default: nobody has to know. */
  readonly answered?: (release: string | undefined) => void;
}

/**
 * The version of Flipt, and the semantics of a snapshot of v2. Asks Flipt: neither a snapshot of v2 nor its ETag shows an
 * upgrade. Asks beside polls and delays none of them. A failure of this request counts for nothing: a Flipt that names no
 * release is taken for the newest, and one that does not answer for the same as before.
 */
export class FliptVersion {
  readonly semantics: SemanticsInForce;
  private version: string | undefined;
  private askedAt = -Infinity;
  private lastQuestion: Promise<void> | undefined;
  /** Flipt was away since the last question: when polls succeed again, it may be another one. */
  private mayBeAnother = false;
  /** When there was last a reason to expect an upgrade: a Flipt that is not the newest, or one that was away. */
  private expectedAt: number;
  /** Finds out whether an upgrade would change answers. */
  private check: Promise<void> | undefined;
  /** Whether it would. A snapshot that has been replaced is not kept for it. */
  private readonly matters = new WeakMap<Snapshot, boolean>();

  constructor(
    private readonly settings: VersionSettings,
    private readonly clock: Clock,
  ) {
    this.expectedAt = clock.now();
    this.semantics = new SemanticsInForce(clock, settings.newSemantics);
  }

  /** As Flipt writes it; `undefined` if it has not said it. */
  read(): string | undefined {
    return this.version;
  }

  /** Resolves when it is answered. Never rejects. */
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

  /** A poll begins. Only the first question is sent beside it: a service without snapshots is asked no more. */
  polling(): void {
    if (this.askedAt === -Infinity) void this.ask();
  }

  /** A poll has ended. Without a snapshot, it has failed. */
  polled(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) {
      this.expectAnother();
      return;
    }
    const now = this.clock.now();
    // A v2 that follows on v1 is of any release.
    if (!isV2(snapshot.semantics)) this.expectedAt = now;
    if (this.mayBeAnother || now - this.askedAt >= ASK_EVERY_MS) {
      const isRepeated = this.mayBeAnother;
      this.mayBeAnother = false;
      void this.ask(isRepeated);
    } else if (now - this.askedAt >= ASK_OFTEN_MS && now - this.expectedAt < ASK_EVERY_MS) {
      this.check = this.askIfItMatters(snapshot);
    }
  }

  /** Flipt may have been replaced, although no poll has failed. */
  expectAnother(): void {
    this.mayBeAnother = true;
    this.expectedAt = this.clock.now();
  }

  /** Waits for what the last poll has begun beside it. */
  async settled(): Promise<void> {
    const { timeoutMs } = this.settings;
    // What an earlier call has begun may have ended with that call, and then it never says so.
    if (this.check !== undefined) await orLate(this.check, timeoutMs, this.clock);
    this.check = undefined;
    const asked = this.lastQuestion;
    if (asked !== undefined) await orLate(asked, timeoutMs, this.clock);
    if (this.lastQuestion === asked) this.lastQuestion = undefined;
  }

  private replied({ status, bytes, redact }: Reply, isRepeated: boolean): void {
    const kind = failureKindOf(status);
    // The poll beside it may just renew the credentials.
    if (kind === 'unauthorized' && !isRepeated) this.mayBeAnother = true;
    // A gateway, or a Flipt that cannot answer now or wants credentials, says nothing about the version.
    if (status >= 500 || kind === 'gateway' || rejectsCredentials({ kind })) return;
    const said = releaseIn(bytes);
    this.version = said && redact(said.version);
    const named = said?.isRelease ? this.version : undefined;
    this.settings.answered?.(named);
    const semantics = semanticsOfRelease(named);
    if (semantics !== NEWEST_V2) this.expectedAt = this.clock.now();
    this.semantics.answered(semantics);
  }

  /** Polls do not show a restart between them: their connections do not last from one to the next. */
  private async askIfItMatters(snapshot: Snapshot): Promise<void> {
    const { signal } = this.settings;
    const isAsked =
      this.matters.get(snapshot) ?? (await dependsOnRelease(snapshot, this.clock, () => !signal.aborted));
    this.matters.set(snapshot, isAsked);
    if (isAsked && !signal.aborted) void this.ask();
  }
}

/** v1 says it at the top, v2 in `build`. The number of a build that is no release means nothing. */
const release = v.object({
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,64}$/), v.regex(/^v?\d+\.\d+\.\d/)),
  isRelease: v.optional(v.boolean(), false),
});

function releaseIn(bytes: Buffer | undefined): v.InferOutput<typeof release> | undefined {
  const info = parsedJson(bytes?.toString('utf8') ?? '');
  const read = v.safeParse(release, isRecord(info) ? (info.build ?? info) : info);
  return read.success ? read.output : undefined;
}

/** During a rolling upgrade, two versions answer at one address: their answers must not change the semantics each time. */
const KEPT_FOR_MS = 60_000;

/** The semantics of snapshots of v2: the last answer counts, but it changes them at most once a minute. */
export class SemanticsInForce {
  /** Of the snapshot in force. */
  private current: Semantics | undefined;
  /** The last answer, until a snapshot has been read by it. */
  private news: { readonly v2: V2Semantics } | undefined;
  private used: { readonly v2: V2Semantics } | undefined;
  private announced: V2Semantics | undefined;
  private changedAt = -Infinity;
  private hasAnswered = false;

  /** `newSemantics` is called when the snapshot in force should be read again, because it has others. */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly newSemantics: () => void = () => undefined,
  ) {}

  /** Flipt has answered: its snapshots have these semantics. */
  answered(v2: V2Semantics): void {
    this.news = { v2 };
    this.announce();
  }

  /** The semantics of the next snapshot of v2, if the one in force has these. */
  after(known: Semantics | undefined): V2Semantics {
    const { news } = this;
    this.current = known;
    const before = known !== undefined && isV2(known) ? known : undefined;
    const isUsed = before === undefined || before === news?.v2 || (news && this.isDue(news.v2));
    this.used = isUsed ? news : undefined;
    return this.used?.v2 ?? before ?? NEWEST_V2;
  }

  /** A snapshot is in force, and has these semantics. */
  applied(semantics: Semantics): void {
    // What was assumed before the first answer is no version that the address has had.
    if (this.hasAnswered && this.current !== semantics) this.changedAt = this.clock.now();
    this.hasAnswered ||= this.used !== undefined;
    this.current = semantics;
    // Nobody knows yet which v2 follows on a v1.
    if (!isV2(semantics)) this.hasAnswered = false;
    if (this.news === this.used) this.news = undefined;
    this.used = undefined;
    this.announce();
  }

  /** Once for the same semantics, because a body may name others than the answers. */
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
