import { serviceHealth, type ServiceHealth } from '../../remote/health/service-health.js';
import { healthCheck } from '../../remote/wire/health-check.js';
import { Batching, type Batched } from '../../remote/batch/batching.js';
import { Isolation } from '../../remote/batch/isolation.js';
import { openAuthorizedTransport } from '../../http/auth/authorized-transport.js';
import { withRetries, RetryBudget } from '../../http/retries.js';
import type { Send } from '../../http/reply.js';
import type { AskAtOnce } from '../../model/answer.js';
import type { ProviderSettings } from '../../options/settings.js';
import { batchWriter, batchSender } from '../../remote/wire/batch-request.js';
import type { Runtime } from '../../model/runtime.js';

/** The layers that ask the service, from a question to the wire. */
export interface ServiceLayers {
  readonly batch: Batched;
  readonly service: ServiceHealth;
  /** Bypasses the circuit breaker: for polls in the background. */
  readonly send: Send;
  /** How many requests are under way. */
  readonly underWay: () => number;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

/** `signal` ends every request. */
export function openServiceLayers(
  settings: ProviderSettings,
  signal: AbortSignal,
  runtime: Runtime,
): ServiceLayers {
  const { namespace, reference, http, breaker, deadlineMs } = settings;
  const { send, ...transport } = openAuthorizedTransport(settings, signal, runtime);
  const check = healthCheck(batchSender(send, settings, signal), namespace);
  const { credentialsVersion } = transport;
  const service = serviceHealth({ check, credentialsVersion, breaker }, runtime);
  const throughCircuit = service.throughCircuit(transport.sendOnce);
  const writer = batchWriter(reference);
  const budget = new RetryBudget();
  const retrying = (isPart: boolean): AskAtOnce => {
    const retrySettings = { retries: http.retries, withinMs: deadlineMs, extra: isPart, budget };
    const repeatedly = withRetries(throughCircuit, retrySettings, runtime);
    return service.observed(batchSender(repeatedly, settings, signal, writer), isPart);
  };
  const batching = { ...settings.batch, sizes: writer.sizes };
  const ask = retrying(false);
  const batch = new Batching(
    new Isolation({ ...service, ask, askPart: retrying(true) }, runtime),
    batching,
    runtime,
  );
  return {
    batch,
    service,
    send,
    underWay: transport.underWay,
    close: transport.close,
  };
}
