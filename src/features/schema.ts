import * as v from 'valibot';
import { COMPARISON_TYPES, MATCH_TYPES, SEGMENT_OPERATORS, type Rollout } from '../engine/features.js';
import { similarName } from '../base/text/closest-name.js';
import { beginningOf, isRecord, quoted, unsteered } from '../base/text/describe.js';
import { rolloutPercentage, segmentChoice } from './stored-values.js';
import { effectOf, type Version } from './flipt-refuses.js';
import { IGNORED, INVALID, memberOf, pathText, REFUSED, type Path, type Problem } from './problem.js';

const A_MAPPING = 'a mapping';
const A_LIST = 'a list';

const string = v.string('a string');
const number = v.number('a number');
const text = v.nullish(string, '');
const about = { name: text, description: text };
const flag = v.nullish(v.boolean('true or false'), false);
const mapping = <Entries extends v.ObjectEntries>(entries: Entries) =>
  // `v.object` alone takes a list for a mapping without members.
  v.pipe(v.custom<object>(isRecord, A_MAPPING), v.object(entries, A_MAPPING));
const list = <Item extends v.GenericSchema>(item: Item) => v.nullish(v.array(item, A_LIST), []);
const oneOf = <const Words extends readonly string[]>(words: Words) => v.picklist(words, words.join(' or '));
const keys = v.array(string, A_LIST);
const operator = v.nullish(oneOf(SEGMENT_OPERATORS), 'OR_SEGMENT_OPERATOR');

/** Flipt v2 takes a list; references.ts checks its members. */
const constraintValue = v.lazy((given): v.GenericSchema<string | readonly unknown[]> =>
  Array.isArray(given) ? v.array(v.unknown()) : string,
);

const constraint = mapping({
  type: oneOf(COMPARISON_TYPES),
  property: string,
  operator: string,
  value: v.nullish(constraintValue, ''),
  description: text,
});

const segment = mapping({
  key: string,
  ...about,
  match_type: v.nullish(oneOf(MATCH_TYPES), 'ALL_MATCH_TYPE'),
  constraints: list(constraint),
});

const variant = mapping({
  key: v.pipe(string, v.minLength(1, 'a key')),
  ...about,
  default: flag,
  attachment: v.optional(v.unknown()),
});

const segments = v.pipe(
  v.union(
    [string, mapping({ keys: v.nullish(keys, []), operator })],
    'the key of a segment, or keys and an operator',
  ),
  v.transform((given) =>
    typeof given === 'string' ? segmentChoice([given]) : segmentChoice(given.keys, given.operator),
  ),
);

const RANK = 'a whole number from 0 to 2147483647';
const rank = v.pipe(number, v.integer(RANK), v.minValue(0, RANK), v.maxValue(2 ** 31 - 1, RANK));

const rule = v.pipe(
  mapping({
    segment: segments,
    rank: v.nullish(rank, 0),
    distributions: list(mapping({ variant: string, rollout: number })),
  }),
  v.transform(({ segment, ...rest }) => ({ ...segment, ...rest })),
);

const areBoth = (one: unknown, other: unknown) => one != null && other != null;

const segmentRollout = v.pipe(
  mapping({ key: v.nullish(string), keys: v.nullish(keys), operator, value: flag }),
  v.check(({ key, keys }) => (key == null) !== (keys == null), 'either key or keys'),
  v.transform(({ key, keys, operator, value }): Rollout => {
    const choice = segmentChoice(keys ?? (key == null ? [] : [key]), operator);
    return { kind: 'segment', ...choice, value };
  }),
);

const thresholdRollout = v.pipe(
  mapping({ percentage: v.pipe(number, v.transform(rolloutPercentage)), value: flag }),
  v.transform((given): Rollout => ({ kind: 'threshold', ...given })),
);

/** `undefined` for a rollout without segment and threshold. */
const rollout = v.pipe(
  mapping({
    description: text,
    segment: v.nullish(segmentRollout),
    threshold: v.nullish(thresholdRollout),
  }),
  v.check(({ segment, threshold }) => !areBoth(segment, threshold), 'either segment or threshold'),
  v.transform(({ segment, threshold }) => segment ?? threshold ?? undefined),
);

const flagDocument = mapping({
  key: string,
  ...about,
  type: v.nullish(oneOf(['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE']), 'VARIANT_FLAG_TYPE'),
  enabled: flag,
  // Unlike `v.record`, this keeps members such as `constructor`.
  metadata: v.nullish(v.custom<Readonly<Record<string, unknown>>>(isRecord, A_MAPPING)),
  variants: list(variant),
  rules: list(rule),
  rollouts: list(rollout),
});

