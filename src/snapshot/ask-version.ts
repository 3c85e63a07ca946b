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
 * While an upgrade of Flipt v2 is likely and could change answers, the provider asks Flipt for its version after each
 * successful poll, but usually at most once in this many milliseconds.
 */
const ASK_OFTEN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** What {@link FliptVersion} needs in order to ask Flipt for its version. */
interface VersionSettings {
  readonly send: Send;
  readonly timeoutMs: number;
  /** Aborting this signal ends the requests for Flipt's version that are under way. */
  readonly signal: AbortSignal;
  /**
   * {@link FliptVersion} calls this function when the snapshot in force has to be read again, because Flipt seems to
   * run a version with other evaluation rules.
   */
  readonly newSemantics?: () => void;
  /**
   * {@link FliptVersion} calls this function when Flipt's answer to the request for its version is neither a server
   * error, nor a gateway's response, nor a demand for credentials. `release` is `undefined` if the answer does not name
   * a release of Flipt.
   */
  readonly answered?: (release: string | undefined) => void;
}

/**
 * Asks Flipt for its version, and decides which semantics (evaluation rules) apply to snapshots of Flipt v2. The
 * provider has to ask Flipt for its version, because neither a snapshot of Flipt v2 nor its ETag shows that Flipt has
 * been upgraded. A poll never waits for the answer to the request for Flipt's version. If the request for the version
 * fails, or if the answer is a server error, a gateway's response or a demand for credentials, the provider goes on
 * with the version that it already has. If any other answer names no release, the provider assumes that Flipt runs the
 * newest release.
 */
export class FliptVersion {
  readonly semantics: SemanticsInForce;
  private version: string | undefined;
  private askedAt = -Infinity;
  private lastQuestion: Promise<void> | undefined;
  /**
   * Whether the next successful poll is followed by a request for Flipt's version, for example because Flipt was
   * unreachable for a while and may have been replaced by another version.
   */
  private mayBeAnother = false;
  /**
   * The last time at which the provider had a reason to expect an upgrade of Flipt, for example because a poll failed,
   * or because Flipt did not evaluate by the newest rules. At first, `expectedAt` is the time of the start.
   */
  private expectedAt: number;
  /**
   * The search for a flag that another release of Flipt v2 could evaluate differently, or `undefined` if there is no
   * search to wait for.
   */
  private check: Promise<void> | undefined;
  /**
   * Maps each snapshot that was searched to `true` if another release of Flipt v2 could give other answers from this
   * snapshot, or else to `false`. The map is weak, so that replaced snapshots do not stay in memory.
   */
  private readonly matters = new WeakMap<Snapshot, boolean>();

  constructor(
    private readonly settings: VersionSettings,
    private readonly clock: Clock,
  ) {
    this.expectedAt = clock.now();
    this.semantics = new SemanticsInForce(clock, settings.newSemantics);
  }

  /**
   * Returns Flipt's version in the form in which Flipt writes it, or `undefined` if Flipt has not answered yet or its
   * last usable answer named none.
   */
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
   * To be called when a poll begins. At the first poll, this function sends the first request for Flipt's version.
   * Later requests for the version are sent after successful polls, so that a Flipt that serves no snapshots gets only
   * the first request.
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
    // Flipt v1 can be replaced by any release of Flipt v2, so the provider always expects an upgrade of Flipt v1.
    if (!isV2(snapshot.semantics)) this.expectedAt = now;
    if (this.mayBeAnother || now - this.askedAt >= ASK_EVERY_MS) {
      const isRepeated = this.mayBeAnother;
      this.mayBeAnother = false;
      void this.ask(isRepeated);
    } else if (now - this.askedAt >= ASK_OFTEN_MS && now - this.expectedAt < ASK_EVERY_MS) {
      this.check = this.askIfItMatters(snapshot);
    }
  }

  /** To be called when another version of Flipt may have taken the place of the present one. */
  expectAnother(): void {
    this.mayBeAnother = true;
    this.expectedAt = this.clock.now();
  }

  /**
   * Waits for a limited time for two things that the last poll may have started: the request for Flipt's version, and
   * the search for a flag that another release of Flipt v2 could evaluate differently. The promise never rejects.
   */
  async settled(): Promise<void> {
    const { timeoutMs } = this.settings;
    // The wait for the search has a time limit, because the search may never end if the runtime has ended the call that
    // began the search.
    if (this.check !== undefined) await orLate(this.check, timeoutMs, this.clock);
    this.check = undefined;
    const asked = this.lastQuestion;
    if (asked !== undefined) await orLate(asked, timeoutMs, this.clock);
    if (this.lastQuestion === asked) this.lastQuestion = undefined;
  }

  private replied({ status, bytes, redact }: Reply, isRepeated: boolean): void {
    const kind = failureKindOf(status);
    // If Flipt has rejected the credentials, a poll may just be renewing them, so the provider repeats the request for
    // the version once.
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
   * Asks Flipt for its version if another release of Flipt v2 could give other answers. Without a request for the
   * version, the provider could notice an upgrade between two polls up to ten minutes late, because such an upgrade
   * makes no poll fail.
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
 * The version number of a build that is no release has no meaning.
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
 * Once Flipt v2 has named its version, the provider usually changes the semantics (evaluation rules) at most once in
 * this many milliseconds, because during a rolling upgrade, Flipt's answers come from the old and the new version in
 * turn.
 */
const KEPT_FOR_MS = 60_000;

/**
 * Decides which semantics (evaluation rules) apply to snapshots of Flipt v2. The provider applies the semantics of the
 * version that Flipt named last, but usually changes the semantics at most once a minute.
 */
export class SemanticsInForce {
  /** The semantics of the snapshot in force. */
  private current: Semantics | undefined;
  /**
   * The semantics of the version that Flipt named last. `news` is `undefined` before Flipt has answered, and once a
   * snapshot has been read with the semantics of that version.
   */
  private news: { readonly v2: V2Semantics } | undefined;
  private used: { readonly v2: V2Semantics } | undefined;
  private announced: V2Semantics | undefined;
  private changedAt = -Infinity;
  private hasAnswered = false;

  /** `newSemantics` is called when the snapshot in force should be read again with other semantics. */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly newSemantics: () => void = () => undefined,
  ) {}

  /**
   * To be called when Flipt has answered the request for its version. `v2` holds the evaluation rules that follow from
   * this answer.
   */
  answered(v2: V2Semantics): void {
    this.news = { v2 };
    this.announce();
  }

  /**
   * Returns the semantics with which the next snapshot of Flipt v2 has to be read. `known` are the semantics of the
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

  /** To be called when a poll has read or confirmed a snapshot with these semantics. */
  applied(semantics: Semantics): void {
    // Before Flipt has named its version, the provider only assumes the semantics, and replacing assumed semantics does
    // not count as a change.
    if (this.hasAnswered && this.current !== semantics) this.changedAt = this.clock.now();
    this.hasAnswered ||= this.used !== undefined;
    this.current = semantics;
    // While the snapshot in force comes from Flipt v1, the provider cannot know which release of Flipt v2 will replace
    // this Flipt.
    if (!isV2(semantics)) this.hasAnswered = false;
    if (this.news === this.used) this.news = undefined;
    this.used = undefined;
    this.announce();
  }

  /**
   * Calls `newSemantics`, but not twice in a row for the same semantics. Calling `newSemantics` again would change
   * nothing if the body of the snapshot names its own semantics, because these semantics apply each time the body is
   * read.
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
