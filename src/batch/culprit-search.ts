import { isFailure } from '../model/answer.js';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { answerEach, failEach, type PendingQuestion } from './pending-question.js';
import { byFlag, isAboutOneFlag, partsOf } from './search-parts.js';
import type { AskPart } from './search-lane.js';

export interface SearchSettings {
  readonly ask: AskPart;
  /** How many requests have succeeded so far, of this search and all others. */
  readonly successes: () => number;
  /** The value of `successes` when the batch was sent. */
  readonly successesBefore: number;
  readonly blameFlag: (question: Question) => void;
  readonly blameQuestion: (question: Question) => void;
  /** Called as soon as a request has succeeded since the batch was sent. */
  readonly proven: () => void;
}

export interface Found {
  readonly requests: number;
  /** How many questions and flags were blamed. */
  readonly culprits: number;
  /** Whether any request of the search succeeded. */
  readonly succeeded: boolean;
  /** Set if all parts failed with 500 and nothing else succeeded meanwhile: it is the service, not a question. */
  readonly serviceFailure: Failure | undefined;
}

interface Part {
  readonly asked: readonly PendingQuestion[];
  readonly whole: Part | undefined;
  readonly failure: Failure;
}

/**
 * Finds the questions that spoil a batch: asks parts of the batch, then parts of the parts that failed, until each
 * culprit is alone. Answers each question as soon as its part succeeds.
 *
 * If another request has succeeded since the batch was sent, the service is well: the search asks four parts in
 * parallel. Otherwise it asks two parts, one after another: a service that fails for everything then gets only three
 * requests for a batch. A batch of n takes at most 4 · log2(n) + 4 requests, including the first one.
 */
export async function findCulprits(
  batch: readonly PendingQuestion[],
  failure: Failure,
  settings: SearchSettings,
): Promise<Found> {
  const { ask, successes, successesBefore } = settings;
  let succeeded = false;
  const most = Math.floor(4 * Math.log2(batch.length) + 4) - 1;
  let requestsLeft = most;
  let blamed = 0;
  /** To be blamed as soon as any request has succeeded. Until then, the service may be the cause. */
  let culprits: Part[] = [];
  let spoilt: readonly Part[] = [{ asked: byFlag(batch), whole: undefined, failure }];

  const blameCulprits = () => {
    if (successes() === successesBefore) return;
    settings.proven();
    blamed += culprits.length;
    for (const part of culprits) blame(part, settings);
    culprits = [];
  };

  const divided = (part: Part, careful: boolean): readonly Part[] => {
    const parts = partsOf(part.asked, careful || requestsLeft < 4 ? 2 : 4);
    if (parts.length > requestsLeft) {
      failEach(part.asked, part.failure);
      return [];
    }
    requestsLeft -= parts.length;
    return parts.map((asked) => ({ asked, whole: part, failure: part.failure }));
  };

  /** The part with its failure, `undefined` if it succeeded. */
  const asking = async (part: Part): Promise<Part | undefined> => {
    const outcome = await ask(part.asked);
    if (isFailure(outcome)) return { ...part, failure: outcome };
    answerEach(part.asked, outcome);
    return undefined;
  };

  while (spoilt.length > 0) {
    blameCulprits();
    const successesYet = successes();
    const careful = successesYet === successesBefore;
    const parts = spoilt.flatMap((part) => divided(part, careful));
    const outcomes = careful ? await inTurn(parts, asking) : await Promise.all(parts.map(asking));
    const failures = outcomes.filter((part) => part !== undefined);
    if (failures.length < parts.length) succeeded = true;

    const nothingSucceeds = !succeeded && successes() === successesYet && failures.length > 0;
    if (nothingSucceeds && failures.every((part) => blamesFlag(part.failure))) {
      for (const { asked, whole } of failures) failEach(asked, whole?.failure ?? failure);
      return { requests: most - requestsLeft, culprits: blamed, succeeded, serviceFailure: failure };
    }
    for (const part of failures) {
      const { spoilsBatch } = traitsOf(part.failure);
      if (spoilsBatch && isCulprit(part)) culprits.push(part);
      if (!spoilsBatch || part.asked.length === 1) failEach(part.asked, part.failure);
    }
    spoilt = failures.filter(({ asked, failure: its }) => traitsOf(its).spoilsBatch && asked.length > 1);
  }
  blameCulprits();
  return { requests: most - requestsLeft, culprits: blamed, succeeded, serviceFailure: undefined };
}

/**
 * Whether the flag is to blame for every entity, and not only this question. Until another request has succeeded, the
 * service may also be the cause.
 */
export function blamesFlag(failure: Failure): boolean {
  return traitsOf(failure).countsForCircuit === 'if-all-parts-fail';
}

/** A single question, or one flag if the failure blames flags. */
function isCulprit({ asked, failure }: Part): boolean {
  return asked.length === 1 || (blamesFlag(failure) && isAboutOneFlag(asked));
}

function blame({ asked, failure }: Part, { blameFlag, blameQuestion }: SearchSettings): void {
  const [first] = asked;
  if (first !== undefined) (blamesFlag(failure) ? blameFlag : blameQuestion)(first.question);
}

async function inTurn<T, U>(items: readonly T[], run: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}
