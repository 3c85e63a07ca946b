import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Problems } from '../../src/model/events/internal-events.js';
import type { Problem } from '../../src/model/events/flipt-event.js';
import type { Failure } from '../../src/model/failure.js';

const ORDER: readonly Problem[] = ['unreachable', 'credentials-rejected', 'flags-lost', 'watch-lost'];

export const REFUSED: Failure = { kind: 'connection', message: 'refused' };

/** Problems that begin and end; `heard` are told of each change. */
export function changingProblems() {
  const diagnostics = openDiagnostics();
  let problems: Problems = new Map();
  const heard: ((before: Problems, after: Problems, starting: boolean) => void)[] = [];
  const change = (after: Problems, starting: boolean) => {
    const before = problems;
    problems = after;
    for (const hear of heard) hear(before, after, starting);
  };
  return {
    diagnostics,
    heard,
    problems: () => problems,
    begin: (problem: Problem, failure = REFUSED, starting = false) => {
      const all = new Map([...problems, [problem, failure]] as const);
      change(
        new Map(ORDER.flatMap((one) => (all.has(one) ? [[one, all.get(one) ?? failure] as const] : []))),
        starting,
      );
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
