import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Clock } from '../base/time/clock.js';
import { timeLimit, untilAborted } from '../base/time/in-time.js';
import { isCredentialName, lowerCaseNames } from '../base/text/header.js';
import { isLoopback } from '../options/address.js';
import { VERSION } from '../base/version.js';
import { ENDED, type Failure, type FailureKind } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { HttpDispatcherResponse } from '../options/http-dispatcher.js';
import type { ConnectionSettings } from '../options/settings.js';
import { CredentialError } from './credentials.js';
import { CONNECT_MS, openConnections, proxyAuthorization } from './dispatcher.js';
import {
  connectingFailure,
  connectionFailure,
  isRefusedByProxy,
  LARGEST_ERROR,
  redactor,
  timeoutFailure,
} from './failures.js';
import { failureKindOfOutcome, type Outcome, type Send, type ServiceRequest } from './reply.js';

/** A download has a limit of its own. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** This much of a download becomes text, which shows what came instead of a snapshot. */
const BEGINNING = 1000;
const NOT_MODIFIED = 304;

export type Transport = ReturnType<typeof openTransport>;

/** Sends each request once. */
export function openTransport(settings: ConnectionSettings, runtime: Omit<Runtime, 'random'>) {
  const { clock, report } = runtime;
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname === '/' ? '' : pathname;
  const connections = openConnections(settings, clock);
  const beside = besideAddress(settings);
  const address = settings.url + beside;
  const advice = { beside, credentialsAdvice: settings.credentialsAdvice };
  const warning = plainTextWarning(settings);
  if (warning !== undefined) settings.logger.warn(warning);
  const whyNoProxy = isLoopback(new URL(settings.url).hostname) ? undefined : settings.http.whyNoProxy;
  // Something that has answered once can be reached.
  let hasAnswered = false;
  let underWay = 0;

  const exchange = async (request: ServiceRequest, signal: AbortSignal, limit: Limit): Promise<Outcome> => {
    const { download } = request;
    const redact = redactor(secretsOf(settings, request));
    try {
      const asked = {
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: headersOf(settings, request),
        body: request.body ?? null,
        signal,
      };
      const response = complete(await connections.request(asked, limit.connected));
      const { statusCode: status, headers } = response;
      limit.heard();
      const reply = { kind: 'reply', status, headers, redact, ...advice } as const;
      if (request.stream && status === 200) return { ...reply, text: '', chunks: response.body };
      const maxBytes = download?.maxBytes ?? MAX_BODY_BYTES;
      const packed = await collected(response.body, maxBytes, limit.heard);
      limit.end();
      const bytes = await unpacked(packed, headers['content-encoding'], maxBytes);
      if (status !== 200) return { ...reply, text: redact(bytes.toString('utf8').slice(0, LARGEST_ERROR)) };
      return download
        ? { ...reply, text: bytes.toString('utf8', 0, BEGINNING), bytes }
        : { ...reply, text: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof CredentialError) return error.failure;
      // Undici throws what a proxy answers.
      if (isRefusedByProxy(error))
        return { kind: 'reply', status: 407, headers: {}, redact, text: '', ...advice };
      return error instanceof UnreadableBody
        ? { kind: 'unreadable', message: `Flipt at ${settings.url} returned ${error.message}` }
        : connectionFailure(address, error, redact, settings.http);
    }
  };

  const attempt: Send = async (request) => {
    const { signal } = request;
    if (signal?.aborted) return ENDED;
    const ending = new AbortController();
    // A stream goes on after its answer has begun.
    const whole = request.stream && signal ? AbortSignal.any([ending.signal, signal]) : ending.signal;
    const limit = openLimit(request, address, settings.http.timeoutMs, connections.showsConnecting, clock);
    const exchanged = exchange(request, whole, limit);
    // The outcome does not wait for the abort: undici ignores it while it connects.
    const outcome = await untilAborted(Promise.race([exchanged, limit.late]), signal, ENDED);
    limit.end();
    if (outcome.kind !== 'reply') ending.abort(outcome.cause);
    return outcome;
  };

  const counted: Send = async (request) => {
    const since = clock.now();
    underWay++;
    const outcome = await attempt(request);
    underWay--;
    hasAnswered ||= outcome.kind === 'reply';
    const isAdvised =
      whyNoProxy !== undefined &&
      !hasAnswered &&
      (outcome.kind === 'connection' || outcome.kind === 'timeout');
    report({ type: 'attempt', failure: failureOf(request, outcome), durationMs: clock.now() - since });
    return isAdvised ? { ...outcome, message: `${outcome.message}; ${whyNoProxy}` } : outcome;
  };

  const send: Send = (request) => (request.stream ? attempt(request) : counted(request));
  return {
    send,
    /** The number of requests under way, without streams. */
    underWay: () => underWay,
    close: connections.close,
  };
}

function headersOf(settings: ConnectionSettings, request: ServiceRequest): Record<string, string> {
  return {
    accept: 'application/json',
    // Gateways refuse requests without a sender.
    'user-agent': `openfeature-flipt-provider/${VERSION}`,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...settings.headers,
    ...request.headers,
    ...request.credentials,
  };
}

/** A user's dispatcher may return anything. */
function complete(response: Partial<HttpDispatcherResponse>): HttpDispatcherResponse {
  const { statusCode, headers = {}, body } = response;
  if (statusCode === undefined || body === undefined)
    throw new TypeError('the dispatcher returned no status or no body');
  return { statusCode, headers: lowerCaseNames(headers), body };
}

