const NOT_OFFERED: readonly number[] = [403, 404, 405, 501];

/**
 * Whether a status means that the service does not have the path at all: it is unknown, or the method, or these
 * credentials do not allow it. `also`: what means the same on this path alone.
 */
export function isNotOffered(status: number, ...also: readonly number[]): boolean {
  return NOT_OFFERED.includes(status) || also.includes(status);
}
