import type { Diagnostics } from '../../model/events/reporter.js';
import { failedResolution, type KnownAnswer, type Question, type Resolution } from '../../model/answer.js';
import type { Runtime } from '../../model/runtime.js';
import { inBackground, pausing } from '../../base/time/pausable-steps.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { unreadableFailure } from '../evaluate/unreadable-flag.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSnapshots } from './provider-snapshots.js';
import type { SnapshotForCache } from '../../remote/cache/cached-answers.js';

/**
 * Makes the functions with which the cache of answers uses the snapshot. `maxAgeMs` is `undefined` if the provider does
 * not poll Flipt.
 */
export function snapshotForCache(
  snapshots: Pick<ProviderSnapshots, 'opened' | 'missing'>,
  maxAgeMs: number | undefined,
  runtime: Runtime & Diagnostics,
): SnapshotForCache {
  const opened = () => snapshots.opened();
  const compareLater = maxAgeMs === undefined ? undefined : unconfirmedAnswers(snapshots, runtime);
  return {
    confirms(question, answer) {
      const isConfirmed = opened()?.confirms(question, answer) ?? false;
      if (!isConfirmed) compareLater?.(question, answer);
      return isConfirmed;
    },
    missing: (flag) => {
      snapshots.missing(flag);
    },
    evaluate(question, failure) {
      const source = opened();
      return source && evaluateInstead(source, question, failure, runtime.clock.now());
    },
    reliance(now) {
      const watch = opened()?.watch;
      return watch && maxAgeMs !== undefined ? { lostForMs: watch.lostForMs(now), maxAgeMs } : undefined;
    },
  };
}

/**
 * Returns the snapshot's answer to a question for which Flipt gave no answer. `failure` is the reason why Flipt gave no
 * answer. The result is `undefined` if there is no snapshot, or if the snapshot does not have the flag. If the provider
 * cannot read the flag in the snapshot, the result is a failure.
 */
export function evaluateInstead(
  snapshots: SnapshotSource,
  question: Question,
  failure: Failure,
  now: number,
): Resolution | undefined {
  const snapshot = snapshots.watch.snapshot();
  const unreadable = snapshot?.flags.unreadable(question.flag);
  if (unreadable !== undefined) {
    const asked = unreadableFailure(question.flag, unreadable, failure.message);
    return { ...failedResolution(asked), ageMs: Infinity };
  }
  const answer = snapshots.evaluate(question);
  if (answer === undefined || snapshot === undefined) return undefined;
  const ageMs = snapshots.watch.ageMs(now);
  return { answer, source: 'in-process', ageMs, stale: true, version: snapshot.version };
}

/**
 * At most this many answers wait to be compared with a later snapshot. An answer that is not compared expires by its
 * age.
 */
const MOST = 500;
/**
 * An answer waits to be compared with a later snapshot only if its question's entity id and attributes have at most
 * this many characters.
 */
const LONGEST = 2_000;
/**
 * Evaluating this many flags of a new snapshot takes about a millisecond, because most of them have to be parsed first.
 */
const FLAGS_PER_MS = 5;

interface Unconfirmed {
  readonly question: Question;
  readonly answer: KnownAnswer;
  readonly at: number;
}

/**
 * Compares an answer of Flipt with a later snapshot if the snapshot could not confirm the answer at first, for example
 * because there was no snapshot yet. If a flag changes between an answer and the first snapshot, no comparison of two
 * snapshots shows this change. Instead, an unconfirmed answer is compared with the snapshot of a poll that began after
 * the answer. If the later snapshot gives another value, the provider assumes that the flag has changed, and reports
 * `flags-changed`. Call the returned function with each answer that the snapshot did not confirm.
 */
export function unconfirmedAnswers(
  snapshots: Pick<ProviderSnapshots, 'opened'>,
  { clock, listen, report }: Runtime & Pick<Diagnostics, 'listen'>,
): (question: Question, answer: KnownAnswer) => void {
  const opened = () => snapshots.opened();
  let waiting: Unconfirmed[] = [];
  /**
   * The time at which the end of the last poll was reported. A poll that was reported later has begun after this time.
   */
  let polledAt = -Infinity;
  /**
   * The snapshot for which flags were last reported as changed, and these flags. A flag is reported only once for a
   * snapshot, because Flipt's answers might contradict its snapshot for a long time.
   */
  let reported: { readonly of: WeakRef<Snapshot>; readonly flags: Set<string> } | undefined;
  const reportedFor = (snapshot: Snapshot | undefined): Set<string> => {
    if (snapshot === undefined) return new Set();
    if (reported?.of.deref() !== snapshot) reported = { of: new WeakRef(snapshot), flags: new Set() };
    return reported.flags;
  };

  const judge = async (before: number) => {
    const judged = waiting;
    waiting = [];
    const pause = pausing(FLAGS_PER_MS, inBackground(clock));
    const changed = new Set<string>();
    for (const one of judged) {
      const { question, answer, at } = one;
      if (opened()?.contradicts(question, answer)) {
        if (at < before) changed.add(question.flag);
        else waiting.push(one);
      }
      await pause();
    }
    const reportedBefore = reportedFor(opened()?.watch.snapshot());
    const flags = [...changed].filter((flag) => !reportedBefore.has(flag)).sort();
    for (const flag of flags) reportedBefore.add(flag);
    if (flags.length > 0) {
      report({ type: 'flags-changed', flags });
      // Because of a wrong ETag, Flipt might have answered the poll with 304 although the current snapshot is too old.
      opened()?.doubt();
    }
    // After the first poll, another poll follows at once, so that unconfirmed answers need not wait for a whole poll
    // interval.
    if (before === -Infinity && waiting.length > 0) void opened()?.watch.poll();
  };
  listen('snapshot-polled', ({ failure }) => {
    if (failure !== undefined) return;
    // With a shared store, another instance might have made the poll, long before this event.
    const before = Math.min(polledAt, opened()?.watch.confirmedAt() ?? -Infinity);
    polledAt = clock.now();
    void judge(before);
  });

  return (question: Question, answer: KnownAnswer) => {
    const texts = Object.values(question.attributes);
    const length = texts.reduce((sum, text) => sum + text.length, question.entity.length);
    if (waiting.length < MOST && length <= LONGEST) waiting.push({ question, answer, at: clock.now() });
  };
}
