import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Scalar, YAMLMap } from 'yaml';
import type { Semantics } from '../../engine/features.js';
import { convertsYaml, isV2, readsAnyValue } from '../../engine/version-differences.js';
import { isOf64Bits } from '../normal-forms.js';
import { quoted } from '../../base/text/describe.js';
import type { DocumentPath, Report } from '../features-error.js';
import { YamlDate } from './scalar-tags.js';

/**
 * The number of values that the aliases in any document can repeat or merge, and the number for each part that is
 * written in the document. A value is counted each time that an alias repeats or merges it. Without a limit, aliases to
 * lists of other aliases could make the time to read a file exponential in the length of the file.
 */
const REPEATED_IN_ANY = 10_000;
const REPEATED_FOR_EACH = 10;

/** What decides how a text is read: the version of Flipt, and whether the text is JSON. */
export interface ReadingRules {
  readonly semantics: Semantics;
  /**
   * Whether the text is the content of a JSON file. Flipt reads JSON files with Go's JSON reader, which does not
   * convert a value to the type that Flipt expects.
   */
  readonly json: boolean;
}

/**
 * Returns the content of a YAML document as plain JavaScript values, with the same values that Flipt reads. The meaning
 * of a scalar depends on its member: for example, Flipt v1 reads `yes` as a boolean in `enabled`, but as a text in
 * `name`. The function throws an error if, for example, an alias has no anchor before it, or if aliases repeat too many
 * values.
 */
export function yamlValues(document: Document, rules: ReadingRules, report: Report): unknown {
  const targets = targetsOf(document);
  let written = 0;
  eachPart(document.contents, () => written++);
  const mostRepeated = REPEATED_IN_ANY + REPEATED_FOR_EACH * written;
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
    if (followed.size > 0 && ++repeated > mostRepeated) throw new Error('too much is repeated by aliases');
  }

  function scalarOf(scalar: Scalar, place: Place | undefined, type: YamlType): unknown {
    const value = readAs(type, scalar, rules);
    if (!(value instanceof YamlDate)) return value;
    report(pathTo(place), { kind: 'unquoted', expected: UNQUOTED_DATE });
    return textOf(scalar);
  }

  /**
   * Returns the members of a mapping. If a mapping has a member itself, this member overrides a merged member of the
   * same name, whichever comes first.
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
   * Returns the members that a merge key (`<<`) adds from one mapping, or from a list of mappings. If several mappings
   * of the list have the same member, the first mapping decides the member's value.
   */
  function mergedBy(from: unknown, place: Place | undefined, type: YamlType): readonly Members[] {
    countIfRepeated();
    if (isAlias(from)) return follow(from, (target) => mergedBy(target, place, type));
    if (isMap(from)) return [membersOf(from, place, type)];
    if (isSeq(from)) return from.items.flatMap((item) => mergedBy(item, place, type));
    report([...pathTo(place), '<<'], { kind: 'wrong-type', expected: 'a mapping, or a list of mappings' });
    return [];
  }

  /**
   * Returns the name of a member of a mapping. In an attachment, the name must be a text. Outside of attachments, a
   * number or a boolean can also be a name, and is read as text.
   */
  function nameOf(key: unknown, place: Place | undefined, type: YamlType): string | undefined {
    const node = isAlias(key) ? follow(key, (target) => target) : key;
    if (isScalar(node) && (!ANY.includes(type) || typeof node.value === 'string')) return textOf(node);
    const got = isScalar(node) ? `${quoted(textOf(node))} without quotes` : undefined;
    report(pathTo(place), { kind: 'wrong-name', expected: 'text as the name of a member', got });
    return undefined;
  }

  function follow<Result>(alias: Alias, use: (target: unknown) => Result): Result {
    const target = targets.get(alias);
    if (target === undefined) throw new Error('an alias has no anchor before it');
    if (followed.has(target)) throw new Error('an anchor contains itself');
    followed.add(target);
    const result = use(target);
    followed.delete(target);
    return result;
  }
}

const UNQUOTED_DATE = 'no date without quotes, because Flipt cannot read it here';

type Members = ReadonlyMap<string, unknown>;

/** The name or the index of a part of a document, and the place of the larger part that contains this part. */
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
 * Returns for each alias the part of the document for which the alias stands. If several parts have an anchor of the
 * alias's name, the alias stands for the last of them before the alias.
 */
