import type { Clock } from '../../../src/base/time/clock.js';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import { timeoutFailure } from '../../../src/http/failures.js';
import type { Reply, Send } from '../../../src/http/reply.js';
import type { Failure } from '../../../src/model/failure.js';
import type { SnapshotStore } from '../../../src/options/snapshot-store.js';
import { openSnapshotSource, type SnapshotSource } from '../../../src/snapshot/snapshot-source.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { INFO_PATH } from '../../servers/scripted.fixture.js';
import { bodyJson, reply } from '../fetched.fixture.js';

export const POLL_MS = 15_000;

/**
 * A service whose snapshot has a state, which is a number that only grows. The flag `state-5` exists while the state is
 * 5.
 */
export interface CountingService {
  readonly send: Send;
  state: number;
  /** What the service answers instead; `undefined` if it works. */
  trouble: Reply | Failure | undefined;
  /** How many milliseconds pass until the service answers, and how many more for a whole body. */
  delayMs: number;
  bodyMs: number;
  polls: number;
  bodies: number;
}

export function countingService(clock: Clock): CountingService {
  const service: CountingService = {
    state: 1,
    trouble: undefined,
    delayMs: 0,
    bodyMs: 0,
    polls: 0,
    bodies: 0,
    async send({ path, headers }) {
      if (path === INFO_PATH) return reply(404);
      service.polls++;
      const etag = `state-${service.state}`;
      const outcome =
        service.trouble ??
        (headers?.['if-none-match'] === etag ? reply(304) : reply(200, bodyJson({ [etag]: true }), { etag }));
      const isWhole = outcome.kind === 'reply' && outcome.status === 200;
      if (isWhole) service.bodies++;
      const takesMs = service.delayMs + (isWhole ? service.bodyMs : 0);
      if (takesMs > 0) await new Promise<void>((resolve) => clock.after(takesMs, resolve));
      return outcome;
    },
  };
  return service;
}

export interface Instance {
  readonly snapshots: SnapshotSource;
  /** Each state that the instance has had, in order. */
  readonly states: readonly number[];
  readonly warnings: readonly string[];
  readonly state: () => number;
  /** Closes the instance as its provider does. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a way to the service that may lose every request from some time on, so that no answer comes within the limit.
 */
export function losing(send: Send, clock: Clock): { readonly send: Send; isLost: boolean; lost: number } {
  const way = {
    isLost: false,
    /** How many requests were lost. */
    lost: 0,
    send: async (request: Parameters<Send>[0]): ReturnType<Send> => {
      if (!way.isLost) return send(request);
      way.lost++;
      const limitMs = request.download?.silentMs ?? Infinity;
      await new Promise<void>((resolve) => clock.after(limitMs, resolve, 'background'));
      return timeoutFailure('http://flipt.test', limitMs);
    },
  };
  return way;
}

/** Starts one instance of many, with the same layers as in a process. */
export async function instance(
  send: Send,
  store: SnapshotStore,
  clock: Clock,
  random: () => number,
  pollMs = POLL_MS,
): Promise<Instance> {
  const warnings: string[] = [];
  const states: number[] = [];
  const settings = {
    url: 'http://flipt.test',
    namespace: 'default',
    environment: undefined,
    http: { timeoutMs: 500 },
    watch: { pollMs, maxAgeMs: 600_000, stream: false },
    snapshot: { store },
    initTimeoutMs: 5_000,
  };
  const closing = new AbortController();
  const life = { warn: (message: string) => warnings.push(message), closing: closing.signal };
  const diagnostics = openDiagnostics();
  const snapshots = await openSnapshotSource(send, settings, life, runtimeOf(clock, diagnostics, random));
  const state = () => {
    const [flag] = snapshots.watch.snapshot()?.flags.keys().keys() ?? [];
    return flag === undefined ? 0 : Number(flag.slice('state-'.length));
  };
  const note = () => {
    if (state() !== (states.at(-1) ?? 0)) states.push(state());
  };
  diagnostics.listen('flags-changed', note);
  diagnostics.listen('snapshot-polled', note);
  const close = () => {
    closing.abort();
    return snapshots.close();
  };
  return { snapshots, states, warnings, state, close };
}

/** Returns random numbers that are the same in each run. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
