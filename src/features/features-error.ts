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

/** Collects mistakes in features, so that one error reports all of them. */
export class Mistakes {
  private readonly reported: string[] = [];
  private count = 0;

  constructor(readonly file: string) {}

  /**
   * Returns a function that collects the mistakes of one document. Documents are counted from 0. Without `positionOf`,
   * the mistakes have no line and column.
   */
  of(document: number, positionOf?: PositionOf): Report {
    return (path, wrong) => {
      this.count++;
      if (this.count > MOST_REPORTED) return;
      const position = path.length === 0 ? undefined : positionOf?.(path);
      const place = path.length === 0 ? '' : `: ${pathText(path)}`;
      const at = position && ` at line ${position.line}, column ${position.column}`;
      const where = `${this.file}: document ${document + 1}${place}`;
      this.reported.push(unsteered(`${where}: ${wrong}`) + (at ?? ''));
    };
  }

  /** Throws a {@link FeaturesError} with a line for each mistake, at most 20. */
  throwIfAny(): void {
    if (this.count === 0) return;
    const more = this.count - this.reported.length;
    throw new FeaturesError([...this.reported, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

export function pathText(path: DocumentPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${unsteered(part)}`))
    .join('')
    .replace(/^\./, '');
}
