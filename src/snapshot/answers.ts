import { isDeepStrictEqual } from 'node:util';
import { similarName } from '../base/text/closest-name.js';
import { unlessItThrows } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import type { Clock } from '../base/time/clock.js';
import { nextTurn } from '../base/time/turns.js';
import { evaluate } from '../engine/compile.js';
import { explain } from '../engine/explain.js';
import type { Explanation } from '../engine/explanation.js';
import type { KnownAnswer, Question, ServiceReason, ValueAnswer } from '../model/answer.js';
import type { Snapshot } from './snapshot.js';

/** `undefined` for a flag that the snapshot does not have, or that cannot be read. */
export function answerFrom(snapshot: Snapshot | undefined, question: Question): KnownAnswer | undefined {
  return snapshot?.compiled.flag(question.flag) && evaluate(snapshot.compiled, question);
}

export function explanationFrom(snapshot: Snapshot | undefined, question: Question): Explanation | undefined {
  return snapshot && explain(snapshot.compiled, question);
}

/** The snapshot gives the same answer as Flipt, also that there is no such flag. */
export function confirmsAnswer(
  snapshot: Snapshot | undefined,
  question: Question,
  answer: KnownAnswer,
): boolean {
  const own = expected(snapshot, question);
  return own !== undefined && isSameAnswer(answer, own);
}

function expected(snapshot: Snapshot | undefined, question: Question): KnownAnswer | undefined {
  if (snapshot === undefined || snapshot.flags.unreadable(question.flag) !== undefined) return undefined;
  return evaluate(snapshot.compiled, question);
}

export function isSameAnswer(given: KnownAnswer, own: KnownAnswer): boolean {
  if (!isSameValue(given, own)) return false;
  if (given.kind === 'missing' || own.kind === 'missing') return true;
  // Flipt lists matching segments in no fixed order.
  const [keys, others] = [given, own].map(({ segmentKeys = [] }) => segmentKeys.toSorted());
  return reasonOf(given) === reasonOf(own) && isDeepStrictEqual(keys, others);
}

/** For a boolean flag that is off, a Flipt after 2.12 may give FLAG_DISABLED. */
function reasonOf({ kind, reason }: ValueAnswer): ServiceReason {
  return kind === 'boolean' && reason === 'FLAG_DISABLED' ? 'DEFAULT' : reason;
}

function isSameValue(given: KnownAnswer, own: KnownAnswer): boolean {
  if (given.kind === 'boolean' && own.kind === 'boolean') return given.enabled === own.enabled;
  if (given.kind !== 'variant' || own.kind !== 'variant') return given.kind === own.kind;
  return (
    given.match === own.match && given.variant === own.variant && isSameJson(given.attachment, own.attachment)
  );
}

function isSameJson(text: string, other: string): boolean {
  if (text === other) return true;
  const value = parsedJson(text);
  // What nests too deep to be compared counts as another value.
  return value !== undefined && unlessItThrows(() => isDeepStrictEqual(value, parsedJson(other))) === true;
}

const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;

/** Finds the key that an app probably meant by the key of a flag that does not exist, each once and in the background. */
export class MisspeltKeys {
  private readonly seen = new Set<string>();
  /** Asked for before there was a snapshot. */
  private readonly early = new Set<string>();
  private suggestions = 0;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly snapshot: () => { readonly flags: Pick<Snapshot['flags'], 'keys'> } | undefined,
    private readonly found: (key: string, like: string) => void,
    private readonly clock: Clock,
  ) {}

  missing(key: string): void {
    const keys = this.snapshot()?.flags.keys();
    if (keys === undefined) {
      if (this.early.size < MOST_SUGGESTIONS) this.early.add(key);
      return;
    }
    // The flag may have been created after Flipt has answered.
    if (keys.has(key) || this.seen.has(key)) return;
    if (this.suggestions >= MOST_SUGGESTIONS || this.seen.size >= MOST_REMEMBERED) return;
    this.seen.add(key);
    this.looking = this.looking.then(() => this.lookFor(key, keys.keys()));
  }

  snapshotArrived(): void {
    const keys = [...this.early];
    this.early.clear();
    for (const key of keys) this.missing(key);
  }

  private async lookFor(key: string, known: Iterable<string>): Promise<void> {
    await nextTurn(this.clock);
    if (this.suggestions >= MOST_SUGGESTIONS) return;
    // Of 10,000 keys it takes 10 ms.
    const like = similarName(key, known);
    if (like === undefined) return;
    this.suggestions++;
    this.found(key, like);
  }
}
