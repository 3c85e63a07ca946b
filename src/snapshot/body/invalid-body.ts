/** The body is not a snapshot, or only part of one. The message names the place. Nothing of the body is used. */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}
