import { quoted } from '../../text/describe.js';
import type { OddAttribute } from './context.js';

/** Warns of the first attribute of which JSON leaves `{}`, or a text in quotes. */
export function oddAttributeWarning(logger: { readonly warn: (message: string) => void }): OddAttribute {
  let isWarned = false;
  return (name) => {
    if (isWarned) return;
    isWarned = true;
    logger.warn(
      `The context attribute ${quoted(name)} is an object that JSON writes as {} or as a text in quotes (a Set, Map, ` +
        'URL or an object of a class): no constraint matches that; give text, a number, a list or a plain object',
    );
  };
}
