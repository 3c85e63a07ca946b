import { ProviderEvents } from '@openfeature/server-sdk';
import { systemClock } from '../../src/base/time/clock.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { ownAnswer } from './raw-server.fixture.js';

/** These settings of the circuit breaker are quick enough for a suite of many faults: the first failed check opens it. */
export const TIMES = { failures: 1, openForMs: 60, maxOpenForMs: 120 } as const;

/**
 * These times are for faults that end by a time-out. For all other faults the times are so long that a busy machine
 * causes no time-out. Then the timer of a request which nobody cancels is also still there at the end of the tests. The
 * deadline is shorter than the Retry-After of the fault table.
 */
export const IMPATIENT = { deadlineMs: 300, http: { timeoutMs: 120 } } as const;
const PATIENT = { deadlineMs: 9_000, http: { timeoutMs: 3_600_000 } } as const;

/** A deadline may be this late on a busy machine, in milliseconds. */
export const MARGIN_MS = 2_000;

/** The outcome of a question. */
export interface Outcome {
  readonly kind: 'own' | 'last-known' | 'default' | 'foreign';
  readonly message: string;
  readonly tookMs: number;
}

export interface Rig {
  readonly provider: FliptProvider;
  /** The events `ready`, `stale` and `error`, in the order in which they came. */
  readonly events: string[];
  /** The log lines at the level of warnings and above. */
  readonly log: string[];
  readonly ask: (flag: string, entity: string) => Promise<Outcome>;
}

const DEFAULT = 'the default';

/**
 * Makes a provider whose answers age at once, so that each question is sent, and each answer is used only as a last
 * known one.
 */
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
    breaker: options.breaker ?? TIMES,
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
 * Asks until the outcome is the wanted one, and fails if that does not happen in time. Time is counted in looks, one
 * each 5 ms. A machine that stalls makes fewer looks, but what they wait for stalls as well.
 */
export async function until(wished: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  let waitedMs = 0;
  while (!(await wished())) {
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    waitedMs += LOOK_MS;
  }
}

/** Counts what keeps the event loop alive: sockets and timers. */
export function held(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) {
    if (/TCP|TLS|Pipe|Timeout|Immediate/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
