import { setMaxListeners } from 'node:events';
import { kindOf, isRecord } from '../base/text/describe.js';
import { hasMoreValues, parsedJson } from '../base/text/json.js';
import { leadsElsewhere } from '../options/address.js';
import type { Clock } from '../base/time/clock.js';
import { orLate, untilAborted } from '../base/time/in-time.js';
import { timeoutFailure } from '../http/failures.js';
import type { Reply, Send } from '../http/reply.js';
import { ENDED, type Failure } from '../model/failure.js';
import { failureError, replyError, unreadableError, type AskedOperation } from './errors.js';

const LIMIT = 'http.timeoutMs × (http.retries + 1), and 3 s for connecting';
const CLOSED: Failure = { kind: 'closed', message: 'the Flipt client is closed' };

export interface CallOptions {
  /** Aborted, the operation rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal | undefined;
}

interface Asked extends CallOptions {
  /** For the placeholders of the path, such as `{key}`. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Default: true for GET. A change is sent once: after a failure nobody knows whether Flipt has made it. */
  readonly repeatable?: boolean;
  /** What is wrong with the answer, if anything. */
  readonly check?: AnswerCheck;
}

export type AnswerCheck = (answer: Readonly<Record<string, unknown>>) => string | undefined;

type Method = 'GET' | 'POST' | 'PUT';

export type Call = <Answer>(operation: string, method: Method, path: string, asked: Asked) => Promise<Answer>;

/** The time of a call, at most `withinMs`, includes the wait for credentials, all attempts and the pauses between. */
export function openCall(
  send: Send,
  { url, withinMs }: { readonly url: string; readonly withinMs: number },
  closing: AbortSignal,
  clock: Clock,
): Call {
  return async <Answer>(
    operation: string,
    method: Method,
    pattern: string,
    { parts, query, headers = {}, body, signal, repeatable = method === 'GET', check }: Asked,
  ): Promise<Answer> => {
    const path = pathOf(pattern, parts) + queryOf(query);
    signal?.throwIfAborted();
    const request = { method, path, headers, repeatable, ...(body && { body: JSON.stringify(body) }) };
    // Node would warn of a leak if one signal were passed to more than ten calls.
    if (signal) setMaxListeners(0, signal);
    const ending = new AbortController();
    const sending = () => untilAborted(send({ ...request, signal: ending.signal }), closing, ENDED);
    const sent = closing.aborted
      ? ENDED
      : await orLate(untilAborted(sending(), signal, ENDED), withinMs, clock);
    // Otherwise the request would go on after its time is over, or after its caller has gone.
    ending.abort();
    const outcome = sent === 'late' ? timeoutFailure(url, withinMs, LIMIT) : sent;
    const asked = { operation, method, path, url };
    if (outcome.kind === 'reply') return answerOf(asked, outcome, check) as Answer;
    if (outcome.kind === 'closed' && !closing.aborted) signal?.throwIfAborted();
    throw failureError(asked, outcome.kind === 'closed' ? CLOSED : outcome);
  };
}

/** 16 MB of `[],` would block the event loop for seconds. 10,000 segments with three constraints each hold fewer. */
const MOST_VALUES = 500_000;

function answerOf(asked: AskedOperation, reply: Reply, check: AnswerCheck | undefined): object {
  if (reply.status !== 200) throw replyError(asked, reply);
  const isLarge = hasMoreValues(reply.text, MOST_VALUES);
  const answer = isLarge ? undefined : parsedJson(reply.text);
  if (isRecord(answer)) {
    const wrong = check?.(answer);
    if (wrong === undefined) return answer;
    throw unreadableError(asked, reply, wrong);
  }
  const unread = isLarge ? `more than ${MOST_VALUES} values` : 'not JSON';
  throw unreadableError(
    asked,
    reply,
    answer === undefined ? unread : `expected an object, got ${kindOf(answer)}`,
  );
}

function pathOf(pattern: string, parts: Readonly<Record<string, string>> = {}): string {
  return Object.entries(parts).reduce(
    (path, [name, part]) => path.replace(`{${name}}`, () => encoded(name, part)),
    pattern,
  );
}

function encoded(name: string, part: unknown): string {
  if (typeof part !== 'string') throw new TypeError(`${name}: expected text, got ${typeof part}`);
  if (part === '') throw new TypeError(`${name}: expected text, got ''`);
  if (!part.isWellFormed())
    throw new TypeError(`${name}: expected well-formed Unicode, got a lone surrogate`);
  if (leadsElsewhere(part)) {
    throw new TypeError(`${name}: expected text without "." or ".." as a part, which leads to another path`);
  }
  return encodeURIComponent(part);
}

function queryOf(members: Readonly<Record<string, string | number | undefined>> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
