/*
 * One question (a flag and a context) can make Flipt fail the whole batch in which the question was sent. The code in
 * this file looks for the question that makes a batch fail, mainly by the following rules.
 *
 * - If a batch fails for a reason that a question can cause, and Flipt itself does not fail, the provider cuts the
 *   batch into up to four parts, and sends each part. After a time-out, the provider cuts the batch into up to eight
 *   parts. A part of the batch that fails is usually cut again, until single questions remain, or until 16 extra
 *   requests have been sent for the batch. The questions that have no answer after 16 extra requests fail as the last
 *   request that contained them did.
 * - A question of a failed batch that fails again when it is sent alone, for a reason that a question can cause, is a
 *   suspect for 30 s. The flag of a suspect question is also a suspect, unless Flipt has answered another question
 *   about the flag since the division of the batch began. A request about a suspect contains no questions about
 *   anything else. If a suspect makes a request fail again, it stays a suspect for 30 s from that failure.
 * - Before the provider cuts a batch, a health check shows whether Flipt itself fails. The provider uses the result of
 *   a failed health check for 5 s, and the result of a passed one for 1 s.
 * - At most 8 extra requests, counted over all batches, are under way at once.
 */

import { isFailure, type AskAtOnce, type BatchOutcome, type Question } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { messageOf } from '../../base/text/describe.js';
import type { Lane } from './batch-queue.js';
import { EXTRA_AT_ONCE, ExtraRequests } from './extra-requests.js';
import { failEach, questionsOf, type PendingQuestion } from './pending-question.js';
import { commonFlag, fail, partsOf, requestsToEnd, settled, type FailedPart } from './failed-part.js';
import { flagName, questionName, Suspects } from './suspects.js';

/** The provider sends at most this many extra requests for one failed batch. */
const EXTRA_REQUESTS = 16;
/**
 * The number of milliseconds for which the result of a health check is used. The result of a failed health check is
 * used for longer than that of a passed one, because in a partial outage some health checks pass, and extra requests
 * would then add to Flipt's load.
 */
const CHECK_COUNTS_MS = { failed: 5_000, passed: 1_000 };
/**
 * If a health check takes longer than this many milliseconds, requests are probably waiting in a queue at Flipt. A
 * queue at Flipt explains why a batch got no response in time. Sending the parts of a failed batch would make a queue
 * at Flipt longer.
 */
const QUICK_MS = 200;

/**
 * The functions with which `Isolation` sends requests to Flipt. The promises that the functions of `IsolatedService`
 * return never reject.
 */
export interface IsolatedService {
  /** Sends a batch. */
  readonly ask: AskAtOnce;
  /** Sends a part of a batch that has failed. */
  readonly askPart: AskAtOnce;
  /**
   * Returns the reason why the provider would not send a request for evaluations now, or `undefined` if the provider
   * would send it.
   */
  readonly refusal: () => Failure | undefined;
  /**
   * Sends a health check, which is about no flag and has an empty context. Resolves with the failure, or with
   * `undefined` if Flipt answers. Concurrent callers share one check.
   */
  readonly check: () => Promise<Failure | undefined>;
  /**
   * Counts the failure of a batch for the circuit breaker. `Isolation` calls `serviceFailed` only if a health check has
   * failed, too, and only for a kind of failure that does not count by itself, such as status 500.
   */
  readonly serviceFailed: (failure: Failure) => void;
}

/** A failed batch that the provider is dividing into parts. */
interface Division {
  /**
   * The order of this division among all divisions. The extra requests of the division with the lowest `order`, which
   * is the oldest one, are sent first.
   */
  readonly order: number;
  /** The keys of the flags about which Flipt has answered a question since the division began. */
  readonly answered: Set<string>;
  requests: number;
  suspects: number;
}

/** Sends batches. If one question makes its batch fail, the other questions of the batch usually still get answers. */
export class Isolation {
  private readonly suspects: Suspects;
  private readonly extraRequests = new ExtraRequests();
  /** The failed batches that the provider is dividing, the oldest first. */
  private readonly divisions = new Set<Division>();
  /**
   * The number of divisions and of requests about suspects that have begun. Each new division, and each new request
   * about a suspect, gets this number as its order.
   */
  private begun = 0;
  /** The result of the last health check that followed a failed batch, and the time until which this result is used. */
  private lastCheck = { hasFailed: false, isSlow: false, until: -Infinity };
  /**
   * The latest time at which a request was sent that Flipt has answered. If Flipt has not answered a request that was
   * sent before this time, the cause is probably not a queue at Flipt.
   */
  private answeredSentAt = -Infinity;
  /** The number of requests that Flipt has answered. */
  private answers = 0;

