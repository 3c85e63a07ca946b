import { unsteered } from '../../text/quote.js';

/**
 * Features that cannot be used. For each mistake, 20 at most, the message names the file, the document, the path in it,
 * what was expected and, in a text, line and column.
 */
export class FeaturesError extends Error {
  /** The error's name where it is printed. */
  override readonly name = 'FeaturesError';
  /** Identifies this error, whichever build of the package it comes from. */
  readonly code = 'ERR_FEATURES';
}

/** A place in a document: `['flags', 0, 'key']`. Empty: the whole document. */
export type DocumentPath = readonly (string | number)[];

/** Reports that a document is wrong at a path. */
export type Report = (path: DocumentPath, wrong: string) => void;

/** How messages name a document. */
export interface DocumentName {
  /** `features.yml: document 1` */
  readonly where: string;
  /** Where its text has the part at a path: `at line 3, column 5`. Undefined where there is no text. */
  readonly positionOf?: (path: DocumentPath) => string | undefined;
}

const MOST_REPORTED = 20;

/** What is wrong with features: collected, so that one error reports all of it. */
export class Mistakes {
  private readonly reported: string[] = [];
  private count = 0;

  add({ where, positionOf }: DocumentName, path: DocumentPath, wrong: string): void {
    this.count++;
    if (this.count > MOST_REPORTED) return;
    if (path.length === 0) this.reported.push(`${where}: ${wrong}`);
    else
      this.reported.push(
        [`${where}: ${pathText(path)}: ${wrong}`, positionOf?.(path) ?? ''].join(' ').trimEnd(),
      );
  }

  /** Throws a {@link FeaturesError} with a line for each mistake, at most 20. */
  throwIfAny(): void {
    if (this.count === 0) return;
    const more = this.count - this.reported.length;
    throw new FeaturesError([...this.reported, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

function pathText(path: DocumentPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${unsteered(part)}`))
    .join('')
    .replace(/^\./, '');
}
