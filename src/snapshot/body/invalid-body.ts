/**
 * The body is not a snapshot, only part of one, or holds what this version does not know. The message names the place.
 * Thrown while one flag is read, it concerns this flag alone.
 */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}
