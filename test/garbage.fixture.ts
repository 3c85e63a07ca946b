import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Makes the garbage collector free the objects that nobody keeps. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Returns how many bytes of the heap are still in use after a garbage collection. */
export function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
