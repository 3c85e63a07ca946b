import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import type { DocumentPath, Report } from '../features-error.js';
import { jsonDocuments } from './json-documents.js';
import { repeatedKeys } from './repeated-keys.js';
import { textPosition } from './text-position.js';
import type { ReadingRules } from './value-type.js';
import { yamlValues } from './yaml-values.js';

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
      for (const offset of repeatedKeys(document.contents))
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
