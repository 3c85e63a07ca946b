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
