import { policyOf, type Failure } from '../model/failure.js';
import type { Diagnostics, Log } from './diagnostics.js';
import type { Problem } from './flipt-event.js';

/** The words for a problem that ended while another one lasts. */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'circuit-open': 'circuit closed',
  'responses-unusable': 'Flipt returns usable responses',
};

/** `undefined` if no problem has ended. */
export function endedMessage(ended: readonly Problem[], left: number): string | undefined {
  if (ended.length === 0) return undefined;
  return left === 0 ? 'Flipt answers again' : ended.map((problem) => ENDED[problem]).join('; ');
}

const SERVED = 'known answers and defaults are served';
const CHECKED = `${SERVED}, and Flipt is checked in the background`;

/** The beginning of the log line; the failure's message follows. */
function headline(problem: Problem, failure: Failure): string {
  const { responded } = policyOf(failure);
  switch (problem) {
    case 'unreachable':
      return `${responded ? 'Flipt does not answer as it should' : 'Flipt cannot be reached'}; ${CHECKED}`;
    case 'credentials-rejected':
      return `${responded ? 'Flipt rejected the credentials' : 'There are no credentials to send to Flipt'}; ${CHECKED}`;
    case 'circuit-open':
      return `Flipt fails; circuit open, and ${SERVED}`;
    case 'responses-unusable':
      return `Flipt returns unusable responses; ${SERVED}`;
  }
}

/** Logs each problem once when it begins and once when it ends. */
export function logHealth({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn' | 'debug'>): void {
  listen('health-changed', ({ before, after }) => {
    for (const [problem, failure] of after) {
      if (before.has(problem)) continue;
      // If the service was never reached, an open circuit is nothing new.
      const isKnown = problem === 'circuit-open' && after.has('unreachable');
      logger[isKnown ? 'debug' : 'warn'](`${headline(problem, failure)}: ${failure.message}`);
    }
    const ended = endedMessage(
      [...before.keys()].filter((problem) => !after.has(problem)),
      after.size,
    );
    if (ended !== undefined) logger[after.size === 0 ? 'warn' : 'debug'](ended);
  });
}
