import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InvalidArgumentError } from 'commander';
import { replaceableBeginning, unlessMissing } from '../base/file.js';
import { isRecord, messageOf, quoted } from '../base/text/describe.js';
import type { Features, Flag } from '../engine/features.js';
import { answerOf, toObject, VALUE_TYPES, type ReadVariant } from '../model/value-of-type.js';
import { CommandError, type CommandRuntime } from './runtime.js';
import { CREDENTIALS, loadFeatures, noFlags, type SourceOptions } from './source.js';

export interface TypesOptions extends SourceOptions {
  readonly out: string;
  readonly check?: boolean;
}

/** Writes the generated file if it is out of date, or, with `--check`, only compares it. */
export async function writeTypes(options: TypesOptions, runtime: CommandRuntime): Promise<number> {
  const { out, check, features: file } = options;
  const { print, complain, argv } = runtime;
  const { namespace, features, beside } = await loadFeatures(options, 'types', runtime);
  // A snapshot leaves out variants that no rule gives.
  const flags = flagTypes(features, file !== undefined);
  if (flags.length === 0) throw noFlags(namespace);
  for (const [key, { reason }] of features.unreadable ?? []) {
    complain(`Flag ${quoted(key)} may have any type here, because it cannot be read (${reason})`);
  }
  if (options.namespace === undefined && beside.length > 0) {
    const others = beside.map(({ key }) => quoted(key)).join(', ');
    complain(
      `These are the flags of namespace ${quoted(namespace)}. The file also has ${others}: write one file for each, with --namespace`,
    );
  }
  const text = typedFile(flags);
  if (await holds(out, text)) {
    print(`${out} is up to date`);
    return 0;
  }
  if (check) throw new CommandError(`${out} is out of date; run ${commandLine(argv)}`);
  await write(out, text);
  const asText =
    file === undefined ? '; variants have the type string, because a snapshot may lack some' : '';
  print(`Wrote ${out}: ${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}${asText}`);
  return 0;
}

