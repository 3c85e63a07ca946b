import { messageOf } from '../../text/describe.js';

/** A change could not be saved, or not safely. */
export class SaveError extends Error {
  override readonly name = 'SaveError';

  private constructor(
    message: string,
    /** Whether the change was made nevertheless. */
    readonly made: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }

  /** The change was not made: memory and disk are as before. */
  static notMade(cause: unknown): SaveError {
    const message = `the change was not made, because it could not be saved: ${messageOf(cause)}`;
    return new SaveError(message, false, cause);
  }

  /** The change is on disk, but may not survive a power failure. */
  static unsure(cause: unknown): SaveError {
    const message = `the change was made, but may be lost if the machine stops suddenly: ${messageOf(cause)}`;
    return new SaveError(message, true, cause);
  }
}
