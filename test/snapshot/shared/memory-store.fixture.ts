import type { Clock } from '../../../src/base/time/clock.js';
import type { SharedRecord, SnapshotStore } from '../../../src/options/snapshot-store.js';

/** The content of a shared store, which the test can read and spoil. */
export interface Held {
  lease: { readonly holder: string; readonly fence: number; readonly until: number } | undefined;
  fences: number;
  record: SharedRecord | undefined;
  text: string | undefined;
}

export interface MemoryStore {
  readonly held: Held;
  /** Returns the store for one instance. `way` may delay, lose or refuse each call. */
  readonly reached: (way?: Way) => SnapshotStore;
  /** The names of all calls so far. */
  readonly calls: string[];
}

/** Carries a call to the store, and its result back. */
export type Way = <T>(step: () => T) => Promise<T>;

const direct: Way = (step) => Promise.resolve().then(step);

/** Makes a store in memory, by the rules of `SharedSnapshot`, with a clock of its own. */
export function memoryStore(clock: Pick<Clock, 'now'>): MemoryStore {
  const held: Held = { lease: undefined, fences: 0, record: undefined, text: undefined };
  const calls: string[] = [];
  const leaseOf = () => {
    if (held.lease !== undefined && held.lease.until <= clock.now()) held.lease = undefined;
    return held.lease;
  };
  const reached = (way: Way = direct): SnapshotStore => {
    const call = <T>(name: string, step: () => T) =>
      way(() => {
        calls.push(name);
        return step();
      });
    return {
      load: () => call('load', () => held.text),
      save: () => Promise.reject(new Error('only the holder of the lease writes')),
      shared: () => ({
        turn: (holder, leaseMs) =>
          call('turn', () => {
            const lease = leaseOf();
            const isMine = lease?.holder === holder;
            if (leaseMs > 0 && (isMine || lease === undefined)) {
              const fence = lease?.fence ?? ++held.fences;
              held.lease = { holder, fence, until: clock.now() + leaseMs };
            }
            const fence = held.lease?.holder === holder ? held.lease.fence : undefined;
            return { fence, record: held.record, time: clock.now() };
          }),
        publish: ({ holder, fence, text, ...record }) =>
          call('publish', () => {
            const lease = leaseOf();
            if (lease?.holder !== holder || lease.fence !== fence) return 'lost';
            if (text === undefined && (held.text === undefined || held.record?.version !== record.version))
              return 'missing';
            held.text = text ?? held.text;
            held.record = record;
            return 'published';
          }),
        release: (holder) =>
          call('release', () => {
            if (leaseOf()?.holder === holder) held.lease = undefined;
          }),
      }),
    };
  };
  return { held, reached, calls };
}
