import type { Clock } from '../clock.js';
import type { SnapshotPlace } from '../options/snapshot-options.js';
import { readKept, writeKept } from '../stores/checked-text.js';
import { messageOf } from '../text/describe.js';
import { parseSnapshot } from './body/parse.js';
import { bodyText } from './body/write-body.js';
import type { Known } from './fetch.js';
import { snapshotOf, type Snapshot } from './snapshot.js';

/** A snapshot of the service, and when the service last confirmed it, in the clock's milliseconds. */
export interface ConfirmedSnapshot extends Known {
  readonly confirmedAt: number;
  /** In a shared store: the version of the record that belongs to it. Older versions of this package write none. */
  readonly record?: string | undefined;
}

/** Why a text cannot be used. */
export interface Unusable {
  readonly wrong: string;
}

/**
 * The snapshot in a store's text, or why it cannot be used. An unchanged part of the `previous` snapshot stays
 * compiled.
 */
export async function readStored(
  text: string,
  place: SnapshotPlace,
  clock: Clock,
  previous?: Snapshot,
): Promise<ConfirmedSnapshot | Unusable> {
  const read = readKept(text, place);
  if ('wrong' in read) return read;
  const { body, etag, version, confirmedAt, fullBodyMs, record } = read;
  try {
    const parsed = await parseSnapshot(Buffer.from(body), place.namespace, clock, previous);
    // The kept date may be later than this machine's date.
    const ageMs = Math.max(0, clock.date() - confirmedAt);
    return {
      snapshot: await snapshotOf(parsed, clock, version, previous),
      etag,
      fullBodyMs,
      confirmedAt: clock.now() - ageMs,
      record,
    };
  } catch (error) {
    return { wrong: messageOf(error) };
  }
}

/** The text in which a store keeps a snapshot. */
export async function storedText(
  { snapshot, etag, fullBodyMs, confirmedAt, record }: ConfirmedSnapshot,
  place: SnapshotPlace,
  clock: Clock,
): Promise<string> {
  const date = clock.date() - (clock.now() - confirmedAt);
  const body = await bodyText(place.namespace, snapshot, clock);
  return writeKept({ body, version: snapshot.version, etag, confirmedAt: date, fullBodyMs, record }, place);
}
