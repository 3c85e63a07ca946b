/**
 * The statuses of a service that does not have a path at all: it is unknown, or its method, or these credentials do not
 * allow it. Callers add what means the same on their path alone.
 */
export const NOT_OFFERED: readonly number[] = [403, 404, 405, 501];
