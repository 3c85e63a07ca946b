/** A text of more than 64 MB is not used, whether it comes from the service or from a store. */
export const MOST_SNAPSHOT_BYTES = 64 * 1024 * 1024;
