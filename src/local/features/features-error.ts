/** Features that cannot be used. The message names the file, the document, the path in it and what was expected. */
export class FeaturesError extends Error {
  /** The error's name where it is printed. */
  override readonly name = 'FeaturesError';
  /** Identifies this error, whichever build of the package it comes from. */
  readonly code = 'ERR_FEATURES';
}

const MOST_REPORTED = 20;

/** What is wrong with features: collected, so that one error reports all of it. */
export class Mistakes {
  private readonly reported: string[] = [];
  private count = 0;

  /** `where` names the document, and `path` the place in it; a mistake of the whole document has no path. */
  add(where: string, path: string, wrong: string): void {
    this.count++;
    if (this.count <= MOST_REPORTED)
      this.reported.push(`${where}: ${path === '' ? wrong : `${path}: ${wrong}`}`);
  }

  /** Throws a {@link FeaturesError} with a line for each mistake, at most 20. */
  throwIfAny(): void {
    if (this.count === 0) return;
    const more = this.count - this.reported.length;
    throw new FeaturesError([...this.reported, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}
