import { isFailure, type AskAtOnce, type BatchOutcome, type Question } from '../model/answer.js';
import { policyOf, type Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import { messageOf } from '../text/describe.js';
import type { QuestionLane } from './batch-queue.js';
import type { AnsweredSince } from './answered-requests.js';
import { failEach, questionsOf, settle, type PendingQuestion } from './pending-question.js';
import type { culpritSearches, Searched } from './search/culprit-searches.js';

/** What is asked, and who knows how it is. */
export interface Service extends Searched {
  /** Sends the requests of a search, which count as extra ones. Default: they are sent like any other. */
  readonly askExtra?: AskAtOnce;
  /** Loads the search, which few apps ever need. Rejects if its code is gone. */
  readonly loadSearch: () => Promise<typeof culpritSearches>;
}

/**
 * Sends batches. If a question spoils its batch, searches for it: only that question fails, and it is sent apart from
 * the others for a while.
 */
export function isolating(service: Service, runtime: Runtime) {
  const { answered } = service;
  /** Loaded when a batch has failed: until then, there are no suspects. */
  let found: ReturnType<typeof culpritSearches> | undefined;

  const noting =
    (ask: AskAtOnce): AskAtOnce =>
    async (questions) => {
      const sentAt = runtime.clock.now();
      // `ask` never rejects. If a defect makes it reject, its callers must still get an outcome.
      const outcome = await ask(questions).catch(defect);
      if (isFailure(outcome)) return outcome;
      answered.note(sentAt);
      questions.forEach((question, at) => {
        if (outcome[at]?.kind !== 'failed') found?.suspects.answered(question);
      });
      return outcome;
    };
  const ask = noting(service.ask);
  const searched = { ...service, ask: noting(service.askExtra ?? service.ask) };

  const searchSince =
    (since: AnsweredSince) => async (batch: readonly PendingQuestion[], failure: Failure) => {
      // A start has begun to load it, and logs if its code is gone.
      const load = await service.loadSearch().catch(() => undefined);
      found ??= load?.(searched, runtime);
      if (found === undefined) failEach(batch, failure);
      else await found.search(batch, failure, since);
    };

  return {
    /**
     * Sends one request, and resolves with its outcome when it has ended. Each question is answered then. If one of
     * them spoilt the request for all, the search that follows answers them. Never rejects.
     */
    send: async (batch: readonly PendingQuestion[]): Promise<BatchOutcome> => {
      const since = answered.since();
      const [first] = batch;
      const lane = first && found?.suspects.laneOf(first.question);
      const outcome = await ask(questionsOf(batch));
      if (first && lane?.tests && isFailure(outcome) && policyOf(outcome).spoilsBatch === true)
        found?.suspects.blame(first.question, outcome);
      // A batch of suspects is not searched: every batch about a broken flag would start a search. But a flag that was
      // blamed for several of its questions may be fine for others.
      const isSearched = lane === undefined || (first && found?.suspects.maySearch(first.question));
      void settle(batch, outcome, isSearched ? searchSince(since) : failEach);
      return outcome;
    },
    laneOf: (question: Question): QuestionLane =>
      found?.suspects.laneOf(question) ?? {
        name: `namespace ${question.namespace}`,
        apart: false,
        tests: false,
      },
    answeredSentAt: answered.lastSentAt,
    /** How many questions and flags are blamed at present. */
    blamed: () => found?.suspects.size() ?? 0,
  };
}

export type Isolated = ReturnType<typeof isolating>;

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${messageOf(error)}` };
}
