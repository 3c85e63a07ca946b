import { unsteered, unsteeredLines } from '../base/text/describe.js';

/**
 * The error of features that cannot be used. Its message has a line for each mistake, at most 20. Each line names the
 * file, the document, the path in it and what was expected and, if the features came from a text, the line and the
 * column.
 */
export class FeaturesError extends Error {
  /** The name that is printed before the message. */
  override readonly name = 'FeaturesError';
  /** Identifies this error in both builds of the package, ES module and CommonJS. */
  readonly code = 'ERR_FEATURES';

  /** The message has a line for each mistake. Characters that would steer a terminal are escaped. */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteeredLines(message), options);
  }
}

/** A place in a document, such as `['flags', 0, 'key']`. An empty path stands for the whole document. */
export type DocumentPath = readonly (string | number)[];

/** Reports that a document is wrong at a path. */
export type Report = (path: DocumentPath, wrong: string) => void;

/** A place in a text; both numbers count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds where a document's text has the part at a path. */
export type PositionOf = (path: DocumentPath) => TextPosition | undefined;

const MOST_REPORTED = 20;

/** A mistake that makes features unusable. */
export interface Mistake {
  /** The number of its document in the file, counted from 0. */
  readonly document: number;
  readonly path: DocumentPath;
  /** What is wrong, such as `expected a list, got "x"`. */
  readonly wrong: string;
  /** Finds positions in the document's text; `undefined` if the document was given as an object. */
  readonly positionOf: PositionOf | undefined;
}

/** Collects mistakes in features, so that one error reports all of them. */
export class Mistakes {
  readonly found: Mistake[] = [];

  constructor(readonly file: string) {}

  /**
   * Returns a function that collects the mistakes of one document. Documents are counted from 0. Without `positionOf`,
   * the mistakes have no line and column.
   */
  of(document: number, positionOf?: PositionOf): Report {
    return (path, wrong) => {
      this.found.push({ document, path, wrong, positionOf });
    };
  }

  /** Throws a {@link FeaturesError} with a line for each mistake, at most 20. */
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
