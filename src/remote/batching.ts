import { crc32 } from 'node:zlib';
import { messageOf, quoted } from '../base/text/describe.js';
import type { LoopTime } from '../base/time/loop-time.js';
import {
  failed,
  isFailure,
  type Answer,
  type AskAtOnce,
  type BatchOutcome,
  type Question,
} from '../model/answer.js';
import { policyOf, type Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { QuestionSizes } from './wire/batch-request.js';

/*
 * The questions of one turn of the event loop become one request. If a batch fails and Flipt is well, one bad question
 * may have spoilt it: the batch is sent again in about √n parts, and the parts that fail question by question. What
 * fails alone is sent alone for a while.
 */

export interface BatchLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly sizes: QuestionSizes;
}

interface Batched extends BatchLimits {
  readonly ask: AskAtOnce;
  /** Whether the service, and not one of the questions, explains the failure of a batch. */
  readonly explains: (failure: Failure) => Promise<boolean>;
  readonly overload: {
    readonly sent: (questions: number) => void;
    readonly shed: (reason: Shed, questions: number) => void;
  };
  readonly deadlineMs: number;
  readonly time: LoopTime;
}

type Shed = 'queue-full' | 'late';

interface Waiting {
  readonly question: Question;
  readonly bytes: number;
  readonly askedAt: number;
  readonly until: number;
  readonly resolve: (answer: Answer) => void;
}

/** Requests of known bad questions and of failed batches' parts. They do not count as `maxConcurrent`. */
const EXTRA_AT_ONCE = 16;
const BAD_FOR_MS = 30_000;
/** Growing to what Flipt cannot do costs the answers of one batch each time. */
const ONE_MORE_EVERY_MS = 3_000;
const MOST_BAD = 1_000;
/** A question with less than this share of its deadline left is not worth a request. */
const LAST_SHARE = 0.05;

