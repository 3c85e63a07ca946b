import { unsteered, unsteeredLines } from '../base/text/describe.js';

/**
 * Features that cannot be used. The message has a line for each mistake, at most 20. It names the file, the document,
 * the path in it, what was expected, and in a text also line and column.
 */
export class FeaturesError extends Error {
  /** The error's name where it is printed. */
  override readonly name = 'FeaturesError';
  /** Identifies this error in both builds of the package, ES module and CommonJS. */
  readonly code = 'ERR_FEATURES';

  /** A line for each mistake. Characters that would steer a terminal are escaped. */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteeredLines(message), options);
  }
}

/** A place in a document: `['flags', 0, 'key']`. Empty: the whole document. */
export type DocumentPath = readonly (string | number)[];

/** Reports that a document is wrong at a path. */
export type Report = (path: DocumentPath, wrong: string) => void;

/** A place in a text; both numbers count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a document's text has the part at a path. */
export type PositionOf = (path: DocumentPath) => TextPosition | undefined;

const MOST_REPORTED = 20;

/** Collects mistakes in features, so that one error reports all of them. */
export class Mistakes {
  private readonly reported: string[] = [];
  private count = 0;

  constructor(readonly file: string) {}

  /** Collects the mistakes of one document, counted from 0; without a text, it has no positions. */
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
