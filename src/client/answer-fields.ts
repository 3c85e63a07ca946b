import * as v from 'valibot';

/*
 * Fields of the service's answers, by proto3's JSON mapping: a field that is not required may be absent, and then has
 * its default.
 */

/** Text that is always present. */
export const text = v.string();
export const textOrNone = v.nullish(v.string(), '');
/** Text that may be absent; then it is `undefined`. */
export const textIfAny = v.pipe(
  v.nullish(v.string()),
  v.transform((value) => value ?? undefined),
);
export const numberOrNone = v.nullish(v.number(), 0);
export const textsOrNone = v.nullish(v.array(v.string()), () => []);

/** An enum's word. A number that has no word is kept as text: the service sends it as it was given. */
export const word = v.pipe(v.union([v.string(), v.number()], 'text'), v.transform(String));

/** One of an enum's words, or a number that has no word: the service keeps such a number and sends it as it is. */
export const oneOf = <Word extends string>(words: readonly Word[]) =>
  v.custom<Word | number>(
    (value) => typeof value === 'number' || words.some((word) => word === value),
    words.join(' or '),
  );

/** The dates that every record has. */
export const dates = { createdAt: text, updatedAt: text };

/** What a page has besides its entries. */
export const pageFields = { nextPageToken: textOrNone, totalCount: numberOrNone };

/** Not valibot's record, which drops names such as `constructor`. */
export const texts = v.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string'),
  'an object of texts',
);
