import { ProviderEvents } from '@openfeature/server-sdk';
import { systemClock } from '../../src/clock.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { ownAnswer } from './raw-server.fixture.js';

/** The breaker's times, small enough for a suite of many faults. */
export const TIMES = { openForMs: 60, maxOpenForMs: 120 } as const;

/** For faults that a time-out ends. For all others it is long, so that none strikes because the machine is busy. */
export const IMPATIENT = { deadlineMs: 300, http: { timeoutMs: 120 } } as const;
const PATIENT = { deadlineMs: 9_000, http: { timeoutMs: 8_000 } } as const;

/** What a deadline is allowed to be late on a machine that is busy with something else. */
export const MARGIN_MS = 2_000;

/** What a question has come to. */
export interface Outcome {
  readonly kind: 'own' | 'last-known' | 'default' | 'foreign';
  readonly message: string;
  readonly tookMs: number;
}

export interface Rig {
  readonly provider: FliptProvider;
  /** `ready`, `stale` and `error`, in the order they came. */
  readonly events: string[];
  /** Lines at warning level and above. */
  readonly log: string[];
  readonly ask: (flag: string, entity: string) => Promise<Outcome>;
}

const DEFAULT = 'the default';

/** A provider whose answers are old at once, so that each question goes out and each answer is only a last known one. */
export function rig(url: string, options: FliptProviderOptions = {}): Rig {
  const log: string[] = [];
  const events: string[] = [];
  const note = (...words: unknown[]) => {
    log.push(words.join(' '));
  };
  const provider = new FliptProvider({
    url,
    initTimeoutMs: 10_000,
    deadlineMs: PATIENT.deadlineMs,
    cache: { freshForMs: 0, staleForMs: 0 },
    logger: { error: note, warn: note, info: () => undefined, debug: () => undefined },
    ...options,
    http: { ...PATIENT.http, ...options.http },
    breaker: options.breaker ?? { openForMs: TIMES.openForMs, maxOpenForMs: TIMES.maxOpenForMs },
  });
  const named = { ready: ProviderEvents.Ready, stale: ProviderEvents.Stale, error: ProviderEvents.Error };
  for (const [name, event] of Object.entries(named)) {
    provider.events.addHandler(event, () => {
      events.push(name);
    });
  }
  return {
    provider,
    events,
    log,
    async ask(flag, entity) {
      const since = systemClock.now();
      const details = await provider.resolveStringEvaluation(flag, DEFAULT, { targetingKey: entity });
      return {
        kind: kindOf(details, ownAnswer(flag, entity)),
        message: details.errorMessage ?? '',
        tookMs: systemClock.now() - since,
      };
    },
  };
}

function kindOf(
  { value, reason, errorCode }: { value: string; reason?: string; errorCode?: string },
  own: string,
): Outcome['kind'] {
  if (value === own && errorCode === undefined) return reason === 'STALE' ? 'last-known' : 'own';
  return value === DEFAULT && reason === 'ERROR' ? 'default' : 'foreign';
}

const LOOK_MS = 5;

/**
 * Asks until the outcome is as wished, and fails if it has not come about in time. Returns how long that was. Time is
 * counted in looks, one each 5 ms: a machine that stalls makes them fewer, but what they wait for stalls with them.
 */
export async function until(wished: () => boolean | Promise<boolean>, withinMs: number): Promise<number> {
  let waitedMs = 0;
  while (!(await wished())) {
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    waitedMs += LOOK_MS;
  }
  return waitedMs;
}

/** What holds the event loop: sockets and timers, by number. */
export function held(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) {
    if (/TCP|TLS|Pipe|Timeout|Immediate/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
