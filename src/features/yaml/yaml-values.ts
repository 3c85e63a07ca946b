import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Scalar, YAMLMap } from 'yaml';
import type { Semantics } from '../../engine/features.js';
import { convertsYaml, isV2, readsAnyValue } from '../../engine/version-differences.js';
import { isOf64Bits } from '../normal-forms.js';
import { quoted } from '../../base/text/describe.js';
import type { DocumentPath, Report } from '../features-error.js';
import { YamlDate } from './scalar-tags.js';

/**
 * The largest number of values that aliases can repeat or merge. A value is counted each time that an alias repeats or
 * merges it. Flipt also limits how many values aliases can repeat. Without this limit, reading a list of merges of
 * lists of merges would take time that is exponential in the length of the file.
 */
const MOST_REPEATED = 400_000;

/** The facts that decide how a text is read. */
export interface ReadingRules {
  readonly semantics: Semantics;
  /**
   * Whether the text is a JSON file. Flipt reads JSON files with Go's JSON reader, which does not convert a value if
   * another type is expected.
   */
  readonly json: boolean;
}

/**
 * Returns the values of a YAML document as Flipt reads them. The meaning of a scalar depends on the member of which the
 * scalar is the value. The function throws if an alias cannot be followed, or if aliases repeat too many values.
 */
export function yamlValues(document: Document, rules: ReadingRules, report: Report): unknown {
  const targets = targetsOf(document);
  const followed = new Set<unknown>();
  let repeated = 0;

  return valueOf(document.contents, undefined, 'member');

  function valueOf(node: unknown, place: Place | undefined, type: YamlType): unknown {
    countIfRepeated();
    if (isAlias(node)) return follow(node, (target) => valueOf(target, place, type));
    if (isScalar(node)) return scalarOf(node, place, type);
    if (isMap(node)) return Object.fromEntries(membersOf(node, place, type));
    if (isSeq(node))
      return node.items.map((item, part) => valueOf(item, { around: place, part }, itemType(type)));
    return null;
  }

  function countIfRepeated(): void {
    if (followed.size > 0 && ++repeated > MOST_REPEATED) throw new Error('too much is repeated by aliases');
  }

  function scalarOf(scalar: Scalar, place: Place | undefined, type: YamlType): unknown {
    const value = readAs(type, scalar, rules);
    if (!(value instanceof YamlDate)) return value;
    report(
      pathTo(place),
      'expected no date without quotes, because Flipt cannot read it here (put it in quotes)',
    );
    return textOf(scalar);
  }

  /**
   * Returns the members of a mapping. A member of the mapping itself wins over a member of the same name that is merged
   * into the mapping, whichever comes first.
   */
  function membersOf(map: YAMLMap, place: Place | undefined, type: YamlType): Members {
    const members = new Map<string, unknown>();
    let merged: readonly Members[] = [];
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        merged = mergedBy(value, place, type);
        continue;
      }
      const part = nameOf(key, place, type);
      if (part !== undefined)
        members.set(part, valueOf(value, { around: place, part }, memberType(part, type, rules)));
    }
    for (const each of merged)
      for (const [name, value] of each) {
        countIfRepeated();
        if (!members.has(name)) members.set(name, value);
      }
    return members;
  }

  /**
   * Returns the members that are merged from one mapping, or from a list of several mappings. If several mappings have
   * the same member, the first one wins.
   */
  function mergedBy(from: unknown, place: Place | undefined, type: YamlType): readonly Members[] {
    countIfRepeated();
    if (isAlias(from)) return follow(from, (target) => mergedBy(target, place, type));
    if (isMap(from)) return [membersOf(from, place, type)];
    if (isSeq(from)) return from.items.flatMap((item) => mergedBy(item, place, type));
    report([...pathTo(place), '<<'], 'expected a mapping, or a list of mappings');
    return [];
  }

  /**
   * Returns the name of a member. In an attachment, the name of a member must be text. In all other places, any name is
   * read as text.
   */
  function nameOf(key: unknown, place: Place | undefined, type: YamlType): string | undefined {
    const node = isAlias(key) ? follow(key, (target) => target) : key;
    if (isScalar(node) && (!ANY.includes(type) || typeof node.value === 'string')) return textOf(node);
    const got = isScalar(node) ? `, got ${quoted(textOf(node))} without quotes` : '';
    report(pathTo(place), `expected text as the name of a member${got}`);
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

type Members = ReadonlyMap<string, unknown>;

/** A part of a document, and the larger part to which it belongs. */
interface Place {
  readonly around: Place | undefined;
  readonly part: string | number;
}

function pathTo(place: Place | undefined): DocumentPath {
  const path: (string | number)[] = [];
  for (let at = place; at; at = at.around) path.push(at.part);
  return path.reverse();
}

/**
 * Returns the part for which each alias stands, which is the last part before the alias that has the anchor of the same
 * name.
 */
function targetsOf(document: Document): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  eachPart(document.contents, (part) => {
    if (isAlias(part)) targets.set(part, anchors.get(part.source));
    else if (isNode(part) && part.anchor !== undefined) anchors.set(part.anchor, part);
  });
  return targets;
}

