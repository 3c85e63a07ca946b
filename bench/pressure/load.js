/**
 * Puts one provider with default options under load, in a process of its own, and sends how many questions were
 * answered.
 */
import { setTimeout as delay } from 'node:timers/promises';

const {
  build,
  url,
  phases,
  flags = 40,
  brokenFlags,
  special,
  specialPerSecond = 0,
  burst,
  blockMs,
  seconds,
} = JSON.parse(process.argv[2]);
const { FliptProvider } = await import(build);
const BURST_AT_MS = 2_000;

const events = [];
const log = [];
const note = (line) => log.push(line);
const provider = new FliptProvider({
  url,
  logger: { error: note, warn: note, info: () => {}, debug: () => {} },
});
for (const event of ['PROVIDER_READY', 'PROVIDER_STALE', 'PROVIDER_ERROR']) {
  provider.events.addHandler(event, () => events.push(event));
}
let batches = 0;
provider.onEvent(() => batches++, ['batch-sent']);
await provider.initialize();

const began = performance.now();
const outcomes = [];
const pending = [];
let numbers = 0;

function ask(kind, flag, entity, attributes) {
  const second = Math.floor((performance.now() - began) / 1_000);
  const context = { targetingKey: entity, ...attributes };
  const asked = provider.resolveBooleanEvaluation(flag, false, context).then(({ errorCode }) => {
    // A real Flipt does not know these flags. That is an answer, too.
    outcomes.push({ kind, second, ok: errorCode === undefined || errorCode === 'FLAG_NOT_FOUND', errorCode });
  });
  pending.push(asked);
}

const BROKEN = 3;
function askNew() {
  const flag = numbers % flags;
  const kind = brokenFlags && flag < BROKEN ? 'broken' : 'healthy';
  ask(kind, `flag-${flag}`, `user-${process.pid}-${numbers++}`);
}
const SPECIAL = {
  'refused questions': (at) => ask('special', `flag-${at % flags}`, `special-${at}`),
  'one user': (at) => ask('special', `flag-${at % flags}`, 'special', { at }),
  // A page asks for 50 flags at once. The first one is broken.
  pages: (at) => {
    for (let flag = 0; flag < 50; flag++)
      ask(flag === 0 ? 'broken' : 'healthy', `page-${flag}`, `user-${at}`);
  },
  'forbidden user': (at) => ask('special', `flag-${at % flags}`, 'special', { at }),
  'large contexts': (at) => ask('special', 'flag-1', `special-${at}`, { page: 'x'.repeat(3_000_000) }),
};

/**
 * How many questions are due after `ms`. A phase says how many seconds it lasts, and how many questions it asks in each
 * second.
 */
function dueAt(ms) {
  let due = 0;
  let left = ms;
  for (const phase of phases) {
    due += (Math.min(left, phase.seconds * 1_000) / 1_000) * phase.perSecond;
    left = Math.max(0, left - phase.seconds * 1_000);
  }
  return due;
}

let specials = 0;
let isBurstDue = burst !== undefined || blockMs !== undefined;
for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - began) {
  while (numbers < dueAt(ms)) askNew();
  while (specials < (ms / 1_000) * specialPerSecond) SPECIAL[special](specials++);
  if (isBurstDue && ms >= BURST_AT_MS) {
    isBurstDue = false;
    for (let at = 0; at < (burst ?? 0); at++) ask('burst', `burst-${at}`, 'somebody');
    const until = performance.now() + (blockMs ?? 0);
    while (performance.now() < until);
  }
  await delay(2);
}
await Promise.all(pending);
await delay(6_000);
process.send({ outcomes: counted(), batches, events, log });
await provider.onClose();
process.disconnect();

/** For each kind, how many questions were asked in each second, and how many of these were answered. */
function counted() {
  const counts = {};
  for (const { kind, second, ok, errorCode } of outcomes) {
    const its = (counts[kind] ??= { asked: [], ok: [], errors: {} });
    its.asked[second] = (its.asked[second] ?? 0) + 1;
    its.ok[second] = (its.ok[second] ?? 0) + (ok ? 1 : 0);
    if (!ok) its.errors[errorCode] = (its.errors[errorCode] ?? 0) + 1;
  }
  return counts;
}
