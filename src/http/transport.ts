import type { Clock } from '../clock.js';
import type { Failure } from '../model/failure.js';
import type { HttpDispatcherResponse } from '../options/provider-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import { hiding } from './redact.js';
import { openConnections } from './connections.js';
import { ENDED, LARGEST_ERROR, type Reply, type Send, type ServiceRequest } from './reply.js';
import { connectionFailure, timeoutFailure, tooLarge } from './network-failure.js';
import { plainTextWarning } from './unencrypted.js';
import { proxyCredentialsOf } from './auth/proxy-credentials.js';

/** A larger body is refused: no answer of the service comes near. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface Transport {
  readonly send: Send;
  /** Ends the sockets. */
  readonly close: () => Promise<void>;
}

/** One attempt, over undici: bounded in time and size, whatever the other side does. */
export function openTransport(settings: ConnectionSettings, clock: Clock): Transport {
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname === '/' ? '' : pathname;
  const connections = openConnections(origin, settings);
  const { timeoutMs } = settings.http;
  const ofProxies = proxyCredentialsOf(settings.http.proxy, process.env);
  const warning = plainTextWarning(settings);
  if (warning !== undefined) settings.logger.warn(warning);

  /** Never rejects, whatever a dispatcher of the user's does. */
  const exchange = async (request: ServiceRequest, signal: AbortSignal): Promise<Reply | Failure> => {
    const hide = hiding(request.credentials ?? {}, settings.headers, ofProxies);
    try {
      const response = await connections.dispatcher.request({
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: headersOf(settings, request),
        body: request.body ?? null,
        signal,
      });
      const { statusCode, headers, body } = complete(response);
      const text = await readText(body);
      if (text === undefined) return tooLarge(settings.url);
      const shown = statusCode === 200 ? text : hide(text.slice(0, LARGEST_ERROR));
      return { kind: 'reply', status: statusCode, headers, text: shown, hide };
    } catch (error) {
      return connectionFailure(settings.url, error, hide);
    }
  };

  const send: Send = (request) =>
    new Promise((resolve) => {
      const attempt = new AbortController();
      const end = (outcome: Reply | Failure) => {
        cancelTimer();
        request.signal?.removeEventListener('abort', giveUp);
        resolve(outcome);
      };
      const giveUp = () => {
        end(ENDED);
        attempt.abort();
      };
      // A dispatcher that never settles must not hold anybody up: the timer answers, not the abort.
      const cancelTimer = clock.after(timeoutMs, () => {
        end(timeoutFailure(settings.url, timeoutMs));
        attempt.abort();
      });
      if (request.signal?.aborted === true) {
        giveUp();
        return;
      }
      request.signal?.addEventListener('abort', giveUp);
      void exchange(request, attempt.signal).then(end);
    });

  return {
    send,
    close: connections.close,
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

/** A dispatcher of the user's may leave out what it should give. */
function complete({
  statusCode,
  headers = {},
  body,
}: Partial<HttpDispatcherResponse>): HttpDispatcherResponse {
  if (statusCode === undefined || body === undefined) throw new TypeError('no status or no body was given');
  return { statusCode, headers, body };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body, and with it the connection.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
