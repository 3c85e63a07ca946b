import { ENDED, type FailureKind, type Failure } from '../model/failure.js';
import type { HttpDispatcherResponse } from '../options/http-dispatcher.js';
import type { ConnectionSettings } from '../options/settings.js';
import type { Runtime } from '../model/runtime.js';
import { redactor } from './redact.js';
import { bodyBytes, UnreadableBody } from './reply-body.js';
import { LARGEST_ERROR } from './reply-message.js';
import { openConnections } from './connections.js';
import { failureKindOfOutcome, type Outcome, type Send, type ServiceRequest } from './reply.js';
import { untilAborted, timeLimit } from '../base/time/in-time.js';
import { connectionFailure, hasCode, timeoutFailure } from './network-failure.js';
import { lowerCaseNames } from '../base/text/header.js';
import { plainTextWarning, besideAddress, proxySecrets, proxyUserAdvice, noProxyAdvice } from './proxy.js';
import type { Clock } from '../base/time/clock.js';

/** This limit is far larger than the answers of the service usually are. A `download` has a limit of its own. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** This many bytes of a download become text, which is enough to show what came instead of a snapshot. */
const BEGINNING = 1000;

const NOT_MODIFIED = 304;

/** Sends requests to the service. */
export interface Transport {
  readonly send: Send;
  /** Returns how many requests are under way, not counting streams. */
  readonly underWay: () => number;
  /** Closes the sockets. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the connections to the service. The transport sends each request only once. Except for a stream, the transport
 * limits the size of the reply and the time of the request.
 */
export function openTransport(settings: ConnectionSettings, runtime: Omit<Runtime, 'random'>): Transport {
  const { clock, wants, report } = runtime;
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname === '/' ? '' : pathname;
  const pool = openConnections(origin, settings.http, clock);
  const beside = besideAddress(settings);
  const address = `${settings.url}${beside}`;
  const ofProxy = proxySecrets(settings.http.proxy);
  const advice = {
    credentialsAdvice: settings.credentialsAdvice,
    proxyAdvice: proxyUserAdvice(settings.http.proxy),
  };
  const warning = plainTextWarning(settings);
  if (warning !== undefined) settings.logger.warn(warning);

  /**
   * Sends one request and reads the reply. The promise of `exchange` never rejects, whatever the user's dispatcher
   * does.
   */
  const exchange: ExchangeOnce = async (request, signal, heard) => {
    const { download } = request;
    const maxBytes = download?.maxBytes ?? MAX_BODY_BYTES;
    const secrets = [...ofProxy, ...(request.secrets ?? [])];
    const redact = redactor(request.credentials ?? {}, settings.headers, secrets);
    const own = request.newConnection ? openConnections(origin, settings.http, clock) : undefined;
    try {
      const response = await (own ?? pool).dispatcher.request({
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: headersOf(settings, request),
        body: request.body ?? null,
        signal,
        // A stream, or a download such as a poll, does not keep the process alive. If a caller waits for a download, a
        // timer of the caller keeps the process alive.
        ...((request.stream ?? download) && { isBackground: true }),
      });
      const { statusCode: status, headers, body } = complete(response);
      heard();
      const reply = { kind: 'reply', status, headers, redact } as const;
      if (request.stream && status === 200) return { ...reply, text: '', chunks: body };
      // A 304 of Flipt can name the encoding gzip, but has no body to decompress.
      const ofBody = status === NOT_MODIFIED ? {} : headers;
      const bytes = await bodyBytes(download ? noticed(body, heard) : body, ofBody, maxBytes);
      if (status !== 200) {
        const text = redact(bytes.toString('utf8').slice(0, LARGEST_ERROR));
        return { ...reply, text, beside, ...advice };
      }
      if (download) return { ...reply, text: bytes.toString('utf8', 0, BEGINNING), bytes };
      return { ...reply, text: bytes.toString('utf8') };
    } catch (error) {
      if (!(error instanceof UnreadableBody)) {
        return connectionFailure(address, error, redact, settings.http.tls);
      }
      return { kind: 'unreadable', message: `Flipt at ${settings.url} returned ${error.message}` };
    } finally {
      await own?.close();
    }
  };

  const proxyAdvice = noProxyAdvice(settings);
  let hasAnswered = false;
  /**
   * Adds the advice about a proxy to a failure, but only until the first response has come, because a response shows
   * that the way to the service works.
   */
  const advised = (outcome: Outcome): Outcome => {
    hasAnswered ||= outcome.kind === 'reply';
    const isAdvised = !hasAnswered && (outcome.kind === 'connection' || outcome.kind === 'timeout');
    return isAdvised ? { ...outcome, message: outcome.message + proxyAdvice } : outcome;
  };

  let underWay = 0;
  const sendOnce: Send = async (request) => {
    const since = clock.now();
    underWay++;
    const outcome = advised(await attempt(exchange, request, { url: address, http: settings.http }, clock));
    underWay--;
    if (wants.attempt) {
      const failure = failureOf(request, outcome);
      const isRefused = outcome.kind === 'connection' && hasCode(outcome, 'ECONNREFUSED');
      report({ type: 'attempt', failure, durationMs: clock.now() - since, ...(isRefused && { isRefused }) });
    }
    return outcome;
  };

  const openStream: Send = ({ signal = new AbortController().signal, ...request }) => {
    const exchanged = exchange(request, signal, () => undefined);
    return untilAborted(exchanged, signal, ENDED);
  };

  return {
    send: (request) => (request.stream ? openStream(request) : sendOnce(request)),
    underWay: () => underWay,
    close: pool.close,
  };
}

function headersOf(settings: ConnectionSettings, request: ServiceRequest): Record<string, string> {
  return {
    accept: 'application/json',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...settings.headers,
    ...request.headers,
    ...request.credentials,
  };
}

/**
 * Checks that the user's dispatcher has returned a status and a body, fills in missing headers, and writes their names
 * in lower case.
 */
function complete(response: Partial<HttpDispatcherResponse>): HttpDispatcherResponse {
  const { statusCode, headers = {}, body } = response;
  if (statusCode === undefined || body === undefined)
    throw new TypeError('the dispatcher returned no status or no body');
  return { statusCode, headers: lowerCaseNames(headers), body };
}

/** Passes the parts of a body on, and calls `heard` for each part that arrives. */
async function* noticed(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    heard();
    yield chunk;
  }
}