  constructor(
    private readonly service: IsolatedService,
    private readonly runtime: Runtime,
  ) {
    this.suspects = new Suspects(runtime.clock);
  }

  /** Returns the lane (group of questions) in which the question waits. Each suspect has a lane of its own. */
  laneOf(question: Question): Lane {
    const suspect = this.suspects.nameOf(question);
    if (suspect !== undefined) return { name: suspect, apart: true };
    return { name: `namespace ${question.namespace}`, apart: false };
  }

  /** Returns `true` if Flipt has answered a request that was sent after `sentAt`. */
  hasAnsweredSince(sentAt: number): boolean {
    return this.answeredSentAt > sentAt;
  }

  /** Returns how many questions and flags are suspects. */
  suspectCount(): number {
    return this.suspects.size();
  }

  /**
   * Sends one request with questions of one lane. Resolves with the outcome when the request has ended, and never
   * rejects. If one of several questions can have made the request fail, the questions can get their answers or their
   * failures after the promise has resolved.
   */
  async send(batch: readonly PendingQuestion[], lane: Lane): Promise<BatchOutcome> {
    if (lane.apart) return this.sendSuspect(lane.name, batch, this.service.ask);
    const { answers } = this;
    const outcome = await this.request(this.service.ask, batch);
    const failedPart = settled(batch, outcome);
    if (failedPart !== undefined && batch.length > 1) void this.isolate(failedPart, answers);
    else if (failedPart !== undefined) fail(failedPart);
    return outcome;
  }

  private async sendSuspect(
    name: string,
    asked: readonly PendingQuestion[],
    ask: AskAtOnce,
  ): Promise<BatchOutcome> {
    const outcome = await this.extraRequests.run(this.begun++, (hasWaited) =>
      hasWaited && this.isLate(asked) ? TOO_LATE : this.request(ask, asked),
    );
    const failedPart = settled(asked, outcome);
    if (failedPart === undefined) return outcome;
    this.suspects.add(name);
    fail(failedPart);
    return outcome;
  }

  /**
   * Tries to find the questions that made a batch fail. `answersBefore` is the number of requests that Flipt had
   * answered when the batch was sent.
   */
  private async isolate(batch: FailedPart, answersBefore: number): Promise<void> {
    const { refusal, serviceFailed } = this.service;
    if (refusal() !== undefined) {
      fail(batch);
      return;
    }
    if (await this.isServiceFailure(batch.failure)) {
      const mayCount = policyOf(batch.failure).countsForCircuit === 'if-a-check-fails';
      // If Flipt has answered another request since the batch was sent, Flipt fails only some requests. Opening the
      // circuit would also stop the requests that Flipt answers.
      if (mayCount && this.answers === answersBefore) serviceFailed(batch.failure);
      fail(batch);
      return;
    }
    const division: Division = { order: this.begun++, answered: new Set(), requests: 0, suspects: 0 };
    const { report } = this.runtime;
    report({ type: 'isolation-started', items: batch.asked.length });
    this.divisions.add(division);
    await this.divide(batch, EXTRA_REQUESTS, division);
    this.divisions.delete(division);
    report({ type: 'isolation-finished', requests: division.requests, suspects: division.suspects });
  }

  private async isServiceFailure({ kind }: Failure): Promise<boolean> {
    const { clock } = this.runtime;
    const now = clock.now();
    if (now >= this.lastCheck.until) {
      const hasFailed = (await this.service.check()) !== undefined;
      const isSlow = clock.now() - now > QUICK_MS;
      this.lastCheck = {
        hasFailed,
        isSlow,
        until: clock.now() + CHECK_COUNTS_MS[hasFailed ? 'failed' : 'passed'],
      };
    }
    return this.lastCheck.hasFailed || (kind === 'timeout' && this.lastCheck.isSlow);
  }

