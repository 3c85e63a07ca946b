import type { Clock } from '../../src/base/time/clock.js';
import type { SnapshotStore } from '../../src/options/snapshot-store.js';

/** Carries a call to the store, and its result back. */
export type Way = <T>(step: () => T) => Promise<T>;

const direct: Way = (step) => Promise.resolve().then(step);

/** A shared store in memory, by the rules of `SharedSnapshot`, which the test can read and spoil. */
export function memoryStore(clock: Pick<Clock, 'now'>) {
  const held = {
    lease: undefined as { readonly holder: object; readonly until: number } | undefined,
    heartbeat: undefined as { readonly digest: string; readonly until: number } | undefined,
    text: undefined as string | undefined,
  };
  const calls: string[] = [];
  const reached = (way: Way = direct): SnapshotStore => {
    const holder = {};
    const call = <T>(name: string, step: () => T) =>
      way(() => {
        calls.push(name);
        return step();
      });
    return {
      load: () => call('load', () => held.text),
      save: () => Promise.reject(new Error('a shared store is not saved to')),
      shared: () => ({
        claim: (forMs) =>
          call('claim', () => {
            const isFree = held.lease === undefined || held.lease.until <= clock.now();
            if (isFree || held.lease?.holder === holder) held.lease = { holder, until: clock.now() + forMs };
            return held.lease?.holder === holder;
          }),
        announce: (digest, forMs, text) =>
          call('announce', () => {
            if (text !== undefined) held.text = text;
            held.heartbeat = { digest, until: clock.now() + forMs };
          }),
        look: () =>
          call('look', () =>
            held.heartbeat && held.heartbeat.until > clock.now() ? held.heartbeat.digest : undefined,
          ),
      }),
    };
  };
  return { held, calls, reached };
}

export type MemoryStore = ReturnType<typeof memoryStore>;