export function batching(
  {
    ask,
    explains,
    overload,
    maxItems,
    maxBytes,
    maxConcurrent,
    maxWaiting,
    sizes,
    deadlineMs,
    time,
  }: Batched,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
) {
  /** The oldest first. */
  const queue: Waiting[] = [];
  const extra = pool(EXTRA_AT_ONCE);
  /** A flag, or a flag and an entity, and until when. The oldest first. */
  const bad = new Map<string, number>();
  const probes = new Map<string, Promise<BatchOutcome>>();
  let underWay = 0;
  /** A time-out halves the requests under way, so that a queue in front of Flipt can empty. */
  let halved = { to: maxConcurrent, at: -Infinity };
  /** When the newest request that was answered was sent. */
  let answeredSince = -Infinity;
  let isScheduled = false;
  let closed: Failure | undefined;

  const most = () => Math.min(maxConcurrent, halved.to + (clock.now() - halved.at) / ONE_MORE_EVERY_MS);
  const isBad = (name: string) => {
    const until = bad.get(shortened(name));
    return until !== undefined && until > clock.now();
  };
  const noteBad = (name: string) => {
    const known = shortened(name);
    bad.delete(known);
    bad.set(known, clock.now() + BAD_FOR_MS);
    for (const [oldest, until] of bad) {
      if (until > clock.now() && bad.size <= MOST_BAD) break;
      bad.delete(oldest);
    }
  };

  const send = async (batch: readonly Waiting[]): Promise<BatchOutcome> => {
    const outcome = await ask(batch.map(({ question }) => question)).catch(defect);
    if (bad.size > 0 && !isFailure(outcome))
      for (const { question } of batch) bad.delete(shortened(question.flag));
    return outcome;
  };

  /** Not for a question that nobody waits for any more. */
  const sendAlone = (one: Waiting) =>
    extra(async () => (one.until <= time.now() ? TOO_MANY_FAIL : send([one])));

  /** Sends each part, and gives those that failed as if one of their questions were bad. */
  const sendParts = async (parts: readonly (readonly Waiting[])[], isFirst: boolean) => {
    const spoilt: Spoilt[] = [];
    const answered = new Set<string>();
    const sendPart = async (whole: readonly Waiting[]) => {
      // Another batch may have found a bad flag among these meanwhile.
      const part = withoutBad(whole);
      if (part.length === 0) return;
      // Questions by themselves are sent though nobody waits any more: they say which one is bad.
      if (isFirst && part.every(({ until }) => until <= time.now())) return settle(part, TOO_MANY_FAIL);
      const outcome = await send(part);
      if (isFailure(outcome) && policyOf(outcome).spoilsBatch) spoilt.push({ part, failure: outcome });
      else {
        if (!isFailure(outcome)) for (const { question } of part) answered.add(question.flag);
        settle(part, outcome);
      }
    };
    await Promise.all(parts.map((part) => extra(() => sendPart(part))));
    return { spoilt, answered };
  };

  const isolate = async (batch: readonly Waiting[], failure: Failure) => {
    if (await explains(failure)) {
      settle(batch, failure);
      return;
    }
    const others = withoutBad(batch);
    if (others.length === batch.length) await findBad(batch, failure);
    else others.forEach(add);
  };

  /** What asks for a bad flag is answered on its own. */
  const withoutBad = (batch: readonly Waiting[]) =>
    batch.filter((one) => {
      const isKnown = isBad(one.question.flag);
      if (isKnown) void probe(one);
      return !isKnown;
    });

  const findBad = async (batch: readonly Waiting[], { kind }: Failure) => {
    report({ type: 'isolation-started', items: batch.length });
    // After a time-out there is no time to divide twice, either.
    const size =
      kind === 'timeout' ? Math.ceil(batch.length / EXTRA_AT_ONCE) : Math.floor(Math.sqrt(batch.length));
    const parts = inChunks(batch, size);
    const first = await sendParts(parts, true);
    const alone = first.spoilt.filter(({ part }) => part.length === 1);
    const divided = first.spoilt.filter(({ part }) => part.length > 1);
    // If nearly all parts fail, a flag fails whoever asks, and one part is enough to find it.
    for (const { part, failure: its } of divided.splice(divided.length > 3 ? 1 : 2)) settle(part, its);
    const singles = divided.flatMap(({ part }) => inChunks(part, 1));
    const second = await sendParts(singles, false);
    for (const { part, failure: its } of [...alone, ...second.spoilt]) {
      for (const { question } of part) {
        noteBad(nameOf(question));
        if (!first.answered.has(question.flag) && !second.answered.has(question.flag)) noteBad(question.flag);
      }
      settle(part, its);
    }
    report({
      type: 'isolation-finished',
      requests: parts.length + singles.length,
      suspects: alone.length + second.spoilt.length,
    });
  };

  /** A flag that fails whoever asks gets one request at a time; its other questions share the outcome of that one. */
  const probe = async (one: Waiting) => {
    const { flag } = one.question;
    const shared = probes.get(flag);
    if (shared === undefined) {
      const probing = sendAlone(one);
      probes.set(flag, probing);
      const outcome = await probing;
      probes.delete(flag);
      if (isFailure(outcome) && policyOf(outcome).spoilsBatch) noteBad(flag);
      settle([one], outcome);
      return;
    }
    const outcome = await shared;
    if (isFailure(outcome)) settle([one], outcome);
    else add(one);
  };

  const sendBatch = async (batch: readonly Waiting[]) => {
    underWay++;
    overload.sent(batch.length);
    report({ type: 'batch-sent', items: batch.length, bytes: bytesOf(batch, sizes) });
    const sentAt = clock.now();
    const outcome = await send(batch);
    underWay--;
    if (!isFailure(outcome)) answeredSince = Math.max(answeredSince, sentAt);
    // If a later request was answered, no queue explains the time-out; if an earlier time-out has halved already, this one
    // says nothing new.
    else if (outcome.kind === 'timeout' && sentAt > Math.max(answeredSince, halved.at))
      halved = { to: Math.max(1, most() / 2), at: clock.now() };
    schedule();
    if (isFailure(outcome) && batch.length > 1 && policyOf(outcome).spoilsBatch)
      await isolate(batch, outcome);
    else settle(batch, outcome);
  };

  const shed = (reason: Shed, questions: number) => {
    overload.shed(reason, questions);
    report({ type: 'shed', reason, questions });
  };

  /** Ends questions whose time is over, which are the oldest ones. */
  const shedLate = () => {
    const worthIt = time.now() + LAST_SHARE * deadlineMs;
    const onTime = queue.findIndex(({ until }) => until > worthIt);
    const late = queue.splice(0, onTime < 0 ? queue.length : onTime);
    if (late.length === 0) return;
    shed('late', late.length);
    settle(
      late,
      overloaded(
        `${late.length + queue.length} questions wait for Flipt, which answers ${Math.floor(most())} requests at once (batch.maxConcurrent) too slowly to answer by the deadline of each caller (deadlineMs)`,
      ),
    );
  };

  const take = (): readonly Waiting[] => {
    const batch: Waiting[] = [];
    const [oldest] = queue;
    // When Flipt is slow, the newest question has the most time left; with the oldest first, all would be just too late.
    const isNewestFirst = oldest !== undefined && time.now() - oldest.askedAt > deadlineMs / 2;
    let bytes = sizes.empty;
    while (batch.length < maxItems) {
      const one = queue.at(isNewestFirst ? -1 : 0);
      if (one === undefined) break;
      bytes += one.bytes;
      if (batch.length > 0 && bytes > maxBytes) break;
      if (isNewestFirst) queue.pop();
      else queue.shift();
      batch.push(one);
    }
    return batch;
  };

  const flush = () => {
    isScheduled = false;
    shedLate();
    while (queue.length > 0 && underWay < Math.floor(most())) void sendBatch(take());
  };
  const schedule = () => {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    clock.endOfTurn(flush);
  };
  const add = (one: Waiting) => {
    queue.push(one);
    schedule();
  };

  const refused = (question: Question): Failure | undefined => {
    const problem = closed ?? oversized(question, maxBytes, sizes);
    if (problem !== undefined || queue.length < maxWaiting) return problem;
    shedLate();
    if (queue.length < maxWaiting) return undefined;
    shed('queue-full', 1);
    return overloaded(`${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`);
  };

  return {
    ask: (question: Question, until: number): Promise<Answer> =>
      new Promise((resolve) => {
        const refusal = refused(question);
        const one = {
          question,
          bytes: refusal ? 0 : sizes.of(question),
          askedAt: time.now(),
          until,
          resolve,
        };
        if (refusal !== undefined) settle([one], refusal);
        else if (isBad(question.flag)) void probe(one);
        else if (isBad(nameOf(question)))
          void sendAlone(one).then((outcome) => {
            settle([one], outcome);
          });
        else add(one);
      }),
    waiting: () => queue.length,
    close: (failure: Failure) => {
      closed = failure;
      settle(queue.splice(0), failure);
    },
  };
}

