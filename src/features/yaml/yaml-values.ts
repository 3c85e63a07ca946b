import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Pair, Scalar, YAMLMap } from 'yaml';
import type { Semantics } from '../../engine/features.js';
import { convertsYaml, isV2, takesLists } from '../../engine/rules-of-version.js';
import { quoted } from '../../text/describe.js';
import type { DocumentPath, Report } from '../features-error.js';
import { scalarValue, textOfScalar, Timestamp, type ScalarValue } from './scalar-value.js';

/**
 * So many values may stand behind aliases, counted wherever they are repeated or merged: Flipt has such a limit, too.
 * Without it, a list of merges of lists of merges takes time that is exponential in the length of the file.
 */
const MOST_REPEATED = 400_000;

/**
 * The values of a YAML document, parsed without any meaning, as Go's YAML reader gives them to Flipt. What a value is
 * depends on the member that it is read for. Throws if an alias cannot be followed.
 */
export function yamlValues(document: Document, rules: ReadingRules, report: Report): unknown {
  const targets = targetsOf(document);
  const followed = new Set<unknown>();
  let repeated = 0;

  return valueOf(document.contents, [], 'member');

  function valueOf(node: unknown, path: DocumentPath, type: YamlType): unknown {
    countIfRepeated();
    if (isAlias(node)) return follow(node, (target) => valueOf(target, path, type));
    if (isScalar(node)) return scalarOf(node, path, type);
    if (isMap(node)) return Object.fromEntries(membersOf(node, path, type));
    if (isSeq(node)) return node.items.map((item, index) => valueOf(item, [...path, index], type));
    return null;
  }

  function countIfRepeated(): void {
    if (followed.size > 0 && ++repeated > MOST_REPEATED) throw new Error('too much is repeated by aliases');
  }

  function scalarOf(scalar: Scalar, path: DocumentPath, type: YamlType): unknown {
    const read = scalarValue(scalar);
    const result = 'wrong' in read ? read : readAs(type, read.value, textOfScalar(scalar), rules);
    if (!('wrong' in result)) return result.value;
    report(path, result.wrong);
    return textOfScalar(scalar);
  }

  /** A member of the mapping itself wins over one that is merged into it, wherever it stands. */
  function membersOf(map: YAMLMap, path: DocumentPath, type: YamlType): Map<string, unknown> {
    const members = new Map<string, unknown>();
    let merged: Members[] = [];
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        merged = mergedBy(value, path, type);
        continue;
      }
      const name = nameOf(key, path, type);
      if (name === undefined) continue;
      const place = [...path, name];
      members.set(name, valueOf(value, place, typeOf(place, type, rules)));
    }
    for (const each of merged)
      for (const [name, value] of each) {
        countIfRepeated();
        if (!members.has(name)) members.set(name, value);
      }
    return members;
  }

  /** The members of one mapping, or of several in a list: the first one that has a member wins. */
  function mergedBy(from: unknown, path: DocumentPath, type: YamlType): Members[] {
    countIfRepeated();
    if (isAlias(from)) return follow(from, (target) => mergedBy(target, path, type));
    if (isMap(from)) return [membersOf(from, path, type)];
    if (isSeq(from)) return from.items.flatMap((item) => mergedBy(item, path, type));
    report([...path, '<<'], 'expected a mapping, or a list of mappings');
    return [];
  }

  function nameOf(key: unknown, path: DocumentPath, type: YamlType): string | undefined {
    const node = isAlias(key) ? follow(key, (target) => target) : key;
    const name = isScalar(node) ? readAsText(node, type) : undefined;
    if (name !== undefined) return name;
    const got = isScalar(node) ? `, got ${quoted(textOfScalar(node))} without quotes` : '';
    report(path, `expected text as the name of a member${got}`);
    return undefined;
  }

  function follow<Result>(alias: Alias, use: (target: unknown) => Result): Result {
    const target = targets.get(alias);
    if (target === undefined) throw new Error(`the alias ${quoted(alias.source)} has no anchor before it`);
    if (followed.has(target)) throw new Error(`the anchor ${quoted(alias.source)} contains itself`);
    followed.add(target);
    const result = use(target);
    followed.delete(target);
    return result;
  }
}

