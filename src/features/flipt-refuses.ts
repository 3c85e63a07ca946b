import { isRecord, unlessItThrows } from '../base/text/describe.js';
import type { Semantics } from '../engine/features.js';
import { isOf64Bits } from './stored-values.js';
import { memberOf, REFUSED, shown, type Path, type Problem } from './problem.js';

/**
 * The import of v1, its file storage, and the releases of v2, each with refusals or an evaluation of its own. `v2.8`
 * stands for 2.0 to 2.8.
 */
export const VERSIONS = ['v1', 'v1-files', 'v2.8', 'v2.9', 'v2.10', 'v2.11'] as const;
export type Version = (typeof VERSIONS)[number];

export function semanticsOf(version: Version): Semantics {
  if (version === 'v2.8') return version;
  return version === 'v1' || version === 'v1-files' ? 'v1' : 'v2';
}

export function versionOf(semantics: Semantics): Version {
  return semantics === 'v2' ? 'v2.11' : semantics;
}

const FORMATS = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6'];

/** Also what a version takes a document without `version` for. */
const NEWEST_FORMAT: Readonly<Record<Version, string>> = {
  v1: '1.4',
  'v1-files': '1.4',
  'v2.8': '1.5',
  'v2.9': '1.5',
  'v2.10': '1.5',
  'v2.11': '1.6',
};

export function formatOf(given: unknown, version: Version): string {
  const written = typeof given === 'number' || typeof given === 'string' ? String(given) : '';
  if (written === '') return NEWEST_FORMAT[version];
  return version === 'v1' ? shortFormat(written) : written;
}

/** The import of v1 also takes `v1`, `1.0.0` and `1` for `1.0`. */
function shortFormat(text: string): string {
  const parts = text.trim().replace(/^v/, '').split('.');
  if (parts.length > 3 || !parts.every((part) => /^\d+$/.test(part))) return text;
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return patch === 0 ? `${major}.${minor}` : text;
}

function isKnownFormat(format: string, version: Version): boolean {
  return FORMATS.slice(0, FORMATS.indexOf(NEWEST_FORMAT[version]) + 1).includes(format);
}

/** `false` for a version that the format never had. */
export function isFormatBefore(format: string, first: string): boolean {
  return FORMATS.includes(format) && FORMATS.indexOf(format) < FORMATS.indexOf(first);
}

/** What it does with the file. */
export function effectOf(version: Version): string {
  if (version === 'v1') return 'Flipt v1 stops its import here.';
  if (version === 'v1-files') return 'Flipt v1 does not start if its local, Git or object storage holds it.';
  return `Flipt ${version.slice(1)} serves no flag of this environment.`;
}

/*
 * Rules of Flipt's sources, tried on real servers (test/recordings/refusals): v2 and v1's file storage check a CUE
 * schema, the import of v1 checks versions.
 */
interface Refusal {
  /** Such as `flags[].name`; `*` stands for every member of a mapping. */
  readonly at: readonly string[];
  readonly by: readonly Version[];
  /** `undefined` for a missing member. */
  readonly refuses: (value: unknown, place: Place) => boolean;
  /** Follows "but": what Flipt accepts. */
  readonly but: string;
  readonly fix: string;
}

interface Place {
  readonly version: Version;
  readonly holder: unknown;
  /** The format's version by whose rules the document is read. */
  readonly format: string;
}

const IMPORT: readonly Version[] = ['v1'];
const FILES: readonly Version[] = ['v1-files'];
const BEFORE_2_10: readonly Version[] = ['v1-files', 'v2.8', 'v2.9'];
const BEFORE_2_11: readonly Version[] = [...BEFORE_2_10, 'v2.10'];
const SCHEMAS: readonly Version[] = [...BEFORE_2_11, 'v2.11'];
const SINCE_2_10: readonly Version[] = ['v2.10', 'v2.11'];
const V2_11: readonly Version[] = ['v2.11'];

const isGiven = (value: unknown): boolean => value !== undefined;
const isNull = (value: unknown): boolean => value === null;
const isLine = (value: unknown): boolean => typeof value === 'string' && /^[^\n]+$/.test(value);
const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const inFormatBefore =
  (first: string) =>
  (value: unknown, { format }: Place) =>
    isGiven(value) && isFormatBefore(format, first);

/** Only objects can contain a cycle, which ends the stack; no file can. */
function holds(value: unknown, test: (part: unknown) => boolean): boolean {
  return unlessItThrows(() => hasAnywhere(value, test)) === true;
}

