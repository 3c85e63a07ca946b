import { Composer, isAlias, isMap, isNode, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
import type { Document, Tags } from 'yaml';
import { messageOf } from '../../base/text/describe.js';
import type { DocumentPath, Report, TextPosition } from '../features-error.js';
import { isV2 } from '../../engine/version-differences.js';
import { foreignCharacter, RefusedSyntax, type RefusedPlace } from './refused-syntax.js';
import { SCALARS_OF_YAML_1_1 } from './scalar-tags.js';
import { eachPart, targetsOf, yamlValues, type ReadingRules } from './yaml-values.js';

/*
 * The library `yaml` parses a features file as YAML 1.2 with merge keys, and with those scalars of YAML 1.1 that
 * Flipt's reader supports. The functions in this file refuse a text that has very many parts for its length, or whose
 * aliases and merges repeat too much. Because of the limits on parts, aliases and merges, the time to read a file grows
 * about in proportion to the length of the file, whatever the file contains.
 */

/** One of the YAML documents in a text. */
export interface TextDocument {
  /**
   * Returns the content of the document as plain JavaScript values. Returns `null` if the document is empty, or if the
   * document has mistakes of syntax. Throws an error if, for example, aliases repeat too much.
   */
  readonly read: (report: Report) => unknown;
  /**
   * Returns the line and the column of the part of the document with this path. For a missing part, the function
   * returns the position of the part that should contain it.
   */
  readonly positionOf: (path: DocumentPath) => TextPosition | undefined;
}

/**
 * Returns the documents of a YAML text, or of a text with several JSON objects one after another. Throws an error if
 * the text has too many documents or parts.
 */
export function documentsIn(text: string, rules: ReadingRules): readonly TextDocument[] {
  // Go's YAML reader treats U+0085 as the end of a line, and turns an end of a line in a quoted text into a space.
  const readable = rules.json ? text : text.replace(/\u0085[ \t]*/g, ' ');
  const lines = linesOf(readable);
  return jsonDocuments(readable).flatMap(({ start, end }) => {
    const positionAt: PositionAt = (offset) => {
      const { line, col } = lines.linePos(start + offset);
      return { line, column: col };
    };
    const extent = readable.slice(start, end);
    const { documents, refused } = withoutStacks(() => parsed(extent));
    const places = (rules.json ? refusedJson(extent) : refused).map((place) => ({
      ...place,
      of: indexOf(documents, place.offset),
    }));
    return documents.map((document, at): TextDocument => {
      let targets: ReturnType<typeof targetsOf> | undefined;
      return {
        read: (report) =>
          valuesOf(
            document,
            positionAt,
            { ...rules, places: places.filter((place) => place.of === at) },
            report,
          ),
        positionOf: (path) => textPosition(document, (targets ??= targetsOf(document)), path, positionAt),
      };
    });
  });
}

/** The comment lines with which an export of Flipt begins. */
const COMMENT_LINES = /^(?:\s*#.*\n)+/;

/**
 * Returns what Flipt's JSON reader refuses in a text that can be read as YAML, such as a comma after the last member.
 */
function refusedJson(text: string): readonly RefusedPlace[] {
  try {
    JSON.parse(text.replace(COMMENT_LINES, ''));
    return [];
  } catch (error) {
    const [, offset = '0'] = /position (\d+)/.exec(messageOf(error)) ?? [];
    return [{ message: 'Flipt reads the file as JSON, which it is not', offset: Number(offset) }];
  }
}

/** Returns the position in `documents` of the document that contains the character at this offset. */
function indexOf(documents: readonly Document[], offset: number): number {
  return Math.max(
    0,
    documents.findLastIndex(({ range }) => (range?.[0] ?? 0) <= offset),
  );
}

/**
 * Returns the line and the column of the character at an offset. The offset is counted from the beginning of the extent
 * that was parsed: the whole text, or one JSON object in it.
 */
type PositionAt = (offset: number) => TextPosition;

/**
 * Returns where each JSON object starts and ends in a text that consists of several JSON objects, such as Flipt's JSON
 * export of several namespaces. Each object must begin on a line of its own. For any other text, the result has one
 * entry for the whole text.
 */
function jsonDocuments(text: string): readonly { readonly start: number; readonly end: number }[] {
  const lines = beginsWithBrace(text) ? [...text.matchAll(/\n(?=\{)/g)] : [];
  const starts = lines.filter(({ index }) => endsWithBrace(text, index)).map(({ index }) => index + 1);
  refuseMany(starts);
  return [0, ...starts].map((start, at) => ({ start, end: starts[at] ?? text.length }));
}

/** Returns whether the first line that is neither empty nor a comment begins with `{`. */
function beginsWithBrace(text: string): boolean {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '' && !line.startsWith('#')) return line.startsWith('{');
    if (end < 0) return false;
    at = end + 1;
  }
  return false;
}

/** Returns whether the last character before `end` that is not a blank is `}`. */
function endsWithBrace(text: string, end: number): boolean {
  let at = end - 1;
  while (' \t\r'.includes(text.charAt(at)) && at > 0) at--;
  return text.charAt(at) === '}';
}

/**
 * The package refuses a text with more than 10,000 documents. A file has one document for each namespace, so nobody
 * needs more than 10,000 documents. There is a limit because reading even an empty document takes 30 µs.
 */
const MOST_DOCUMENTS = 10_000;
/**
 * A text with fewer parts than this is never refused for having many parts for its length, as a list of numbers has.
 */
const PARTS_OF_ANY_TEXT = 150_000;

function refuseMany(documents: readonly unknown[]): void {
  if (documents.length > MOST_DOCUMENTS) throw new Error(`it has more than ${MOST_DOCUMENTS} documents`);
}

interface Parsed {
  readonly documents: readonly Document[];
  /** The places in the text that Flipt's YAML reader refuses. */
  readonly refused: readonly RefusedPlace[];
}

/**
 * Parses a YAML text. Throws an error if the text has too many parts for its length, where parts are dashes, brackets,
 * spaces, names and values. Usual features files have one part for every three characters.
 */
function parsed(text: string): Parsed {
  const syntax = new RefusedSyntax();
  const parser = new Parser();
  const composer = new Composer(OPTIONS);
  const documents: Document[] = [];
  let parts = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++parts > PARTS_OF_ANY_TEXT + text.length / 2)
      throw new Error('it has too many brackets, dashes, commas or lines for its length');
    syntax.look(lexeme);
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    refuseMany(documents);
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  syntax.end();
  const foreign = foreignCharacter(text);
  return { documents, refused: [...(foreign ? [foreign] : []), ...syntax.found] };
}

