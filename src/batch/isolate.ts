import type { Clock } from '../clock.js';
import { isFailure, type Answer, type AskAtOnce } from '../model/answer.js';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { Question } from '../model/question.js';
import { answerEach, failEach, questionsOf, type PendingQuestion } from './pending-question.js';
import type { QuestionLane } from './batch-queue.js';
import { searchLane } from './search-lane.js';
import { blamesFlag, findCulprits } from './culprit-search.js';
import { rememberedSuspects } from './suspects.js';
import { messageOf } from '../text/describe.js';

/** After a search in which nothing succeeded, no other search begins for so long, unless any request succeeds. */
const HOPELESS_FOR_MS = 5_000;

export interface Service {
  /** Whether other requests succeed. While they do not, a search would only add load. */
  readonly isWell: () => boolean;
  /** A batch and all its parts failed with 500. Called once for a batch. */
  readonly failed: (failure: Failure) => void;
  /** Sends the requests of a search, which count as extra ones. Default: they are sent like any other. */
  readonly askExtra?: AskAtOnce;
}

/**
 * Answers each question of a batch that failed. `before` is the number of successes when it was sent; calls `proven` as
 * soon as a request has succeeded since.
 */
type Search = (
  batch: readonly PendingQuestion[],
  failure: Failure,
  before: number,
  proven: () => void,
) => Promise<void>;

export interface Isolated {
  /**
   * Sends one request, and resolves with its outcome when it has ended. Each question is answered then. If one of them
   * spoilt the request for all, the search that follows answers them. Never rejects.
   */
  readonly send: (batch: readonly PendingQuestion[]) => Promise<readonly Answer[] | Failure>;
  readonly routeOf: (question: Question) => QuestionLane;
  /** How many questions and flags are blamed at present. */
  readonly blamed: () => number;
}

/**
 * Sends batches. If a question spoils its batch, searches for it: only that question fails, and it is sent apart from
 * the others for a while.
 */
export function isolating(
  askAtOnce: AskAtOnce,
  service: Service,
  clock: Clock,
  { report }: Reporter,
): Isolated {
  const suspects = rememberedSuspects(clock);
  let successes = 0;
  /** No search begins before this time: the last one found only failures, so another one would, too. */
  let hopelessUntil = 0;
  let lastCareful: Promise<void> = Promise.resolve();

  const noting =
    (ask: AskAtOnce): AskAtOnce =>
    async (questions) => {
      // `ask` never rejects. If a defect makes it reject, its callers must still get an outcome.
      const outcome = await ask(questions).catch(defect);
      if (isFailure(outcome)) return outcome;
      successes++;
      hopelessUntil = 0;
      questions.forEach((question, at) => {
        if (outcome[at]?.kind !== 'failed') suspects.answered(question);
      });
      return outcome;
    };
  const ask = noting(askAtOnce);
  const askPart = searchLane(noting(service.askExtra ?? askAtOnce), clock);

  const search: Search = async (batch, failure, before, proven) => {
    const isHopeless = clock.now() < hopelessUntil && !blamesFlag(failure);
    if (isHopeless || !service.isWell()) {
      failEach(batch, failure);
      return;
    }
    report({ type: 'isolation-started', items: batch.length });
    const found = await findCulprits(batch, failure, {
      ask: askPart,
      successes: () => successes,
      successesBefore: before,
      blameFlag: suspects.blameFlag,
      blameQuestion: suspects.blameQuestion,
      proven,
    });
    report({ type: 'isolation-finished', requests: found.requests, culprits: found.culprits });
    if (!found.succeeded && successes === before) hopelessUntil = clock.now() + HOPELESS_FOR_MS;
    if (found.serviceFailure !== undefined) service.failed(found.serviceFailure);
  };

  /** Searches only among the questions that no other search has blamed meanwhile. */
  const searchRest: Search = async (batch, failure, before, proven) => {
    const rest = batch.filter(({ question }) => suspects.suspicionOf(question) === undefined);
    if (rest.length === batch.length) return search(batch, failure, before, proven);
    const isRest = new Set(rest);
    failEach(
      batch.filter((one) => !isRest.has(one)),
      failure,
    );
    if (rest.length === 0) return;
    const outcome = await askPart(rest);
    if (!isFailure(outcome)) answerEach(rest, outcome);
    else if (rest.length > 1 && traitsOf(outcome).spoilsBatch) await search(rest, outcome, before, proven);
    else failEach(rest, outcome);
  };

  /**
   * While nothing has succeeded since the batch was sent, only one search runs at a time: if the service fails for
   * everything, more searches would only add load. The next one starts when this one ends or a request succeeds.
   */
  const searchInTurn = async (batch: readonly PendingQuestion[], failure: Failure, before: number) => {
    let proven: () => void = () => undefined;
    if (successes === before) {
      const previous = lastCareful;
      lastCareful = new Promise((resolve) => {
        proven = resolve;
      });
      await previous;
    }
    await searchRest(batch, failure, before, proven);
    proven();
  };

  return {
    async send(batch) {
      const before = successes;
      const [first] = batch;
      const suspicion = first && suspects.suspicionOf(first.question);
      const tested = suspicion?.tests === true ? first?.question : undefined;
      const outcome = await ask(questionsOf(batch));
      if (!isFailure(outcome)) {
        if (tested !== undefined) suspects.pardonFlag(tested);
        answerEach(batch, outcome);
        return outcome;
      }
      if (tested !== undefined && traitsOf(outcome).spoilsBatch) suspects.blameFlag(tested);
      // A batch of suspects is not searched: every batch about a broken flag would start a search.
      if (suspicion !== undefined || batch.length === 1 || !traitsOf(outcome).spoilsBatch)
        failEach(batch, outcome);
      else void searchInTurn(batch, outcome, before);
      return outcome;
    },
    routeOf(question) {
      const suspicion = suspects.suspicionOf(question);
      if (suspicion === undefined)
        return { name: `namespace ${question.namespace}`, apart: false, tests: false };
      return { name: `suspect ${suspicion.lane}`, apart: true, tests: suspicion.tests };
    },
    blamed: suspects.size,
  };
}

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${messageOf(error)}` };
}
