import type { Clock } from '../clock.js';
import { SILENT, type Reporter } from '../diagnostics/diagnostics.js';
import type { Failure, FailureKind } from '../model/failure.js';
import type { HttpDispatcherResponse } from '../options/provider-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import { redactor } from './redact.js';
import { readBody, TooLarge } from './body.js';
import { openConnections } from './connections.js';
import { failureKindOfOutcome } from './outcome.js';
import { ENDED, LARGEST_ERROR, type Reply, type Send, type ServiceRequest } from './reply.js';
import { connectionFailure, timeoutFailure, tooLarge } from './network-failure.js';
import { untilAborted } from './until-aborted.js';
import { plainTextWarning } from './unencrypted.js';
import { proxyCredentialsOf } from './auth/proxy-credentials.js';

/** Far larger than any answer of the service except a `download`, which has its own limit. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** So many bytes of a download become text: enough to show what came instead. */
const BEGINNING = 1000;

/** If a timer fires so late, the event loop was blocked. */
const BLOCKED_MS = 100;

export interface Transport {
  readonly send: Send;
  /** How many requests are under way, without streams. */
  readonly underWay: () => number;
  /** Closes the sockets. */
  readonly close: () => Promise<void>;
}

const NOT_MODIFIED = 304;

/** One attempt: bounded in time and size, whatever the other side does. */
export function openTransport(
  settings: ConnectionSettings,
  clock: Clock,
  { wants, report }: Reporter = SILENT,
): Transport {
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname === '/' ? '' : pathname;
  const { dispatcher, close } = openConnections(origin, settings.http, clock);
  const { timeoutMs } = settings.http;
  const ofProxies = proxyCredentialsOf(settings.http.proxy, process.env);
  const warning = plainTextWarning(settings);
  if (warning !== undefined) settings.logger.warn(warning);

  /** Never rejects, whatever the user's dispatcher does. */
  const exchange = async (request: ServiceRequest, signal: AbortSignal): Promise<Reply | Failure> => {
    const maxBytes = request.download?.maxBytes ?? MAX_BODY_BYTES;
    const redact = redactor(request.credentials ?? {}, settings.headers, [
      ...ofProxies,
      ...(request.secrets ?? []),
    ]);
    try {
      const response = await dispatcher.request({
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: headersOf(settings, request),
        body: request.body ?? null,
        signal,
      });
      const { statusCode: status, headers, body } = complete(response);
      if (request.stream && status === 200)
        return { kind: 'reply', status, headers, text: '', chunks: body, redact };
      // Flipt's 304 names the encoding gzip, but has no body to decompress.
      const bytes = await readBody({ headers: status === NOT_MODIFIED ? {} : headers, body }, maxBytes);
      if (status !== 200) {
        return {
          kind: 'reply',
          status,
          headers,
          text: redact(bytes.toString('utf8').slice(0, LARGEST_ERROR)),
          redact,
          missingCredentials: settings.missingCredentials,
        };
      }
      return request.download === undefined
        ? { kind: 'reply', status, headers, text: bytes.toString('utf8'), redact }
        : { kind: 'reply', status, headers, text: bytes.toString('utf8', 0, BEGINNING), bytes, redact };
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge(settings.url, maxBytes);
      return connectionFailure(settings.url, error, redact);
    }
  };

  const sendOnce = (request: ServiceRequest): Promise<Reply | Failure> =>
    new Promise((resolve) => {
      const attempt = new AbortController();
      const withinMs = request.download?.timeoutMs ?? timeoutMs;
      const end = (outcome: Reply | Failure) => {
        cancelTimer();
        request.signal?.removeEventListener('abort', giveUp);
        resolve(outcome);
      };
      const giveUp = () => {
        end(ENDED);
        attempt.abort();
      };
      // The timer ends the attempt, not the abort: a dispatcher that never settles must not keep callers waiting.
      const dueAt = clock.now() + withinMs;
      const timeUp = () => {
        const isBlocked = clock.now() - dueAt > BLOCKED_MS;
        end(
          timeoutFailure(settings.url, withinMs, request.download ? undefined : 'http.timeoutMs', isBlocked),
        );
        attempt.abort();
      };
      // After a blocked event loop, the response may already wait in the socket. The end of the turn lets it arrive
      // before the time-out counts.
      const late = () => {
        clock.endOfTurn(timeUp);
      };
      const cancelTimer = clock.after(withinMs, late, request.download && 'background');
      if (request.signal?.aborted === true) {
        giveUp();
        return;
      }
      request.signal?.addEventListener('abort', giveUp);
      void exchange(request, attempt.signal).then(end);
    });

  let underWay = 0;
  const counted: Send = async (request) => {
    underWay++;
    const outcome = await sendOnce(request);
    underWay--;
    return outcome;
  };
  const reported: Send = async (request) => {
    if (!wants.attempt) return counted(request);
    const since = clock.now();
    const outcome = await counted(request);
    report({ type: 'attempt', failure: failureOf(request, outcome), durationMs: clock.now() - since });
    return outcome;
  };

  const openStream = ({ signal = new AbortController().signal, ...request }: ServiceRequest) =>
    untilAborted(exchange(request, signal), signal);

  return {
    send: (request) => (request.stream ? openStream(request) : reported(request)),
    underWay: () => underWay,
    close,
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

/** Fills in members that the user's dispatcher has left out. */
function complete({
  statusCode,
  headers = {},
  body,
}: Partial<HttpDispatcherResponse>): HttpDispatcherResponse {
  if (statusCode === undefined || body === undefined) throw new TypeError('no status or no body was given');
  return { statusCode, headers, body };
}

/** A request with an ETag hopes for a 304, so that is no failure. */
function failureOf({ headers = {} }: ServiceRequest, outcome: Reply | Failure): FailureKind | undefined {
  const isUnchanged =
    outcome.kind === 'reply' && outcome.status === NOT_MODIFIED && 'if-none-match' in headers;
  return isUnchanged ? undefined : failureKindOfOutcome(outcome);
}
