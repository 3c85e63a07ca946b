import { messageOf } from '../../text/describe.js';

/** A change could not be saved, or not safely. */
export class SaveError extends Error {
  override readonly name = 'SaveError';

  private constructor(
    /** Whether the change was made nevertheless. */
    readonly made: boolean,
    what: string,
    cause: unknown,
  ) {
    super(`the change was ${what}: ${messageOf(cause)}`, { cause });
  }

  /** The change was not made: memory and disk are as before. */
  static notMade(cause: unknown): SaveError {
    return new SaveError(false, 'not made, because it could not be saved', cause);
  }

  /** The change is on disk, but may not survive a power failure. */
  static unsure(cause: unknown): SaveError {
    return new SaveError(true, 'made, but may be lost if the machine stops suddenly', cause);
  }
}
