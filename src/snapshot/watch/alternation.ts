import { createHash } from 'node:crypto';
import type { Reporter } from '../../model/events/reporter.js';
import type { FlagChange } from '../flag-content.js';

/*
 * Replicas of Flipt of which one lags, or a canary, serve two versions in turn, and known users flip with the polls. No
 * version is kept back for that, because a real change back would come late. If three polls within ten have brought back
 * the version before, it is reported, and again only after ten polls without that.
 */

const POLLS = 10;
const RETURNS = 3;

/** Finds out whether two versions alternate. */
export class Alternation {
  /** Digests of what the last change has changed, before it and after. */
  private last: { readonly before: string; readonly after: string } | undefined;
  private polls = 0;
  /** The last polls that have brought back the version before. */
  private returnedAt: readonly number[] = [];
  private isReported = false;

  constructor(private readonly report: Reporter['report']) {}

  /** A poll has succeeded. `changes`: what differs between the snapshot in force and what the poll has found. */
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
  const hash = createHash('sha1');
  for (const change of changes) hash.update(JSON.stringify([change.key, content(change) ?? null]));
  return hash.digest('base64url');
}
