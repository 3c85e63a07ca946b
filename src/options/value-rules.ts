import * as v from 'valibot';
import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { similarName } from '../base/text/closest-name.js';
import { isObject, isPlainObject, quoted } from '../base/text/describe.js';
import { isFlagKeys } from './check-arguments.js';
import { isHeaderText } from '../base/text/header.js';
import { leadsElsewhere } from './address.js';

/* A message says what was expected; check-options.ts adds the option and what was given. */

export type RulesOf<Options> = { readonly [Name in keyof Options]-?: v.GenericSchema };

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** Of Lists, Maps and Headers, the content would be overlooked. */
export const plain = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (isPlainObject(given) ? schema : v.never(expected)));

/** And no others. */
export const members = <E extends Entries>(entries: E, expected = 'an object of options') => {
  const names = Object.keys(entries);
  const schema = v.strictObject(entries, ({ expected: missing, received }) => {
    if (missing !== 'never') return wordsFor(entries, missing) ?? expected;
    const like = similarName(unquoted(received), names);
    return like === undefined ? `, expected one of ${names.join(', ')}` : `; did you mean ${quoted(like)}?`;
  });
  return plain(schema, expected);
};

const unquoted = (name: string) => name.replace(/^"|"$/g, '');

function wordsFor(entries: Entries, quotedName: string | null): string | undefined {
  const rule = entries[unquoted(quotedName ?? '')];
  return rule && v.safeParse(rule, undefined).issues?.[0].message;
}

/** `true` gives the defaults of all members, `false` gives `undefined`. `unset` is what no value means. */
export const onOffOr = <E extends Entries>(entries: E, unset = true) => {
  const options = members(entries, 'true, false or an object of options');
  const onOff = v.pipe(
    v.boolean(),
    v.transform((isOn) => (isOn ? v.parse(options, {}) : undefined)),
  );
  // The message of a union would not name the wrong member.
  return v.optional(
    v.lazy((given) => (typeof given === 'boolean' ? onOff : options)),
    unset,
  );
};

export const milliseconds = (least: number) =>
  v.pipe(
    v.number(`milliseconds >= ${least}`),
    v.check((ms) => ms >= least, `milliseconds >= ${least}`),
    v.maxValue(LARGEST_TIMER_MS, `milliseconds <= ${LARGEST_TIMER_MS}`),
  );

export const whole = (least: number, unit: string, largest = Number.MAX_SAFE_INTEGER) => {
  const expected = `${unit} >= ${least}`;
  return v.pipe(
    v.number(expected),
    v.finite(expected),
    v.integer(`a whole number of ${expected}`),
    v.minValue(least, expected),
    v.maxValue(largest, `${unit} <= ${largest}`),
  );
};

/** A lone surrogate makes `encodeURIComponent` throw, and becomes U+FFFD, another name, in UTF-8. */
export const filledText = (expected: string) =>
  v.pipe(
    v.string(expected),
    v.nonEmpty(expected),
    v.check((text) => text.isWellFormed(), `${expected} in well-formed Unicode`),
  );

export const headerText = (expected: string) =>
  v.pipe(
    v.string(expected),
    v.check(isHeaderText, `${expected} without line breaks or characters beyond Latin-1`),
  );

/** The scheme is sent beside it. */
export const token = (expected: string) =>
  v.pipe(
    headerText(expected),
    v.nonEmpty(expected),
    v.check((text) => !text.includes(' '), `${expected} alone, without Bearer, JWT or a space`),
  );

/** The text becomes a part of a request's path. */
export const staysInPath = (expected: string) =>
  v.check((text: string) => !leadsElsewhere(text), `${expected} without "." or ".." as a part`);

export const trueOrFalse = v.boolean('true or false');

export const callable = <F extends (...args: never[]) => unknown>(expected = 'a function') =>
  v.custom<F>((value) => typeof value === 'function', expected);

/** An object of any class. */
export const having = <T extends object>(methods: readonly string[], expected: string) =>
  v.custom<T>((value) => hasMethods(value, methods), expected);

export const hasMethods = <Method extends string>(
  value: unknown,
  methods: readonly Method[],
): value is Readonly<Record<Method, (...args: never[]) => unknown>> =>
  isObject(value) && methods.every((method) => typeof Reflect.get(value, method) === 'function');

/** `undefined` is not set. */
export function defined(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/* For the adapters and the embedded service: */

export const optionRules = <E extends Entries>(owner: string, entries: E) => ({
  owner,
  shape: members(entries),
});

export const list = v.array(v.unknown(), 'a list');

export const domain = v.optional(v.string('a string'));

export const flagKeysOr = <T extends (...args: never[]) => unknown>(expected: string) =>
  v.custom<readonly string[] | T>((value) => typeof value === 'function' || isFlagKeys(value), expected);

export const flagKeys = flagKeysOr<(request: object) => readonly string[]>(
  'a list of flag keys or a function',
);
