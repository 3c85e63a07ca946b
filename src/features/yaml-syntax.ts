import { isNode, isScalar, visit, type Document } from 'yaml';
import { isV2 } from '../engine/version-differences.js';
import type { ReadingRules } from './yaml-scalars.js';

/* What the library finds wrong, and what it takes but Go's reader refuses. */

interface SyntaxProblem {
  readonly message: string;
  readonly offset: number;
}

/** Go's reader accepts a comment without a space before it. */
const COMMENT_WITHOUT_SPACE = 'Comments must be separated from other tokens by white space characters';
/** A file of another kind, such as passwords, must not stand in a public log. */
const BEFORE_QUOTES = [
  'Unresolved tag',
  'Block scalar header includes extra characters',
  'Invalid escape sequence',
  'Could not resolve tag',
  'Not a valid tag',
  'Unknown directive',
  'Unsupported YAML version',
];
const UNEXPECTED = /^Unexpected \S+ token in YAML stream/;

/** A file of brackets has one for each. */
const MOST_PROBLEMS = 20;

export function syntaxProblems(
  document: Document,
  text: string,
  rules: ReadingRules,
): readonly SyntaxProblem[] {
  const foreign = rules.json ? undefined : foreignCharacter(document, text);
  if (foreign !== undefined) return [foreign];
  // An unknown tag of YAML's own is a mistake in every Flipt; the library only warns.
  const warnings = document.warnings.filter(({ message }) => message.includes('tag:yaml.org'));
  const errors = document.errors.filter(({ message }) => message !== COMMENT_WITHOUT_SPACE);
  // So the library calls whatever was thrown in it, also by the tags of yaml-scalars.ts.
  const thrown = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (thrown !== undefined) throw new Error(thrown.message);
  const found = [...errors, ...warnings].map(({ message, pos }) => ({
    message: unquoted(message),
    offset: pos[0],
  }));
  if (found.length > 0) return found.slice(0, MOST_PROBLEMS);
  const ofGo = rules.json ? notJson(text) : wrongEscapes(document, text);
  return [...ofGo, ...ofDocument(document, rules)].slice(0, MOST_PROBLEMS);
}

function unquoted(message: string): string {
  const hint = message.startsWith('Nested mappings') ? ' (put a text with a colon in quotes)' : '';
  const safe = BEFORE_QUOTES.find((words) => message.startsWith(words)) ?? UNEXPECTED.exec(message)?.[0];
  return (safe ?? message) + hint;
}

function notJson(text: string): readonly SyntaxProblem[] {
  try {
    // An export of Flipt begins with comments.
    JSON.parse(text.replace(/^(?:\s*#.*\n)+/, ''));
    return [];
  } catch (error) {
    const [, offset = '0'] = /position (\d+)/.exec(String(error)) ?? [];
    return [{ message: 'Flipt reads the file as JSON, which it is not', offset: Number(offset) }];
  }
}

/** Go's reader never accepts them, not even in a comment. */
const FOREIGN = /[^\t\n\r\u{20}-\u{7e}\u{85}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
/** Go's reader accepts neither `\/` nor half of a character in double quotes. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F])/;

function foreignCharacter(document: Document, text: string): SyntaxProblem | undefined {
  const [start = 0, , end = text.length] = document.range ?? [];
  const found = FOREIGN.exec(text.slice(start, end));
  if (found === null) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const message = `Flipt reads no control characters, such as U+${code} here`;
  return { message, offset: start + found.index };
}

function wrongEscapes(document: Document, text: string): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  visit(document, {
    Scalar(_, { type, range }) {
      if (type !== 'QUOTE_DOUBLE' || !range) return;
      if (!ESCAPED.test(text.slice(range[0], range[1]))) return;
      found.push({
        message: 'Flipt reads no escape such as \\/ or \\ud83d: write the character',
        offset: range[0],
      });
    },
  });
  return found;
}

/** Repeated keys; and, for Flipt v2, tags of the user's own and a document that is null. */
function ofDocument(document: Document, { semantics, converts }: ReadingRules): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  const add = (message: string, node: unknown) => found.push({ message, offset: startOf(node) ?? 0 });
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(String(key.source))) add('Map keys must be unique', key);
        seen.add(String(key.source));
      }
    },
    Scalar(_, node) {
      if (!isV2(semantics) || !node.tag?.startsWith('!') || node.tag === '!') return;
      add('Flipt v2 reads no tag of your own: put the text in quotes', node);
    },
  });
  const { contents } = document;
  if (!converts && isScalar(contents) && contents.value === null && contents.source)
    add('Flipt reads no document that is null: leave it out', contents);
  return found.sort((one, other) => one.offset - other.offset);
}

export function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
