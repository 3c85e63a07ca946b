import { Lexer } from 'yaml';
import type { TextPosition } from '../features-error.js';

/** A comment of a YAML text. */
export interface Comment extends TextPosition {
  /** The text of the comment without its `#`. */
  readonly text: string;
  /**
   * The number of the line that the comment is about. A comment behind content is about its own line, and a comment
   * that stands alone is about the next line with content.
   */
  readonly about: number;
}

/**
 * The lexer of the YAML library emits these characters as marks, for example at the beginning of a document or of a
 * scalar. A text that Flipt reads does not contain these characters.
 */
const NOT_IN_TEXT: readonly string[] = ['\u0002', '\u0018', '\u001f'];

/** Returns the comments of a YAML text in the order of the text. */
export function commentsIn(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  const next = nextContents(text);
  let line = 1;
  let column = 1;
  let hasContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (NOT_IN_TEXT.includes(lexeme)) continue;
    // A lexeme that begins with `#` is always a comment, because the text of a block scalar begins with its
    // indentation, and no other scalar can begin with `#`.
    if (lexeme.startsWith('#')) {
      const about = hasContent ? line : (next[line] ?? line);
      comments.push({ text: lexeme.slice(1), line, column, about });
    }
    const parts = lexeme.split('\n');
    const last = parts.at(-1) ?? '';
    line += parts.length - 1;
    column = last.length + (parts.length > 1 ? 1 : column);
    hasContent = last.trim() !== '' || (parts.length === 1 && hasContent);
  }
  return comments;
}

/** Returns for each line, counted from 1, the number of the next line that is neither empty nor a comment. */
function nextContents(text: string): readonly (number | undefined)[] {
  const lines = text.split('\n');
  const next: (number | undefined)[] = [];
  let following: number | undefined;
  for (let line = lines.length; line > 0; line--) {
    next[line] = following;
    if (!/^\s*(?:#|$)/.test(lines[line - 1] ?? '')) following = line;
  }
  return next;
}