  /** Gets an answer or a failure for each question of the part, with at most `requests` extra requests. */
  private async divide(part: FailedPart, requests: number, division: Division): Promise<void> {
    // Since the batch was sent, the division of another batch might have found a suspect among the questions of this
    // part.
    const { others, suspects } = this.suspects.among(part.asked);
    const parts = suspects.size === 0 ? partsOf(part, requests) : [others].filter(({ length }) => length > 0);
    if (parts.length > requests || this.service.refusal() !== undefined) {
      fail(part);
      return;
    }
    const settling = parts.map((asked) => this.askPart({ asked, failure: part.failure }, division));
    let left = requests - parts.length;
    const suspected: Promise<BatchOutcome>[] = [];
    for (const [name, asked] of suspects) {
      if (suspected.length === left) failEach(asked, part.failure);
      else suspected.push(this.sendSuspect(name, asked, this.service.askPart));
    }
    left -= suspected.length;
    division.requests += requests - left;
    const failedParts = (await Promise.all(settling)).flatMap((its) => its ?? []);
    const flag = parts.length > 1 && failedParts.length === parts.length ? commonFlag(part.asked) : undefined;
    if (flag !== undefined && !division.answered.has(flag.flag)) {
      // All parts have failed, and Flipt has answered no question about their common flag since the division began. The
      // common flag seems to make requests fail whatever the context is.
      failedParts.forEach(fail);
      this.suspect(flagName(flag), division);
      return;
    }
    let needed = failedParts.reduce((sum, its) => sum + requestsToEnd(its), 0);
    const divided = failedParts.map(async (its) => {
      const [only, ...more] = its.asked;
      if (only && more.length === 0) {
        this.suspectQuestion(only.question, division);
        fail(its);
        return;
      }
      // If too few extra requests are left for all failed parts, the first failed part gets as many of them as it needs
      // for finding one question that makes it fail, and the other parts get what is left.
      const own = requestsToEnd(its);
      needed -= own;
      const share = Math.max(Math.min(own, left), left - needed);
      left -= share;
      await this.divide(its, share, division);
    });
    await Promise.all([...divided, ...suspected]);
  }

  /** Marks a question as a suspect, because it has failed in a request of its own. */
  private suspectQuestion(question: Question, division: Division): void {
    this.suspect(questionName(question), division);
    // The question's flag also becomes a suspect, unless Flipt has answered a question about this flag since the
    // division began.
    if (!division.answered.has(question.flag)) this.suspects.add(flagName(question));
  }

  private suspect(name: string, division: Division): void {
    division.suspects++;
    this.suspects.add(name);
  }

  /**
   * Sends a part of a failed batch. If the part fails for a reason that one of its questions can cause, the promise
   * resolves with the part, and otherwise with `undefined`.
   */
  private async askPart({ asked, failure }: FailedPart, division: Division): Promise<FailedPart | undefined> {
    const outcome = await this.extraRequests.run(division.order, (hasWaited) => {
      const [oldest] = this.divisions;
      // The oldest division continues even if no caller waits for its answers any more. The suspects that the oldest
      // division finds save the other divisions many requests, so that the answers of the other divisions come in time.
      if (hasWaited && division !== oldest && this.isLate(asked)) return TOO_LATE;
      // If another division has found a suspect in this part while the part waited, the part is divided without being
      // sent first.
      const isKnown = hasWaited && asked.length > 1 && this.suspects.among(asked).suspects.size > 0;
      return isKnown ? failure : this.request(this.service.askPart, asked);
    });
    return settled(asked, outcome);
  }

  private isLate(asked: readonly PendingQuestion[]): boolean {
    const now = this.runtime.clock.now();
    return asked.every(({ deadline }) => deadline() <= now);
  }

  private async request(ask: AskAtOnce, asked: readonly PendingQuestion[]): Promise<BatchOutcome> {
    const questions = questionsOf(asked);
    const sentAt = this.runtime.clock.now();
    // `ask` should never reject. If a defect makes `ask` reject, the callers must still get an outcome.
    const outcome = await ask(questions).catch(defect);
    if (isFailure(outcome)) return outcome;
    this.answeredSentAt = Math.max(this.answeredSentAt, sentAt);
    this.answers++;
    questions.forEach((question, at) => {
      if (outcome[at]?.kind === 'failed') return;
      this.suspects.answered(question);
      for (const { answered } of this.divisions) answered.add(question.flag);
    });
    return outcome;
  }
}

const TOO_LATE: Failure = {
  kind: 'overload',
  message: `overload: too many batches fail; at most ${EXTRA_AT_ONCE} requests at once find the questions that make them fail`,
};

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${messageOf(error)}` };
}
