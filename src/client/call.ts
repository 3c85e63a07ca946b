import { setMaxListeners } from 'node:events';
import * as v from 'valibot';
import { ENDED, type Failure } from '../model/failure.js';
import type { Reply, Send } from '../http/reply.js';
import type { Clock } from '../base/time/clock.js';
import { orLate, untilAborted } from '../base/time/in-time.js';
import { timeoutFailure } from '../http/network-failure.js';
import { failureError, replyError, unreadableError, type AskedOperation } from './call-errors.js';
import { kindOf } from '../base/text/describe.js';
import { leadsElsewhere } from '../base/text/path-part.js';
import { hasMoreValues, parsedJson } from '../base/text/json.js';
import type { Call } from './client-operation.js';

const LIMIT = 'http.timeoutMs × (http.retries + 1)';
const CLOSED: Failure = { kind: 'closed', message: 'the Flipt client is closed' };

interface CallLimits {
  readonly url: string;
  /**
   * How many milliseconds a call can take at most. The time of a call includes the wait for credentials, all attempts,
   * and the pauses between attempts.
   */
  readonly withinMs: number;
}

/**
 * Returns a function that calls operations of the Flipt at `url`. When the signal `closing` is aborted, calls under way
 * and later calls reject. A call also rejects if Flipt's answer does not have the expected shape.
 */
export function openCaller(
  send: Send,
  { url, withinMs }: CallLimits,
  closing: AbortSignal,
  clock: Clock,
): Call {
  return async (operation, { parts, query, headers = {}, body }, { signal } = {}) => {
    const path = pathOf(operation.path, parts) + queryOf(query);
    signal?.throwIfAborted();
    const asked = { ...operation, path, url };
    const { method, repeatable = method === 'GET' } = operation;
    const request = { method, path, headers, repeatable, ...(body && { body: JSON.stringify(body) }) };
    // A caller is allowed to pass one signal to many calls. Without this line, Node would warn of a leak if a signal
    // had more than ten listeners.
    if (signal) setMaxListeners(0, signal);
    const ending = new AbortController();
    const sending = () => untilAborted(send({ ...request, signal: ending.signal }), closing, ENDED);
    const sent = closing.aborted
      ? ENDED
      : await orLate(untilAborted(sending(), signal, ENDED), withinMs, clock);
    // Without this abort, a request would go on after its time is over, or after its caller has aborted the call.
    ending.abort();
    const outcome = sent === 'late' ? timeoutFailure(url, withinMs, LIMIT) : sent;
    if (outcome.kind === 'reply') return answerOf(asked, outcome, operation.answer);
    // If the caller's signal was aborted before an answer came, the call rejects with the reason of the signal.
    if (outcome.kind === 'closed' && !closing.aborted) signal?.throwIfAborted();
    throw failureError(asked, outcome.kind === 'closed' ? CLOSED : outcome);
  };
}

/**
 * The client rejects an answer that contains more JSON values than this. A page of 10,000 segments with three
 * constraints each contains fewer than 500,000 JSON values.
 */
const MOST_VALUES = 500_000;

function answerOf<Answer>(asked: AskedOperation, reply: Reply, shape: v.GenericSchema<unknown, Answer>) {
  if (reply.status !== 200) throw replyError(asked, reply);
  if (hasMoreValues(reply.text, MOST_VALUES))
    throw unreadableError(asked, reply, `more than ${MOST_VALUES} values`);
  const body = parsedJson(reply.text);
  if (body === undefined) throw unreadableError(asked, reply, 'not JSON');
  const checked = v.safeParse(shape, body, { abortEarly: true });
  if (checked.success) return checked.output;
  throw unreadableError(asked, reply, wordsOf(checked.issues[0]));
}

/**
 * Describes where an answer is wrong, such as `segments.0.key: missing`. The description never shows a value from the
 * answer, because the value might be a token.
 */
function wordsOf(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue) ?? 'the body';
  if (issue.input === undefined) return `${place}: missing`;
  const isOurs = issue.kind !== 'schema' || issue.type === 'custom';
  const expected = isOurs ? issue.message : String(issue.expected);
  const size = Array.isArray(issue.input) ? ` of ${issue.input.length}` : '';
  return `${place}: expected ${expected}, got ${kindOf(issue.input)}${size}`;
}

/**
 * Replaces each `{name}` in the pattern by the percent-encoded text that `parts` has under that name. Throws a
 * TypeError if a text in `parts` is empty, is not well-formed Unicode, or would lead to another path.
 */
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

/** Writes a query such as `?limit=2&offset=4`, and leaves out members that are `undefined`. */
function queryOf(members: Readonly<Record<string, string | number | undefined>> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
