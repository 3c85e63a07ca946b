import * as v from 'valibot';
import { LARGEST_TIMER_MS } from '../clock.js';
import { isPlainObject } from '../text/describe.js';

/*
 * Building blocks for the shapes of options. A schema's message says what was expected. `check-options.ts` adds the
 * option's name before it and the given value after it.
 */

export const plain = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (isPlainObject(given) ? schema : v.never(expected)));

/** An object with these members and no others. A member must be present unless it is optional. */
export const members = <E extends Readonly<Record<string, v.GenericSchema>>>(
  entries: E,
  expected = 'an object of options',
) => {
  const known = Object.keys(entries).join(', ');
  const missing = new Map(Object.entries(entries).map(([name, schema]) => [`"${name}"`, expectedBy(schema)]));
  const ofAnyKind = Object.fromEntries(Object.keys(entries).map((name) => [name, v.optional(v.unknown())]));
  // Checks the names first: if one option is misspelt, another one seems to be missing.
  const schema = v.pipe(
    v.strictObject(ofAnyKind, known),
    v.object(entries, (issue) => missing.get(issue.expected) ?? expected),
  );
  return plain(schema, expected);
};

function expectedBy(schema: v.GenericSchema): string | undefined {
  return v.safeParse(schema, undefined).issues?.[0].message;
}

export const milliseconds = (least: number) =>
  v.optional(
    v.pipe(
      v.number(`milliseconds >= ${least}`),
      v.check((ms) => ms >= least, `milliseconds >= ${least}`),
      v.maxValue(LARGEST_TIMER_MS, `milliseconds <= ${LARGEST_TIMER_MS}`),
    ),
  );

export const whole = (least: number, unit: string, most = Number.MAX_SAFE_INTEGER) => {
  const expected = `${unit} >= ${least}`;
  return v.optional(
    v.pipe(
      v.number(expected),
      v.finite(expected),
      v.integer(`a whole number of ${expected}`),
      v.minValue(least, expected),
      v.maxValue(most, `${unit} <= ${most}`),
    ),
  );
};

export const filledText = (expected: string) => v.pipe(v.string(expected), v.nonEmpty(expected));

export const trueOrFalse = v.boolean('true or false');

export const list = v.array(v.unknown(), 'a list');

const isFunction = (value: unknown) => typeof value === 'function';

export const callable = (expected = 'a function') =>
  v.custom<(...args: never[]) => unknown>(isFunction, expected);

/** An object of any class with these methods. */
export const having = (methods: readonly string[], expected: string) =>
  v.custom<object>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((method) => isFunction(Reflect.get(value, method))),
    expected,
  );

/** Keys of flags, or a function that names them for a request. */
export const flagKeys = v.custom<readonly string[] | ((...args: never[]) => readonly string[])>(
  (value) =>
    isFunction(value) || (Array.isArray(value) && value.every((flagKey) => typeof flagKey === 'string')),
  'a list of flag keys or a function',
);
