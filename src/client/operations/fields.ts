import * as v from 'valibot';

/*
 * Fields of the service's answers. What is not documented as required may be left out, and is its default then: the
 * service writes proto3's JSON mapping.
 */

/** Text that is always there. */
export const text = v.string();
export const textOrNone = v.nullish(v.string(), '');
/** Absent where there is none. */
export const textIfAny = v.pipe(
  v.nullish(v.string()),
  v.transform((value) => value ?? undefined),
);
export const numberOrNone = v.nullish(v.number(), 0);
export const textsOrNone = v.nullish(v.array(v.string()), () => []);

/** An enum's word; its number where it has no word, which the service keeps as it was sent. */
export const word = v.pipe(v.union([v.string(), v.number()], 'text'), v.transform(String));

/** A page of a list, besides what is listed. */
export const pageFields = { nextPageToken: textOrNone, totalCount: numberOrNone };

/** Not a record of valibot's, which would drop names such as `constructor`. */
export const texts = v.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string'),
  'an object of texts',
);
