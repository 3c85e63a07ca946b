/** A longer text is not used, whether it comes from the service or from a store: 64 MB. */
export const MOST_SNAPSHOT_BYTES = 64 * 1024 * 1024;
