import { createHash } from 'node:crypto';
import type { Reporter } from '../../model/events/reporter.js';
import { changes, type Contents } from '../flag-content.js';

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

  /** A poll has succeeded. Returns the flags that differ between the snapshot in force and what the poll has found. */
  polled(before: Contents | undefined, after: Contents): readonly string[] {
    this.polls++;
    if (this.polls - (this.returnedAt.at(-1) ?? -Infinity) > POLLS) this.isReported = false;
    const flags = before === undefined || before === after ? [] : changes(before, after);
    if (before === undefined || flags.length === 0) return flags;
    const change = { before: digestOf(flags, before), after: digestOf(flags, after) };
    if (change.before === this.last?.after && change.after === this.last.before) this.returned(flags);
    this.last = change;
    return flags;
  }

  private returned(flags: readonly string[]): void {
    this.returnedAt = [...this.returnedAt, this.polls].slice(-RETURNS);
    const [first = -Infinity] = this.returnedAt.length < RETURNS ? [] : this.returnedAt;
    if (this.isReported || this.polls - first >= POLLS) return;
    this.isReported = true;
    this.report({ type: 'versions-alternate', flags });
  }
}

function digestOf(flags: readonly string[], contents: Contents): string {
  const hash = createHash('sha1');
  for (const flag of flags) hash.update(JSON.stringify([flag, contents.get(flag) ?? null]));
  return hash.digest('base64url');
}
