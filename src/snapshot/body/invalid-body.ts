/** A body that is not a snapshot, or only half of one: its message names the place. Nothing of the body is used. */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}
