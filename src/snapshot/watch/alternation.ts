import { nodeModules } from '../../base/node-modules.js';
import type { Reporter } from '../../model/events/reporter.js';
import type { FlagChange } from '../flag-content.js';

/*
 * If one replica of Flipt lags behind the others, or is a canary, polls find two versions of the snapshot in turn, and
 * the flag values that users get can change with each poll. The provider does not hold back any version, because a real
 * change would then come late. The provider reports the alternation if three of ten polls in a row have each undone the
 * change before. The provider reports the next alternation only after ten polls of which none has undone a change.
 */

const POLLS = 10;
const RETURNS = 3;

/** Finds out whether polls find two versions in turn. */
export class Alternation {
  /**
   * Digests of the flags that differed in the last change: one digest of these flags before the change, and one digest
   * after the change.
   */
  private last: { readonly before: string; readonly after: string } | undefined;
  private polls = 0;
  /** The numbers, counted by `polls`, of the last polls that have undone the change before them. */
  private returnedAt: readonly number[] = [];
  private isReported = false;

  constructor(private readonly report: Reporter['report']) {}

  /**
   * To be called when a poll has succeeded, and when a saved snapshot has come into force late. `changes` are the flags
   * that differ between the previous and the new snapshot. If the flags were not compared, `changes` is empty.
   */
  polled(changes: readonly FlagChange[]): void {
    this.polls++;
    if (this.polls - (this.returnedAt.at(-1) ?? -Infinity) > POLLS) this.isReported = false;
    if (changes.length === 0) return;
    const change = {
      before: digestOf(changes, ({ before }) => before),
      after: digestOf(changes, ({ after }) => after),
    };
    if (change.before === this.last?.after && change.after === this.last.before)
      this.returned(changes.map(({ key }) => key));
    this.last = change;
  }

  private returned(flags: readonly string[]): void {
    this.returnedAt = [...this.returnedAt, this.polls].slice(-RETURNS);
    const [first = -Infinity] = this.returnedAt.length < RETURNS ? [] : this.returnedAt;
    if (this.isReported || this.polls - first >= POLLS) return;
    this.isReported = true;
    this.report({ type: 'versions-alternate', flags });
  }
}

function digestOf(
  changes: readonly FlagChange[],
  content: (change: FlagChange) => string | undefined,
): string {
  const hash = nodeModules.crypto.createHash('sha1');
  for (const change of changes) hash.update(JSON.stringify([change.key, content(change) ?? null]));
  return hash.digest('base64url');
}
