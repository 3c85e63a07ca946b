import type { ProviderSettings } from '../options/settings.js';
import type { TrackingSettings } from '../options/tracking-options.js';
import type { Runtime } from '../runtime.js';
import { messageOf, unlessItThrows } from '../text/describe.js';
import { plainCopy } from '../text/json.js';
import { LOAD_AGAIN_MS, outsideRequests } from '../time/background-work.js';
import type { Context, Tracking } from '../tracking/tracking.js';
import { entityId } from './mapping/context.js';
import { throwUnloadable } from './mapping/openfeature-errors.js';

/** Calls that wait until the code is there. Any more are lost. */
const MOST_WAITING = 1_000;

/** Tracking, whose code is loaded when the provider starts, or by the first event: most apps do without it. */
export function lazyTracking(tracking: TrackingSettings, settings: ProviderSettings, runtime: Runtime) {
  const { clock, report } = runtime;
  const { logger } = settings;
  const userOf = ({ targetingKey }: { readonly targetingKey?: unknown }) => entityId(targetingKey);
  let opened: Tracking | undefined;
  let waiting: ((tracking: Tracking) => void)[] = [];
  let loading: Promise<void> | undefined;
  let failedAt = -Infinity;

  const loseWaiting = () => {
    if (waiting.length > 0) report({ type: 'tracking-lost', events: waiting.length });
    waiting = [];
  };
  const open = async () => {
    try {
      const { openTracking } = await import('../tracking/tracking.js').catch(throwUnloadable('tracking'));
      opened = openTracking(tracking, settings, userOf, runtime);
      for (const use of waiting.splice(0)) use(opened);
    } catch (error) {
      loading = undefined;
      failedAt = clock.now();
      logger.error(messageOf(error));
      loseWaiting();
    }
  };
  const load = async () => {
    if (loading === undefined && clock.now() - failedAt >= LOAD_AGAIN_MS) loading = outsideRequests(open);
    await loading;
  };
  const whenOpened = (use: (tracking: Tracking) => void) => {
    void load();
    if (loading !== undefined && waiting.length < MOST_WAITING) waiting.push(use);
    else report({ type: 'tracking-lost', events: 1 });
  };

  return {
    /** Never rejects. */
    load,
    exposed(...given: Parameters<Tracking['exposed']>) {
      // Without a closure, because this runs for each resolve.
      if (opened !== undefined) opened.exposed(...given);
      else {
        whenOpened((later) => {
          later.exposed(...given);
        });
      }
    },
    track(name: string, context: Context, details: object) {
      if (opened !== undefined) opened.track(name, context, details);
      else {
        // The caller may change them before the code is there.
        const kept = unlessItThrows(() => plainCopy(details)) ?? details;
        whenOpened((later) => {
          later.track(name, context, kept);
        });
      }
    },
    async flush() {
      await loading;
      await opened?.flush();
    },
    /** What still waits is lost. */
    close() {
      opened?.close();
      loseWaiting();
    },
    read: () => opened?.read() ?? { waiting: waiting.length, isFailing: false },
  };
}
