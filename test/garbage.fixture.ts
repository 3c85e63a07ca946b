import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Ends the objects that nobody keeps. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Bytes of the heap that are still in use after a garbage collection. */
export function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
