/** Rejects with an Error once the time is up; a request waits for this, so the timer keeps the process alive. */
export async function settledWithin<T>(ms: number, value: T | PromiseLike<T>): Promise<T> {
  if (!isPromiseLike(value)) return value;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`flags: context has not settled within ${ms} ms (contextTimeoutMs)`));
    }, ms);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
