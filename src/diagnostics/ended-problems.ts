import type { Problem } from './flipt-event.js';
import type { Problems } from './internal-events.js';

/** The words for a problem that ended while another one lasts. */
const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'circuit-open': 'circuit closed',
  'responses-unusable': 'Flipt returns usable responses',
};

/** The message of the log and of OpenFeature's event; `undefined` if no problem has ended. */
export function endedMessage(before: Problems, after: Problems): string | undefined {
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  if (ended.length === 0) return undefined;
  return after.size === 0 ? 'Flipt answers again' : ended.map((problem) => ENDED[problem]).join('; ');
}
