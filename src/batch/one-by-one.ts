import type { Reporter } from '../diagnostics/diagnostics.js';
import { failed, isFailure, UNANSWERED, type AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { BatchSettings } from './batch-queue.js';
import type { Batched } from './batching.js';
import { oversized } from './oversized-question.js';

/** Sends each question at once, in a request of its own that its caller may end: callers share nothing. */
export function oneByOne(
  askAtOnce: AskAtOnce,
  { maxBytes, sizes }: Pick<BatchSettings, 'maxBytes' | 'sizes'>,
  { report, wants }: Reporter,
): Batched {
  let closed: Failure | undefined;
  return {
    async ask(question, _, signal) {
      if (closed !== undefined) return failed(closed);
      const bytes = sizes.empty + sizes.of(question);
      if (bytes > maxBytes) return failed(oversized(question, bytes, maxBytes));
      if (wants['batch-sent']) report({ type: 'batch-sent', items: 1, bytes });
      const outcome = await askAtOnce([question], signal);
      return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
    },
    close(failure) {
      closed = failure;
    },
    waiting: () => 0,
  };
}
