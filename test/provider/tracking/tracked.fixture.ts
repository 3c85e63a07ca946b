import { vi } from 'vitest';
import type { TrackingEvent } from '../../../src/options/tracking-options.js';
import { trackingRule, type TrackingOptions } from '../../../src/options/tracking-options.js';
import { openTracking } from '../../../src/provider/tracking/tracking.js';
import * as v from 'valibot';
import { manualClock } from '../../clock.fixture.js';

/** Makes tracking with a clock that the test moves. `received` holds the calls of `send`. */
export function tracked({ send, ...options }: Partial<TrackingOptions> = {}) {
  const clock = manualClock();
  const received: (readonly TrackingEvent[])[] = [];
  const reported = { sent: 0, lost: 0 };
  const warn = vi.fn<(message: string) => void>();
  const log = (...words: unknown[]) => {
    warn(words.join(' '));
  };
  const tracking = openTracking(
    v.parse(trackingRule, {
      send: send ?? ((events: readonly TrackingEvent[]) => received.push(events)),
      ...options,
    }),
    {
      namespace: 'default',
      environment: undefined,
      logger: { error: log, warn: log, info: log, debug: log },
    },
    ({ targetingKey }) => (typeof targetingKey === 'string' ? targetingKey : ''),
    {
      clock,
      random: () => 1,
      report: (event) => {
        if (event.type === 'tracking-sent') reported.sent += event.events;
        if (event.type === 'tracking-lost') reported.lost += event.events;
      },
    },
  );
  const expose = (user: string, flag = 'flag', variant = 'on') => {
    tracking.exposed(flag, { variant, reason: 'SPLIT' }, { targetingKey: user, plan: 'pro' }, 'string');
  };
  /** Closes tracking as a provider does it. */
  const close = async () => {
    await tracking.flush();
    tracking.close();
  };
  return { tracking, expose, close, clock, received, reported, warn };
}

/** Says in a line what an event is about. */
export const lineOf = (event: TrackingEvent) =>
  event.kind === 'exposure'
    ? `${event.targetingKey} ${event.flagKey} ${event.variant}`
    : `${event.targetingKey ?? 'nobody'} ${event.name}`;
