import { isFailure } from '../../model/answer.js';
import { policyOf } from '../../model/failure-policy.js';
import type { Failure } from '../../model/failure.js';
import { answerEach, failEach, type PendingQuestion } from '../pending-question.js';
import type { AskPart } from './culprit-search-limit.js';
import { blamesFlag, type Suspects } from '../suspects.js';

export interface Search extends Pick<Suspects, 'blame'> {
  readonly ask: AskPart;
  /** How many requests have succeeded so far, of this search and all others. */
  readonly successes: () => number;
  /** The value of `successes` when the batch was sent. */
  readonly before: number;
  /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
  readonly proven: () => void;
}

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
  let requests = 0;
  let succeeded = 0;
  let culprits = 0;
  const groupOf = grouping(batch, failure);
  /** While other requests succeed, nobody's question is given up: the limit on requests at once spares the service. */
  const requestsLeft = () => (successes() - before > succeeded ? Infinity : most - requests);
  /** To be blamed as soon as any request has succeeded. Until then, the service may be the cause. */
  const suspected: Part[] = [];
  let spoilt: Part[] = [{ asked: grouped(batch, groupOf), failure }];

  const divided = (part: Part, count: number): readonly Part[] => {
    const left = requestsLeft();
    const parts = partsOf(part.asked, left < 4 ? 2 : count, groupOf);
    if (parts.length > left) {
      failEach(part.asked, part.failure);
      return [];
    }
    requests += parts.length;
    return parts.map((asked) => ({ ...part, asked }));
  };

  /** The part with its failure; none if it succeeded. */
  const asking = async ({ asked }: Part): Promise<readonly Part[]> => {
    const outcome = await ask(asked);
    if (isFailure(outcome)) return [{ asked, failure: outcome }];
    succeeded++;
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

    spoilt = [];
    const isHopeless = succeeded === 0 && successes() === successesYet && failures.length > 0;
    const isServiceFailure = isHopeless && failures.every((part) => blamesFlag(part.failure));
    for (const part of failures) {
      const { spoilsBatch } = policyOf(part.failure);
      if (spoilsBatch && isCulprit(part)) suspected.push(part);
      if (spoilsBatch && part.asked.length > 1 && !isServiceFailure) spoilt.push(part);
      else failEach(part.asked, part.failure);
    }
    if (isServiceFailure) return { requests, culprits, isServiceFailure };
    if (successes() === before) continue;
    culprits += suspected.length;
    for (const { asked, failure: its } of suspected.splice(0)) {
      for (const { question } of asked.slice(0, 1)) blame(question, its);
    }
    proven();
  }
  return { requests, culprits, isServiceFailure: false };
}

/** A single question, or one flag if the failure blames flags. */
function isCulprit({ asked, failure }: Part): boolean {
  return asked.length === 1 || (blamesFlag(failure) && isAboutOneFlag(asked));
}

function isAboutOneFlag(asked: readonly PendingQuestion[]): boolean {
  return asked.every(({ question }) => question.flag === asked[0]?.question.flag);
}

/**
 * What may be to blame: a flag, or a context if fewer contexts than flags are asked about. A page asks for many flags at
 * once, and if its context is at fault, it spoils all parts that are cut between flags.
 */
function grouping(batch: readonly PendingQuestion[], failure: Failure): (one: PendingQuestion) => string {
  const flagOf = ({ question }: PendingQuestion) => question.flag;
  if (blamesFlag(failure)) return flagOf;
  const contexts = new Map(
    batch.map((one) => [one, JSON.stringify([one.question.entity, one.question.attributes])]),
  );
  const count = new Set(contexts.values()).size;
  const hasFew = count > 1 && count < new Set(batch.map(flagOf)).size;
  return hasFew ? (one) => contexts.get(one) ?? '' : flagOf;
}

/** Puts questions of the same group next to each other. */
function grouped(
  asked: readonly PendingQuestion[],
  groupOf: (one: PendingQuestion) => string,
): readonly PendingQuestion[] {
  return asked.toSorted((one, other) =>
    groupOf(one) < groupOf(other) ? -1 : Number(groupOf(one) > groupOf(other)),
  );
}

/**
 * Cuts a batch into at most `count` parts of about the same size, each with at least one question.
 * It cuts between two groups wherever it can: in two parts, a broken flag would look like a broken service.
 */
function partsOf(
  sorted: readonly PendingQuestion[],
  count: number,
  groupOf: (one: PendingQuestion) => string,
): readonly (readonly PendingQuestion[])[] {
  const { length } = sorted;
  const groups = sorted.map(groupOf);
  const hasOneGroup = groups.every((group) => group === groups[0]);
  const borders = groups.flatMap((group, at) =>
    at > 0 && (hasOneGroup || group !== groups[at - 1]) ? [at] : [],
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
