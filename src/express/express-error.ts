/** Express treats a falsy reason as no error, and some strings as commands to its router. */
export function asError(owner: string, reason: unknown): object {
  return typeof reason === 'object' && reason !== null
    ? reason
    : new Error(`${owner}: context failed: ${String(reason)}`, { cause: reason });
}
