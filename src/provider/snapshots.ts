import { outsideRequests } from '../base/time/background-work.js';
import { similarName } from '../base/text/closest-name.js';
import { quoted } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import { inBackground } from '../base/time/turns.js';
import { hasEnvironments } from '../engine/version-differences.js';
import {
  failed,
  failedResolution,
  type Ask,
  type Question,
  type Resolution,
  type UnreadableFlag,
} from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { CachedAnswers, SnapshotForAnswers } from '../remote/answers.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { SnapshotSource } from '../snapshot/source.js';

/**
 * NOT_FOUND for a flag of the snapshot is no news: Flipt may have lost its flags, or one of its replicas may lag
 * behind. It counts once a poll has brought a snapshot without the flag.
 */
export function believing(ask: Ask, source: SnapshotSource): Ask {
  let doubted: string | undefined;
  return async (question, until) => {
    const answer = await ask(question, until);
    if (answer.kind !== 'missing' || !hasFlag(source, question)) return answer;
    const version = source.snapshot()?.version;
    if (doubted !== version) void outsideRequests(() => source.poller.pollNext());
    doubted = version;
    const message = `Flipt does not know the flag ${quoted(question.flag)}, which is in its last snapshot`;
    return failed({ kind: 'flags-lost', message });
  };
}

/** If Flipt offers no snapshots, no later one can show that a flag is gone. */
export function hasFlag(source: SnapshotSource, { flag }: Question): boolean {
  return source.snapshot()?.flags.keys().has(flag) === true && !source.poller.isNotOffered();
}

export function snapshotForAnswers(
  source: SnapshotSource,
  { watch }: Pick<ProviderSettings, 'watch'>,
  clock: Clock,
): SnapshotForAnswers {
  return {
    confirms: (question, answer) => source.confirms(question, answer),
    missing: (flag) => {
      source.missing(flag);
    },
    used: (now) => {
      source.poller.used(now);
    },
    sureness: (now) => watch && { sureForMs: source.poller.sureForMs(now), maxAgeMs: watch.maxAgeMs },
    evaluate: (question, failure) => evaluateInstead(source, question, failure, clock.now()),
  };
}

function evaluateInstead(
  source: SnapshotSource,
  question: Question,
  failure: Failure,
  now: number,
): Resolution | undefined {
  const snapshot = source.snapshot();
  const unreadable = snapshot?.flags.unreadable(question.flag);
  if (unreadable !== undefined) {
    const why = unreadableFailure(question.flag, unreadable, failure.message);
    return { ...failedResolution(why), ageMs: Infinity };
  }
  const answer = source.evaluate(question);
  if (answer === undefined || snapshot === undefined) return undefined;
  return {
    answer,
    source: 'in-process',
    ageMs: source.poller.ageMs(now),
    stale: true,
    version: snapshot.version,
  };
}

export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/** What Flipt's first snapshot shows about options that are probably wrong. */
export async function optionAdvice(
  { flags, semantics }: Snapshot,
  { environment, attributes }: Pick<ProviderSettings, 'environment' | 'attributes'>,
  clock: Clock,
): Promise<readonly string[]> {
  const advice: string[] = [];
  if (environment !== undefined && !hasEnvironments(semantics))
    advice.push(
      `Flipt v1 has no environments, so that the option environment has no effect: ${quoted(environment)}`,
    );
  const only = attributes !== undefined && 'only' in attributes ? attributes.only : [];
  if (only.length === 0) return advice;
  // All segments are known once all flags have been read.
  await flags.each(inBackground(clock), () => true);
  const read = new Set(
    [...flags.segments.values()].flatMap(({ constraints }) => constraints.map(({ property }) => property)),
  );
  for (const name of only) {
    const similar = read.has(name) ? undefined : similarName(name, read);
    if (similar !== undefined && !only.includes(similar))
      advice.push(
        `attributes.only names ${quoted(name)}, but segments read ${quoted(similar)}, which is not sent`,
      );
  }
  return advice;
}

/** What users get while Flipt fails. */
export function servedText(
  source: SnapshotSource | undefined,
  answers: Pick<CachedAnswers, 'knowsAnything'>,
  clock: Clock,
): string {
  if (source?.snapshot() !== undefined)
    return `Users keep their flags, from the snapshot${ofTime(source, clock)}`;
  if (answers.knowsAnything()) return 'Users keep the values that they have got; others get their defaults';
  return 'Calls get their defaults until it answers';
}

function ofTime(source: SnapshotSource, clock: Clock): string {
  const ageMs = source.poller.ageMs(clock.now());
  if (ageMs === Infinity) return ' of the options';
  const iso = new Date(clock.date() - ageMs).toISOString();
  return ` of ${iso.slice(ageMs < DAY_MS ? 11 : 0, 19).replace('T', ' ')} UTC`;
}

const DAY_MS = 86_400_000;
