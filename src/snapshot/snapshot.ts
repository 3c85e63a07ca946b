import type { BusyClock } from '../base/time/turns.js';
import { quoted } from '../base/text/describe.js';
import { compileFeatures, type CompiledFeatures } from '../engine/compile.js';
import type { Semantics } from '../engine/features.js';
import { NEWEST_V2, WITHOUT_DIGEST, type V2Semantics } from '../engine/version-differences.js';
import type { Body } from './body.js';
import { Flags } from './flags.js';
import { InvalidBody } from './wire.js';

export interface Snapshot {
  readonly flags: Flags;
  readonly compiled: CompiledFeatures;
  readonly semantics: Semantics;
  /** Flipt v2's own. */
  readonly digest: string | undefined;
  readonly version: string;
}

/** A snapshot, and what the next poll has to know of it. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly etag: string | undefined;
}

export interface Confirmed extends Known {
  /** When Flipt last said that the snapshot is right, in milliseconds of `clock.now()`. */
  readonly confirmedAt: number;
}

/** A saved or an initial snapshot. `confirmedAt` is `undefined` if nothing says when Flipt has confirmed it. */
export interface StartingSnapshot extends Known {
  readonly confirmedAt: number | undefined;
}

/** Throws an {@link InvalidBody} if the body is of another namespace, or if no flag of several can be read. */
export async function snapshotOf(
  { texts, repeated, rest }: Body,
  namespace: string,
  etag: string | undefined,
  clock: BusyClock,
  ofV2: V2Semantics = NEWEST_V2,
): Promise<Snapshot> {
  const { namespace: named } = rest;
  if (named && named.key !== namespace)
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  const semantics = rest.semantics ?? (rest.digest === '' ? WITHOUT_DIGEST : ofV2);
  const flags = new Flags(texts, semantics, repeated);
  await checkReadable(flags, clock);
  const digest = rest.digest || undefined;
  return compiled(flags, digest, digest ?? etag ?? (await flags.digest(clock)));
}

export async function emptySnapshot(semantics: Semantics, clock: BusyClock): Promise<Snapshot> {
  const flags = new Flags(new Map(), semantics, new Set());
  return compiled(flags, undefined, await flags.digest(clock));
}

function compiled(flags: Flags, digest: string | undefined, version: string): Snapshot {
  const { features, semantics } = flags;
  return { flags, compiled: compileFeatures(features, semantics), semantics, digest, version };
}

export function hasFlags({ flags }: Pick<Snapshot, 'flags'>): boolean {
  return flags.texts.size > 0;
}

async function checkReadable(flags: Flags, clock: BusyClock): Promise<void> {
  const { size } = flags.texts;
  await flags.each(clock, (key) => flags.unreadable(key) !== undefined);
  const [first] = flags.foundUnreadable;
  if (size > 1 && first && flags.foundUnreadable.size === size)
    throw new InvalidBody(`none of ${size} flags can be read; ${quoted(first[0])}: ${first[1].reason}`);
}