export function targetsOf(document: Document): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  eachPart(document.contents, (part) => {
    if (isAlias(part)) targets.set(part, anchors.get(part.source));
    else if (isNode(part) && part.anchor !== undefined) anchors.set(part.anchor, part);
  });
  return targets;
}

/**
 * The deepest nesting of lists and mappings that this package reads. The YAML library itself refuses nesting only if it
 * exceeds the stack, and the size of the stack depends on the machine.
 */
const DEEPEST = 1_000;

/**
 * Calls `look` with a part of a document and with all parts inside it, in the order of the text. Throws an error if the
 * parts are nested too deep.
 */
export function eachPart(part: unknown, look: (part: unknown) => void, depth = 0): void {
  if (depth > DEEPEST) throw new Error('it nests too deep');
  look(part);
  if (isSeq(part)) for (const item of part.items) eachPart(item, look, depth + 1);
  if (isMap(part))
    for (const { key, value } of part.items) for (const each of [key, value]) eachPart(each, look, depth + 1);
}

/**
 * Returns whether a key is `<<` without quotes, which merges another mapping into this one. The YAML library represents
 * a key `<<` without quotes as a symbol.
 */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/**
 * The type as which Flipt reads a value.
 *
 * - `member`: a text, a mapping or a list. The name of a member of the mapping decides the type of that member.
 * - `constraints`: the list of constraints in a segment, and each constraint in this list.
 * - `boolean`: `true` or `false`.
 * - `number`: a number, such as a percentage.
 * - `rank`: the rank of a rule, which is an integer.
 * - `attachment`, `metadata`, `any`: a value of any type. Flipt reads attachments, metadata and, since 2.11, the values
 *   of constraints without expecting a certain type.
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

/**
 * Returns the type with which Flipt reads the member `name` of a mapping. `around` is the type of the whole mapping.
 */
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
 * Returns the value of a scalar, read as the type that Flipt expects at this place. If the scalar is of another type,
 * the function returns its value unchanged, and the schema reports it later. The function returns a {@link YamlDate} if
 * the scalar is a date at a place where Flipt cannot read a date.
 */
function readAs(type: YamlType, scalar: Scalar, rules: ReadingRules): unknown {
  const value = valueOfScalar(scalar);
  const takesDates = type === 'attachment' && !isV2(rules.semantics);
  if (ANY.includes(type) || type === 'metadata') {
    if (value instanceof YamlDate) return takesDates ? value.json : value;
    // Go's JSON reader keeps the sign of `-0`, because it reads all numbers as doubles.
    if (rules.json && scalar.source === '-0') return -0;
    const inDoubles = rules.json || (type === 'attachment' && isV2(rules.semantics));
    // An integer of more than 64 bits stays a bigint, because Flipt v2 refuses such an integer.
    return typeof value === 'bigint' && (rules.json || (inDoubles && isOf64Bits(value)))
      ? Number(value)
      : value;
  }
  if (value instanceof YamlDate) return textOf(scalar);
  // The schema of Flipt v2 refuses a rank with a fraction or an exponent, even `1.0`.
  const isFloat = typeof scalar.value === 'number' && isV2(rules.semantics) && !rules.json;
  if (type === 'rank') return isFloat ? textOf(scalar) : readAs('number', scalar, rules);
  const converts = convertsYaml(rules.semantics) && !rules.json;
  if (converts && type === 'boolean') return wordOf(value);
  if (converts && type !== 'number' && value !== null) return textOf(scalar);
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Returns the text of a scalar without its quotes. For a scalar with the tag `!!binary`, the function returns the
 * decoded text.
 */
function textOf({ source = '', value }: Scalar): string {
  return typeof value === 'string' ? value : source;
}

/**
 * Returns the value of a scalar. An integer beyond 2^53 is returned as a bigint, so that no digit is lost. A number
 * that is too large for a double is returned as text.
 */
function valueOfScalar({ source = '', value }: Scalar): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const double = Number(value);
  if (!Number.isFinite(double)) return /\d/.test(source) ? source : double;
  if (typeof value === 'number' || Number.isSafeInteger(double)) return double;
  return value;
}

/**
 * Converts a word such as `yes` or `off` to a boolean, even if the word is in quotes. Flipt's reader does the same at a
 * place where it expects a boolean.
 */
function wordOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : value;
}