const OPTIONS = {
  schema: 'core',
  merge: true,
  customTags: (tags: Tags) => [...SCALARS_OF_YAML_1_1, ...tags],
  resolveKnownTags: false,
  intAsBigInt: true,
  prettyErrors: false,
  // `uniqueKeys: false` turns off the YAML library's own check for repeated keys, which compares each key with all keys
  // before it and so takes quadratic time. The function `repeatedKeys` makes the same check in one pass.
  uniqueKeys: false,
} as const;

/**
 * Calls `run`, and lets no error in it collect a stack trace. The YAML library creates an error for each mistake; for a
 * text full of mistakes, collecting the stack traces would take most of the time.
 */
function withoutStacks<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error;
  // Unlike an assignment, `Reflect.set` throws no error if the property cannot be set, for example because globals are
  // frozen.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return run();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

/** What stands in a file that is no YAML, such as a file of passwords, must not stand in a public log. */
function withoutQuotes(message: string): string {
  return message.replace(QUOTES, '$1');
}

const QUOTES =
  /^(Unresolved tag|Block scalar header includes extra characters|Invalid escape sequence|Could not resolve tag|Not a valid tag|Unknown directive|Unsupported YAML version)\b.*/s;

interface ValueRules extends ReadingRules {
  /** The places in the document that Flipt's YAML reader refuses. */
  readonly places: readonly RefusedPlace[];
}

/**
 * The code ignores this error of the YAML library, because Flipt's reader accepts a comment without a space before it.
 */