const namespace = v.union(
  [string, mapping({ key: string, ...about })],
  'a namespace key, or a mapping with key, name and description',
);

export const documentSchema = mapping({
  version: v.nullish(v.union([string, number], '(string | number)')),
  namespace: v.nullish(namespace, 'default'),
  flags: list(flagDocument),
  segments: list(segment),
});

/** A document of the right shape, with every default filled in. */
export type CheckedDocument = v.InferOutput<typeof documentSchema>;
export type CheckedFlag = CheckedDocument['flags'][number];
export type CheckedSegment = CheckedDocument['segments'][number];

interface Members {
  readonly [name: string]: Members | 0;
}

const ABOUT = { key: 0, name: 0, description: 0 } as const;
const CHOICE = { keys: 0, operator: 0 } as const;
const MEMBERS: Members = {
  version: 0,
  namespace: ABOUT,
  flags: {
    ...ABOUT,
    type: 0,
    enabled: 0,
    metadata: 0,
    variants: { ...ABOUT, default: 0, attachment: 0 },
    rules: { segment: CHOICE, rank: 0, distributions: { variant: 0, rollout: 0 } },
    rollouts: {
      description: 0,
      segment: { key: 0, ...CHOICE, value: 0 },
      threshold: { percentage: 0, value: 0 },
    },
  },
  segments: {
    ...ABOUT,
    match_type: 0,
    constraints: { type: 0, property: 0, operator: 0, value: 0, description: 0 },
  },
};

/** `content` is missing if it cannot be used. */
export interface CheckedShape {
  readonly content: CheckedDocument | undefined;
  readonly problems: readonly Problem[];
}

export function checkShape(given: unknown, version: Version): CheckedShape {
  const whole = wrongFile(given);
  if (whole !== undefined) return { content: undefined, problems: [invalid([], whole)] };
  const unknown = Array.from(unknownMembers(given, MEMBERS));
  const problems: Problem[] = unknown.map(({ path, known }) => unknownMember(path, known, version));
  const first = v.safeParse(documentSchema, given);
  const changes = (first.issues ?? []).flatMap((issue) => asFliptReads(issue, version) ?? []);
  for (const { path, problem } of changes)
    problems.push({ path, rule: IGNORED, level: 'error', problem: `${problem}.` });
  const last = changes.length === 0 ? first : v.safeParse(documentSchema, withChanges(given, changes));
  for (const issue of last.issues ?? []) problems.push(invalid(pathOf(issue), messageOf(issue)));
  return { content: last.success ? last.output : undefined, problems };
}

function invalid(path: Path, problem: string): Problem {
  return { path, rule: INVALID, level: 'error', problem };
}

/** The schema alone takes a list for a mapping without members, and does not name another service. */
function wrongFile(given: unknown): string | undefined {
  if (Array.isArray(given)) return `expected ${A_MAPPING}, got ${A_LIST}`;
  const service = otherService(given);
  if (service === undefined) return undefined;
  return `a file of ${service}, not of Flipt: flags are a list here (docs/migrating.md compares the two)`;
}

/** LaunchDarkly and flagd write flags as a mapping. */
function otherService(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { flags, flagValues } = value;
  if (isRecord(flagValues) && (flags === undefined || isRecord(flags))) return 'LaunchDarkly';
  if (!isRecord(flags)) return undefined;
  const all = Object.values(flags).filter(isRecord);
  if (all.some((flag) => 'defaultVariant' in flag || 'state' in flag)) return 'flagd';
  return all.some((flag) => 'fallthrough' in flag || 'offVariation' in flag) ? 'LaunchDarkly' : undefined;
}

function* unknownMembers(
  given: unknown,
  members: Members,
  path: Path = [],
): Iterable<{ readonly path: Path; readonly known: readonly string[] }> {
  if (Array.isArray(given)) {
    for (const [index, item] of given.entries())
      if (isRecord(item)) yield* unknownMembers(item, members, [...path, index]);
  } else if (isRecord(given)) {
    for (const [name, value] of Object.entries(given)) {
      const inside = Object.hasOwn(members, name) ? members[name] : undefined;
      if (inside === undefined) yield { path: [...path, name], known: Object.keys(members) };
      else if (inside !== 0) yield* unknownMembers(value, inside, [...path, name]);
    }
  }
}

