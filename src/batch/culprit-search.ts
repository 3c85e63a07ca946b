import { isFailure } from '../model/answer.js';
import { policyOf } from '../model/failure-policy.js';
import type { Failure } from '../model/failure.js';
import { answerEach, failEach, type PendingQuestion } from './pending-question.js';
import type { AskPart } from './culprit-search-limit.js';
import { blamesFlag, type Suspects } from './suspects.js';

export interface Search extends Pick<Suspects, 'blame'> {
  readonly ask: AskPart;
  /** How many requests have succeeded so far, of this search and all others. */
  readonly successes: () => number;
  /** The value of `successes` when the batch was sent. */
  readonly before: number;
  /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
  readonly proven: () => void;
}

export type FindCulprits = typeof findCulprits;

interface Part {
  readonly asked: readonly PendingQuestion[];
  readonly failure: Failure;
}

/**
 * Finds the questions that spoil a batch: asks parts of the batch, then parts of the parts that failed, until each
 * culprit is alone. Answers each question as soon as its part succeeds.
 *
 * If another request has succeeded since the batch was sent, the service is well: the search asks four parts in
 * parallel. Otherwise it asks two parts, one after another: a service that fails for everything then gets only three
 * requests for a batch. A batch of n takes at most 4 · log2(n) + 4 requests, including the first one.
 *
 * The result says how many questions and flags were blamed. `isServiceFailure`: all parts failed with 500 and nothing
 * else succeeded meanwhile, so it is the service, not a question.
 */
export async function findCulprits(
  batch: readonly PendingQuestion[],
  failure: Failure,
  { ask, successes, before, blame, proven }: Search,
) {
  const most = Math.floor(4 * Math.log2(batch.length)) + 3;
  let requestsLeft = most;
  let culprits = 0;
  let succeeded = false;
  /** To be blamed as soon as any request has succeeded. Until then, the service may be the cause. */
  const suspected: Part[] = [];
  let spoilt: Part[] = [{ asked: byFlag(batch), failure }];

  const divided = (part: Part, count: number): readonly Part[] => {
    const parts = partsOf(part.asked, requestsLeft < 4 ? 2 : count);
    if (parts.length > requestsLeft) {
      failEach(part.asked, part.failure);
      return [];
    }
    requestsLeft -= parts.length;
    return parts.map((asked) => ({ ...part, asked }));
  };

  /** The part with its failure; none if it succeeded. */
  const asking = async ({ asked }: Part): Promise<readonly Part[]> => {
    const outcome = await ask(asked);
    if (isFailure(outcome)) return [{ asked, failure: outcome }];
    answerEach(asked, outcome);
    return [];
  };

  while (spoilt.length > 0) {
    const successesYet = successes();
    const isCareful = successesYet === before;
    const parts = spoilt.flatMap((part) => divided(part, isCareful ? 2 : 4));
    const failures: Part[] = [];
    if (isCareful) for (const part of parts) failures.push(...(await asking(part)));
    else failures.push(...(await Promise.all(parts.map(asking))).flat());
    succeeded ||= failures.length < parts.length;

    spoilt = [];
    const isHopeless = !succeeded && successes() === successesYet && failures.length > 0;
    const isServiceFailure = isHopeless && failures.every((part) => blamesFlag(part.failure));
    for (const part of failures) {
      const { spoilsBatch } = policyOf(part.failure);
      if (spoilsBatch && isCulprit(part)) suspected.push(part);
      if (spoilsBatch && part.asked.length > 1 && !isServiceFailure) spoilt.push(part);
      else failEach(part.asked, part.failure);
    }
    if (isServiceFailure) return { requests: most - requestsLeft, culprits, isServiceFailure };
    if (successes() === before) continue;
    culprits += suspected.length;
    for (const { asked, failure: its } of suspected.splice(0)) {
      for (const { question } of asked.slice(0, 1)) blame(question, its);
    }
    proven();
  }
  return { requests: most - requestsLeft, culprits, isServiceFailure: false };
}

/** A single question, or one flag if the failure blames flags. */
function isCulprit({ asked, failure }: Part): boolean {
  return asked.length === 1 || (blamesFlag(failure) && isAboutOneFlag(asked));
}

function isAboutOneFlag(asked: readonly PendingQuestion[]): boolean {
  return asked.every(({ question }) => question.flag === asked[0]?.question.flag);
}

/** Puts questions about the same flag next to each other. */
function byFlag(asked: readonly PendingQuestion[]): readonly PendingQuestion[] {
  return asked.toSorted(({ question: one }, { question: other }) =>
    one.flag < other.flag ? -1 : Number(one.flag > other.flag),
  );
}

/**
 * Cuts a batch into at most `count` parts of about the same size, each with at least one question.
 * It cuts between two flags wherever it can: in two parts, a broken flag would look like a broken service.
 */
function partsOf(sorted: readonly PendingQuestion[], count: number): readonly (readonly PendingQuestion[])[] {
  const { length } = sorted;
  const hasOneFlag = isAboutOneFlag(sorted);
  const borders = sorted.flatMap(({ question }, at) =>
    at > 0 && (hasOneFlag || question.flag !== sorted[at - 1]?.question.flag) ? [at] : [],
  );
  const starts = new Set([0]);
  for (let at = 1; at < Math.min(count, length); at++) {
    const wished = Math.ceil((at * length) / Math.min(count, length));
    starts.add(
      borders.reduce((best, border) => (Math.abs(border - wished) < Math.abs(best - wished) ? border : best)),
    );
  }
  return [...starts].map((start, at, all) => sorted.slice(start, all[at + 1]));
}
