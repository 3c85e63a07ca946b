import type { Clock } from '../../../src/base/time/clock.js';
import type { DiagnosticEvent } from '../../../src/model/events/internal-events.js';
import type { Send } from '../../../src/http/reply.js';
import { SILENT } from '../../../src/model/events/reporter.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { fetching } from '../fetched.fixture.js';

export const POLL_MS = 15_000;
/** This is enough for four attempts of an evaluation. */
export const PATIENCE_MS = 2_000;

/** Makes a watch of a service that answers each request as the function says. It has no jitter. */
export function watching(answer: Send, clock: Clock) {
  const { fetch, requests } = fetching(answer, clock);
  const reported: DiagnosticEvent[] = [];
  const report = (event: DiagnosticEvent) => {
    reported.push(event);
  };
  const changed = () => reported.flatMap((event) => (event.type === 'flags-changed' ? [event.flags] : []));
  const watch = openWatch(
    { fetch, pollMs: POLL_MS, patienceMs: PATIENCE_MS },
    runtimeOf(clock, { ...SILENT, report }),
  );
  const types = () => reported.map(({ type }) => type).filter((type) => type !== 'snapshot-polled');
  return { watch, requests, reported, changed, types };
}
