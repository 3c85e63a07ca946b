import * as v from 'valibot';
import type { Semantics } from '../../engine/features.js';
import { isV2, NEWEST_V2, semanticsOfRelease, type V2Semantics } from '../../engine/rules-of-version.js';
import { failureKindOf, type Send } from '../../http/reply.js';
import { rejectsCredentials } from '../../model/failure.js';
import { isRecord } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';
import { orLate } from '../../base/time/in-time.js';
import type { Clock } from '../../base/time/clock.js';
import { dependsOnRelease, type Snapshot } from '../snapshot.js';

/** The version of Flipt, and the semantics of a snapshot of v2. */
export type FliptVersion = ReturnType<typeof fliptVersion>;

const PATH = '/meta/info';
const ASK_EVERY_MS = 600_000;
/** Where an upgrade changes answers, it is asked beside each poll, but no more often than this. */
const ASK_OFTEN_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/**
 * Asks Flipt for its version: neither a snapshot of v2 nor its ETag shows an upgrade. Asks beside polls and delays none
 * of them. A failure of this request counts for nothing: a Flipt that names no release is taken for the newest, and one
 * that does not answer for the same as before. `newSemantics` is called when an answer changes the semantics of the
 * snapshot in force.
 */
export function fliptVersion(
  send: Send,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
  newSemantics = () => {},
  answered: (release: string | undefined) => void = () => {},
) {
  const inForce = semanticsInForce(clock, newSemantics);
  let version: string | undefined;
  let askedAt = -Infinity;
  let lastQuestion: Promise<void> | undefined;
  /** Flipt was away since the last question: when polls succeed again, it may be another one. */
  let mayBeAnother = false;
  /** When there was last a reason to expect an upgrade: a Flipt that is not the newest, or one that was away. */
  let expectedAt = clock.now();
  let check: Promise<void> | undefined;
  /** Whether an upgrade would change answers. A snapshot that has been replaced is not kept for it. */
  const matters = new WeakMap<Snapshot, boolean>();

  const ask = (isRepeated = false): Promise<void> => {
    askedAt = clock.now();
    const question = send({
      method: 'GET',
      path: PATH,
      download: { timeoutMs, maxBytes: MAX_BYTES },
      optional: true,
      repeatable: true,
      signal,
    }).then((outcome) => {
      if (question !== lastQuestion || signal.aborted) return;
      lastQuestion = undefined;
      if (outcome.kind !== 'reply') return;
      const { status, bytes } = outcome;
      const kind = failureKindOf(status);
      // The poll beside it may just renew the credentials.
      if (kind === 'unauthorized' && !isRepeated) mayBeAnother = true;
      // A gateway, or a Flipt that cannot answer now or wants credentials, says nothing about the version.
      if (status >= 500 || kind === 'gateway' || rejectsCredentials({ kind })) return;
      const said = releaseIn(bytes);
      version = said && outcome.redact(said.version);
      const named = said?.isRelease ? version : undefined;
      answered(named);
      const semantics = semanticsOfRelease(named);
      if (semantics !== NEWEST_V2) expectedAt = clock.now();
      inForce.answered(semantics);
    });
    lastQuestion = question;
    return question;
  };
  const expectAnother = () => {
    mayBeAnother = true;
    expectedAt = clock.now();
  };
  /** Polls do not show a restart between them: their connections do not last from one to the next. */
  const askIfItMatters = async (snapshot: Snapshot) => {
    const isAsked = matters.get(snapshot) ?? (await dependsOnRelease(snapshot, clock, () => !signal.aborted));
    matters.set(snapshot, isAsked);
    if (isAsked && !signal.aborted) void ask();
  };

  return {
    ask,
    /** A poll begins. Only the first question is sent beside it: a service without snapshots is asked no more. */
    polling() {
      if (askedAt === -Infinity) void ask();
    },
    /** A poll has ended. Without a snapshot, it has failed. */
    polled(snapshot: Snapshot | undefined) {
      if (snapshot === undefined) {
        expectAnother();
        return;
      }
      const now = clock.now();
      // A v2 that follows on v1 is of any release.
      if (!isV2(snapshot.semantics)) expectedAt = now;
      if (mayBeAnother || now - askedAt >= ASK_EVERY_MS) {
        const isRepeated = mayBeAnother;
        mayBeAnother = false;
        void ask(isRepeated);
      } else if (now - askedAt >= ASK_OFTEN_MS && now - expectedAt < ASK_EVERY_MS) {
        check = askIfItMatters(snapshot);
      }
    },
    /** Flipt may have been replaced, although no poll has failed. */
    expectAnother,
    semantics: inForce,
    /** Waits for what the last poll has begun beside it. */
    async settled() {
      // What an earlier call has begun may have ended with that call, and then it never says so.
      if (check !== undefined) await orLate(check, timeoutMs, clock);
      check = undefined;
      const asked = lastQuestion;
      if (asked !== undefined) await orLate(asked, timeoutMs, clock);
      if (lastQuestion === asked) lastQuestion = undefined;
    },
    /** As Flipt writes it; `undefined` if it has not said it. */
    read: () => version,
  };
}

