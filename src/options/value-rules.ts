import * as v from 'valibot';
import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { isFlagKeys, isObject, isPlainObject } from '../base/text/describe.js';
import { isHeaderText } from '../base/text/header.js';
import { leadsElsewhere } from '../base/text/path-part.js';

/*
 * This file has the building blocks for the rules of options. The message of a rule says what was expected;
 * `check-options.ts` adds the name of the option before it and the given value after it. The output of a rule has the
 * defaults filled in.
 */

/** The rules for all options of an interface. */
export type RulesOf<Options> = { readonly [Name in keyof Options]-?: v.GenericSchema };

export const plain = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (isPlainObject(given) ? schema : v.never(expected)));

/** Accepts an object with these members and no others. A member must be present unless it is optional. */
export const members = <E extends Readonly<Record<string, v.GenericSchema>>>(
  entries: E,
  expected = 'an object of options',
) => {
  const names = Object.keys(entries).join(', ');
  // The words for the expected value are looked up only when a message needs them. Looking these words up for each
  // member would take a tenth of the time that an import of this package takes.
  const expectedOf = (quotedName: string) => {
    const found = Object.entries(entries).find(([name]) => `"${name}"` === quotedName);
    return found && expectedBy(found[1]);
  };
  const ofAnyKind = Object.fromEntries(Object.keys(entries).map((name) => [name, v.optional(v.unknown())]));
  // The names are checked first, because a misspelt option would otherwise be reported as a missing option.
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
 * Accepts an object with these members, or a boolean. The result for `true` is an object with the defaults of all
 * members. The result for `false` is `undefined`.
 */
export const onOffOr = <E extends Readonly<Record<string, v.GenericSchema>>>(entries: E, unset = true) => {
  const options = members(entries, 'true, false or an object of options');
  const onOff = v.pipe(
    v.boolean(),
    v.transform((isOn) => (isOn ? v.parse(options, {}) : undefined)),
  );
  // The rule is not a union of valibot, because the message of a union would not name the wrong option.
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

export const filledText = (expected: string) => v.pipe(v.string(expected), v.nonEmpty(expected));

export const headerText = (expected: string) =>
  v.pipe(
    v.string(expected),
    v.check(isHeaderText, `${expected} without line breaks or characters beyond Latin-1`),
  );

export const filledHeader = (expected: string) => v.pipe(headerText(expected), v.nonEmpty(expected));

/** Refuses "." and ".." as parts of a text that becomes a part of a path. */
export const staysInPath = (expected: string) =>
  v.check((text: string) => !leadsElsewhere(text), `${expected} without "." or ".." as a part`);

export const trueOrFalse = v.boolean('true or false');

const isFunction = (value: unknown) => typeof value === 'function';

export const callable = <F extends (...args: never[]) => unknown>(expected = 'a function') =>
  v.custom<F>(isFunction, expected);

/** Accepts an object of any class that has these methods. */
export const having = <T extends object>(methods: readonly string[], expected: string) =>
  v.custom<T>((value) => hasMethods(value, methods), expected);

/** Whether a value is an object, of any class, that has these methods. */
export const hasMethods = <Method extends string>(
  value: unknown,
  methods: readonly Method[],
): value is Readonly<Record<Method, (...args: never[]) => unknown>> =>
  isObject(value) && methods.every((method) => isFunction(Reflect.get(value, method)));

/** Returns the options that are not `undefined`. An option that is `undefined` counts as not set. */
export function set(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/* The rules below are for the options of the adapters and of the embedded service. */

/**
 * Makes the rules for options of which none is a credential, so that messages can show the texts that the user gave.
 */
export const rulesWithoutSecrets = <Entries extends Readonly<Record<string, v.GenericSchema>>>(
  owner: string,
  entries: Entries,
) => ({ owner, shape: members(entries), showsText: () => true });

export const list = v.array(v.unknown(), 'a list');

/** Checks the name of a domain of OpenFeature. */
export const domain = v.optional(v.string('a string'));

/** Accepts a list of flag keys, or a function. */
export const flagKeysOr = <T extends (...args: never[]) => unknown>(expected: string) =>
  v.custom<readonly string[] | T>((value) => typeof value === 'function' || isFlagKeys(value), expected);

/** Accepts a list of flag keys, or a function that returns them for a request. */
export const flagKeys = flagKeysOr<(...args: never[]) => readonly string[]>(
  'a list of flag keys or a function',
);

/** Checks the option `contextTimeoutMs`, whose default is 1,000 ms. */
export const contextTimeoutMs = v.optional(milliseconds(1), 1000);
