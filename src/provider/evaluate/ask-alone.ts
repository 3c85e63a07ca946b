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

/** How to ask, and who learns of it. */
interface Asking {
  /** One request. */
  readonly askAtOnce: AskAtOnce;
  readonly sizes: QuestionSizes;
  /** Ends all requests. */
  readonly closing: AbortSignal;
  /** Milliseconds that a question may take. */
  readonly withinMs: number;
  readonly odd: OddAttribute;
  readonly health: Pick<UncheckedHealth, 'asked'>;
  /** They may know better than a question that has failed. */
  readonly snapshots: ProviderSnapshots;
}

/** Asks Flipt in a request of its own, which ends with its caller. */
export function askingAlone(
  { askAtOnce, sizes, closing, withinMs, odd, health, snapshots }: Asking,
  settings: ProviderSettings,
  clock: Clock,
): Resolve {
  const { namespace, attributes, targetingKey, batch } = settings;
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const limits = { ...batch, sizes };

  const late: Failure = {
    kind: 'deadline',
    message: `no answer from Flipt within ${withinMs} ms (half of deadlineMs)`,
  };

  const ask = async (question: Question): Promise<Answer> => {
    if (closing.aborted) return failed(CLOSED);
    const ending = new AbortController();
    const end = () => {
      ending.abort();
    };
    closing.addEventListener('abort', end);
    const outcome = await orLate(askAtOnce([question], ending.signal), withinMs, clock);
    closing.removeEventListener('abort', end);
    end();
    if (outcome === 'late') return failed(late);
    return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
  };

  const answered = (question: Question, answer: Answer): Answer => {
    health.asked(answer.kind === 'failed' ? answer.failure : undefined);
    if (answer.kind === 'missing') snapshots.missing(question.flag);
    if (answer.kind !== 'failed') return answer;
    const source = snapshots.opened();
    const instead = source && evaluateInstead(source, question, answer.failure, clock.now());
    return instead?.answer ?? answer;
  };

  return (flag, context) => {
    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const question = questionOf(namespace, flag, subject);
    const refused: Failure | undefined = oversized(question, limits);
    if (refused !== undefined) return failedResolution(refused);
    return ask(question).then((answer) => ({
      answer: answered(question, answer),
      source: 'service',
      ageMs: 0,
      stale: false,
    }));
  };
}
