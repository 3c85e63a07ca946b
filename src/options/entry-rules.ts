import * as v from 'valibot';
import { isFlagKeys } from '../base/text/describe.js';
import { members, milliseconds } from './shapes.js';

/* Rules for the options of the entries beside the provider, which does not load them. */

/** The rules for options of which none is a credential: messages show their texts. */
export const rulesWithoutSecrets = <Entries extends Readonly<Record<string, v.GenericSchema>>>(
  owner: string,
  entries: Entries,
) => ({ owner, shape: members(entries), showsText: () => true });

export const list = v.array(v.unknown(), 'a list');

/** A domain of OpenFeature. */
export const domain = v.optional(v.string('a string'));

/** Keys of flags, or a function instead. */
export const flagKeysOr = <T extends (...args: never[]) => unknown>(expected: string) =>
  v.custom<readonly string[] | T>((value) => typeof value === 'function' || isFlagKeys(value), expected);

/** Keys of flags, or a function that names them for a request. */
export const flagKeys = flagKeysOr<(...args: never[]) => readonly string[]>(
  'a list of flag keys or a function',
);

/** The rule of the option `contextTimeoutMs`. */
export const contextTimeoutMs = v.optional(milliseconds(1), 1000);
