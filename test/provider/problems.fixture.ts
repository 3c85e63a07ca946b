import type { Problem } from '../../src/model/events/flipt-event.js';
import type { Failure } from '../../src/model/failure.js';
import type { Problems } from '../../src/remote/health.js';

const ORDER: readonly Problem[] = ['unreachable', 'credentials-rejected', 'flags-lost', 'watch-lost'];

export const REFUSED: Failure = { kind: 'connection', message: 'refused' };

/** Problems that begin and end; `heard` are told of each change. */
export function changingProblems() {
  let problems: Problems = new Map();
  const heard: ((before: Problems, after: Problems, starting: boolean) => void)[] = [];
  const change = (after: Problems, starting: boolean) => {
    const before = problems;
    problems = after;
    for (const hear of heard) hear(before, after, starting);
  };
  return {
    heard,
    problems: () => problems,
    begin: (problem: Problem, failure = REFUSED, starting = false) => {
      const all = new Map([...problems, [problem, failure]] as const);
      change(
        new Map(ORDER.flatMap((one) => (all.has(one) ? [[one, all.get(one) ?? failure] as const] : []))),
        starting,
      );
    },
    end: (...ended: readonly Problem[]) => {
      change(new Map([...problems].filter(([problem]) => !ended.includes(problem))), false);
    },
  };
}
