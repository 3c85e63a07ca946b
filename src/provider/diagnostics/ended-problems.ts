import type { Problem } from '../../model/events/flipt-event.js';
import type { Problems } from '../../model/events/internal-events.js';

/** What only the polls of the snapshot show. */
const OF_WATCH: ReadonlySet<Problem> = new Set<Problem>(['flags-lost', 'watch-lost']);

/** Whether the service fails where it is asked, whatever the polls of the snapshot show. */
export function failsToAnswer(problems: Problems): boolean {
  return Array.from(problems.keys()).some((problem) => !OF_WATCH.has(problem));
}

/** The words for a problem that ended while another one lasts. */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'circuit-open': 'circuit closed',
  'responses-unusable': 'Flipt returns usable responses',
  'flags-lost': 'Flipt serves flags again',
  'watch-lost': "Flipt's changes are seen again",
};

/** The message of the log and of OpenFeature's event; `undefined` if no problem has ended. */
export function endedMessage(before: Problems, after: Problems): string | undefined {
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  if (ended.length === 0) return undefined;
  const answersAgain = after.size === 0 && failsToAnswer(before);
  return answersAgain ? 'Flipt answers again' : ended.map((problem) => ENDED[problem]).join('; ');
}
