/** A flag that exists, but cannot be evaluated here: a newer service may write what this version does not know. */
export interface UnreadableFlag {
  /** The place in the flag, what was expected there, and what was found. Holds no value of a segment. */
  readonly reason: string;
  /** As the service wrote it: JSON text in one line. */
  readonly text: string;
}
