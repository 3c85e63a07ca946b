import { orLate } from '../../base/time/in-time.js';
import type { Clock } from '../../base/time/clock.js';
import {
  failed,
  failedResolution,
  isFailure,
  questionOf,
  UNANSWERED,
  type Answer,
  type AskAtOnce,
  type Question,
  type QuestionSizes,
  type Resolution,
} from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSettings } from '../../options/settings.js';
import { oversized } from '../../remote/batch/request-size.js';
import type { UncheckedHealth } from '../../remote/health/unchecked-health.js';
import type { OddAttribute } from '../mapping/attribute-text.js';
import { CLOSED } from '../mapping/openfeature-errors.js';
import { subjectReader } from '../mapping/question-key.js';
import type { ProviderSnapshots } from '../snapshots/provider-snapshots.js';
import { evaluateInstead } from '../snapshots/watched-cache.js';
import type { Resolve } from './resolve-remotely.js';

/** What `askingAlone` needs in order to send a question to Flipt, and to report the outcome. */
interface Asking {
  /** Sends one request. */
  readonly askAtOnce: AskAtOnce;
  readonly sizes: QuestionSizes;
  /** When this signal is aborted, all requests end. */
  readonly closing: AbortSignal;
  /** The time limit for one question (a flag and a context), in milliseconds. */
  readonly withinMs: number;
  readonly odd: OddAttribute;
  readonly health: Pick<UncheckedHealth, 'asked'>;
  /** The snapshots, one of which might have the answer if a request fails. */
  readonly snapshots: Pick<ProviderSnapshots, 'opened' | 'missing'>;
}

/**
 * Makes a function that resolves a flag by sending Flipt a request with only this flag and this context. Calls of the
 * app never share a request, because the runtime can end any call without notice, and other calls would then wait in
 * vain.
 */
export function askingAlone(
  { askAtOnce, sizes, closing, withinMs, odd, health, snapshots }: Asking,
  settings: ProviderSettings,
  clock: Clock,
): Resolve {
  const { namespace, attributes, targetingKey, batch } = settings;
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const limits = { ...batch, sizes };

  const endings = new Endings(closing, withinMs, clock);
  const late: Failure = {
    kind: 'deadline',
    message: `no answer from Flipt within ${withinMs} ms (half of deadlineMs)`,
  };

  const ask = async (question: Question): Promise<Answer> => {
    if (closing.aborted) return failed(CLOSED);
    const request = endings.begin();
    try {
      const outcome = await orLate(askAtOnce([question], request.ending.signal), withinMs, clock);
      if (outcome === 'late') return failed(late);
      return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
    } finally {
      endings.end(request);
    }
  };

  const resolution = (question: Question, answer: Answer): Resolution => {
    health.asked(answer.kind === 'failed' ? answer.failure : undefined);
    if (answer.kind === 'missing') snapshots.missing(question.flag);
    const fromFlipt = { answer, source: 'service', ageMs: 0, stale: false } as const;
    if (answer.kind !== 'failed') return fromFlipt;
    const source = snapshots.opened();
    return (source && evaluateInstead(source, question, answer.failure, clock.now())) ?? fromFlipt;
  };

  return (flag, context) => {
    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const question = questionOf(namespace, flag, subject);
    const refused: Failure | undefined = oversized(question, limits);
    if (refused !== undefined) return failedResolution(refused);
    return ask(question).then((answer) => resolution(question, answer));
  };
}

/**
 * A question that was sent to Flipt and has no answer yet. If the runtime has ended the call that asked the question,
 * the call never removes its question from `Endings`.
 */
interface UnderWay {
  /** The latest time at which the question ends, in milliseconds of `clock.now()`. */
  readonly until: number;
  readonly ending: AbortController;
}

/**
 * Aborts the requests under way when the provider is closed. `Endings` adds one listener to the signal `closing` for
 * all requests together.
 */
class Endings {
  private readonly underWay = new Set<UnderWay>();

  constructor(
    closing: AbortSignal,
    private readonly withinMs: number,
    private readonly clock: Clock,
  ) {
    closing.addEventListener('abort', () => {
      for (const request of this.underWay) this.end(request);
    });
  }

  begin(): UnderWay {
    const now = this.clock.now();
    // Questions past their time limit belong to calls that the runtime has ended. The loop stops at the first question
    // within its time limit, because the set begins with the oldest questions.
    for (const request of this.underWay) {
      if (request.until > now) break;
      this.underWay.delete(request);
    }
    const request = { until: now + this.withinMs, ending: new AbortController() };
    this.underWay.add(request);
    return request;
  }

  end(request: UnderWay): void {
    this.underWay.delete(request);
    request.ending.abort();
  }
}
