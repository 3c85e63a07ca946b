import { createHash } from 'node:crypto';
import type { Question } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import type { PendingQuestion } from './pending-question.js';

/**
 * A question or flag that has made a request fail is a suspect for these milliseconds. Suspects are sent apart from all
 * other questions.
 */
const SUSPECT_MS = 30_000;
/** The largest number of suspects that are remembered. The oldest suspects are forgotten first. */
const MAX_SUSPECTS = 1_000;

/**
 * Questions in two groups: `suspects` holds the questions that are suspects or ask about one, by the suspect's name,
 * and `others` holds all other questions.
 */
export interface Suspected {
  readonly others: readonly PendingQuestion[];
  readonly suspects: ReadonlyMap<string, readonly PendingQuestion[]>;
}

/**
 * Remembers for 30 s which questions have made a request fail, and which flags seem to make requests fail whatever the
 * context is.
 */
export class Suspects {
  /**
   * The time until which each suspect counts as one, by the suspect's name. The oldest suspects come first, because
   * each counts for the same duration.
   */
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * Returns the question's name if the question is a suspect, or else the flag's name if its flag is a suspect, or else
   * `undefined`.
   */
  nameOf(question: Question): string | undefined {
    // Usually there are no suspects, so that no digest has to be computed and the clock is not read.
    if (this.until.size === 0) return undefined;
    this.forgetOld();
    const names = [questionName(question), flagName(question)];
    return names.find((name) => this.until.has(name));
  }

  /** Separates the questions that are suspects, or ask about one, from all other questions. */
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

  /** Makes the question or flag of this name a suspect for 30 s from now on, even if it is one already. */
  add(name: string): void {
    this.until.delete(name);
    this.until.set(name, this.clock.now() + SUSPECT_MS);
    const [oldest] = this.until.keys();
    if (this.until.size > MAX_SUSPECTS && oldest !== undefined) this.until.delete(oldest);
  }

  /**
   * To be called when a question has been answered. The answer shows that the question's flag does not make requests
   * fail with every context.
   */
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

/** Returns the name under which a flag is remembered as a suspect. */
export function flagName({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/**
 * Returns the name under which a question is remembered as a suspect. The name is a digest, because a question can be
 * almost as large as a whole request.
 */
export function questionName(question: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
