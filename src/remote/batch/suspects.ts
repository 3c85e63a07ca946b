import { createHash } from 'node:crypto';
import type { Question } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import type { PendingQuestion } from './pending-question.js';

/** For this time after a question or a flag has spoilt a request, it is sent apart from all others. */
const SUSPECT_MS = 30_000;
/** At most this many suspects are remembered. The oldest are forgotten first. */
const MAX_SUSPECTS = 1_000;

/** Questions that were told apart: those of suspects, by the name of the suspect, and the others. */
export interface Suspected {
  readonly others: readonly PendingQuestion[];
  readonly suspects: ReadonlyMap<string, readonly PendingQuestion[]>;
}

/** Remembers for a while which questions have spoilt a request, and which flags have done so for everybody. */
export class Suspects {
  /** Says by name until when each is a suspect. The oldest come first, because each is added for the same time. */
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Returns the name of the question or of its flag, whichever is a suspect; `undefined` if neither is. */
  nameOf(question: Question): string | undefined {
    // The common case needs no digest, and does not read the clock.
    if (this.until.size === 0) return undefined;
    this.forgetOld();
    const names = [questionName(question), flagName(question)];
    return names.find((name) => this.until.has(name));
  }

  /** Tells the questions of suspects from the others. */
  among(asked: readonly PendingQuestion[]): Suspected {
    const others: PendingQuestion[] = [];
    const suspects = new Map<string, PendingQuestion[]>();
    for (const one of asked) {
      const name = this.nameOf(one.question);
      const its = name === undefined ? others : suspects.get(name);
      if (its !== undefined) its.push(one);
      else if (name !== undefined) suspects.set(name, [one]);
    }
    return { others, suspects };
  }

  /** Makes the name a suspect from now on, or for longer. */
  add(name: string): void {
    this.until.delete(name);
    this.until.set(name, this.clock.now() + SUSPECT_MS);
    const [oldest] = this.until.keys();
    if (this.until.size > MAX_SUSPECTS && oldest !== undefined) this.until.delete(oldest);
  }

  /** Learns of an answer about a flag, which shows that the flag does not fail for everybody. */
  answered(question: Question): void {
    this.until.delete(flagName(question));
  }

  size(): number {
    this.forgetOld();
    return this.until.size;
  }

  private forgetOld(): void {
    const now = this.clock.now();
    for (const [name, until] of this.until) {
      if (until > now) return;
      this.until.delete(name);
    }
  }
}

/** Returns the name of a flag as a suspect. */
export function flagName({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/**
 * Returns the name of a question as a suspect. The name is a digest, because a question may be as large as a request.
 */
export function questionName(question: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
