import { finite, keyedNumber } from '../provider/mapping/number.js';
import { attachmentOf } from '../provider/mapping/value.js';

/**
 * What a variant gives where no type is asked for: an attachment that is a number, an object or a list, as the provider
 * gives it on the server for that type. Any other variant gives its key.
 */
export function typedValue(key: string, attachment: string): unknown {
  const attached = attachmentOf({ attachment });
  if (typeof attached === 'object' && attached !== null) return attached;
  // As on the server, a key that is a number comes before an attachment that is one.
  return finite(attached) === undefined ? key : (keyedNumber(key) ?? attached);
}
