import { isPlainObject, unlessItThrows } from '../../base/text/describe.js';
import type { Holder } from '../../model/events/internal-events.js';
import type { Reporter } from '../../model/events/reporter.js';

/** What `AttributesMissing` reads from a snapshot. */
export interface AttributeKnowledge {
  /**
   * Returns the names of the attributes that the flag's constraints compare with values, or `undefined` if the snapshot
   * does not have the flag.
   */
  readonly comparedAttributes: (flag: string) => readonly string[] | undefined;
}

/** An evaluation context as the app has passed it to OpenFeature. */
type GivenContext = Readonly<Record<string, unknown>>;

/**
 * The provider reports a flag if the contexts of this many resolves in a row had none of the attributes that the flag
 * compares.
 */
const RESOLVES = 20;
/** A report lists at most this many names of attributes that the contexts had. */
const MOST_NAMES = 100;

/** Counts how often one flag was resolved with a context that had none of the attributes that the flag compares. */
interface Lacking {
  resolves: number;
  /** The names of the attributes that the contexts of the counted resolves had. */
  readonly given: Set<string>;
}

/**
 * Reports a flag after 20 counted resolves if none of their contexts had an attribute that the flag compares. If no
 * context has the attributes that a flag compares, the rules of the flag probably match nobody. `AttributesMissing`
 * decides once whether to report a flag, and decides again after the flag has changed.
 */
export class AttributesMissing {
  private readonly judged = new Set<string>();
  private readonly lacking = new Map<string, Lacking>();

  constructor(
    private readonly features: () => AttributeKnowledge | undefined,
    private readonly report: Reporter['report'],
  ) {}

  /**
   * Call this function when a single flag is resolved for a context. `names` returns the names of the attributes in
   * `context`.
   */
  resolved(flag: string, names: () => readonly string[], context: GivenContext): void {
    // This check has to be cheap, because most calls of `resolved` end with it.
    if (this.judged.has(flag)) return;
    const compared = this.features()?.comparedAttributes(flag);
    if (compared === undefined) return;
    const given = names();
    if (compared.length === 0 || compared.some((name) => given.includes(name))) this.judge(flag);
    else this.lack(flag, compared, given, context);
  }

  /**
   * Call this function with the keys of flags that have changed, so that the resolves of these flags are counted anew.
   */
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

/**
 * Finds attributes whose value is an object that has a member with the name of a compared attribute. For example, if a
 * flag compares `plan`, the function finds the attribute `user` in `{ user: { plan: 'pro' } }`.
 */
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