/**
 * The deepest nesting of parts that is read. The YAML library itself refuses only nesting that exceeds the stack, whose
 * size depends on the machine.
 */
const DEEPEST = 1_000;

/**
 * Calls `look` with a part and with all parts in it, in the order of the text. Throws if the parts are nested too deep.
 */
export function eachPart(part: unknown, look: (part: unknown) => void, depth = 0): void {
  if (depth > DEEPEST) throw new Error('it nests too deep');
  look(part);
  if (isSeq(part)) for (const item of part.items) eachPart(item, look, depth + 1);
  if (isMap(part))
    for (const { key, value } of part.items) for (const each of [key, value]) eachPart(each, look, depth + 1);
}

/**
 * Whether a key is `<<` without quotes, which merges another mapping. The YAML library turns a key `<<` without quotes
 * into a symbol.
 */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/**
 * The type as which a value is read. Flipt reads most members as a certain type (`member` is text). Flipt reads any
 * value in attachments, in metadata and, from 2.11 on, in the values of constraints.
 */
type YamlType = 'member' | 'constraints' | 'boolean' | 'number' | 'rank' | 'attachment' | 'metadata' | 'any';

const TYPES: ReadonlyMap<string, YamlType> = new Map([
  ['constraints', 'constraints'],
  ['enabled', 'boolean'],
  ['default', 'boolean'],
  ['value', 'boolean'],
  ['rank', 'rank'],
  ['rollout', 'number'],
  ['percentage', 'number'],
  ['attachment', 'attachment'],
  ['metadata', 'metadata'],
]);

const ANY: readonly YamlType[] = ['attachment', 'any'];

/** Returns the type of a member of a mapping that is itself read as the type `around`. */
function memberType(name: string, around: YamlType, { semantics }: ReadingRules): YamlType {
  if (ANY.includes(around)) return around;
  if (around === 'metadata') return 'any';
  if (around === 'constraints' && name === 'value') return readsAnyValue(semantics) ? 'any' : 'member';
  return TYPES.get(name) ?? 'member';
}

function itemType(list: YamlType): YamlType {
  return list === 'metadata' ? 'any' : list;
}

/**
 * Returns the value of a scalar in a place where Flipt expects a certain type. A value of another type is returned
 * unchanged, so that the schema reports it. A {@link YamlDate} is returned where Flipt cannot read a date.
 */
function readAs(type: YamlType, scalar: Scalar, rules: ReadingRules): unknown {
  const value = valueOfScalar(scalar);
  const takesDates = type === 'attachment' && !isV2(rules.semantics);
  if (ANY.includes(type) || type === 'metadata') {
    if (value instanceof YamlDate) return takesDates ? value.json : value;
    // Go's JSON reader reads all numbers as doubles, and it has a negative zero.
    if (rules.json && scalar.source === '-0') return -0;
    const inDoubles = rules.json || (type === 'attachment' && isV2(rules.semantics));
    // An integer of more than 64 bits stays a bigint, because Flipt v2 refuses such an integer.
    return typeof value === 'bigint' && (rules.json || (inDoubles && isOf64Bits(value)))
      ? Number(value)
      : value;
  }
  if (value instanceof YamlDate) return textOf(scalar);
  // The schema of v2 takes no number with a fraction or an exponent as a rank, not even 1.0.
  const isFloat = typeof scalar.value === 'number' && isV2(rules.semantics) && !rules.json;
  if (type === 'rank') return isFloat ? textOf(scalar) : readAs('number', scalar, rules);
  const converts = convertsYaml(rules.semantics) && !rules.json;
  if (converts && type === 'boolean') return wordOf(value);
  if (converts && type !== 'number' && value !== null) return textOf(scalar);
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Returns the text of a scalar as it was written, without quotes. For a scalar with the tag `!!binary`, the function
 * returns the decoded text.
 */
function textOf({ source = '', value }: Scalar): string {
  return typeof value === 'string' ? value : source;
}

/**
 * Returns an integer beyond 2^53 as a bigint, so that no digit is lost. A number that is too large for a double is
 * returned as text.
 */
function valueOfScalar({ source = '', value }: Scalar): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const double = Number(value);
  if (!Number.isFinite(double)) return /\d/.test(source) ? source : double;
  if (typeof value === 'number' || Number.isSafeInteger(double)) return double;
  return value;
}

/** Converts a word such as `yes` or `off`, also in quotes, as Flipt's reader does where it expects true or false. */
function wordOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : value;
}
