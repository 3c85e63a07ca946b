import { unsteered, unsteeredLines } from '../base/text/describe.js';
import { wrongMessage, type Wrong } from './mistake-kinds.js';

/**
 * This error means that features cannot be used, for example because a features file has mistakes or cannot be read. If
 * there are mistakes, the error's message has one line for each of the first 20 mistakes. A line usually names the
 * file, the document, the path in the document, and what was expected there. If the features came from a file or a
 * text, most lines also name the position in the text.
 */
export class FeaturesError extends Error {
  /** Node prints this name before the error's message. */
  override readonly name = 'FeaturesError';
  /**
   * Check this code instead of `instanceof`, which fails for an error from the other build of the package (ES module or
   * CommonJS).
   */
  readonly code = 'ERR_FEATURES';

  /** The constructor escapes those characters in the message that would control a terminal. */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteeredLines(message), options);
  }
}

/** The path of a part of a document, such as `['flags', 0, 'key']`. An empty path stands for the whole document. */
export type DocumentPath = readonly (string | number)[];

/**
 * Call this function for each mistake in a document. `path` is the path of the mistake, and `wrong` says what is wrong
 * there.
 */
export type Report = (path: DocumentPath, wrong: Wrong) => void;

/** A position in a text. The line and the column are counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Returns the line and the column at which the part of a document with this path begins. */
export type PositionOf = (path: DocumentPath) => TextPosition | undefined;

const MOST_REPORTED = 20;

/** A mistake in a document, because of which the features cannot be used. */
export interface Mistake {
  /** The position in the file of the document that has the mistake, counted from 0. */
  readonly document: number;
  readonly path: DocumentPath;
  readonly wrong: Wrong;
  /**
   * Returns the line and the column of a part of the document. The function is `undefined` if the document was given as
   * an object.
   */
  readonly positionOf: PositionOf | undefined;
}

/** Collects mistakes in features, so that one error can report many mistakes. */
export class Mistakes {
  readonly found: Mistake[] = [];

  constructor(readonly file: string) {}

  /**
   * Returns a function that adds a mistake in one document to this collection. `document` is the position of the
   * document in the file, counted from 0. Without `positionOf`, the mistakes have no line and column.
   */
  of(document: number, positionOf?: PositionOf): Report {
    return (path, wrong) => {
      this.found.push({ document, path, wrong, positionOf });
    };
  }

  /**
   * Throws a {@link FeaturesError} if any mistakes were collected. The error's message has one line for each of the
   * first 20 mistakes.
   */
  throwIfAny(): void {
    if (this.found.length === 0) return;
    const lines = this.found.slice(0, MOST_REPORTED).map((mistake) => this.lineOf(mistake));
    const more = this.found.length - lines.length;
    throw new FeaturesError([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }

  private lineOf({ document, path, wrong, positionOf }: Mistake): string {
    const position = path.length === 0 ? undefined : positionOf?.(path);
    const place = path.length === 0 ? '' : `: ${pathText(path)}`;
    const at = position && ` at line ${position.line}, column ${position.column}`;
    return unsteered(`${this.file}: document ${document + 1}${place}: ${wrongMessage(wrong)}`) + (at ?? '');
  }
}

export function pathText(path: DocumentPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${unsteered(part)}`))
    .join('')
    .replace(/^\./, '');
}
