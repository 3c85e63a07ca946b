import { isFailure } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { answerEach, failEach, type PendingQuestion } from '../pending-question.js';
import type { AskPart } from './culprit-search-limit.js';
import { blamesFlag, type Suspects } from './suspects.js';

export interface Search extends Pick<Suspects, 'blame'> {
  readonly ask: AskPart;
  /** How many requests have succeeded so far, of this search and all others. */
  readonly successes: () => number;
  /** The value of `successes` when the batch was sent. */
  readonly before: number;
  /** Whether to give up after so few requests that none of them has succeeded: a search before found nothing. */
  readonly isBrief: boolean;
  /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
  readonly proven: () => void;
}

interface Part {
  readonly asked: readonly PendingQuestion[];
  readonly failure: Failure;
}

/** Parts into which a batch is cut at once. */
const PARTS = 4;

/**
 * Finds the questions that spoil a batch, of a service that is well: asks four parts of the batch, then parts of the
 * parts that failed, until each culprit is alone. Answers each question as soon as its part succeeds.
 *
 * If all parts fail that were cut between flags, the cause may be a context that is in all of them: then the batch is
 * cut between contexts, and the other way round. A batch of n takes at most 4 · log2(n) + 4 requests, including the
 * first one, unless others succeed meanwhile.
 *
 * The result says how many requests were sent, and how many questions and flags were blamed.
 */
export async function findCulprits(
  batch: readonly PendingQuestion[],
  failure: Failure,
  { ask, successes, before, isBrief, blame, proven }: Search,
) {
  const most = Math.floor(4 * Math.log2(batch.length)) + 3;
  let requests = 0;
  let succeeded = 0;
  let culprits = 0;
  const groupings = groupingsOf(batch, failure);
  /** A brief search cuts the batch once in each way. */
  const mostAtFirst = isBrief ? PARTS * groupings.length : Infinity;
  let groupOf = groupings.shift() ?? flagOf;
  const isSpoilt = isSpoiltLike(failure);
  /** A part that is not answered takes as long as the batch did: there is no time for parts of parts. */
  const mostParts = failure.kind === 'timeout' ? batch.length : PARTS;
  /** While other requests succeed, nobody's question is given up: the limit on requests at once spares the service. */
  const requestsLeft = () => {
    if (successes() - before > succeeded) return Infinity;
    return (succeeded === 0 ? Math.min(mostAtFirst, most) : most) - requests;
  };
  /** Flags about which a question was answered: another one about them that fails is alone to blame. */
  const answered = new Set<string>();
  /** To be blamed as soon as any request has succeeded. Until then, the service may be the cause. */
  const suspected: Part[] = [];
  const whole = () => [{ asked: grouped(batch, groupOf), failure }];
  let spoilt: readonly Part[] = whole();

  const divided = (part: Part): readonly Part[] => {
    const left = requestsLeft();
    const parts = partsOf(part.asked, left < PARTS ? 2 : Math.min(left, mostParts), groupOf);
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
    for (const one of asked) answered.add(flagOf(one));
    answerEach(asked, outcome);
    return [];
  };

  while (spoilt.length > 0) {
    const parts = spoilt.flatMap(divided);
    const failures = (await Promise.all(parts.map(asking))).flat();
    const isCommon = succeeded === 0 && failures.every(isSpoilt) && failures.some(isLarge);
    const other = isCommon && requestsLeft() > 1 ? groupings.shift() : undefined;
    if (other !== undefined) {
      groupOf = other;
      spoilt = whole();
      continue;
    }
    suspected.push(...failures.filter((part) => isSpoilt(part) && isCulprit(part)));
    spoilt = failures.filter((part) => isSpoilt(part) && isLarge(part));
    for (const part of failures) if (!spoilt.includes(part)) failEach(part.asked, part.failure);
    if (successes() === before) continue;
    culprits += suspected.length;
    for (const { asked, failure: its } of suspected.splice(0)) {
      for (const one of asked.slice(0, 1))
        blame(one.question, its, blamesFlag(its) && !answered.has(flagOf(one)));
    }
    proven();
  }
  return { requests, culprits };
}

/** Whether a part has failed as one with a culprit in it. What looks like a failure of the service, only if its batch did. */
function isSpoiltLike(whole: Failure) {
  const looksLikeService = policyOf(whole).spoilsBatch === 'if-a-check-passes';
  return ({ failure }: Part): boolean => {
    const { spoilsBatch } = policyOf(failure);
    return spoilsBatch === true || (looksLikeService && spoilsBatch !== false);
  };
}

function isLarge({ asked }: Part): boolean {
  return asked.length > 1;
}

/** A single question that spoils its request, or one flag if the failure blames flags. */
function isCulprit({ asked, failure }: Part): boolean {
  return asked.length === 1 || (blamesFlag(failure) && isAboutOneFlag(asked));
}

function flagOf({ question }: PendingQuestion): string {
  return question.flag;
}

function isAboutOneFlag(asked: readonly PendingQuestion[]): boolean {
  return asked.every(({ question }) => question.flag === asked[0]?.question.flag);
}

type GroupOf = (one: PendingQuestion) => string;

/**
 * What may be to blame, the likeliest first: a flag, or a context if fewer contexts than flags are asked about. A page
 * asks for many flags at once, and if its context is at fault, it spoils all parts that are cut between flags.
 */
function groupingsOf(batch: readonly PendingQuestion[], failure: Failure): GroupOf[] {
  const contexts = new Map(
    batch.map((one) => [one, JSON.stringify([one.question.entity, one.question.attributes])]),
  );
  const contextOf: GroupOf = (one) => contexts.get(one) ?? '';
  const count = new Set(contexts.values()).size;
  if (count === 1 || count >= new Set(batch.map(flagOf)).size) return [flagOf];
  return blamesFlag(failure) ? [flagOf, contextOf] : [contextOf, flagOf];
}

/** Puts questions of the same group next to each other. */
function grouped(asked: readonly PendingQuestion[], groupOf: GroupOf): readonly PendingQuestion[] {
  return asked.toSorted((one, other) =>
    groupOf(one) < groupOf(other) ? -1 : Number(groupOf(one) > groupOf(other)),
  );
}

/**
 * Cuts a batch into at most `count` parts of about the same size, each with at least one question.
 * It cuts between two groups wherever it can, so that a broken flag spoils few parts.
 */
function partsOf(
  sorted: readonly PendingQuestion[],
  count: number,
  groupOf: GroupOf,
): readonly (readonly PendingQuestion[])[] {
  const { length } = sorted;
  const groups = sorted.map(groupOf);
  const hasOneGroup = groups.every((group) => group === groups[0]);
  const borders = groups.flatMap((group, at) =>
    at > 0 && (hasOneGroup || group !== groups[at - 1]) ? [at] : [],
  );
  const starts = [0];
  let border = 0;
  const distance = (at: number, wished: number) => Math.abs((borders[at] ?? Infinity) - wished);
  for (let at = 1; at < Math.min(count, length); at++) {
    const wished = Math.ceil((at * length) / Math.min(count, length));
    // The nearest one. It is never in front of the one before.
    while (distance(border + 1, wished) < distance(border, wished)) border++;
    const start = borders[border] ?? 0;
    if (start !== starts.at(-1)) starts.push(start);
  }
  return starts.map((start, at) => sorted.slice(start, starts[at + 1]));
}
