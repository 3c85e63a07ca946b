import type { FailureKind } from '../../model/failure.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';
import type { Problem } from '../../model/events/flipt-event.js';
import type { Emptied, Problems } from '../../model/events/internal-events.js';

const CHECKED =
  'calls get last known values or their defaults, and the provider checks Flipt in the background';

/** The problems that `logHealth` logs. `logWatch` logs the problem `watch-lost`. */
type LoggedProblem = Exclude<Problem, 'watch-lost'>;

const NO_RESPONSE: ReadonlySet<FailureKind> = new Set(['connection', 'stale-connection', 'timeout']);

/** The beginning of the log line about each problem, which ends with the message of the failure. */
const BEGUN: Readonly<Record<LoggedProblem, (kind: FailureKind) => string>> = {
  unreachable: (kind) =>
    `${NO_RESPONSE.has(kind) ? 'Flipt cannot be reached' : 'Flipt does not answer as it should'}; ${CHECKED}`,
  'credentials-rejected': (kind) =>
    `${kind === 'credentials' ? 'There are no credentials to send to Flipt' : 'Flipt rejected the credentials'}; ${CHECKED}`,
  'flags-lost': () =>
    "Flipt has lost its flags, and the provider goes on with those that Flipt served before; check Flipt's log, its " +
    'storage and its last upgrade, and lint the features file; if the namespace is meant to be empty, call provider.invalidate()',
};

/** Logs when a problem begins and when it ends, except the problem `watch-lost`, which `logWatch` logs. */
export function logHealth(
  { listen }: Pick<Diagnostics, 'listen'>,
  logger: Log<'error' | 'warn' | 'debug'>,
): (before: Problems, after: Problems) => void {
  let emptied: Emptied | undefined;
  listen('snapshot-polled', (polled) => {
    ({ emptied } = polled);
  });
  return (before, after) => {
    for (const [problem, failure] of after) {
      if (before.has(problem) || problem === 'watch-lost') continue;
      const level = problem === 'flags-lost' ? 'error' : 'warn';
      logger[level](`${BEGUN[problem](failure.kind)}: ${failure.message}`);
    }
    const others = logged(after);
    const ended = endedMessage(logged(before), others, emptied);
    // If the namespace has become empty, `logWatch` already logs a warning, so that this line can have the level
    // `debug`.
    const isNews = (others.size === 0 && emptied === undefined) || answersAgain(before, after);
    if (ended !== undefined) logger[isNews ? 'warn' : 'debug'](ended);
  };
}

function logged(problems: Problems): Problems {
  return new Map([...problems].filter(([problem]) => problem !== 'watch-lost'));
}

/** The problems that only polls of the snapshot find. */
const OF_WATCH: ReadonlySet<Problem> = new Set<Problem>(['flags-lost', 'watch-lost']);

/**
 * Returns `true` if Flipt fails to answer evaluation requests. Problems that only polls of the snapshot find do not
 * count.
 */
export function failsToAnswer(problems: Problems): boolean {
  return Array.from(problems.keys()).some((problem) => !OF_WATCH.has(problem));
}

/**
 * Returns `true` if Flipt answers evaluation requests again after it had failed to do so. The result can be `true` even
 * if the polls of the snapshot still have a problem.
 */
function answersAgain(before: Problems, after: Problems): boolean {
  return failsToAnswer(before) && !failsToAnswer(after);
}

/**
 * For each problem, what the log says about its end. If an outage has ended, the log says 'Flipt answers again'
 * instead.
 */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'flags-lost': 'Flipt serves flags again',
  'watch-lost': 'The provider sees changes of flags again',
};

/**
 * Returns the end of a log message about an empty namespace. The text says why the provider has accepted that the
 * namespace is empty.
 */
export function becauseOf({ because }: Emptied): string {
  return because === undefined ? '' : `, ${because}`;
}

/**
 * Returns the message about the problems that have ended, for the log and for OpenFeature's event. Returns `undefined`
 * if no problem has ended. `emptied` is defined if the last poll has shown that the namespace is empty now.
 */
export function endedMessage(before: Problems, after: Problems, emptied?: Emptied): string | undefined {
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  if (ended.length === 0) return undefined;
  const words = emptied ? { ...ENDED, 'flags-lost': `The namespace is empty${becauseOf(emptied)}` } : ENDED;
  return answersAgain(before, after)
    ? 'Flipt answers again'
    : ended.map((problem) => words[problem]).join('; ');
}
