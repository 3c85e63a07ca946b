import { isPlainObject, unlessItThrows } from '../../base/text/describe.js';
import type { Holder } from '../../model/events/internal-events.js';
import type { Reporter } from '../../model/events/reporter.js';

/** The part of the snapshot's features that is needed here. */
export interface AttributeKnowledge {
  /** Returns the attributes that the flag compares with values, or `undefined` if there is no such flag. */
  readonly comparedAttributes: (flag: string) => readonly string[] | undefined;
}

/** A context as the user has given it. */
type GivenContext = Readonly<Record<string, unknown>>;

/** A flag is reported after this many resolves whose contexts had none of the attributes that the flag compares. */
const RESOLVES = 20;
/** A report names at most this many attributes. */
const MOST_NAMES = 100;

/** A flag that compares attributes and whose resolves had none of these attributes so far. */
interface Lacking {
  resolves: number;
  /** The names of the attributes that those resolves had. */
  readonly given: Set<string>;
}

/**
 * Reports a flag after 20 resolves whose contexts had none of the attributes that the flag compares, so that none of
 * its segments can match. Each flag is judged once, and is judged again after the flag has changed.
 */
export class AttributesMissing {
  private readonly judged = new Set<string>();
  private readonly lacking = new Map<string, Lacking>();

  constructor(
    private readonly features: () => AttributeKnowledge | undefined,
    private readonly report: Reporter['report'],
  ) {}

  /**
   * Call this function when a flag is resolved for a context. `names` returns the names of the attributes in `context`.
   */
  resolved(flag: string, names: () => readonly string[], context: GivenContext): void {
    // Most resolves end here, so that this check has to be cheap.
    if (this.judged.has(flag)) return;
    const compared = this.features()?.comparedAttributes(flag);
    if (compared === undefined) return;
    const given = names();
    if (compared.length === 0 || compared.some((name) => given.includes(name))) this.judge(flag);
    else this.lack(flag, compared, given, context);
  }

  /** Call this function when these flags have changed, so that they are judged again. */
  changed(flags: readonly string[]): void {
    for (const flag of flags) {
      this.judged.delete(flag);
      this.lacking.delete(flag);
    }
  }

  private lack(
    flag: string,
    compared: readonly string[],
    given: readonly string[],
    context: GivenContext,
  ): void {
    const lacking = this.lacking.get(flag) ?? { resolves: 0, given: new Set() };
    this.lacking.set(flag, lacking);
    for (const name of given) if (lacking.given.size < MOST_NAMES) lacking.given.add(name);
    if (++lacking.resolves < RESOLVES) return;
    this.judge(flag);
    const resolves = lacking.resolves;
    const holders = holdersOf(compared, given, context);
    this.report({ type: 'attributes-missing', flag, resolves, compared, given: [...lacking.given], holders });
  }

  private judge(flag: string): void {
    this.judged.add(flag);
    this.lacking.delete(flag);
  }
}

/** Finds the attributes that hold what a flag compares as a member, as `{ user: { plan: 'pro' } }` holds `plan`. */
function holdersOf(
  compared: readonly string[],
  given: readonly string[],
  context: GivenContext,
): readonly Holder[] {
  return given.flatMap((holder) => {
    const value = unlessItThrows(() => context[holder]);
    if (!isPlainObject(value)) return [];
    return compared.filter((name) => Object.hasOwn(value, name)).map((name) => ({ holder, name }));
  });
}
