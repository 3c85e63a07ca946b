import { isRecord, unlessItThrows } from '../base/text/describe.js';
import { memberOf } from './document-parts.js';
import { isOf64Bits } from './normal-forms.js';
import { isFormatBefore, isKnownFormat, type FileReader } from './format-versions.js';

/*
 * The table REFUSALS lists what Flipt refuses in a features file although this package can read it. Each row of the
 * table REFUSALS is one rule: which members the rule is about, which parts and releases of Flipt ("readers") refuse
 * them, and what these readers accept instead. Each row comes from Flipt's sources: v2 and the file storage of v1 check
 * a CUE schema, and the import of v1 checks versions. Each row was also tried on real servers: test/recordings/refusals
 * has the documents and the answers of the servers.
 */

export interface FliptRefusal {
  /**
   * The paths of the members that the rule is about, such as `flags[].name`. In a path, `*` stands for every member of
   * a mapping.
   */
  readonly at: readonly string[];
  readonly by: readonly FileReader[];
  /**
   * Returns whether Flipt's readers in `by` refuse this value of the member. The value is `undefined` if the member is
   * missing.
   */
  readonly refuses: (value: unknown, place: RefusalPlace) => boolean;
  /**
   * Says what the readers accept, such as `must be a text in one line`. In the text of a finding, these words follow
   * the word "but".
   */
  readonly but: string;
  /** Says in a whole sentence what to write instead. */
  readonly fix: string;
}

/** Where a member stands: in which mapping, in a document of which version, and for which reader. */
export interface RefusalPlace {
  readonly reader: FileReader;
  /** The mapping that contains the member. */
  readonly holder: unknown;
  /** The version of the file format by whose rules the reader reads the document. */
  readonly version: string;
}

const IMPORT = ['v1 import'] as const;
const V2 = ['2.9', '2.10', '2.11', 'next'] as const;
/** The parts and releases of Flipt that check features files against a schema. */
const SCHEMAS = ['v1 files', ...V2] as const;
const BEFORE_2_10 = ['v1 files', '2.9'] as const;
const BEFORE_2_11 = ['v1 files', '2.9', '2.10'] as const;
const SINCE_2_10 = ['2.10', '2.11', 'next'] as const;
const SINCE_2_11 = ['2.11', 'next'] as const;

const isGiven = (value: unknown): boolean => value !== undefined;
const isNull = (value: unknown): boolean => value === null;
const isLine = (value: unknown): boolean => typeof value === 'string' && /^[^\n]+$/.test(value);
const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const inVersionBefore =
  (first: string) =>
  (value: unknown, { version }: RefusalPlace) =>
    isGiven(value) && isFormatBefore(version, first);

/**
 * Returns whether a value, or any value inside it at any depth, passes the test. If a cycle in an object makes the
 * search endless, the function returns `false`; no file can contain a cycle.
 */
function holds(value: unknown, test: (part: unknown) => boolean): boolean {
  return unlessItThrows(() => hasAnywhere(value, test)) === true;
}

function hasAnywhere(value: unknown, test: (part: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return test(value);
  return Object.values(value).some((part) => hasAnywhere(part, test));
}

/**
 * Returns whether the constraint's operator is `isoneof` or `isnotoneof`, because only these two operators compare with
 * a list.
 */
const ofList = ({ holder }: RefusalPlace): boolean =>
  ['isoneof', 'isnotoneof'].includes(String(memberOf(holder, 'operator')));

const A_LINE = 'must be a text in one line';
const since = (version: string): string => `exists only from version ${version} of the format on`;
const WRITE_1_4 = `Write version: '1.4'.`;
const LEAVE_OUT = 'Leave the member out.';

/** The rules about what Flipt refuses, mostly in the order in which the members stand in a document. */
export const REFUSALS: readonly FliptRefusal[] = [
  {
    at: ['version'],
    by: [...IMPORT, ...SCHEMAS],
    refuses: (value, { version, reader }) => {
      if (reader === 'v1 import') return !isKnownFormat(version, reader);
      return isGiven(value) && (typeof value !== 'string' || value === '' || !isKnownFormat(version, reader));
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
    refuses: (value, { version }) =>
      typeof value === 'string' && value !== '' && isFormatBefore(version, '1.1'),
    but: since('1.1'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].rollouts'],
    by: SCHEMAS,
    refuses: inVersionBefore('1.1'),
    but: since('1.1'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].metadata', 'flags[].variants[].default'],
    by: SCHEMAS,
    refuses: inVersionBefore('1.3'),
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
    by: ['v1 files'],
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
    refuses: (value, { version }) => value === true && isFormatBefore(version, '1.3'),
    but: since('1.3'),
    fix: WRITE_1_4,
  },
  {
    at: ['flags[].variants[].attachment'],
    by: ['v1 files'],
    refuses: (value) => isGiven(value) && !isNull(value) && !Array.isArray(value) && !isRecord(value),
    but: 'must be a mapping or a list',
    fix: 'Write a mapping or a list.',
  },
  {
    at: ['flags[].rollouts'],
    by: IMPORT,
    refuses: (value, { version }) => isFilledList(value) && isFormatBefore(version, '1.1'),
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
    refuses: (value, { version }) => isFilledList(value) && isFormatBefore(version, '1.2'),
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
    by: [...BEFORE_2_11, '2.11'],
    refuses: (value) => value === 'lt',
    but: `Flipt's schema calls it le, by mistake`,
    fix: 'Write lte with the next smaller value, such as 17 instead of lt 18.',
  },
  {
    at: ['segments[].constraints[].value'],
    by: SINCE_2_11,
    refuses: (value, place) =>
      typeof value === 'string' && ofList(place) && !isFormatBefore(place.version, '1.6'),
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