/** What each alias stands for: the last part before it that has the anchor. */
function targetsOf(document: Document): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  eachPart(document.contents, (part) => {
    if (isAlias(part)) targets.set(part, anchors.get(part.source));
    else if (isNode(part) && part.anchor !== undefined) anchors.set(part.anchor, part);
  });
  return targets;
}

/** Looks at a part and all parts in it, in the order of the text. */
export function eachPart(part: unknown, look: (part: unknown) => void): void {
  look(part);
  if (isSeq(part)) for (const item of part.items) eachPart(item, look);
  if (isMap(part))
    for (const { key, value } of part.items) for (const each of [key, value]) eachPart(each, look);
}

type Members = ReadonlyMap<string, unknown>;

function isMergeKey(key: Pair['key']): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.value === '<<';
}

/**
 * How a value is read. Flipt reads members with a type (`member`: text), but any value in attachments, metadata, and, in
 * v2, constraints.
 */
type YamlType = 'member' | 'boolean' | 'number' | 'attachment' | 'metadata' | 'any';

/** What decides how a text is read. */
export interface ReadingRules {
  readonly semantics: Semantics;
  /** Whether it is a JSON file. Flipt reads those with Go's JSON reader, which converts nothing. */
  readonly json: boolean;
}

const TYPES = new Map<string, YamlType>([
  ['enabled', 'boolean'],
  ['default', 'boolean'],
  ['rank', 'number'],
  ['rollout', 'number'],
  ['percentage', 'number'],
  ['attachment', 'attachment'],
  ['metadata', 'metadata'],
]);

/** The type of the member at this path, in a mapping that is read as `around`. */
function typeOf(path: DocumentPath, around: YamlType, { semantics }: ReadingRules): YamlType {
  if (around !== 'member') return around === 'attachment' ? around : 'any';
  const name = String(path.at(-1));
  if (name !== 'value') return TYPES.get(name) ?? 'member';
  if (path.at(-3) !== 'constraints') return 'boolean';
  return takesLists(semantics) ? 'any' : 'member';
}

type Read = { readonly value: unknown } | { readonly wrong: string };

/** The value of a scalar that stands where this type is expected. A value of another type stays: the schema reports it. */
function readAs(type: YamlType, value: ScalarValue, text: string, rules: ReadingRules): Read {
  if (type !== 'member' && type !== 'boolean' && type !== 'number') {
    // In YAML it is an integer, which has no negative zero.
    return readAny(type, rules.json && text === '-0' ? -0 : value, rules);
  }
  if (value instanceof Timestamp) return { value: text };
  const converts = convertsYaml(rules.semantics) && !rules.json;
  if (converts && type === 'member' && value !== null)
    return { value: typeof value === 'string' ? value : text };
  if (converts && type === 'boolean') return { value: WORDS.get(value) ?? value };
  return { value: inDoubles(value) };
}

function readAny(type: YamlType, value: ScalarValue, { semantics, json }: ReadingRules): Read {
  const isAttachment = type === 'attachment';
  // Only v2 keeps numbers of attachments as doubles. Go's JSON reader makes doubles of all numbers.
  if (!(value instanceof Timestamp))
    return { value: json || (isAttachment && isV2(semantics)) ? inDoubles(value) : value };
  // The date of an attachment becomes text in v1. Everywhere else, Flipt refuses a date, or makes it a text of Go's.
  if (isAttachment && !isV2(semantics) && value.json !== undefined) return { value: value.json };
  return { wrong: 'expected no date without quotes, because Flipt cannot read it here (put it in quotes)' };
}

function inDoubles(value: Exclude<ScalarValue, Timestamp>): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

const WORDS = new Map<unknown, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);

/** The name of a member. Where any value may stand, names must be text; elsewhere, everything is read as text. */
function readAsText(key: Scalar, around: YamlType): string | undefined {
  if (around !== 'any' && around !== 'attachment') return textOfScalar(key);
  const read = scalarValue(key);
  return 'value' in read && typeof read.value === 'string' ? read.value : undefined;
}
