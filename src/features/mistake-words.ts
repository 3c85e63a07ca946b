import { isRecord, quoted, unsteered } from '../base/text/describe.js';
import { memberOf } from './document-parts.js';
import type { DocumentPath, Mistake } from './features-error.js';
import { areMany, memberWords, type FoundRefusal } from './find-refusals.js';

type Words = Pick<FoundRefusal, 'problem' | 'fix'>;

/**
 * Describes a mistake in whole sentences, as a finding of `lint` needs them. `given` is the document that has the
 * mistake, as it was written.
 */
export function mistakeWords({ path, wrong }: Mistake, given: unknown): Words {
  for (const [pattern, wordsOf] of WORDS) {
    const found = pattern.exec(wrong);
    if (found !== null) return wordsOf({ path, given, parts: found.slice(1) });
  }
  return { problem: `${memberWords(given, path)}: ${wrong}.`, fix: 'Correct it.' };
}

interface Said {
  readonly path: DocumentPath;
  readonly given: unknown;
  /**
   * The texts that the groups of the regular expression matched. The text of a group that matched nothing is
   * `undefined`.
   */
  readonly parts: readonly (string | undefined)[];
}

/** A message ends with this hint if a value without quotes should have been a text. */
const UNQUOTED = ' (put it in quotes)';

/**
 * For each kind of message about a mistake: a pattern, and a function that turns the message into whole sentences. The
 * first pattern that matches the message is used.
 */
const WORDS: readonly (readonly [RegExp, (said: Said) => Words])[] = [
  [
    /^unknown member(?:; did you mean "?(.*?)"?\?)?$/,
    ({ path, given, parts: [meant = ''] }) => ({
      problem: `${memberWords(given, path.slice(0, -1))} has the unknown member ${unsteered(String(path.at(-1)))}.`,
      fix: meant === '' ? 'Remove it.' : `Write ${meant}, or remove it.`,
    }),
  ],
  [/^missing$/, ({ path, given }) => ({ problem: `${isWords(given, path)} missing.`, fix: 'Write it.' })],
  [
    /^(.*) occurs twice$/,
    ({ path, parts: [key = ''] }) => ({
      problem: `Two ${String(path.at(-3))} have the key ${key}.`,
      fix: 'Write another key, or remove one of the two.',
    }),
  ],
  [
    /^(.*) already has a document$/,
    ({ parts: [key = ''] }) => ({
      problem: `The namespace ${key} already has a document.`,
      fix: 'Write one document for each namespace.',
    }),
  ],
  [
    /^only a BOOLEAN_FLAG_TYPE has rollouts$/,
    ({ path, given }) => ({
      problem: `${memberWords(given, path.slice(0, -1))} has rollouts, which only a BOOLEAN_FLAG_TYPE has.`,
      fix: 'Write type: BOOLEAN_FLAG_TYPE, or remove the rollouts.',
    }),
  ],
  [
    /^(a file of [^,]*), not of Flipt: flags are a list here \((.*)\)$/,
    ({ parts: [file = '', page = ''] }) => ({
      problem: `This is ${file}, not of Flipt.`,
      fix: `Write the flags as a list; ${page}.`,
    }),
  ],
  [
    /^expected at most one default variant$/,
    ({ path, given }) => ({
      problem: `${memberWords(given, path.slice(0, -1))} has several default variants.`,
      fix: 'Write at most one of them.',
    }),
  ],
  [
    /^expected either (\w+) or (\w+)$/,
    ({ path, given, parts: [one = '', other = ''] }) => {
      const has = memberOf(valueAt(given, path), one) == null ? 'has neither' : 'has both';
      return {
        problem: `${memberWords(given, path)} ${has} ${one} ${has === 'has both' ? 'and' : 'nor'} ${other}.`,
        fix: `Write either ${one} or ${other}.`,
      };
    },
  ],
  [
    /^expected one of (.*) for (\w+), got (.*)$/s,
    ({ path, given, parts: [operators = '', type = '', got = ''] }) => ({
      problem: `${isWords(given, path)} ${got}, which ${type} does not have.`,
      fix: `Write one of ${operators}, or change the type.`,
    }),
  ],
  [
    /^expected the key of a (\w+) of (this \w+), got (.*)$/,
    ({ path, given, parts: [part = '', whole = '', got = ''] }) => ({
      problem: `${isWords(given, path)} ${got}, which is no ${part} of ${whole}.`,
      fix: `Write the key of a ${part} of ${whole}, or add the ${part}.`,
    }),
  ],
  [
    /^expected (a list of \w+), got (.*) in it$/,
    ({ path, given, parts: [expected = '', got = ''] }) => ({
      problem: `${isWords(given, path)} a list with ${got} in it.`,
      fix: `Write ${expected}.`,
    }),
  ],
  [
    /^expected (at most \d+ members), got (\d+)$/,
    ({ path, given, parts: [expected = '', got = ''] }) => ({
      problem: `${memberWords(given, path)} has ${got} members.`,
      fix: `Write ${expected}.`,
    }),
  ],
  [
    /^expected no date without quotes/,
    ({ path, given }) => ({
      problem: `${isWords(given, path)} a date without quotes.`,
      fix: 'Put it in quotes.',
    }),
  ],
  [
    /^expected (.*), got (.*)$/s,
    ({ path, given, parts: [expected = '', found = ''] }) => {
      const got = found.endsWith(UNQUOTED) ? found.slice(0, -UNQUOTED.length) : found;
      return {
        problem: `${isWords(given, path)} ${got === 'none' ? 'empty' : got}.`,
        fix: got === found ? `Write ${expected}.` : 'Put it in quotes.',
      };
    },
  ],
  [
    /^expected (.*)$/,
    ({ path, given, parts: [expected = ''] }) => ({
      problem: `${isWords(given, path)} ${kindIn(valueAt(given, path))}.`,
      fix: `Write ${expected}.`,
    }),
  ],
];

function isWords(given: unknown, path: DocumentPath): string {
  return `${memberWords(given, path)} ${areMany(path) ? 'are' : 'is'}`;
}

function kindIn(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? 'a mapping' : String(value);
}

/** Returns the part of a document at a path, or `undefined` if there is no such part. */
export function valueAt(given: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((holder, part) => memberOf(holder, String(part)), given);
}
