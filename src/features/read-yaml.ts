import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type Alias,
  type CST,
  type Document,
  type Pair,
  type Scalar,
  type Tags,
  type YAMLMap,
} from 'yaml';
import { INVALID, YAML, type Path, type PositionOf, type Problem, type TextPosition } from './problem.js';
import {
  isAny,
  memberType,
  scalarAs,
  scalarText,
  SCALARS_OF_YAML_1_1,
  YamlDate,
  type ReadingRules,
  type YamlType,
} from './yaml-scalars.js';
import { startOf, syntaxProblems } from './yaml-syntax.js';

export interface WrittenDocument {
  /** `null` also with mistakes of syntax. */
  readonly given: unknown;
  readonly problems: readonly (Problem & Partial<TextPosition>)[];
  /** For a missing part, the place of the part that should have it. */
  readonly positionOf: PositionOf;
}

const OPTIONS = {
  schema: 'core',
  merge: true,
  customTags: (tags: Tags) => [...SCALARS_OF_YAML_1_1, ...tags],
  resolveKnownTags: false,
  intAsBigInt: true,
  prettyErrors: false,
  // The library compares each key with all before it; `repeatedKeys` needs one pass.
  uniqueKeys: false,
} as const;

/** Even an empty document takes 30 µs to read. */
const MOST_DOCUMENTS = 10_000;

export const LARGE_INTEGER = 'large-integer';

class TooMuch extends Error {}

/** After the end of a document, Go's reader wants the start of the next one. */
const ENDED = /^\.\.\.[ \t\r]*(?:#.*)?\n(?:[ \t\r]*(?:#.*)?\n)*(?!---|%|\.\.\.|#|\s|$)/m;

/** JSON objects stand one after another in an export of Flipt. */
export function readYaml(text: string, rules: ReadingRules): readonly WrittenDocument[] {
  // Go ends a line at U+0085, and turns the end of a line in a quoted text into a space.
  const readable = rules.json ? text : text.replace(/\u0085[ \t]*/g, ' ');
  const extents = jsonObjects(readable);
  const separators = readable.match(/^(?:---|\.\.\.)/gm)?.length ?? 0;
  if (Math.max(separators, extents.length) > MOST_DOCUMENTS)
    return unreadable(`it has more than ${MOST_DOCUMENTS} documents`, { line: 1, column: 1 });
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = readable.indexOf('\n'); end >= 0; end = readable.indexOf('\n', end + 1))
    lines.addNewLine(end + 1);
  const ended = ENDED.exec(readable);
  if (ended !== null) {
    const { line, col } = lines.linePos(ended.index);
    return unreadable('Flipt reads no document behind ... without a line ---', { line, column: col });
  }
  return extents.flatMap(({ start, extent }) => {
    const positionAt = (offset: number): TextPosition => {
      const { line, col } = lines.linePos(start + offset);
      return { line, column: col };
    };
    const tokens = tokensOf(extent);
    if (typeof tokens === 'number') return unreadable(NESTS, positionAt(tokens));
    return documentsOf(tokens).map((document) => readDocument(document, extent, rules, positionAt));
  });
}

function unreadable(problem: string, position: TextPosition): readonly WrittenDocument[] {
  const problems = [{ path: [], rule: YAML, level: 'error', problem, ...position } as const];
  return [{ given: null, problems, positionOf: () => undefined }];
}

/**
 * The library composes by recursion. About 800 levels end the stack, and the whole process where V8 compiles a regular
 * expression meanwhile.
 */
const DEEPEST = 200;
const NESTS = 'it nests too deep';

/** Where the text nests too deep, else its tokens. */
function tokensOf(text: string): readonly CST.Token[] | number {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > DEEPEST) return parser.offset;
  }
  return [...tokens, ...parser.end()];
}

