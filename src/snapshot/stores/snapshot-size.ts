/** A snapshot whose text has more than 64 MB is not used, whether the text comes from the service or from a store. */
export const MOST_SNAPSHOT_BYTES = 64 * 1024 * 1024;
