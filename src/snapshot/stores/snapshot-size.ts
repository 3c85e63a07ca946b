/**
 * A snapshot that comes as bytes, for example from the service or from a file, is not used if it has more than this
 * many bytes. Any other snapshot is not used if its text has more than this many characters.
 */
export const MOST_SNAPSHOT_BYTES = 64 * 1024 * 1024;
