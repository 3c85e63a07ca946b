import type { Clock } from '../clock.js';
import { failed, isFailure, UNANSWERED, type Answer, type AskAtOnce, type AskMany } from '../model/answer.js';
import { traitsOf, type Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { rememberedCulprits } from './culprits.js';
import { findCulprits, maySpeakForService } from './search.js';
import type { LaneOf } from './split.js';

/** How long no further search is made after one in which nothing succeeded, unless something else has meanwhile. */
const HOPELESS_FOR_MS = 5_000;

export interface Service {
  /** Whether requests otherwise succeed; while they do not, halves would only add to the trouble. */
  readonly isWell: () => boolean;
  /** A batch and both of its halves failed, and the service itself may be the reason: called once a batch. */
  readonly failed: (failure: Failure) => void;
  /** For the requests of a search, which are extra ones. Default: asked like any other. */
  readonly askExtra?: AskAtOnce;
}

export interface Isolated {
  readonly askMany: AskMany;
  /** Questions of different lanes must not share a request. */
  readonly laneOf: LaneOf;
}

/**
 * Asks in one request; where a question spoils it for all, looks for the culprits.
 * Only they fail, and go apart from the others for a while. One search at a time.
 */
export function isolating(askAtOnce: AskAtOnce, service: Service, clock: Clock): Isolated {
  const { blame, laneOf, isSuspect } = rememberedCulprits(clock);
  let searches: Promise<unknown> = Promise.resolve();
  let searching = 0;
  /** Until then: the last search found nothing but failures, so another would find no more. */
  let hopelessUntil = 0;

  const asking =
    (askWith: AskAtOnce): AskAtOnce =>
    async (questions) => {
      const outcome = await askWith(questions);
      if (!isFailure(outcome)) hopelessUntil = 0;
      return outcome;
    };
  const ask = asking(askAtOnce);
  const askExtra = asking(service.askExtra ?? askAtOnce);

  const search = async (questions: readonly Question[], whole: Failure) => {
    const hopeless = clock.now() < hopelessUntil && !maySpeakForService(whole);
    if (hopeless || !service.isWell()) return sameForAll(questions, whole);
    const found = await findCulprits(askExtra, questions, whole);
    // Where everything fails alike, asking each question alone would only multiply the requests.
    if (found.succeeded) found.culprits.forEach(blame);
    else hopelessUntil = clock.now() + HOPELESS_FOR_MS;
    // A flag that is known to be broken says nothing about the service.
    if (found.serviceFailure !== undefined && !questions.every(isSuspect))
      service.failed(found.serviceFailure);
    return found.answers;
  };

  /** What other searches have found meanwhile need not be found again. */
  const searchLater = async (questions: readonly Question[], whole: Failure): Promise<readonly Answer[]> => {
    const others = questions.filter((question) => !isSuspect(question));
    if (others.length === questions.length) return search(questions, whole);
    if (others.length === 0) return sameForAll(questions, whole);
    const outcome = await askExtra(others);
    const found = isFailure(outcome) ? await failedAgain(others, outcome) : outcome;
    const answers = new Map(others.map((question, at) => [question, found[at] ?? failed(UNANSWERED)]));
    return questions.map((question) => answers.get(question) ?? failed(whole));
  };
  const failedAgain = async (questions: readonly Question[], failure: Failure) =>
    questions.length > 1 && traitsOf(failure).spoilsBatch
      ? search(questions, failure)
      : sameForAll(questions, failure);

  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    searching++;
    const mine = searches.then(run).finally(() => {
      searching--;
    });
    searches = mine;
    return mine;
  };

  return {
    laneOf,
    async askMany(questions) {
      const outcome = await ask(questions);
      if (!isFailure(outcome)) return outcome;
      if (questions.length === 1 || !traitsOf(outcome).spoilsBatch) return sameForAll(questions, outcome);
      if (!questions.every(isSuspect)) return inTurn(() => searchLater(questions, outcome));
      // About a broken flag: worth a search only while that keeps nobody else from theirs.
      return searching > 0 ? sameForAll(questions, outcome) : inTurn(() => search(questions, outcome));
    },
  };
}

function sameForAll(questions: readonly Question[], failure: Failure): readonly Answer[] {
  return questions.map(() => failed(failure));
}