/**
 * Returns the kind of failure with which the event `attempt` reports a request. For a request with an ETag, a 304 is
 * not a failure, because the status 304 means that nothing has changed.
 */
function failureOf({ headers = {}, optional }: ServiceRequest, outcome: Outcome): FailureKind | undefined {
  if (optional) return undefined;
  const isUnchanged =
    outcome.kind === 'reply' && outcome.status === NOT_MODIFIED && 'if-none-match' in headers;
  return isUnchanged ? undefined : failureKindOfOutcome(outcome);
}

/**
 * Sends one request and reads the reply. The function calls `heard` when the response begins, and for each part of the
 * body of a download. Never rejects.
 */
type ExchangeOnce = (request: ServiceRequest, signal: AbortSignal, heard: () => void) => Promise<Outcome>;

/**
 * Sends one request and reads the reply, within the time limits, unless the caller's signal ends the request earlier.
 * If the time is up or the signal ends the request, the function aborts the request, which closes its connection. Never
 * rejects.
 */
async function attempt(
  exchange: ExchangeOnce,
  request: ServiceRequest,
  { url, http }: Pick<ConnectionSettings, 'url' | 'http'>,
  clock: Clock,
): Promise<Outcome> {
  const { download, signal } = request;
  if (signal?.aborted === true) return ENDED;
  const { timeoutMs } = download ?? http;
  const silentMs = download?.silentMs ?? Infinity;
  const until = clock.now() + timeoutMs;
  let heardAt = clock.now();
  let cancelLimit: () => void = () => undefined;
  const timeUp = new Promise<Failure>((resolve) => {
    const dueAt = () => Math.min(until, heardAt + silentMs);
    const late = (isBlocked: boolean) => {
      const withinMs = dueAt() < until ? silentMs : timeoutMs;
      resolve(timeoutFailure(url, withinMs, download ? undefined : 'http.timeoutMs', isBlocked));
    };
    cancelLimit = timeLimit(dueAt, clock, late, { kind: download && 'background', inSlices: true });
  });
  const heard = () => {
    heardAt = clock.now();
  };
  const ending = new AbortController();
  const exchanged = exchange(request, ending.signal, heard);
  // The outcome comes from this race and not from the abort, because a dispatcher that never settles must not keep
  // callers waiting.
  const outcome = await untilAborted(Promise.race([exchanged, timeUp]), signal, ENDED);
  cancelLimit();
  if (outcome.kind !== 'reply') ending.abort();
  return outcome;
}
