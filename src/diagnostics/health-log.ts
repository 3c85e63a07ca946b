import { policyOf } from '../model/failure.js';
import type { Diagnostics, Log } from './diagnostics.js';
import type { Problem } from './flipt-event.js';
import type { Problems } from './internal-events.js';

/** The words for a problem that ended while another one lasts. */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'circuit-open': 'circuit closed',
  'responses-unusable': 'Flipt returns usable responses',
};

/** `undefined` if no problem has ended. */
export function endedMessage(before: Problems, after: Problems): string | undefined {
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  if (ended.length === 0) return undefined;
  return after.size === 0 ? 'Flipt answers again' : ended.map((problem) => ENDED[problem]).join('; ');
}

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
