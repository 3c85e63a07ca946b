import type { Clock } from '../clock.js';
import {
  failed,
  isFailure,
  UNANSWERED,
  type Answer,
  type AskAtOnce,
  type AskMany,
  type Failure,
  type Question,
} from '../model.js';
import { findCulprits, isSpoilt } from './search.js';

/** How long a question that spoilt a batch is asked alone. */
const ALONE_FOR_MS = 30_000;
/** Most of them remembered; the oldest are forgotten first. */
const MAX_CULPRITS = 1_000;
/** How long no further search is made after one in which nothing succeeded, unless something else has meanwhile. */
const HOPELESS_FOR_MS = 5_000;

export interface Service {
  /** Whether requests otherwise succeed; while they do not, halves would only add to the trouble. */
  readonly isWell: () => boolean;
  /** A batch and both of its halves failed with 500: told once a batch. */
  readonly failed: (failure: Failure) => void;
  /** For the requests of a search, which are extra ones. Default: asked like any other. */
  readonly askExtra?: AskAtOnce;
}

/**
 * Asks in one request; where a question spoils it for all, looks for the culprits.
 * Only they fail, and are asked alone for a while. One search at a time.
 */
export function isolating(askAtOnce: AskAtOnce, service: Service, clock: Clock): AskMany {
  const culprits = new Map<string, number>();
  let lastSearch: Promise<unknown> = Promise.resolve();
  /** Until then: the last search found nothing but failures, so another would find no more. */
  let hopelessUntil = 0;

  const asking =
    (askWith: AskAtOnce): AskAtOnce =>
    async (questions) => {
      const outcome = await askWith(questions);
      if (!isFailure(outcome)) hopelessUntil = 0;
      else if (questions.length === 1) return { ...outcome, alone: true };
      return outcome;
    };
  const ask = asking(askAtOnce);
  const askExtra = asking(service.askExtra ?? askAtOnce);

  const search = async (questions: readonly Question[], whole: Failure) => {
    const hopeless = clock.now() < hopelessUntil && whole.status !== 500;
    if (hopeless || !service.isWell()) return sameForAll(questions, whole);
    const found = await findCulprits(askExtra, questions, whole);
    // Where everything fails alike, asking each question alone would only multiply the requests.
    if (found.succeeded) found.culprits.forEach(blame);
    else hopelessUntil = clock.now() + HOPELESS_FOR_MS;
    if (found.serviceFailure !== undefined) service.failed(found.serviceFailure);
    return found.answers;
  };

  const together = async (questions: readonly Question[]): Promise<readonly Answer[]> => {
    if (questions.length === 0) return [];
    const outcome = await ask(questions);
    if (!isFailure(outcome)) return outcome;
    if (questions.length === 1 || !isSpoilt(outcome)) return sameForAll(questions, outcome);
    const mine = lastSearch.then(() => search(questions, outcome));
    lastSearch = mine;
    return mine;
  };

  const blame = (question: Question) => {
    const name = JSON.stringify(question);
    culprits.delete(name);
    const [oldest] = culprits.keys();
    if (culprits.size >= MAX_CULPRITS && oldest !== undefined) culprits.delete(oldest);
    culprits.set(name, clock.now() + ALONE_FOR_MS);
  };

  /** Those blamed first come first, and are the first whose time is over. */
  const pardon = () => {
    for (const [name, until] of culprits) {
      if (clock.now() < until) return;
      culprits.delete(name);
    }
  };

  return async (questions) => {
    pardon();
    if (culprits.size === 0) return together(questions);
    const apart = questions.filter((question) => culprits.has(JSON.stringify(question)));
    if (apart.length === 0) return together(questions);
    const others = questions.filter((question) => !apart.includes(question));
    const groups = [others, ...apart.map((question) => [question])];
    const outcomes = await Promise.all(groups.map(together));
    const answers = new Map(
      groups.flatMap((group, g) => group.map((question, at) => [question, outcomes[g]?.[at]] as const)),
    );
    return questions.map((question) => answers.get(question) ?? failed(UNANSWERED));
  };
}

function sameForAll(questions: readonly Question[], failure: Failure): readonly Answer[] {
  return questions.map(() => failed(failure));
}
