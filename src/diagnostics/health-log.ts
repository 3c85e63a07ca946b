import { policyOf } from '../model/failure.js';
import type { Diagnostics, Log } from './diagnostics.js';
import type { Problem } from './flipt-event.js';
import { endedMessage } from './ended-problems.js';

const SERVED = 'known answers and defaults are served';
const CHECKED = `${SERVED}, and Flipt is checked in the background`;

/** The beginning of the log line, which depends on whether Flipt has responded; the failure's message follows. */
const BEGUN: Readonly<Record<Problem, (responded: boolean) => string>> = {
  unreachable: (responded) =>
    `${responded ? 'Flipt does not answer as it should' : 'Flipt cannot be reached'}; ${CHECKED}`,
  'credentials-rejected': (responded) =>
    `${responded ? 'Flipt rejected the credentials' : 'There are no credentials to send to Flipt'}; ${CHECKED}`,
  'circuit-open': () => `Flipt fails; circuit open, and ${SERVED}`,
  'responses-unusable': () => `Flipt returns unusable responses; ${SERVED}`,
};

/** Logs each problem once when it begins and once when it ends. */
export function logHealth({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn' | 'debug'>): void {
  listen('health-changed', ({ before, after }) => {
    for (const [problem, failure] of after) {
      if (before.has(problem)) continue;
      // If the service was never reached, an open circuit is nothing new.
      const isKnown = problem === 'circuit-open' && after.has('unreachable');
      logger[isKnown ? 'debug' : 'warn'](
        `${BEGUN[problem](policyOf(failure).responded)}: ${failure.message}`,
      );
    }
    const ended = endedMessage(before, after);
    if (ended !== undefined) logger[after.size === 0 ? 'warn' : 'debug'](ended);
  });
}