function unknownMember(path: Path, known: readonly string[], version: Version): Problem {
  const name = String(path.at(-1));
  // No name of similar letters.
  const meant =
    name === 'percentage' && known.includes('threshold')
      ? 'threshold: { percentage, value }'
      : similarName(name, known);
  const guess = meant === undefined ? '' : `; did you mean ${meant.includes(' ') ? meant : quoted(meant)}?`;
  const isTaken = version === 'v1';
  const effect = isTaken ? 'Flipt v1 ignores it.' : effectOf(version);
  return {
    path,
    rule: isTaken ? IGNORED : REFUSED,
    level: 'error',
    problem: `unknown member${guess || '.'} ${effect}`,
  };
}

interface Change {
  readonly path: Path;
  /** `undefined` leaves the member out. */
  readonly value: unknown;
}

/** Copies only what changes, so that the objects of a user stay as they are. */
function withChanges(given: unknown, changes: readonly Change[]): unknown {
  const copies = new Set<unknown>();
  const copyOf = (value: unknown): unknown => {
    if (copies.has(value) || typeof value !== 'object' || value === null) return value;
    const copy: object = Array.isArray(value) ? Array.from<unknown>(value) : { ...value };
    copies.add(copy);
    return copy;
  };
  const root = copyOf(given);
  for (const { path, value } of changes) {
    let holder = root;
    for (const part of path.slice(0, -1)) {
      const inside = copyOf(memberOf(holder, part));
      set(holder, part, inside);
      holder = inside;
    }
    set(holder, path.at(-1) ?? '', value);
  }
  return root;
}

function set(holder: unknown, name: string | number, value: unknown): void {
  if (typeof holder !== 'object' || holder === null) return;
  if (value === undefined) Reflect.deleteProperty(holder, name);
  else Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
}

/** `undefined` if Flipt refuses the value. */
function asFliptReads(
  issue: v.BaseIssue<unknown>,
  version: Version,
): (Change & { problem: string }) | undefined {
  const path = pathOf(issue);
  const place = pathText(path).replace(/\[\d+\]/g, '[]');
  const problem = messageOf(issue);
  if (/\.rank$/.test(place) && typeof issue.input === 'number' && /^\d+$/.test(String(issue.input)))
    return { path, value: undefined, problem: `${problem}. Flipt takes it, and the rule's position counts` };
  if (version !== 'v1') return undefined;
  if (/\.rank$/.test(place) && typeof issue.input === 'number' && issue.input > 0)
    return { path, value: Math.trunc(issue.input), problem: `${problem}. Flipt v1 drops the fraction` };
  const isWord = typeof issue.input === 'string' || typeof issue.input === 'number' || issue.input === true;
  if (/^flags\[\]\.type$|\.match_type$|\.segment\.operator$/.test(place) && isWord)
    return { path, value: undefined, problem: `${problem}. Flipt v1 takes it as if it were left out` };
  const operator = memberOf(issue.input, 'operator');
  if (/\.rules\[\]\.segment$/.test(place) && typeof operator === 'string' && !isOperator(operator))
    return {
      path: [...path, 'operator'],
      value: undefined,
      problem: `${problem}. Flipt v1 takes its operator as OR`,
    };
  if (issue.input != null) return undefined;
  if (/\.(?:percentage|rollout)$/.test(place))
    return { path, value: 0, problem: `${problem}. Flipt v1 reads 0` };
  if (/\.(?:property|operator)$|^(?:flags|segments)\[\]\.key$/.test(place))
    return { path, value: '', problem: `${problem}. Flipt v1 reads an empty text` };
  return undefined;
}

const isOperator = (word: string) => SEGMENT_OPERATORS.some((known) => known === word);

function pathOf({ path }: v.BaseIssue<unknown>): Path {
  return path?.map(({ key }) => (typeof key === 'number' ? key : String(key))) ?? [];
}

const KINDS: Readonly<Record<string, string>> = { Object: A_MAPPING, Array: A_LIST };

function messageOf({ type, message, received, path, input, expected }: v.BaseIssue<unknown>): string {
  // For a missing member, Valibot's `expected` is its name, which the path shows.
  if (received === 'undefined') return 'missing';
  if (type === 'check') return `expected ${message}`;
  if (type === 'min_length') return `expected ${message}, got none`;
  // A file that is one text is no features file, and must not stand in a public log.
  if (path === undefined && typeof input === 'string') return `expected ${message}, got a text`;
  const got = KINDS[received] ?? beginningOf(unsteered(received));
  const isUnquoted = expected === 'string' && typeof input !== 'object';
  return `expected ${message}, got ${got}${isUnquoted ? ' (put it in quotes)' : ''}`;
}
