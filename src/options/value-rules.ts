import * as v from 'valibot';
import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { isFlagKeys, isObject, isPlainObject } from '../base/text/describe.js';
import { isHeaderText } from '../base/text/header.js';
import { leadsElsewhere } from '../base/text/path-part.js';

/*
 * This file contains the building blocks for the rules of options. Each rule is a valibot schema. The message of a rule
 * says only what was expected, and `check-options.ts` adds the name of the option and the given value. The rule for a
 * group of options also fills in their defaults.
 */

/** An object with one rule for each option of an interface. */
export type RulesOf<Options> = { readonly [Name in keyof Options]-?: v.GenericSchema };

export const plain = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (isPlainObject(given) ? schema : v.never(expected)));

/**
 * Accepts an object with the given members and no others. A member is required if its own rule does not make it
 * optional.
 */
export const members = <E extends Readonly<Record<string, v.GenericSchema>>>(
  entries: E,
  expected = 'an object of options',
) => {
  const names = Object.keys(entries).join(', ');
  // `expectedOf` looks up the words for the expected value only when an error message needs them. Looking the words up
  // for all members in advance would take a tenth of the time that importing this package takes.
  const expectedOf = (quotedName: string) => {
    const found = Object.entries(entries).find(([name]) => `"${name}"` === quotedName);
    return found && expectedBy(found[1]);
  };
  const ofAnyKind = Object.fromEntries(Object.keys(entries).map((name) => [name, v.optional(v.unknown())]));
  // The names of members are checked before their values, because the error message would otherwise report a misspelt
  // option as a missing option.
  const schema = v.pipe(
    v.strictObject(ofAnyKind, names),
    v.object(entries, (issue) => expectedOf(issue.expected) ?? expected),
  );
  return { ...plain(schema, expected), entries };
};

function expectedBy(schema: v.GenericSchema): string | undefined {
  return v.safeParse(schema, undefined).issues?.[0].message;
}

/**
 * Accepts an object with the given members, or a boolean. For `true`, the result is an object with the defaults of all
 * members. For `false`, the result is `undefined`.
 */
export const onOffOr = <E extends Readonly<Record<string, v.GenericSchema>>>(entries: E, unset = true) => {
  const options = members(entries, 'true, false or an object of options');
  const onOff = v.pipe(
    v.boolean(),
    v.transform((isOn) => (isOn ? v.parse(options, {}) : undefined)),
  );
  // This rule is not a valibot union, because the error message of a union would not name the wrong option.
  const either = v.lazy((given) => (typeof given === 'boolean' ? onOff : options));
  return { ...v.optional(either, unset), entries };
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

export const filledHeader = (expected: string) => v.pipe(headerText(expected), v.nonEmpty(expected));

/**
 * Refuses a text that has `.` or `..` as a part, such as `a/../b`, because the package writes the text into the path of
 * a request.
 */
export const staysInPath = (expected: string) =>
  v.check((text: string) => !leadsElsewhere(text), `${expected} without "." or ".." as a part`);

export const trueOrFalse = v.boolean('true or false');

const isFunction = (value: unknown) => typeof value === 'function';

export const callable = <F extends (...args: never[]) => unknown>(expected = 'a function') =>
  v.custom<F>(isFunction, expected);

/** Accepts an object, of any class, that has the given methods. */
export const having = <T extends object>(methods: readonly string[], expected: string) =>
  v.custom<T>((value) => hasMethods(value, methods), expected);

/** Returns whether a value is an object, of any class, that has the given methods. */
export const hasMethods = <Method extends string>(
  value: unknown,
  methods: readonly Method[],
): value is Readonly<Record<Method, (...args: never[]) => unknown>> =>
  isObject(value) && methods.every((method) => isFunction(Reflect.get(value, method)));

/** Returns the options that are not `undefined`. An option that is `undefined` counts as not set. */
export function set(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/* All rules from this line on are for the options of the adapters and of the embedded service. */

/**
 * Makes rules for options that contain no credentials, so that error messages can show the texts that the user gave.
 */
export const rulesWithoutSecrets = <Entries extends Readonly<Record<string, v.GenericSchema>>>(
  owner: string,
  entries: Entries,
) => ({ owner, shape: members(entries), showsText: () => true });

export const list = v.array(v.unknown(), 'a list');

/** Checks the name of an OpenFeature domain. */
export const domain = v.optional(v.string('a string'));

/** Accepts a list of flag keys, or any function. */
export const flagKeysOr = <T extends (...args: never[]) => unknown>(expected: string) =>
  v.custom<readonly string[] | T>((value) => typeof value === 'function' || isFlagKeys(value), expected);

/** Accepts a list of flag keys, or a function that returns the flag keys for a request. */
export const flagKeys = flagKeysOr<(...args: never[]) => readonly string[]>(
  'a list of flag keys or a function',
);
