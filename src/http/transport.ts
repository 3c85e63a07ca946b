import type { Clock } from '../clock.js';
import { SILENT, type Reporter } from '../diagnostics/diagnostics.js';
import type { Failure, FailureKind } from '../model/failure.js';
import type { HttpDispatcherResponse } from '../options/provider-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import { redactor } from './redact.js';
import { readBody, TooLarge } from './body.js';
import { openConnections } from './connections.js';
import { failureKindOfOutcome } from './outcome.js';
import { attempt, untilAborted, type ExchangeOnce } from './attempt.js';
import { LARGEST_ERROR, type Reply, type Send, type ServiceRequest } from './reply.js';
import { connectionFailure, tooLarge } from './network-failure.js';
import { lowerCaseNames } from '../text/header.js';
import { plainTextWarning } from './unencrypted.js';
import { proxyCredentialsOf } from './auth/proxy-credentials.js';

/** Far larger than any answer of the service except a `download`, which has its own limit. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** So many bytes of a download become text: enough to show what came instead. */
const BEGINNING = 1000;

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
  const pool = openConnections(origin, settings.http, clock);
  const ofProxies = proxyCredentialsOf(settings.http.proxy, process.env);
  const warning = plainTextWarning(settings, process.env);
  if (warning !== undefined) settings.logger.warn(warning);

  /** Never rejects, whatever the user's dispatcher does. */
  const exchange: ExchangeOnce = async (request, signal, heard) => {
    const { download } = request;
    const maxBytes = download?.maxBytes ?? MAX_BODY_BYTES;
    const redact = redactor(request.credentials ?? {}, settings.headers, [
      ...ofProxies,
      ...(request.secrets ?? []),
    ]);
    const own = request.newConnection ? openConnections(origin, settings.http, clock) : undefined;
    try {
      const { dispatcher } = own ?? pool;
      const response = await dispatcher.request({
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: headersOf(settings, request),
        body: request.body ?? null,
        signal,
      });
      const { statusCode: status, headers, body } = complete(response);
      heard();
      if (request.stream && status === 200)
        return { kind: 'reply', status, headers, text: '', chunks: body, redact };
      // Flipt's 304 names the encoding gzip, but has no body to decompress.
      const encoding = status === NOT_MODIFIED ? {} : headers;
      const bytes = await readBody(
        { headers: encoding, body: download ? noticed(body, heard) : body },
        maxBytes,
      );
      if (status !== 200) {
        return {
          kind: 'reply',
          status,
          headers,
          text: redact(bytes.toString('utf8').slice(0, LARGEST_ERROR)),
          redact,
          credentialsAdvice: settings.credentialsAdvice,
        };
      }
      return download === undefined
        ? { kind: 'reply', status, headers, text: bytes.toString('utf8'), redact }
        : { kind: 'reply', status, headers, text: bytes.toString('utf8', 0, BEGINNING), bytes, redact };
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge(settings.url, maxBytes);
      return connectionFailure(settings.url, error, redact);
    } finally {
      await own?.close();
    }
  };

  let underWay = 0;
  const counted: Send = async (request) => {
    underWay++;
    const outcome = await attempt(exchange, request, settings, clock);
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
    untilAborted(
      exchange(request, signal, () => undefined),
      signal,
    );

  return {
    send: (request) => (request.stream ? openStream(request) : reported(request)),
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

/** Fills in what the user's dispatcher has left out, and writes names as this package reads them. */
function complete({
  statusCode,
  headers = {},
  body,
}: Partial<HttpDispatcherResponse>): HttpDispatcherResponse {
  if (statusCode === undefined || body === undefined) throw new TypeError('no status or no body was given');
  return { statusCode, headers: lowerCaseNames(headers), body };
}

/** Calls `heard` for each part that arrives. */
async function* noticed(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    heard();
    yield chunk;
  }
}

/** A request with an ETag hopes for a 304, so that is no failure. */
function failureOf({ headers = {} }: ServiceRequest, outcome: Reply | Failure): FailureKind | undefined {
  const isUnchanged =
    outcome.kind === 'reply' && outcome.status === NOT_MODIFIED && 'if-none-match' in headers;
  return isUnchanged ? undefined : failureKindOfOutcome(outcome);
}
