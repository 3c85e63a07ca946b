import { isFailure } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { AnsweredSince } from '../answered-requests.js';
import { answerEach, failEach, type PendingQuestion } from '../pending-question.js';
import type { AskPart } from './search-limit.js';
import { blamesFlag, type Suspects } from './suspects.js';

export interface Search extends Pick<Suspects, 'blame'> {
  readonly ask: AskPart;
  /** What has been answered since the batch was sent, to this search and all others. */
  readonly since: AnsweredSince;
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
 * If all parts fail, the cause may be what they have in common: a context, if the batch was cut between flags. Then it
 * is cut between contexts, and the other way round. A batch of n takes at most 4 · log2(n) + 4 requests, including the
 * first one; more only while others succeed.
 *
 * The result says how many requests were sent, and how many questions and flags were blamed.
 */
export async function findCulprits(
  batch: readonly PendingQuestion[],
  failure: Failure,
  { ask, since, isBrief, blame, proven }: Search,
) {
  const groupings = groupingsOf(batch, failure);
  const most = Math.floor(4 * Math.log2(batch.length)) + 3;
  /** A brief search cuts the batch once in each way. */
  const mostAtFirst = isBrief ? PARTS * groupings.length : most;
  /** A part that is not answered takes as long as the batch did: there is no time for parts of parts. */
  const mostParts = failure.kind === 'timeout' ? batch.length : PARTS;
  let requests = 0;
  let succeeded = 0;
  let culprits = 0;
  /** While other requests succeed, nobody's question is given up: the limit on requests at once spares the service. */
  const requestsLeft = () => {
    if (since.count() > succeeded) return Infinity;
    return (succeeded === 0 ? mostAtFirst : most) - requests;
  };
  /** What looks like a failure of the service spoils a part only if it spoilt the batch. */
  const isSpoilt = (part: Part) =>
    [true, policyOf(failure).spoilsBatch].includes(policyOf(part.failure).spoilsBatch);
  /** Flags about which a question was answered: another one about them that fails is alone to blame. */
  const answered = new Set<string>();
  /** To be blamed as soon as any request has succeeded. Until then, the service may be the cause. */
  let suspected: Part[] = [];
  let groupOf = groupings.shift() ?? flagOf;
  let spoilt: Part[] = [{ asked: batch, failure }];

  const divided = (part: Part) => {
    const left = requestsLeft();
    const parts = partsOf(part.asked, left < PARTS ? 2 : Math.min(left, mostParts), groupOf);
    if (parts.length > left) {
      failEach(part.asked, part.failure);
      return [];
    }
    requests += parts.length;
    return parts;
  };

  /** The part with its failure; none if it succeeded. */
  const asking = async (asked: readonly PendingQuestion[]): Promise<readonly Part[]> => {
    const outcome = await ask(asked);
    if (isFailure(outcome)) return [{ asked, failure: outcome }];
    succeeded++;
    for (const one of asked) answered.add(flagOf(one));
    answerEach(asked, outcome);
    return [];
  };

  while (spoilt.length > 0) {
    const failures = (await Promise.all(spoilt.flatMap(divided).map(asking))).flat();
    const isCommon =
      succeeded === 0 && failures.every(isSpoilt) && failures.some(({ asked }) => asked.length > 1);
    const other = isCommon && requestsLeft() > 1 ? groupings.shift() : undefined;
    if (other !== undefined) {
      groupOf = other;
      spoilt = [{ asked: batch, failure }];
      continue;
    }
    spoilt = [];
    for (const part of failures) {
      if (isSpoilt(part) && isCulprit(part)) suspected.push(part);
      if (isSpoilt(part) && part.asked.length > 1) spoilt.push(part);
      else failEach(part.asked, part.failure);
    }
    if (since.count() === 0) continue;
    culprits += suspected.length;
    for (const { asked, failure: its } of suspected) {
      const [one] = asked;
      if (one) blame(one.question, its, blamesFlag(its) && !answered.has(flagOf(one)));
    }
    suspected = [];
    proven();
  }
  return { requests, culprits };
}

/** A single question that spoils its request, or one flag if the failure blames flags. */
function isCulprit({ asked, failure }: Part): boolean {
  return asked.length === 1 || (blamesFlag(failure) && new Set(asked.map(flagOf)).size === 1);
}

function flagOf({ question }: PendingQuestion): string {
  return question.flag;
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

/**
 * Cuts a batch of several questions into two to `count` parts of about the same size: each group goes to the part in
 * which its middle lies, so that a broken flag spoils few parts. Questions of only one group are divided singly.
 */
function partsOf(
  asked: readonly PendingQuestion[],
  count: number,
  groupOf: GroupOf,
): readonly (readonly PendingQuestion[])[] {
  const groups = new Map<string, PendingQuestion[]>();
  for (const one of asked) {
    const group = groups.get(groupOf(one));
    if (group === undefined) groups.set(groupOf(one), [one]);
    else group.push(one);
  }
  const parts: PendingQuestion[][] = [];
  let before = 0;
  for (const group of groups.size === 1 ? asked.map((one) => [one]) : groups.values()) {
    const middle = before + group.length / 2;
    (parts[Math.floor((middle * count) / asked.length)] ??= []).push(...group);
    before += group.length;
  }
  // Without the numbers of parts that no group goes to.
  return Object.values(parts);
}