interface Spoilt {
  readonly part: readonly Waiting[];
  readonly failure: Failure;
}

function settle(batch: readonly Waiting[], outcome: BatchOutcome): void {
  batch.forEach(({ resolve }, at) => {
    resolve(isFailure(outcome) ? failed(outcome) : (outcome[at] ?? failed(UNANSWERED)));
  });
}

/** Flipt's answers are as many as the questions. */
const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

const nameOf = ({ flag, entity }: Question) => `${flag}\0${entity}`;
/** A name can have a megabyte. If two are taken for one, a good question is sent alone for a while. */
const shortened = (name: string) => (name.length <= 1_000 ? name : `${crc32(name)} ${name.length}`);
const overloaded = (why: string): Failure => ({ kind: 'overload', message: `overload: ${why}` });
const TOO_MANY_FAIL = overloaded(
  `too many batches fail; at most ${EXTRA_AT_ONCE} requests at once find the questions that make them fail`,
);

function bytesOf(batch: readonly Waiting[], { empty }: QuestionSizes): number {
  return batch.reduce((sum, { bytes }) => sum + bytes, empty);
}

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${messageOf(error)}` };
}

function inChunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}

/** Runs at most `most` functions at once, the oldest first. */
function pool(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < most) running++;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function oversized(question: Question, maxBytes: number, sizes: QuestionSizes): Failure | undefined {
  const bytes = sizes.empty + sizes.of(question);
  if (bytes <= maxBytes) return undefined;
  return {
    kind: 'context',
    message:
      `the evaluation context is too large: its request to Flipt would take ${bytes} bytes, ` +
      `and at most ${maxBytes} are allowed (batch.maxBytes). The largest part is ${largestPart(question)}`,
  };
}

function largestPart({ flag, entity, attributes }: Question): string {
  const parts = [
    ...Object.entries(attributes).map(([name, text]) => [`the attribute ${quoted(name)}`, name + text]),
    ['the targetingKey', entity],
    ['the flag key', flag],
  ].map(([name = '', text = '']) => ({ name, bytes: Buffer.byteLength(text) }));
  return parts.reduce((largest, part) => (part.bytes > largest.bytes ? part : largest)).name;
}
