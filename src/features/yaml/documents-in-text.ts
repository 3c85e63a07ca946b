import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import type { DocumentPath, Report } from '../features-error.js';
import { eachPart, yamlValues, type ReadingRules } from './yaml-values.js';

/** The documents of a YAML text, or of one with JSON objects one after another. Throws if it nests too deep. */
export function documentsIn(text: string, rules: ReadingRules) {
  const readable = rules.json ? text : withoutNextLine(text);
  const lines = linesOf(readable);
  const extents = jsonDocuments(readable) ?? [[0, readable.length] as const];
  return extents.flatMap(([start, end]) => {
    const positions = { linePos: (offset: number) => lines.linePos(start + offset) };
    const parsed = parseAllDocuments(readable.slice(start, end), WITHOUT_MEANING);
    return (Array.isArray(parsed) ? parsed : []).map((document) => textDocument(document, positions, rules));
  });
}

/**
 * The documents of a text that has one JSON object after another, as Flipt's JSON export of several namespaces;
 * `undefined` for any other text. Comment lines may stand before the first. Strings and brackets are looked at, nothing
 * else: a parser checks the rest.
 */
function jsonDocuments(text: string) {
  const documents: [start: number, end: number][] = [];
  let start = /^\uFEFF?(?:\s|#.*)*/.exec(text)?.[0].length ?? 0;
  let depth = 0;
  PART.lastIndex = start;
  while (text[start] === '{') {
    const part = PART.exec(text);
    if (part === null) return undefined;
    const first = text[part.index];
    if (first === '{' || first === '[') depth++;
    else if (first !== '"') depth--;
    if (depth > 0) continue;
    documents.push([start, part.index + 1]);
    start = PART.lastIndex;
  }
  return documents.length > 1 && start === text.length ? documents : undefined;
}

/**
 * A string, an opening bracket, or a closing one with the space behind it. A string without its closing quote counts to
 * the text's end: looking again from each of its quotes would take the square of its length.
 */
const PART = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{[]|[}\]]\s*/gs;

/**
 * Scalars stay text, because what they mean depends on the member. Known tags would be read in another way than Go's.
 * Keys are compared later, in linear time.
 */
const WITHOUT_MEANING = {
  schema: 'failsafe',
  resolveKnownTags: false,
  prettyErrors: false,
  uniqueKeys: false,
} as const;

function textDocument(document: Document, lines: Pick<LineCounter, 'linePos'>, rules: ReadingRules) {
  return {
    /** Its values, or `null` if it has none or has reported mistakes of syntax. Throws if it repeats too much. */
    read: (report: Report): unknown => {
      const mistakes = document.errors.map(({ message, pos }) => ({ message, offset: pos[0] }));
      for (const offset of repeatedKeys(document))
        mistakes.push({ message: 'Map keys must be unique', offset });
      for (const { message, offset } of mistakes) {
        const { line, col } = lines.linePos(offset);
        const quote = /^Nested mappings/.test(message) ? ' (put a text with a colon in quotes)' : '';
        report([], `${message}${quote} at line ${line}, column ${col}`);
      }
      return mistakes.length > 0 ? null : yamlValues(document, rules, report);
    },
    /** Where the text has the part at a path. */
    positionOf: (path: DocumentPath) => textPosition(document, path, lines),
  };
}

/**
 * Go's YAML reader ends a line at U+0085, too. What follows is indented here, because the parser wants that where a
 * quoted text goes on, and drops it.
 */
function withoutNextLine(text: string): string {
  if (!text.includes('\u0085')) return text;
  return text.replace(
    /^([ ?-]*)(.*)$/gm,
    (_line, indent: string, rest: string) =>
      indent + rest.replaceAll('\u0085', `\n ${' '.repeat(indent.length)}`),
  );
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}

/**
 * Where a key of a mapping repeats an earlier one, as offsets in the text. The parser's own check compares each key with
 * all before it: the square of their number.
 */
function repeatedKeys(document: Document): readonly number[] {
  const found: number[] = [];
  eachPart(document.contents, (part) => {
    if (!isMap(part)) return;
    const seen = new Set<unknown>();
    for (const { key } of part.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
      seen.add(key.value);
    }
  });
  return found.sort((one, other) => one - other);
}

/** Where a YAML text has the part at a path. If that part is missing, where the part around it is. */
function textPosition(document: Document, path: DocumentPath, lines: Pick<LineCounter, 'linePos'>) {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    const step = partOf(isAlias(node) ? node.resolve(document) : node, part);
    if (step === undefined) break;
    node = step.value;
    offset = startOf(step.begins) ?? offset;
  }
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** A part, and the node whose position is shown: for a member of a mapping, its key. */
function partOf(node: unknown, part: string | number) {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    return pair && { value: pair.value, begins: pair.key };
  }
  if (!isSeq(node) || typeof part !== 'number') return undefined;
  const item: unknown = node.items[part];
  return item === undefined ? undefined : { value: item, begins: item };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
