import type { Reporter } from '../../model/events/reporter.js';

/** The snapshot's features, as far as they are needed here. */
export interface AttributeKnowledge {
  /** The attributes that the flag compares with values; `undefined` if there is no such flag. */
  readonly comparedAttributes: (flag: string) => readonly string[] | undefined;
}

/** A flag is reported after so many resolves. */
const RESOLVES = 20;
/** Most names of attributes that a report holds. */
const MOST_NAMES = 100;

/** A flag of which no resolve has had an attribute that it compares. */
interface Lacking {
  resolves: number;
  /** The attributes that those resolves had. */
  readonly given: Set<string>;
}

/**
 * Reports a flag whose contexts have none of the attributes that it compares, after 20 resolves: no segment can ever
 * match. A flag is judged once, and again after it has changed.
 */
export class AttributesMissing {
  private readonly judged = new Set<string>();
  private readonly lacking = new Map<string, Lacking>();

  constructor(
    private readonly features: () => AttributeKnowledge | undefined,
    private readonly report: Reporter['report'],
  ) {}

  /** A flag is resolved for a context with these names. */
  resolved(flag: string, names: () => readonly string[]): void {
    // The hot path of a flag that is evaluated in-process ends here.
    if (this.judged.has(flag)) return;
    const compared = this.features()?.comparedAttributes(flag);
    if (compared === undefined) return;
    const given = names();
    if (compared.length === 0 || compared.some((name) => given.includes(name))) this.judge(flag);
    else this.lack(flag, compared, given);
  }

  /** These flags are judged again. */
  changed(flags: readonly string[]): void {
    for (const flag of flags) {
      this.judged.delete(flag);
      this.lacking.delete(flag);
    }
  }

  private lack(flag: string, compared: readonly string[], given: readonly string[]): void {
    const lacking = this.lacking.get(flag) ?? { resolves: 0, given: new Set() };
    this.lacking.set(flag, lacking);
    for (const name of given) if (lacking.given.size < MOST_NAMES) lacking.given.add(name);
    if (++lacking.resolves < RESOLVES) return;
    this.judge(flag);
    const resolves = lacking.resolves;
    this.report({ type: 'attributes-missing', flag, resolves, compared, given: [...lacking.given] });
  }

  private judge(flag: string): void {
    this.judged.add(flag);
    this.lacking.delete(flag);
  }
}
