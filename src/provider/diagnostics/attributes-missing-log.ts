import { similarName } from '../../base/text/closest-name.js';
import { firstOf, quoted } from '../../base/text/describe.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/**
 * The provider warns about at most this many flags. If an app builds all its contexts wrongly, a warning about each
 * flag would fill the log.
 */
const MOST_WARNED = 20;

/**
 * Logs a warning about a flag if the contexts of 20 resolves had none of the attributes that the flag compares, but
 * only one warning about each flag.
 */
export function logAttributesMissing({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn'>): void {
  const warned = new Set<string>();
  listen('attributes-missing', ({ flag, resolves, compared, given, holders }) => {
    if (warned.has(flag) || warned.size >= MOST_WARNED) return;
    warned.add(flag);
    const have = given.length === 0 ? 'only the targetingKey' : firstOf(given);
    const isInside = (name: string) => holders.some((one) => one.name === name);
    const alike = compared.flatMap((name) => {
      if (isInside(name)) return [];
      const like = spelt(name, given) ?? similarName(name, given);
      return like === undefined ? [] : [`${quoted(like)} be called ${quoted(name)}`];
    });
    const inside = holders.map(
      ({ holder, name }) => `; a rule cannot look inside ${quoted(holder)}: send ${quoted(name)} itself`,
    );
    logger.warn(
      `flag ${quoted(flag)} compares ${firstOf(compared)}, but the contexts of ${resolves} resolves have ${have}: ` +
        `its segments may match nobody${alike.length === 0 ? '' : `; should ${alike.join(', and ')}?`}${inside.join('')}`,
    );
  });
}

/**
 * Returns the first of the `given` names that equals `name` apart from case and separators, as `user_id` equals
 * `userId`.
 */
function spelt(name: string, given: readonly string[]): string | undefined {
  const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return given.find((one) => lettersOf(one) === lettersOf(name));
}
