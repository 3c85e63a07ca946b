import { isFailure, type AskAtOnce, type BatchOutcome } from '../model/answer.js';
import { policyOf } from '../model/failure-policy.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import type { Runtime } from '../runtime.js';
import { messageOf } from '../text/describe.js';
import type { QuestionLane } from './batch-queue.js';
import { answerEach, failEach, questionsOf, type PendingQuestion } from './pending-question.js';
import type { FindCulprits } from './culprit-search.js';
import { culpritSearchLimit } from './culprit-search-limit.js';
import { slots } from './slots.js';
import { blamesFlag, rememberedSuspects } from './suspects.js';

/**
 * After a search in which nothing succeeded, and nothing else has for so long, no other search begins for so long, unless
 * any request succeeds.
 */
const HOPELESS_FOR_MS = 5_000;

/** What is asked, and who knows how it is. */
export interface Service {
  readonly ask: AskAtOnce;
  /** Sends the requests of a search, which count as extra ones. Default: they are sent like any other. */
  readonly askExtra?: AskAtOnce;
  /** Why a request would not be sent now; `undefined` if it would be. Meanwhile, a search would only add load. */
  readonly refusal: () => Failure | undefined;
  /** Learns that a batch and all its parts failed with 500. Called once for a batch. */
  readonly serviceFailed: (failure: Failure) => void;
  /** Loads the search, which few apps ever need. Rejects if its code is gone. */
  readonly loadSearch: () => Promise<FindCulprits>;
}

/**
 * Answers each question of a batch that failed. `before`: how many requests had succeeded when it was sent. Calls
 * `proven` when a request has succeeded since, and what is known so far has been blamed.
 */
type Search = (
  batch: readonly PendingQuestion[],
  failure: Failure,
  before: number,
  proven: () => void,
) => Promise<void>;

/**
 * Sends batches. If a question spoils its batch, searches for it: only that question fails, and it is sent apart from
 * the others for a while.
 */
export function isolating(service: Service, { clock, report }: Pick<Runtime, 'clock' | 'report'>) {
  const suspects = rememberedSuspects(clock);
  /**
   * While nothing has succeeded since the batch was sent, only one search runs at a time: if the service fails for
   * everything, more searches would only add load. The next one begins when this one ends, or finds that a request has
   * succeeded since its own batch was sent.
   */
  const turns = slots(() => 1);
  let successes = 0;
  /** No search begins before this time: the last one found only failures, so another one would, too. */
  let hopelessUntil = 0;
  let succeededAt = -Infinity;

  const noting =
    (ask: AskAtOnce): AskAtOnce =>
    async (questions) => {
      // `ask` never rejects. If a defect makes it reject, its callers must still get an outcome.
      const outcome = await ask(questions).catch(defect);
      if (isFailure(outcome)) return outcome;
      successes++;
      succeededAt = clock.now();
      hopelessUntil = 0;
      questions.forEach((question, at) => {
        if (outcome[at]?.kind !== 'failed') suspects.answered(question);
      });
      return outcome;
    };
  const ask = noting(service.ask);
  const askPart = culpritSearchLimit(noting(service.askExtra ?? service.ask), clock);

  const search: Search = async (batch, failure, before, proven) => {
    const isHopeless = clock.now() < hopelessUntil && !blamesFlag(failure);
    // A start has begun to load it, and logs if its code is gone.
    const findCulprits = await service.loadSearch().catch(() => undefined);
    if (isHopeless || service.refusal() !== undefined || findCulprits === undefined) {
      failEach(batch, failure);
      return;
    }
    report({ type: 'isolation-started', items: batch.length });
    const found = await findCulprits(batch, failure, {
      ask: askPart,
      successes: () => successes,
      before,
      blame: suspects.blame,
      proven,
    });
    report({ type: 'isolation-finished', requests: found.requests, culprits: found.culprits });
    const now = clock.now();
    if (successes === before && now - succeededAt > HOPELESS_FOR_MS) hopelessUntil = now + HOPELESS_FOR_MS;
    if (found.isServiceFailure) service.serviceFailed(failure);
  };

  /** Searches only among the questions that no other search has blamed meanwhile. */
  const searchRest: Search = async (batch, failure, before, proven) => {
    const blamed = new Set(batch.filter(({ question }) => suspects.isBlamed(question)));
    if (blamed.size === 0) return search(batch, failure, before, proven);
    failEach([...blamed], failure);
    const rest = batch.filter((one) => !blamed.has(one));
    if (rest.length === 0) return;
    await settle(rest, await askPart(rest), (asked, its) => search(asked, its, before, proven));
  };

  const searchInTurn = (before: number) => async (batch: readonly PendingQuestion[], failure: Failure) => {
    const leave = successes === before ? await turns.take() : () => undefined;
    if (successes !== before) leave();
    await searchRest(batch, failure, before, leave);
    leave();
  };

  return {
    /**
     * Sends one request, and resolves with its outcome when it has ended. Each question is answered then. If one of
     * them spoilt the request for all, the search that follows answers them. Never rejects.
     */
    send: async (batch: readonly PendingQuestion[]): Promise<BatchOutcome> => {
      const before = successes;
      const [first] = batch;
      const lane = first && suspects.laneOf(first.question);
      const outcome = await ask(questionsOf(batch));
      if (first && lane?.tests && isFailure(outcome) && policyOf(outcome).spoilsBatch)
        suspects.blame(first.question, outcome);
      // A batch of suspects is not searched: every batch about a broken flag would start a search. But a flag that was
      // blamed for several of its questions may be fine for others.
      const isSearched = lane === undefined || (first && suspects.maySearch(first.question));
      void settle(batch, outcome, isSearched ? searchInTurn(before) : failEach);
      return outcome;
    },
    laneOf: (question: Question): QuestionLane =>
      suspects.laneOf(question) ?? { name: `namespace ${question.namespace}`, apart: false, tests: false },
    /** How many questions and flags are blamed at present. */
    blamed: suspects.size,
  };
}

export type Isolated = ReturnType<typeof isolating>;

/** Gives each question its answer. If one of them may have spoilt the request for all, `search` does. */
async function settle(
  asked: readonly PendingQuestion[],
  outcome: BatchOutcome,
  search: (asked: readonly PendingQuestion[], failure: Failure) => void | Promise<void>,
): Promise<void> {
  if (!isFailure(outcome)) answerEach(asked, outcome);
  else if (asked.length > 1 && policyOf(outcome).spoilsBatch) await search(asked, outcome);
  else failEach(asked, outcome);
}

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${messageOf(error)}` };
}