function documentsOf(tokens: readonly CST.Token[]): readonly Document[] {
  const { stackTraceLimit } = Error;
  try {
    // The library makes an error for each mistake; the stacks would take most of the time.
    Reflect.set(Error, 'stackTraceLimit', 0);
    return Array.from(new Composer(OPTIONS).compose(tokens));
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

/** In JSON, each object after the first begins on its own line; other text is one extent. */
function jsonObjects(text: string): readonly { readonly start: number; readonly extent: string }[] {
  const first = /^(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(?=\{)/.test(text);
  let start = 0;
  const extents = first ? text.split(/(?<=\}[ \t\r]*\n)(?=\{)/) : [text];
  return extents.map((extent) => {
    const at = start;
    start += extent.length;
    return { start: at, extent };
  });
}

type PositionAt = (offset: number) => TextPosition;

function readDocument(
  document: Document,
  text: string,
  rules: ReadingRules,
  positionAt: PositionAt,
): WrittenDocument {
  const problems: (Problem & Partial<TextPosition>)[] = [];
  let targets: ReadonlyMap<Alias, unknown> = new Map();
  let given: unknown = null;
  const atOffset = (problem: string, offset: number) =>
    problems.push({ path: [], rule: YAML, level: 'error', problem, ...positionAt(offset) });
  try {
    for (const { message, offset } of syntaxProblems(document, text, rules)) atOffset(message, offset);
    if (problems.length === 0) {
      targets = targetsOf(document);
      const values = valuesOf(document, targets, rules);
      given = values.value;
      problems.push(...values.problems);
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    given = null;
    atOffset(error.message, 0);
  }
  return { given, problems, positionOf: (path) => positionIn(document, targets, path, positionAt) };
}

/** An alias stands for the last part before it that has the anchor. */
function targetsOf(document: Document): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** Aliases and merges may repeat this many values, and ten times as many as the document has. */
const REPEATED = 10_000;
const REPEATED_FOR_EACH = 10;

function valuesOf(document: Document, targets: ReadonlyMap<Alias, unknown>, rules: ReadingRules) {
  const problems: Problem[] = [];
  const followed = new Set<unknown>();
  let left = REPEATED;
  visit(document, { Node: () => void (left += REPEATED_FOR_EACH) });
  const value = read(document.contents, [], 'member');
  return { value, problems };

  function invalid(path: Path, problem: string): void {
    problems.push({ path, rule: INVALID, level: 'error', problem });
  }

  function count(): void {
    if (followed.size > 0 && --left < 0) throw new TooMuch('too much is repeated by aliases');
  }

  function read(node: unknown, path: Path, type: YamlType): unknown {
    count();
    if (isAlias(node)) return follow(node, path, (target) => read(target, path, type));
    if (isScalar(node)) return readScalar(node, path, type);
    if (isMap(node)) return Object.fromEntries(members(node, path, type));
    const itemType = type === 'metadata' ? 'any' : type;
    if (isSeq(node)) return node.items.map((item, at) => read(item, [...path, at], itemType));
    return null;
  }

  function readScalar(scalar: Scalar, path: Path, type: YamlType): unknown {
    const isNumber = type === 'attachment' && scalar.type === 'PLAIN';
    const isKey = path.at(-1) === 'key' && path.at(-3) === 'variants';
    const rounded = isNumber || isKey ? roundedInteger(scalar.source) : undefined;
    if (rounded !== undefined) {
      const problem = `${scalarText(scalar)} is beyond 2^53, so that apps read ${rounded}.`;
      problems.push({
        path,
        rule: LARGE_INTEGER,
        level: 'warning',
        problem,
        fix: 'Write it as a text, and read it as one.',
      });
    }
    const scalarValue = scalarAs(type, scalar, rules);
    if (!(scalarValue instanceof YamlDate)) return scalarValue;
    invalid(path, 'expected no date without quotes, because Flipt cannot read it here (put it in quotes)');
    return scalarText(scalar);
  }

  /** The mapping's own member wins over a merged one, whichever comes first. */
  function members(map: YAMLMap, path: Path, type: YamlType): ReadonlyMap<string, unknown> {
    const own = new Map<string, unknown>();
    let merged: readonly ReadonlyMap<string, unknown>[] = [];
    for (const { key, value: member } of map.items) {
      // The library reads the key `<<` as a symbol.
      if (isScalar(key) && typeof key.value === 'symbol') merged = mergedFrom(member, path, type);
      else {
        const name = nameOf(key, path, type);
        if (name !== undefined) own.set(name, read(member, [...path, name], memberType(name, type, rules)));
      }
    }
    for (const [name, member] of merged.flatMap((each) => [...each])) {
      count();
      if (!own.has(name)) own.set(name, member);
    }
    return own;
  }

  /** The first mapping that has a member decides. */
  function mergedFrom(node: unknown, path: Path, type: YamlType): readonly ReadonlyMap<string, unknown>[] {
    const merged = (item: unknown) => {
      if (isMap(item)) return [members(item, path, type)];
      invalid([...path, '<<'], 'expected a mapping, or a list of mappings');
      return [];
    };
    return (isSeq(node) ? node.items : [node]).flatMap((item) => {
      count();
      return isAlias(item) ? follow(item, path, merged) : merged(item);
    });
  }

  function nameOf(key: unknown, path: Path, type: YamlType): string | undefined {
    const node = isAlias(key) ? follow(key, path, (target) => target) : key;
    if (isScalar(node) && (!isAny(type) || typeof node.value === 'string')) return scalarText(node);
    const got = isScalar(node) ? `, got ${scalarText(node)} without quotes` : '';
    invalid(path, `expected text as the name of a member${got}`);
    return undefined;
  }

  function follow<Result>(alias: Alias, path: Path, use: (target: unknown) => Result): Result {
    if (path.length + followed.size > DEEPEST) throw new TooMuch(NESTS);
    const target = targets.get(alias);
    if (target === undefined) throw new TooMuch('an alias has no anchor before it');
    if (followed.has(target)) throw new TooMuch('an anchor contains itself');
    followed.add(target);
    const result = use(target);
    followed.delete(target);
    return result;
  }
}

/** In place of an integer that no double can hold; Flipt v2 rounds it in attachments, too. */
function roundedInteger(source = ''): string | undefined {
  // With more digits it is no double at all.
  if (!/^[-+]?[1-9]\d{15,299}$/.test(source)) return undefined;
  const written = source.replace('+', '');
  const rounded = Number(written);
  return BigInt(rounded) === BigInt(written) || String(rounded) === written ? undefined : String(rounded);
}

function positionIn(
  document: Document,
  targets: ReadonlyMap<Alias, unknown>,
  path: Path,
  positionAt: PositionAt,
): TextPosition | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    const holder = isAlias(node) ? targets.get(node) : node;
    const pair = isMap(holder) ? pairIn(holder, String(part)) : undefined;
    const item: unknown = isSeq(holder) && typeof part === 'number' ? holder.items[part] : undefined;
    if (pair === undefined && item === undefined) break;
    offset = startOf(pair?.key ?? item) ?? offset;
    node = pair?.value ?? item;
  }
  return offset === undefined ? undefined : positionAt(offset);
}

const PAIRS = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** A mapping with many wrong members is asked for each of them. */
function pairIn(map: YAMLMap, name: string): Pair | undefined {
  const pairs =
    PAIRS.get(map) ??
    new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.source), pair]] : [])));
  PAIRS.set(map, pairs);
  return pairs.get(name);
}
