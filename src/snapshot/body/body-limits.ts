import { InvalidBody } from './invalid-body.js';

/** Members of a list in a constraint. They are read in one turn of the event loop. */
const MOST_MEMBERS_OF_LIST = 100_000;
/** Bytes of the body without its flags. */
export const MOST_REST_BYTES = 1024 * 1024;

/*
 * What a body may take in memory, as it was measured: about 500 bytes for each flag and 40 for each value, or less. A
 * body of Flipt's has about 100 bytes for three values.
 */
const BYTES_OF_FLAG = 500;
const BYTES_OF_VALUE = 40;
const ALWAYS_ALLOWED = 48 * 1024 * 1024;
const ALLOWED_PER_BYTE = 4;

/** Refuses a body as soon as it shows that it would cost too much. Throws {@link InvalidBody}. */
export function bodyBudget(bodyBytes: number) {
  let left = ALWAYS_ALLOWED + ALLOWED_PER_BYTE * bodyBytes;
  return {
    /** A flag was found, which has so many values. */
    flag(values: number) {
      left -= BYTES_OF_FLAG + values * BYTES_OF_VALUE;
      if (left < 0) throw new InvalidBody('the body has too many flags and values for its size');
    },
  };
}

/** The check of a limit of flags, which throws {@link InvalidBody} as soon as it is exceeded. `place` names the flag. */
const atMost = (most: number, ofWhat: string, what = '') => {
  const message = `${what}more than ${most} ${ofWhat}`;
  return (count: number, place: string): void => {
    if (count > most) throw new InvalidBody(`${place}: ${message}`);
  };
};
/** Levels of lists and objects in a flag. Flipt's snapshots have eight. */
export const checkLevels = atMost(32, 'levels of lists and objects');
/** Values in one flag: members, items, lists and objects. They are all in memory while the flag is read. */
export const checkValues = atMost(200_000, 'values');
/** Bytes of one text: a list of 50,000 users takes two million. */
export const checkText = atMost(8 * 1024 * 1024, 'bytes', 'a text of ');

/** Checks what is beside the flags, in the same way. */
export function checkRest(bytes: number): void {
  if (bytes > MOST_REST_BYTES) throw new InvalidBody(`more than ${MOST_REST_BYTES} bytes beside the flags`);
}

/** A list in JSON that may be long. Commas in its members count, too. */
export const LIST_IN_LIMITS = `a list of at most ${MOST_MEMBERS_OF_LIST} members`;
export function isListInLimits(json: string): boolean {
  if (json.length <= MOST_MEMBERS_OF_LIST) return true;
  let members = 0;
  for (let at = json.indexOf(','); at >= 0 && members <= MOST_MEMBERS_OF_LIST; at = json.indexOf(',', at + 1))
    members++;
  return members < MOST_MEMBERS_OF_LIST;
}