/** v1 says it at the top, v2 in `build`. The number of a build that is no release means nothing. */
const release = v.object({
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,64}$/), v.regex(/^v?\d+\.\d+\.\d/)),
  isRelease: v.optional(v.boolean(), false),
});

function releaseIn(bytes: Buffer | undefined) {
  const info = parsedJson(bytes?.toString('utf8') ?? '');
  const read = v.safeParse(release, isRecord(info) ? (info.build ?? info) : info);
  return read.success ? read.output : undefined;
}

/** During a rolling upgrade, two versions answer at one address: their answers must not change the semantics each time. */
const KEPT_FOR_MS = 60_000;

/**
 * The semantics of snapshots of v2: the last answer counts, but it changes them at most once a minute. `newSemantics` is
 * called when the snapshot in force should be read again, because it has others.
 */
function semanticsInForce(clock: Pick<Clock, 'now'>, newSemantics: () => void) {
  /** Of the snapshot in force. */
  let current: Semantics | undefined;
  /** The last answer, until a snapshot has been read by it. */
  let news: { readonly v2: V2Semantics } | undefined;
  let used: typeof news;
  let announced: V2Semantics | undefined;
  let changedAt = -Infinity;
  let hasAnswered = false;

  const isDue = (v2: V2Semantics) =>
    current !== undefined && isV2(current) && v2 !== current && clock.now() - changedAt >= KEPT_FOR_MS;
  /** Once for the same semantics, because a body may name others than the answers. */
  const announce = () => {
    if (news === undefined || !isDue(news.v2) || news.v2 === announced) return;
    announced = news.v2;
    newSemantics();
  };

  return {
    /** Flipt has answered: its snapshots have these semantics. */
    answered(v2: V2Semantics) {
      news = { v2 };
      announce();
    },
    /** The semantics of the next snapshot of v2, if the one in force has these. */
    after(known: Semantics | undefined): V2Semantics {
      current = known;
      const before = known !== undefined && isV2(known) ? known : undefined;
      used = before === undefined || before === news?.v2 || (news && isDue(news.v2)) ? news : undefined;
      return used?.v2 ?? before ?? NEWEST_V2;
    },
    /** A snapshot is in force, and has these semantics. */
    applied(semantics: Semantics) {
      // What was assumed before the first answer is no version that the address has had.
      if (hasAnswered && current !== semantics) changedAt = clock.now();
      hasAnswered ||= used !== undefined;
      current = semantics;
      // Nobody knows yet which v2 follows on a v1.
      if (!isV2(semantics)) hasAnswered = false;
      if (news === used) news = undefined;
      used = undefined;
      announce();
    },
  };
}
