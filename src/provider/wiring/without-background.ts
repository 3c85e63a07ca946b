import { HealthMonitor } from '../../remote/health/health-monitor.js';
import * as health from '../../remote/health/health-transitions.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { openAuthorizedTransport } from '../../http/auth/authorized-transport.js';
import type { ServiceRequest } from '../../http/reply.js';
import type { Answer, Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { coalesced, outsideRequests } from '../../base/time/background-work.js';
import { withoutBackground } from '../../base/time/clock.js';
import { closingController } from '../../base/time/in-time.js';
import type { ReportedState } from '../status/provider-state.js';
import { AttributesMissing } from '../attributes-missing.js';
import { evaluateInstead } from '../watched-cache.js';
import { inProcessOrRemote } from '../in-process-or-remote.js';
import { oddAttributeWarning } from '../mapping/attribute-text.js';
import { CLOSED } from '../mapping/openfeature-errors.js';
import type { Pipeline } from '../pipeline.js';
import { ProviderSnapshots } from '../provider-snapshots.js';
import { askingAlone } from './ask-alone.js';
import { ended, logProblems, trackingOf } from './parts-of-both.js';
import { PollsOfCalls } from './polls-of-calls.js';

/**
 * The wiring where nothing may run between calls: flags are evaluated in-process. Each call looks at the snapshot, and
 * polls first if that is due. What the snapshot cannot answer is sent in the caller's own request, with its own signal.
 *
 * There is no cache, no batch and no circuit breaker: calls share the snapshot, and nothing that is under way.
 */
export function wireWithoutBackground(
  settings: ProviderSettings,
  reported: ReportedState,
  world: Runtime & Diagnostics,
): Pipeline {
  const runtime = { ...world, clock: withoutBackground(world.clock) };
  const { clock, listen } = runtime;
  /** Half of its time for a poll, and half for a question. */
  const halfMs = settings.deadlineMs / 2;
  const closing = closingController();
  const tracking = trackingOf(settings, runtime);
  logProblems(runtime, settings);
  const transport = openAuthorizedTransport(settings, closing.signal, runtime, false);
  // What a poll sends, also beside it, ends with the call that polls.
  const sendForPoll = (request: ServiceRequest) => transport.send({ ...request, signal: polls.signal() });
  const snapshots = new ProviderSnapshots(sendForPoll, settings, runtime);
  const polls = new PollsOfCalls(snapshots, settings.watch?.pollMs ?? Infinity, closing.signal, clock);

  // Nothing checks: polls and questions show how the service is.
  const service = new HealthMonitor(() => Promise.resolve(undefined), undefined, runtime);
  const learn = (failure: Failure | undefined) => {
    if (failure === undefined) service.become(health.answered(service.read(), clock.now()));
    else if (failure.kind === 'unauthorized' || failure.kind === 'credentials')
      service.become(health.unanswered(service.read(), failure, service.moment()));
  };
  listen('snapshot-polled', ({ failure }) => {
    service.become(health.polled(service.read(), failure));
    learn(failure);
  });
  listen('watch-changed', ({ state, failure }) => {
    service.become(health.watched(service.read(), state, failure, service.moment()));
  });
  const hasSnapshot = () => snapshots.snapshot() !== undefined;
  const life = reported.begin(runtime, { knowsAnything: hasSnapshot, hasSnapshot });

  const answered = (question: Question, answer: Answer): Answer => {
    learn(answer.kind === 'failed' ? answer.failure : undefined);
    if (answer.kind === 'missing') snapshots.missing(question.flag);
    if (answer.kind !== 'failed') return answer;
    const source = snapshots.opened();
    const instead = source && evaluateInstead(source, question, answer.failure, clock.now());
    return instead?.answer ?? answer;
  };
  const odd = oddAttributeWarning(settings.logger);
  const asking = { send: transport.send, closing: closing.signal, withinMs: halfMs, odd, answered };
  const way = { ask: askingAlone(asking, settings, runtime), odd, before: () => polls.before(halfMs) };
  const attributes = new AttributesMissing(() => snapshots.snapshot()?.compiled, runtime.report);
  listen('flags-changed', ({ flags }) => {
    attributes.changed(flags);
  });
  const evaluations = inProcessOrRemote(way, snapshots, attributes, () => life.state(), settings, runtime);

  return {
    ...evaluations,
    snapshots,
    tracking,
    listen,
    /** Sends nothing. */
    start: coalesced(() => outsideRequests(() => life.start(undefined))),
    refresh: (withinMs = settings.deadlineMs) => polls.refresh(withinMs),
    /** What a question would bring could not be kept. */
    prefetch: async () => polls.before(halfMs),
    async untilSnapshot() {
      await polls.before(halfMs);
    },
    async explain(flagKey, context) {
      await polls.before(settings.deadlineMs);
      return evaluations.explain(flagKey, context);
    },
    read: () => ({
      overloadSince: undefined,
      snapshots,
      cache: { entries: 0, bytes: 0 },
      inFlight: transport.underWay(),
      waiting: 0,
      tracking: tracking?.read(),
    }),
    forget(flags) {
      polls.soon(flags === undefined ? 'reset' : 'user');
    },
    async close() {
      runtime.report({ type: 'closed' });
      closing.abort();
      service.close(CLOSED);
      await ended([snapshots.close(), transport.close()], tracking, settings, runtime);
    },
  };
}