async function holds(path: string, text: string): Promise<boolean> {
  try {
    await replaceableBeginning(path, (beginning) => beginning.startsWith(MARK));
    // Git may have changed the line ends.
    return (await readFile(path, 'utf8').catch(unlessMissing))?.replaceAll('\r\n', '\n') === text;
  } catch (error) {
    throw new CommandError(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new CommandError(`${path}: cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

function commandLine(argv: readonly string[]): string {
  const words = argv
    .filter((word) => word !== '--check')
    .map((word) => (/^[\w./:=@-]+$/.test(word) ? word : quoted(word)));
  return ['openfeature-flipt-provider', ...words].join(' ');
}

export function codeFile(path: string): string {
  if (/\.[cm]?ts$/.test(path) && !/\.d\.[cm]?ts$/.test(path)) return path;
  throw new InvalidArgumentError('Expected a .ts file (not .d.ts, because it also contains code).');
}

type ValueType = (typeof VALUE_TYPES)[number][0];

export interface FlagTypes {
  readonly key: string;
  readonly kind: 'boolean' | 'variant' | 'unreadable';
  /** As which types an app can read each value of the flag. */
  readonly types: readonly ValueType[];
  /** TypeScript. */
  readonly variant?: string;
  /** TypeScript that fits the attachments of all variants. */
  readonly attachment?: string | undefined;
}

export function flagTypes({ flags, unreadable }: Features, areAllVariants: boolean): readonly FlagTypes[] {
  const readable = Array.from(flags.values(), (flag) => typesOf(flag, areAllVariants));
  const others = Array.from(unreadable?.keys() ?? [], (key): FlagTypes => ({
    key,
    kind: 'unreadable',
    types: VALUE_TYPES.map(([type]) => type),
    variant: 'string',
    attachment: 'JsonValue',
  }));
  return [...readable, ...others].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function typesOf(flag: Flag, areAllVariants: boolean): FlagTypes {
  const { key } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return { key, kind: 'boolean', types: ['boolean'] };
  const answers = Array.from(flag.variants.values(), answerOf);
  const types = VALUE_TYPES.flatMap(([type, translate]) => {
    const isEach = answers.length > 0 && answers.every((answer) => 'value' in translate(answer));
    return type === 'string' || isEach ? type : [];
  });
  return {
    key,
    kind: 'variant',
    types,
    variant: areAllVariants ? union(new Set(answers.map(({ variant }) => variant))) : 'string',
    attachment: types.includes('object') ? commonType(answers.map(attached)) : undefined,
  };
}

function attached(answer: ReadVariant): unknown {
  const translated = toObject(answer);
  return 'value' in translated ? translated.value : null;
}

/** A deeper or larger type would help no reader, and slow down the compiler. */
const DEEPEST = 8;
const MOST_MEMBERS = 100;
const ANY_OBJECT = '{ [name: string]: JsonValue }';

function commonType(values: readonly unknown[], depth = 0): string {
  if (values.every((value) => Array.isArray(value))) {
    const items: readonly unknown[] = values.flat();
    return `${items.length === 0 || depth === DEEPEST ? 'JsonValue' : commonType(items, depth + 1)}[]`;
  }
  if (values.every(isRecord)) return objectType(values, depth);
  const [type = 'JsonValue', ...others] = new Set(values.map(scalarType));
  return others.length === 0 ? type : 'JsonValue';
}

function objectType(objects: readonly Readonly<Record<string, unknown>>[], depth: number): string {
  const names = Object.keys(objects[0] ?? {}).sort();
  const areSame = objects.every((object) => isDeepStrictEqual(Object.keys(object).sort(), names));
  if (!areSame || names.length === 0 || names.length > MOST_MEMBERS || depth === DEEPEST) return ANY_OBJECT;
  const members = names.map((name) => {
    const values = objects.map((object) => object[name]);
    return `${quoted(name)}: ${commonType(values, depth + 1)}`;
  });
  return `{ ${members.join('; ')} }`;
}

function scalarType(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'JsonValue' : typeof value;
}

function union(keys: Iterable<string>): string {
  return [...keys].sort().map(quoted).join(' | ') || 'never';
}

/** A file that begins with another line is not overwritten. */
const MARK = '// Written by openfeature-flipt-provider types. Do not edit this file: run the command again.';

/** Texts from the features stand only inside string literals, so they cannot become code. */
export function typedFile(flags: readonly FlagTypes[]): string {
  const flagType = ({ kind, variant, attachment }: FlagTypes) => {
    const rest = [variant && `; variant: ${variant}`, attachment && `; attachment: ${attachment}`];
    return `{ kind: ${quoted(kind)}${rest.join('')} }`;
  };
  const keysOf = (type: ValueType) =>
    union(flags.filter(({ types }) => types.includes(type)).map(({ key }) => key));
  // eslint-disable: a file that nobody writes must not fail the lint of an app, whose rules nobody knows here.
  return `${MARK}
/* eslint-disable -- what is generated follows the features file, and not the rules of this app */
import type { Client, EvaluationContext, EvaluationDetails, FlagEvaluationOptions, JsonValue } from '@openfeature/server-sdk';

/** Each flag: its kind, the keys of its variants, and what their attachments have in common. */
export interface Flags {
${flags.map((flag) => `  ${quoted(flag.key)}: ${flagType(flag)};\n`).join('')}}

/** The keys of all flags, as \`prefetch\` and \`evaluateAll\` of the provider take them. */
export const flagKeys = [
${flags.map(({ key }) => `  ${quoted(key)},\n`).join('')}] as const;

export type FlagKey = (typeof flagKeys)[number];

/** For each type of value, the flags that have a value of this type in every variant. */
export type BooleanFlag = ${keysOf('boolean')};
export type StringFlag = ${keysOf('string')};
export type NumberFlag = ${keysOf('number')};
export type ObjectFlag = ${keysOf('object')};
${CLIENT}`;
}

const CLIENT = `
type Member<Flag, Name extends string> = Flag extends { [Key in Name]: infer Value extends JsonValue }
  ? Value
  : never;
type Variant<Key extends StringFlag> = Member<Flags[Key], 'variant'>;
type Attachment<Key extends ObjectFlag> = Member<Flags[Key], 'attachment'>;
type Details<Value extends JsonValue> = Promise<EvaluationDetails<Value>>;
type More = [context?: EvaluationContext, options?: FlagEvaluationOptions];

type Untyped = Omit<
  Client,
  | 'getBooleanValue'
  | 'getBooleanDetails'
  | 'getStringValue'
  | 'getStringDetails'
  | 'getNumberValue'
  | 'getNumberDetails'
  | 'getObjectValue'
  | 'getObjectDetails'
>;

/** OpenFeature's client, which takes only the keys of these flags. A default value can be a text that is no variant's key. */
export interface TypedClient extends Untyped {
  getBooleanValue(flagKey: BooleanFlag, defaultValue: boolean, ...more: More): Promise<boolean>;
  getBooleanDetails(flagKey: BooleanFlag, defaultValue: boolean, ...more: More): Details<boolean>;
  getStringValue<Key extends StringFlag, Default extends string>(
    flagKey: Key,
    defaultValue: Default,
    ...more: More
  ): Promise<Variant<Key> | Default>;
  getStringDetails<Key extends StringFlag, Default extends string>(
    flagKey: Key,
    defaultValue: Default,
    ...more: More
  ): Details<Variant<Key> | Default>;
  getNumberValue(flagKey: NumberFlag, defaultValue: number, ...more: More): Promise<number>;
  getNumberDetails(flagKey: NumberFlag, defaultValue: number, ...more: More): Details<number>;
  getObjectValue<Key extends ObjectFlag, Default extends JsonValue>(
    flagKey: Key,
    defaultValue: Default,
    ...more: More
  ): Promise<Attachment<Key> | Default>;
  getObjectDetails<Key extends ObjectFlag, Default extends JsonValue>(
    flagKey: Key,
    defaultValue: Default,
    ...more: More
  ): Details<Attachment<Key> | Default>;
}

/** Returns the given client unchanged. For the compiler, the client takes only the keys of these flags. */
export function typed(client: Client): TypedClient {
  return client as unknown as TypedClient;
}
`;

export const TYPES_HELP = `
${CREDENTIALS}

Example
  openfeature-flipt-provider types --features features.yml --out src/flags.ts`;