function hasAnywhere(value: unknown, test: (part: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return test(value);
  return Object.values(value).some((part) => hasAnywhere(part, test));
}

const ofList = ({ holder }: Place): boolean =>
  ['isoneof', 'isnotoneof'].includes(String(memberOf(holder, 'operator')));

const A_LINE = 'must be a text in one line';
const since = (format: string): string => `exists only from version ${format} of the format on`;
const WRITE_1_4 = `Write version: '1.4'.`;
const LEAVE_OUT = 'Leave the member out.';

const REFUSALS: readonly Refusal[] = [
  {
    at: ['version'],
    by: [...IMPORT, ...SCHEMAS],
    refuses: (value, { format, version }) => {
      if (version === 'v1') return !isKnownFormat(format, version);
      return isGiven(value) && (typeof value !== 'string' || value === '' || !isKnownFormat(format, version));
    },
    but: 'must be a version that this Flipt knows, in quotes',
    fix: WRITE_1_4,
  },
  {
    at: ['namespace.name', 'flags[].variants[].name'],
    by: SCHEMAS,
    refuses: (value) => isGiven(value) && !isLine(value),
    but: A_LINE,
    fix: 'Write a name, or leave the member out.',
  },
  {
    at: ['flags[].name', 'segments[].name'],
    by: SCHEMAS,
    refuses: (value) => !isLine(value),
    but: A_LINE,
    fix: 'Write a name.',
  },
  {
    at: ['flags[].variants[].key'],
    by: SCHEMAS,
    refuses: (value) => typeof value === 'string' && !isLine(value),
    but: A_LINE,
    fix: 'Write the key in one line.',
  },
  {
    at: [
      'namespace.description',
      'flags[].description',
      'flags[].variants[].description',
      'flags[].rollouts[].description',
      'segments[].description',
      'segments[].constraints[].description',
    ],
    by: BEFORE_2_10,
    refuses: isNull,
    but: 'must be a text',
    fix: LEAVE_OUT,
  },
  {
    at: [
      'namespace',
      'flags',
      'flags[].enabled',
      'flags[].type',
      'flags[].metadata',
      'flags[].metadata.*',
      'flags[].variants',
      'flags[].variants[].default',
      'flags[].rules',
      'flags[].rules[].rank',
      'flags[].rules[].segment.keys',
      'flags[].rules[].distributions',
      'flags[].rollouts',
      'flags[].rollouts[].segment',
      'flags[].rollouts[].segment.key',
      'flags[].rollouts[].segment.keys',
      'flags[].rollouts[].segment.value',
      'flags[].rollouts[].threshold',
      'flags[].rollouts[].threshold.value',
      'segments',
      'segments[].constraints',
      'segments[].constraints[].value',
    ],
    by: SCHEMAS,
    refuses: isNull,
    but: 'must have a value or be left out',
    fix: LEAVE_OUT,
  },
  {
    at: ['flags[].type'],
    by: [...IMPORT, ...SCHEMAS],
    refuses: (value, { format }) =>
      typeof value === 'string' && value !== '' && isFormatBefore(format, '1.1'),
    but: since('1.1'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].rollouts'],
    by: SCHEMAS,
    refuses: inFormatBefore('1.1'),
    but: since('1.1'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].metadata', 'flags[].variants[].default'],
    by: SCHEMAS,
    refuses: inFormatBefore('1.3'),
    but: since('1.3'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].metadata'],
    by: [...IMPORT, ...SCHEMAS],
    refuses: Array.isArray,
    but: 'must be a mapping',
    fix: LEAVE_OUT,
  },
  {
    at: ['flags[].metadata.*'],
    by: FILES,
    refuses: (value) => Array.isArray(value) || isRecord(value),
    but: 'must be a text, a number, or true or false',
    fix: 'Write its text, such as JSON in quotes.',
  },
  {
    at: ['flags[].metadata.*'],
    by: SCHEMAS,
    refuses: (value) => holds(value, (part) => typeof part === 'number' && !Number.isFinite(part)),
    but: 'must hold no .inf and no .nan',
    fix: 'Write another number, or put it in quotes.',
  },
  {
    at: ['flags[].metadata.*', 'flags[].variants[].attachment'],
    by: SCHEMAS,
    refuses: (value) => holds(value, (part) => typeof part === 'bigint' && !isOf64Bits(part)),
    but: 'must hold no integer of more than 64 bits',
    fix: 'Put the integer in quotes, or write it with a fraction.',
  },
  {
    at: ['flags[].variants[].default'],
    by: IMPORT,
    refuses: (value, { format }) => value === true && isFormatBefore(format, '1.3'),
    but: since('1.3'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].variants[].attachment'],
    by: SCHEMAS,
    refuses: (value) => isGiven(value) && !isNull(value) && !Array.isArray(value) && !isRecord(value),
    but: 'must be a mapping or a list',
    fix: 'Write a mapping or a list.',
  },
  {
    at: ['flags[].rollouts'],
    by: IMPORT,
    refuses: (value, { format }) => isFilledList(value) && isFormatBefore(format, '1.1'),
    but: since('1.1'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].rollouts'],
    by: SINCE_2_10,
    refuses: (value, { holder }) => isGiven(value) && memberOf(holder, 'type') !== 'BOOLEAN_FLAG_TYPE',
    but: 'belongs to a BOOLEAN_FLAG_TYPE only',
    fix: LEAVE_OUT,
  },
  {
    at: ['flags[].rollouts'],
    by: BEFORE_2_10,
    refuses: (value, { holder }) => isGiven(value) && memberOf(holder, 'type') === 'VARIANT_FLAG_TYPE',
    but: 'belongs to a BOOLEAN_FLAG_TYPE only',
    fix: LEAVE_OUT,
  },
  {
    at: ['flags[].rollouts[].segment.keys'],
    by: IMPORT,
    refuses: (value, { format }) => isFilledList(value) && isFormatBefore(format, '1.2'),
    but: since('1.2'),
    fix: `Write version: '1.4', or key: with one key.`,
  },
  {
    at: ['segments[].match_type'],
    by: SCHEMAS,
    refuses: (value) => value == null,
    but: 'must be ALL_MATCH_TYPE or ANY_MATCH_TYPE',
    fix: 'Write match_type: ALL_MATCH_TYPE, which is what a segment without one means here and in an import of v1.',
  },
  {
    at: ['segments[].constraints[].property'],
    by: SCHEMAS,
    refuses: (value) => typeof value === 'string' && !isLine(value),
    but: A_LINE,
    fix: 'Write the name of the attribute in one line.',
  },
  {
    at: ['segments[].constraints[].operator'],
    by: SCHEMAS,
    refuses: (value) => typeof value === 'string' && value !== value.toLowerCase(),
    but: 'must be written in small letters',
    fix: 'Write it in small letters.',
  },
  {
    at: ['segments[].constraints[].operator'],
    by: SCHEMAS,
    refuses: (value) => value === 'lt',
    but: `is called le by Flipt's schema, by mistake`,
    fix: 'Write lte with the next smaller value, such as 17 instead of lt 18.',
  },
  {
    at: ['segments[].constraints[].value'],
    by: V2_11,
    refuses: (value, place) =>
      typeof value === 'string' && ofList(place) && !isFormatBefore(place.format, '1.6'),
    but: 'must be a list in version 1.6 of the format, and in a document without a version',
    fix: `Write version: '1.4', or the value as a list.`,
  },
  {
    at: ['segments[].constraints[].value'],
    by: BEFORE_2_11,
    refuses: Array.isArray,
    but: 'must be a text',
    fix: `Write version: '1.4' and the list in quotes, as '["a", "b"]'; or update Flipt to 2.11.`,
  },
];

/** In documents as they were written, without defaults: a list for each. */
export function refusalsIn(documents: readonly unknown[], version: Version): readonly (readonly Problem[])[] {
  const rows = REFUSALS.filter(({ by }) => by.includes(version));
  const first = memberOf(documents[0], 'version');
  return documents.map((given, index) => {
    // The import of v1 applies the first document's version to all documents of the file.
    const isRead = version !== 'v1' || index === 0;
    const format = formatOf(isRead ? memberOf(given, 'version') : first, version);
    return rows.flatMap(({ at, refuses, but, fix }) =>
      at
        .filter((place) => isRead || place !== 'version')
        .flatMap((place) => Array.from(membersAt(given, place.split('.'))))
        .filter(({ value, holder }) => refuses(value, { version, holder, format }))
        .map(({ value, path }): Problem => {
          const what = value === undefined ? 'missing' : shown(value);
          const problem = `${what}, but it ${but}. ${effectOf(version)}`;
          return { path, rule: REFUSED, level: 'error', problem, fix };
        }),
    );
  });
}

interface Member {
  readonly value: unknown;
  readonly holder: unknown;
  readonly path: Path;
}

/** `undefined` for a missing member. */
function* membersAt(
  holder: unknown,
  [part = '', ...rest]: readonly string[],
  path: Path = [],
): Iterable<Member> {
  if (!isRecord(holder)) return;
  const isList = part.endsWith('[]');
  for (const name of part === '*' ? Object.keys(holder) : [isList ? part.slice(0, -2) : part]) {
    const value = memberOf(holder, name);
    const here = [...path, name];
    if (isList) {
      for (const [index, item] of Array.isArray(value) ? value.entries() : [])
        yield* membersAt(item, rest, [...here, index]);
    } else if (rest.length > 0) yield* membersAt(value, rest, here);
    else yield { value, holder, path: here };
  }
}