/** A 304 with the ETag that was sent says that nothing has changed. */
function failureOf({ headers = {}, optional }: ServiceRequest, outcome: Outcome): FailureKind | undefined {
  if (optional) return undefined;
  const isUnchanged =
    outcome.kind === 'reply' && outcome.status === NOT_MODIFIED && 'if-none-match' in headers;
  return isUnchanged ? undefined : failureKindOfOutcome(outcome);
}

type Limit = ReturnType<typeof openLimit>;

/** The time limit of one attempt. `late` resolves when the time is up. */
function openLimit(
  { stream, download }: ServiceRequest,
  address: string,
  httpTimeoutMs: number,
  showsConnecting: boolean,
  clock: Clock,
) {
  const { timeoutMs, silentMs = Infinity } = download ?? { timeoutMs: stream ? Infinity : httpTimeoutMs };
  const option = download === undefined ? 'http.timeoutMs' : undefined;
  const kind = download && 'background';
  let isConnecting = showsConnecting;
  let until = Infinity;
  let dueAt = Infinity;
  let end: () => void = () => undefined;
  let giveUp: (failure: Failure) => void = () => undefined;
  const late = new Promise<Failure>((resolve) => {
    giveUp = resolve;
  });

  const timedOut = () => {
    const ms = dueAt < until ? silentMs : timeoutMs;
    if (showsConnecting) return timeoutFailure(address, ms, option);
    const both = [option, `${CONNECT_MS} ms for connecting`].filter((part) => part !== undefined);
    return timeoutFailure(address, ms + CONNECT_MS, both.join(' and '));
  };
  const begin = (longestMs: number, longestSilenceMs: number, failure: () => Failure) => {
    end();
    until = clock.now() + longestMs;
    dueAt = Math.min(until, clock.now() + longestSilenceMs);
    if (dueAt < Infinity)
      end = timeLimit(
        () => dueAt,
        clock,
        () => giveUp(failure()),
        kind,
      );
  };

  if (isConnecting) begin(CONNECT_MS, CONNECT_MS, () => connectingFailure(address, CONNECT_MS));
  else begin(CONNECT_MS + timeoutMs, CONNECT_MS + silentMs, timedOut);
  return {
    late,
    connected: () => {
      if (!isConnecting) return;
      isConnecting = false;
      begin(timeoutMs, silentMs, timedOut);
    },
    heard: () => {
      dueAt = Math.min(until, clock.now() + silentMs);
    },
    end: () => {
      end();
    },
  };
}

/** The message says what is wrong with the body, and can be shown. */
class UnreadableBody extends Error {}

const tooLarge = (maxBytes: number) =>
  new UnreadableBody(`more than the allowed ${maxBytes / 1024 / 1024} MB`);

/** A list of chunks could take many times the memory of a body, if each of them had one byte. */
async function collected(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  heard: () => void,
): Promise<Buffer> {
  let all = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of body) {
    heard();
    const end = length + chunk.length;
    if (end > maxBytes) throw tooLarge(maxBytes);
    if (end > all.length) all = Buffer.concat([all], Math.min(2 * end, maxBytes));
    all.set(chunk, length);
    length = end;
  }
  return all.subarray(0, length);
}

const gunzipped = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(gunzip);

/** A 304 of Flipt may name the encoding gzip, but has no body. */
async function unpacked(packed: Buffer, encoding: unknown, maxBytes: number): Promise<Buffer> {
  const isGzip = typeof encoding === 'string' && /^(?:x-)?gzip$/i.test(encoding.trim());
  if (!isGzip || packed.length === 0) return packed;
  try {
    return await gunzipped(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new UnreadableBody(`an unreadable response: the body is not gzip, or was cut short: ${message}`);
  }
}

function secretsOf({ headers, http: { proxy } }: ConnectionSettings, request: ServiceRequest): string[] {
  const credentials = Object.entries(headers).flatMap(([name, value]) =>
    isCredentialName(name) ? [value] : [],
  );
  const ofProxy = proxy && [
    proxyAuthorization(proxy) ?? '',
    decodeURIComponent(proxy.password || proxy.username),
  ];
  return [
    ...Object.values(request.credentials ?? {}),
    ...credentials,
    ...(request.secrets ?? []),
    ...(ofProxy ?? []),
  ];
}

/** What may be the cause of a failure: the proxy, or that nobody has set the address. */
function besideAddress({ hasUrl, http: { socketPath, proxy } }: ConnectionSettings): string {
  if (socketPath !== undefined) return '';
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.protocol}//${proxy.host}`;
  return `${through}${hasUrl ? '' : ' (neither the option url nor FLIPT_URL is set)'}`;
}

function plainTextWarning({ url, auth, headers, http }: ConnectionSettings): string | undefined {
  const { socketPath, proxy } = http;
  if (socketPath !== undefined) return undefined;
  const service = new URL(url);
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  // A proxy on another machine would take `localhost` for its own.
  const isLocal = isLoopback(service.hostname) && (proxy === undefined || isLoopback(proxy.hostname));
  if (hasCredential && service.protocol === 'http:' && !isLocal) {
    const through = proxy === undefined ? '' : ` through the proxy ${proxy.hostname}`;
    return `credentials for Flipt are sent unencrypted to ${service.hostname}${through}: use an https: address (url)`;
  }
  if (proxy?.protocol === 'http:' && proxyAuthorization(proxy) !== undefined && !isLoopback(proxy.hostname)) {
    return `the password of the proxy is sent unencrypted to ${proxy.hostname}: use an https: address (http.proxy)`;
  }
  return undefined;
}
