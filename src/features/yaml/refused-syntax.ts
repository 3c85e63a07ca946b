/*
 * This file finds syntax that the library `yaml` accepts, but that Flipt's YAML reader refuses. All versions of Flipt
 * use Go's yaml.v3. If Flipt's YAML reader refuses a single place in a file, Flipt can read no part of the file.
 */

/** A place in a text that Flipt's YAML reader refuses, and a message that says what is wrong there. */
export interface RefusedPlace {
  readonly message: string;
  readonly offset: number;
}

/** Matches a character that Go's YAML reader never accepts, not even in a comment. */
const FOREIGN = /[^\t\n\r\u{20}-\u{7e}\u{85}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * Returns the place of the first character that Flipt's YAML reader does not accept, or `undefined` if the reader
 * accepts all characters of the text.
 */
export function foreignCharacter(text: string): RefusedPlace | undefined {
  const found = FOREIGN.exec(text);
  if (found === null) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { message: `Flipt reads no control characters, such as U+${code} here`, offset: found.index };
}

/**
 * The lexer of the YAML library emits these marks between the parts of a text. A text that Flipt reads does not contain
 * these characters.
 */
const MARKS = new Set(['\u{2}', '\u{18}', '\u{1f}']);
const SCALAR_FOLLOWS = '\u{1f}';

/** The largest number of refused places that are collected for one error. */
const MOST_FOUND = 20;

/** Checks the lexemes of a YAML text one after another, and collects the places that Flipt's YAML reader refuses. */
export class RefusedSyntax {
  readonly found: RefusedPlace[] = [];
  private offset = 0;
  /** The number of brackets and braces that are open at the current place in the text. */
  private depth = 0;
  private isScalar = false;
  /**
   * Is `true` if the last part, apart from blanks and comments, is a text without quotes. A text without quotes can
   * continue in the next line.
   */
  private isPlain = false;
  private isBlockHeader = false;
  /** Is `true` if the current line has had only blanks so far. */
  private isAtStart = true;
  /**
   * The offset of the first tab among the blanks at the beginning of the current line, or `undefined` if there is no
   * tab.
   */
  private tab: number | undefined;
  private lineStart = 0;
  /** Is `true` if a line `...` has ended a document, and no other document has begun since. */
  private hasEnded = false;

  look(lexeme: string): void {
    if (MARKS.has(lexeme)) {
      this.isScalar = lexeme === SCALAR_FOLLOWS;
      return;
    }
    if (this.isScalar) this.scalar(lexeme);
    else this.other(lexeme);
    this.isScalar = false;
    this.offset += lexeme.length;
    if (lexeme.endsWith('\n')) this.beginLine();
  }

  end(): void {
    this.endBlankLine();
  }

  private beginLine(): void {
    this.isAtStart = true;
    this.tab = undefined;
    this.lineStart = this.offset;
  }

  private scalar(text: string): void {
    this.beginDocument();
    this.isAtStart = false;
    this.isPlain = !this.isBlockHeader;
    this.isBlockHeader = false;
    const at = this.isPlain && this.depth > 0 ? text.indexOf('?', 1) : -1;
    if (at > 0) this.refuse('Flipt reads no question mark here: put the text in quotes', at);
  }

  private other(lexeme: string): void {
    if (/^[ \t]+$/.test(lexeme)) {
      if (this.isAtStart && lexeme.includes('\t')) this.tab ??= this.offset + lexeme.indexOf('\t');
      return;
    }
    if (/^[\r\n#]/.test(lexeme)) {
      this.endBlankLine();
      return;
    }
    if (lexeme === '...') this.hasEnded = true;
    else this.beginDocument(lexeme);
    this.isAtStart = false;
    this.isPlain = false;
    this.isBlockHeader = /^[|>]/.test(lexeme);
    if (lexeme === '{' || lexeme === '[') this.depth++;
    else if (lexeme === '}' || lexeme === ']') this.depth--;
    else if (lexeme.startsWith('%')) this.directive(lexeme);
    else if (/^[&*]/.test(lexeme)) this.anchor(lexeme);
    else if (lexeme.startsWith('"')) this.escapes(lexeme);
  }

  /**
   * Refuses a tab in a line that is otherwise empty, or in the blanks before a comment. Everywhere else, the YAML
   * library itself refuses wrong tabs.
   */
  private endBlankLine(): void {
    if (this.isAtStart && this.tab !== undefined && this.depth === 0) {
      const goesOn = this.isPlain && this.tab > this.lineStart;
      if (!goesOn)
        this.refuse('Flipt reads no tab in an empty line or before a comment', this.tab - this.offset);
    }
    this.isAtStart = false;
  }

  private beginDocument(lexeme = ''): void {
    if (this.hasEnded && !/^(?:---|%)/.test(lexeme)) {
      this.refuse('Flipt reads a document behind a line "..." only after a line "---"', 0);
    }
    this.hasEnded = false;
  }

  private directive(text: string): void {
    if (/^%(?:YAML[ \t]+1\.1|TAG[ \t])/.test(text)) return;
    const expected = text.startsWith('%YAML') ? 'only %YAML 1.1: leave the line out' : 'only %YAML and %TAG';
    this.refuse(`Flipt reads ${expected}`, 0);
  }

  private anchor(text: string): void {
    if (!/^[&*][\w-]+$/.test(text)) {
      this.refuse('Flipt reads names of anchors with letters of ASCII, digits, - and _ only', 0);
    }
  }

  private escapes(text: string): void {
    for (const { 0: written, 1: code, index } of text.matchAll(/\\(?:u([\da-f]{4})|[^])/gi)) {
      if (written === '\\/') this.refuse('Flipt reads no escaped slash: write / alone', index);
      if (code !== undefined && /^d[89a-f]/i.test(code)) {
        this.refuse(
          `Flipt reads no half of a character, such as \\u${code}: write the character itself`,
          index,
        );
      }
    }
  }

  private refuse(message: string, at: number): void {
    if (this.found.length < MOST_FOUND) this.found.push({ message, offset: this.offset + at });
  }
}
