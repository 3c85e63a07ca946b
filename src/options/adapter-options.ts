import { LARGEST_TIMER_MS } from '../clock.js';
import { unsteered } from '../text/quote.js';

/** What an option of an adapter must be, and how to tell. */
export interface OptionRule {
  /** In words, as in `expected a string`. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
  /** Default `false`: it may be left out. */
  readonly required?: boolean;
}

const isFunction = (value: unknown) => typeof value === 'function';
const isFlagKeys = (value: unknown) =>
  Array.isArray(value) && value.every((flagKey) => typeof flagKey === 'string');

export const FUNCTION: OptionRule = { expected: 'a function', holds: isFunction };
export const TEXT: OptionRule = { expected: 'a string', holds: (value) => typeof value === 'string' };
export const LIST: OptionRule = { expected: 'a list', holds: Array.isArray };
export const TRUE_OR_FALSE: OptionRule = {
  expected: 'true or false',
  holds: (value) => typeof value === 'boolean',
};
export const FLAG_KEYS: OptionRule = {
  expected: 'a list of flag keys or a function',
  holds: (value) => isFunction(value) || isFlagKeys(value),
};
export const MILLISECONDS: OptionRule = {
  expected: `milliseconds > 0 and <= ${LARGEST_TIMER_MS}`,
  holds: (value) => typeof value === 'number' && value > 0 && value <= LARGEST_TIMER_MS,
};
/** Something with this method. */
export const having = (method: string, expected: string): OptionRule => ({
  expected,
  holds: (value) => typeof value === 'object' && value !== null && isFunction(Reflect.get(value, method)),
});

/** Throws a TypeError that names what is wrong, what was expected and what was given. */
export function checkAdapterOptions(
  adapter: string,
  rules: ReadonlyMap<string, OptionRule>,
  options: unknown,
): void {
  if (typeof options !== 'object' || options === null) throw wrong(adapter, 'options', 'an object', options);
  for (const name of Object.keys(options)) {
    if (rules.has(name)) continue;
    throw new TypeError(
      `${adapter}: ${unsteered(name)}: unknown option, expected one of ${[...rules.keys()].join(', ')}`,
    );
  }
  for (const [name, { expected, holds, required = false }] of rules) {
    const value: unknown = Reflect.get(options, name);
    const leftOut = value === undefined && !required;
    if (!leftOut && !holds(value)) throw wrong(adapter, name, expected, value);
  }
}

function wrong(adapter: string, name: string, expected: string, value: unknown): TypeError {
  const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
  return new TypeError(`${adapter}: ${name}: expected ${expected}, got ${got}`);
}