const COMMENT_WITHOUT_SPACE = 'Comments must be separated from other tokens by white space characters';

function valuesOf(document: Document, positionAt: PositionAt, rules: ValueRules, report: Report): unknown {
  // An unknown tag with YAML's own prefix, about which the YAML library only warns, is a mistake in every version of
  // Flipt. The function `taggedScalars` finds all other unknown tags, because only Flipt v2 refuses them.
  // `RefusedSyntax` finds the directives and names of anchors that Flipt refuses.
  const warnings = document.warnings.filter(({ message }) => message.includes('tag:yaml.org'));
  const errors = document.errors.filter(({ message }) => message !== COMMENT_WITHOUT_SPACE);
  const found = [...errors, ...warnings].map(({ code, message, pos }) => ({
    message: code === 'RESOURCE_EXHAUSTION' ? 'it nests too deep' : withoutQuotes(message),
    offset: pos[0],
  }));
  const ofV2 = isV2(rules.semantics) ? [...taggedScalars(document), ...writtenNull(document)] : [];
  const mistakes = [...found, ...rules.places, ...ofV2];
  for (const offset of repeatedKeys(document)) mistakes.push({ message: 'Map keys must be unique', offset });
  for (const { message, offset } of mistakes) {
    const { line, column } = positionAt(offset);
    const quote = /^Nested mappings/.test(message) ? ' (put a text with a colon in quotes)' : '';
    report([], { kind: 'syntax', message: `${message}${quote} at line ${line}, column ${column}` });
  }
  return mistakes.length > 0 ? null : yamlValues(document, rules, report);
}

/**
 * Finds scalars with a tag of the user's own, such as `!secret`, because Flipt v2 refuses such a scalar. Flipt v2
 * ignores the tags of mappings and lists.
 */
function taggedScalars(document: Document): readonly RefusedPlace[] {
  const found: RefusedPlace[] = [];
  eachPart(document.contents, (part) => {
    if (!isScalar(part) || !part.tag?.startsWith('!') || part.tag === '!') return;
    found.push({
      message: 'Flipt v2 reads no tag of your own: put the text in quotes',
      offset: part.range?.[0] ?? 0,
    });
  });
  return found;
}

/**
 * Finds a document whose content is `null` or `~`, because Flipt v2 refuses such a document. Flipt v2 accepts a
 * document without any content, and skips it.
 */
function writtenNull({ contents }: Document): readonly RefusedPlace[] {
  if (!isScalar(contents) || contents.value !== null || !contents.source) return [];
  const message = 'Flipt v2 reads no document that is null: leave it out';
  return [{ message, offset: contents.range?.[0] ?? 0 }];
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}

/** Returns the offsets in the text at which a key of a mapping repeats an earlier key of the same mapping. */
function repeatedKeys(document: Document): readonly number[] {
  const found: number[] = [];
  eachPart(document.contents, (part) => {
    if (!isMap(part)) return;
    const seen = new Set<string>();
    for (const { key } of part.items) {
      if (!isScalar(key)) continue;
      const name = String(key.source);
      if (seen.has(name)) found.push(key.range?.[0] ?? 0);
      seen.add(name);
    }
  });
  return found.sort((one, other) => one - other);
}

function textPosition(
  document: Document,
  targets: ReturnType<typeof targetsOf>,
  path: DocumentPath,
  positionAt: PositionAt,
): TextPosition | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    const step = partOf(isAlias(node) ? targets.get(node) : node, part);
    if (step === undefined) break;
    node = step.value;
    offset = startOf(step.begins) ?? offset;
  }
  return offset === undefined ? undefined : positionAt(offset);
}

/**
 * Returns a part of a mapping or list (`value`), and the node at which the part begins (`begins`). A member of a
 * mapping begins at its key.
 */
function partOf(node: unknown, part: string | number) {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.source === String(part));
    return pair && { value: pair.value, begins: pair.key };
  }
  if (!isSeq(node) || typeof part !== 'number') return undefined;
  const item: unknown = node.items[part];
  return item === undefined ? undefined : { value: item, begins: item };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
