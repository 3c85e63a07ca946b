import * as v from 'valibot';
import type { Semantics } from '../engine/features.js';
import { isV2, NEWEST_V2, semanticsOfRelease, type V2Semantics } from '../engine/rules-of-version.js';
import type { Outcome, Reply, Send } from '../http/reply.js';
import { parsedJson } from '../text/json.js';
import { orLate } from '../time/in-time.js';
import type { Clock } from '../time/clock.js';

/** The version of Flipt, and by whose rules a snapshot of v2 is read. */
export type FliptVersion = ReturnType<typeof fliptVersion>;

const PATH = '/meta/info';
const ASK_EVERY_MS = 600_000;
/** Two versions behind one address, as during a rolling upgrade, must not change the rules with each answer. */
const KEPT_FOR_MS = 60_000;
const MAX_BYTES = 64 * 1024;

/**
 * Asks Flipt for its version, because a snapshot of v2 does not say which release wrote it, and neither does its ETag:
 * both stay when Flipt is upgraded. The question is sent beside polls and delays none of them. It counts as no failure:
 * who says nothing of a release is taken for the newest Flipt, and who does not answer, for the same as before.
 */
export function fliptVersion(send: Send, timeoutMs: number, clock: Clock, signal: AbortSignal) {
  let version: string | undefined;
  let askedAt = -Infinity;
  let lastQuestion: Promise<void> | undefined;
  /** Polls have failed since the last question: when they succeed again, Flipt may be another one. */
  let mayBeAnother = false;
  /** The rules by which the snapshot in force is read. */
  let inForce: Semantics | undefined;
  /** The last answer, until a snapshot has been read by it. */
  let news: { readonly rules: V2Semantics } | undefined;
  let used: typeof news;
  let changedAt = -Infinity;
  let hasAnswered = false;
  let newRules: () => void = () => undefined;

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
      // The poll beside it may just renew the credentials.
      if (isUnauthorized(outcome) && !isRepeated) mayBeAnother = true;
      if (!isAnswer(outcome)) return;
      const said = releaseIn(outcome.bytes);
      version = said?.version;
      news = { rules: semanticsOfRelease(said?.isRelease ? version : undefined) };
      if (isDue(news)) newRules();
    });
    lastQuestion = question;
    return question;
  };

  const isDue = (answer: typeof news) =>
    answer !== undefined &&
    inForce !== undefined &&
    isV2(inForce) &&
    answer.rules !== inForce &&
    clock.now() - changedAt >= KEPT_FOR_MS;

  return {
    ask,
    /** A poll begins. Only the first question is sent beside it: a service without snapshots is asked no more. */
    polling() {
      if (askedAt === -Infinity) void ask();
    },
    /** A poll has ended. */
    polled(hasFailed: boolean) {
      if (hasFailed) mayBeAnother = true;
      else if (mayBeAnother || clock.now() - askedAt >= ASK_EVERY_MS) {
        const isRepeated = mayBeAnother;
        mayBeAnother = false;
        void ask(isRepeated);
      }
    },
    /** Flipt may have been replaced, although no poll has failed. */
    mayBeAnother() {
      mayBeAnother = true;
    },
    /** The rules by which a snapshot of v2 is to be read, if the one in force is read by these. */
    rulesAfter(known: Semantics | undefined): V2Semantics {
      inForce = known;
      const before = known !== undefined && isV2(known) ? known : undefined;
      const isUsed = before === undefined || before === news?.rules || isDue(news);
      used = isUsed ? news : undefined;
      return used?.rules ?? before ?? NEWEST_V2;
    },
    /** A snapshot is in force, and read by these rules. */
    applied(rules: Semantics) {
      // What was assumed before the first answer is no version that the address has had.
      if (hasAnswered && inForce !== rules) changedAt = clock.now();
      hasAnswered ||= used !== undefined;
      inForce = rules;
      if (news === used) news = undefined;
      used = undefined;
      if (isDue(news)) newRules();
    },
    /** Calls the listener when the snapshot in force should be read by other rules. */
    onNewRules(listener: () => void) {
      newRules = listener;
    },
    /** Without a background: waits for a question that this call has sent. */
    async settled() {
      if (lastQuestion === undefined) return;
      // A question of an earlier call may have ended with that call, and then it never says so.
      await orLate(lastQuestion, timeoutMs, clock);
      lastQuestion = undefined;
    },
    /** As Flipt writes it; `undefined` if it has not said it. */
    read: () => version,
  };
}

function isUnauthorized(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && outcome.status === 401;
}

/** A gateway or a Flipt that cannot answer now says nothing about the version, nor does one that wants credentials. */
function isAnswer(outcome: Outcome): outcome is Reply {
  return outcome.kind === 'reply' && outcome.status < 500 && !SAYS_NOTHING.has(outcome.status);
}

const SAYS_NOTHING: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** v1 says it at the top, v2 in `build`. A build that is no release has a number that means nothing. */
const release = v.object({
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,64}$/), v.regex(/^v?\d+\.\d+\.\d/)),
  isRelease: v.optional(v.boolean(), false),
});
const infoSchema = v.union([
  v.pipe(
    v.object({ build: release }),
    v.transform(({ build }) => build),
  ),
  release,
]);

function releaseIn(bytes: Buffer | undefined) {
  const read = v.safeParse(infoSchema, parsedJson(bytes?.toString('utf8') ?? ''));
  return read.success ? read.output : undefined;
}
