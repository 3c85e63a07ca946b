import { isPromiseLike, isRecord, kindReturned } from '../base/text/describe.js';

/* `owner` names the argument at the beginning of the message. */

export function checkContext(
  owner: string,
  given: unknown,
): asserts given is Readonly<Record<string, unknown>> {
  if (isRecord(given) && !isPromiseLike(given)) return;
  throw new TypeError(`${owner}: expected an object such as { targetingKey: … }, got ${kindReturned(given)}`);
}

export function checkFlagKey(owner: string, given: unknown): void {
  if (typeof given !== 'string') throw new TypeError(`${owner}: expected a flag key, which is a string`);
}

export function isFlagKeys(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((flagKey) => typeof flagKey === 'string');
}

export function checkFlagKeys(owner: string, given: unknown): void {
  if (isFlagKeys(given)) return;
  const got = Array.isArray(given) ? 'a list of other things' : kindReturned(given);
  throw new TypeError(`${owner}: expected a list of flag keys, got ${got}`);
}
