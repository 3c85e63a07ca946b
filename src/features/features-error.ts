import { unsteered, unsteeredLines } from '../base/text/describe.js';

/**
 * This error means that features cannot be used. The error's message has one line for each mistake, and at most 20 such
 * lines. Each line names the file, the document, the path in the document, and what was expected there. If the features
 * came from a text, the line also names the position in the text.
 */
export class FeaturesError extends Error {
  /** The name that is printed before the message. */
  override readonly name = 'FeaturesError';
  /** Identifies this error in both builds of the package, ES module and CommonJS. */
  readonly code = 'ERR_FEATURES';

  /**
   * The message has one line for each mistake. The constructor escapes characters in the message that would control a
   * terminal.
   */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteeredLines(message), options);
  }
}

/** A place in a document, such as `['flags', 0, 'key']`. An empty path stands for the whole document. */
export type DocumentPath = readonly (string | number)[];

/** A function to be called for each mistake in a document, with the path of the mistake. */
export type Report = (path: DocumentPath, wrong: string) => void;

/** A place in a text. The line and the column are counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Returns where the text of a document has the part at a path. */
export type PositionOf = (path: DocumentPath) => TextPosition | undefined;

const MOST_REPORTED = 20;

/** A mistake that makes features unusable. */
export interface Mistake {
  /** The number of the document that has the mistake, counted from 0 in the file. */
  readonly document: number;
  readonly path: DocumentPath;
  /** What is wrong, such as `expected a list, got "x"`. */
  readonly wrong: string;
  /**
   * Returns the position of a part in the document's text. The function is `undefined` if the document was given as an
   * object.
   */
  readonly positionOf: PositionOf | undefined;
}

/** Collects mistakes in features, so that one error reports all of them. */
export class Mistakes {
  readonly found: Mistake[] = [];

  constructor(readonly file: string) {}

  /**
   * Returns a function that collects the mistakes of one document. `document` is the number of the document, counted
   * from 0. Without `positionOf`, the mistakes have no line and column.
   */
  of(document: number, positionOf?: PositionOf): Report {
    return (path, wrong) => {
      this.found.push({ document, path, wrong, positionOf });
    };
  }

  /**
   * Throws a {@link FeaturesError} if any mistakes were collected. The error has one line for each mistake, and at most
   * 20 such lines.
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
    return unsteered(`${this.file}: document ${document + 1}${place}: ${wrong}`) + (at ?? '');
  }
}

export function pathText(path: DocumentPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${unsteered(part)}`))
    .join('')
    .replace(/^\./, '');
}
