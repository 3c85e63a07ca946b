import { policyOf } from '../../model/failure.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';
import type { Problem } from '../../model/events/flipt-event.js';
import type { Emptied, Problems } from '../../model/events/internal-events.js';

const SERVED = 'known answers and defaults are served';
const CHECKED = `${SERVED}, and Flipt is checked in the background`;

/**
 * The problems that this log names. The log of the watch names `watch-lost`, because that log also knows when the watch
 * begins.
 */
type LoggedProblem = Exclude<Problem, 'watch-lost'>;

/**
 * Returns how the log line of a problem begins, which depends on whether Flipt has responded. The message of the
 * failure follows this beginning.
 */
const BEGUN: Readonly<Record<LoggedProblem, (responded: boolean) => string>> = {
  unreachable: (responded) =>
    `${responded ? 'Flipt does not answer as it should' : 'Flipt cannot be reached'}; ${CHECKED}`,
  'credentials-rejected': (responded) =>
    `${responded ? 'Flipt rejected the credentials' : 'There are no credentials to send to Flipt'}; ${CHECKED}`,
  'circuit-open': () => `Flipt is failing; the circuit is open, and ${SERVED}`,
  'responses-unusable': () => `Flipt returns unusable responses; ${SERVED}`,
  'flags-lost': () =>
    "Flipt has lost its flags, and those that it has served stay in force; check Flipt's log, its storage and its last " +
    'upgrade, and lint the features file; if the namespace is meant to be empty, call provider.invalidate()',
};

/** Logs each problem once when it begins and once when it ends. */
export function logHealth(
  { listen }: Pick<Diagnostics, 'listen'>,
  logger: Log<'error' | 'warn' | 'debug'>,
): void {
  let emptied: Emptied | undefined;
  listen('snapshot-polled', (polled) => {
    ({ emptied } = polled);
  });
  listen('health-changed', ({ before, after }) => {
    for (const [problem, failure] of after) {
      if (before.has(problem) || problem === 'watch-lost') continue;
      // If the service was never reached, the log has said this already, and an open circuit adds nothing new.
      const isKnown = problem === 'circuit-open' && after.has('unreachable');
      const level = problem === 'flags-lost' ? 'error' : isKnown ? 'debug' : 'warn';
      logger[level](`${BEGUN[problem](policyOf(failure).responded)}: ${failure.message}`);
    }
    const others = logged(after);
    const ended = endedMessage(logged(before), others, emptied);
    // The log of the watch has a line of its own about a namespace that is empty.
    const isNews = (others.size === 0 && emptied === undefined) || answersAgain(before, after);
    if (ended !== undefined) logger[isNews ? 'warn' : 'debug'](ended);
  });
}

function logged(problems: Problems): Problems {
  return new Map([...problems].filter(([problem]) => problem !== 'watch-lost'));
}

/** The problems that only the polls of the snapshot show. */
const OF_WATCH: ReadonlySet<Problem> = new Set<Problem>(['flags-lost', 'watch-lost']);

/** Returns whether the service fails to answer questions, whatever the polls of the snapshot show. */
export function failsToAnswer(problems: Problems): boolean {
  return Array.from(problems.keys()).some((problem) => !OF_WATCH.has(problem));
}

/** Returns whether an outage has ended. The polls of the snapshot might still show another problem. */
function answersAgain(before: Problems, after: Problems): boolean {
  return failsToAnswer(before) && !failsToAnswer(after);
}

/** What the log says about a problem that has ended while another one lasts. */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'circuit-open': 'the circuit is closed',
  'responses-unusable': 'Flipt returns usable responses',
  'flags-lost': 'Flipt serves flags again',
  'watch-lost': "Flipt's changes are seen again",
};

/** Returns the end of a sentence that says why the provider believes that a namespace is empty. */
export function becauseOf({ because }: Emptied): string {
  return because === undefined ? '' : `, ${because}`;
}

/**
 * Returns the message for the log and for OpenFeature's event, or `undefined` if no problem has ended. `emptied` is what
 * the last poll has found, if it has emptied the namespace.
 */
export function endedMessage(before: Problems, after: Problems, emptied?: Emptied): string | undefined {
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  if (ended.length === 0) return undefined;
  const words = emptied ? { ...ENDED, 'flags-lost': `The namespace is empty${becauseOf(emptied)}` } : ENDED;
  return answersAgain(before, after)
    ? 'Flipt answers again'
    : ended.map((problem) => words[problem]).join('; ');
}
