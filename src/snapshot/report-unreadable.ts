import type { Reporter } from '../diagnostics/diagnostics.js';
import type { UnreadableFlag } from '../model/unreadable-flag.js';
import type { Snapshot } from './snapshot.js';

const NONE: ReadonlyMap<string, UnreadableFlag> = new Map();

/** Reports the flags of a new snapshot that cannot be read, if they are others than before. */
export function reportUnreadable(
  before: Snapshot | undefined,
  after: Snapshot,
  { report }: Pick<Reporter, 'report'>,
): void {
  const { unreadable: last = NONE } = before?.features ?? {};
  const { unreadable: flags = NONE } = after.features;
  const isSame = flags.size === last.size && Array.from(flags.keys()).every((key) => last.has(key));
  if (!isSame) report({ type: 'flags-unreadable', flags });
}
