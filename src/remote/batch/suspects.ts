import { nodeModules } from '../../base/node-modules.js';
import type { Question } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import type { PendingQuestion } from './pending-question.js';

/**
 * A question or flag that `Isolation` has found to make requests fail is a suspect for at most this many milliseconds
 * after the last such failure. A request about a suspect contains no questions about anything else.
 */
const SUSPECT_MS = 30_000;
/**
 * The largest number of suspects (questions and flags that have made a request fail) that are remembered. The oldest
 * suspects are forgotten first.
 */
const MAX_SUSPECTS = 1_000;

/**
 * Questions in two groups: those that belong to a suspect (a question or flag that has made a request fail), and all
 * others. `suspects` has the questions of each suspect under the suspect's name.
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
   * For the name of each suspect, the time until which the question or flag is a suspect. The map begins with the
   * suspects whose time ends first, because all suspects stay suspects for the same duration.
   */
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * Returns the name under which `Suspects` remembers the question if the question is a suspect: a digest. If only the
   * question's flag is a suspect, returns the name of the flag. If neither is a suspect, returns `undefined`.
   */
  nameOf(question: Question): string | undefined {
    // If there are no suspects, which is usual, this line saves the time to compute a digest and to read the clock.
    if (this.until.size === 0) return undefined;
    this.forgetOld();
    const names = [questionName(question), flagName(question)];
    return names.find((name) => this.until.has(name));
  }

  /** Separates questions that are suspects, or whose flag is a suspect, from all other questions. */
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

  /** Makes the question or flag of this name a suspect for the next 30 s, even if it is already a suspect. */
  add(name: string): void {
    this.until.delete(name);
    this.until.set(name, this.clock.now() + SUSPECT_MS);
    const [oldest] = this.until.keys();
    if (this.until.size > MAX_SUSPECTS && oldest !== undefined) this.until.delete(oldest);
  }

  /**
   * Call this function when Flipt has answered a question. After this call, the question's flag is no longer a suspect,
   * because the flag does not make requests fail with every context.
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

/** Returns the name under which `Suspects` remembers a flag. */
export function flagName({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/**
 * Returns the name under which `Suspects` remembers a question. The name is a digest, because a question can be almost
 * as large as a whole request.
 */
export function questionName(question: Question): string {
  return nodeModules.crypto.createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
