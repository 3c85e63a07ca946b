import { setMaxListeners } from 'node:events';
import * as v from 'valibot';
import type { Failure } from '../model/failure.js';
import type { Reply, Send } from '../http/reply.js';
import { failureError, replyError, unreadableError, type AskedOperation } from './call-errors.js';
import { kindOf } from '../text/describe.js';
import type { Call } from './operations/client-operation.js';

export interface Calls {
  readonly call: Call;
  /** Ends the calls in progress and refuses later ones. */
  readonly close: () => void;
}

type Outcome = Reply | Failure;

const CLOSED: Failure = { kind: 'closed', message: 'the Flipt client is closed' };

/** Calls operations of the service at `url`. An answer that does not fit its type is an error. */
export function openCaller(send: Send, url: string): Calls {
  const underWay = new Set<() => void>();
  let closed = false;

  /** The outcome, or CLOSED as soon as the signal or the client ends the call. */
  const untilAborted = (sent: (ended: AbortSignal) => Promise<Outcome>, signal: AbortSignal | undefined) =>
    new Promise<Outcome>((resolve) => {
      const ending = new AbortController();
      const settle = (outcome: Outcome) => {
        underWay.delete(end);
        signal?.removeEventListener('abort', end);
        resolve(outcome);
      };
      const end = () => {
        settle(CLOSED);
        ending.abort();
      };
      underWay.add(end);
      if (signal !== undefined) listen(signal, end);
      void sent(ending.signal).then(settle);
    });

  const call: Call = async (operation, { signal } = {}) => {
    signal?.throwIfAborted();
    const asked = { operation, url };
    const { method, path, headers = {}, body, repeatable } = operation;
    const request = { method, path, headers, repeatable, ...(body && { body: JSON.stringify(body) }) };
    const outcome = closed
      ? CLOSED
      : await untilAborted((ended) => send({ ...request, signal: ended }), signal);
    if (outcome.kind === 'reply') return answerOf(asked, outcome, operation.answer);
    // Only if no answer came: an answer that came before the signal counts.
    if (outcome === CLOSED && !closed) signal?.throwIfAborted();
    throw failureError(asked, outcome);
  };

  return {
    call,
    close() {
      closed = true;
      for (const end of [...underWay]) end();
    },
  };
}

/** One signal may end many calls at once, and Node warns of a leak beyond ten listeners. */
function listen(signal: AbortSignal, end: () => void): void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', end);
}

function answerOf<Answer>(
  asked: AskedOperation,
  reply: Reply,
  shape: v.GenericSchema<unknown, Answer>,
): Answer {
  if (reply.status !== 200) throw replyError(asked, reply);
  const body = parsed(reply.text);
  if (body === undefined) throw unreadableError(asked, reply, 'not JSON');
  const checked = v.safeParse(shape, body, { abortEarly: true });
  if (checked.success) return checked.output;
  throw unreadableError(asked, reply, wordsOf(checked.issues[0]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says where the answer is wrong, but never shows what it holds. */
function wordsOf(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue) ?? 'the body';
  if (issue.input === undefined) return `${place}: missing`;
  const isOurs = issue.kind !== 'schema' || issue.type === 'custom';
  const expected = isOurs ? issue.message : String(issue.expected);
  return `${place}: expected ${expected}, got ${sizeOf(issue.input)}`;
}

function sizeOf(given: unknown): string {
  return Array.isArray(given) ? `${kindOf(given)} of ${given.length}` : kindOf(given);
}
