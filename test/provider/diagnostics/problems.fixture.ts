import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { Problems } from '../../../src/model/events/internal-events.js';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import type { Failure } from '../../../src/model/failure.js';

export const REFUSED: Failure = { kind: 'connection', message: 'refused' };

/** Reports problems that begin and end. */
export function changingProblems() {
  const diagnostics = openDiagnostics();
  let problems: Problems = new Map();
  const change = (after: Problems, starting: boolean) => {
    diagnostics.report({ type: 'health-changed', before: problems, after, starting });
    problems = after;
  };
  return {
    diagnostics,
    begin: (problem: Problem, failure = REFUSED, starting = false) => {
      change(new Map([...problems, [problem, failure]]), starting);
    },
    /** Reports that a poll of the snapshot has ended. */
    polled: (failure?: Failure) => {
      diagnostics.report({ type: 'snapshot-polled', durationMs: 1, failure });
    },
    end: (...ended: readonly Problem[]) => {
      change(new Map([...problems].filter(([problem]) => !ended.includes(problem))), false);
    },
  };
}
