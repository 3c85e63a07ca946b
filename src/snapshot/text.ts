import * as v from 'valibot';
import { beginningOf, isRecord, quoted } from '../base/text/describe.js';
import { parsedJson, writtenJson } from '../base/text/json.js';
import { inTurns } from '../base/time/turns.js';
import type { Clock } from '../base/time/clock.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { cutBody, type Body } from './body.js';
import { snapshotOf, type Confirmed, type StartingSnapshot } from './snapshot.js';
import { InvalidBody, MOST_SNAPSHOT_BYTES, restSchema, sendableEtag } from './wire.js';

/*
 * The one form in which a snapshot is written: in a file, in a store, by `getSnapshot()` and the command, and for
 * `snapshot.initial`. It is Flipt's own form, with the flags in Flipt's own words, and some members in front.
 */

const FORMAT = 2;
// Somebody may have formatted it.
const BEGINNING = /^\s*\{\s*"format":\s*(\d+),\s*"(?:url|environment|etag|confirmedAt|semantics)":/;

/** Whether a file may be overwritten. Also a form of before, which is not read. */
export const isSnapshotText = (beginning: string) => BEGINNING.test(beginning);

type Place = Partial<SnapshotPlace> & Pick<SnapshotPlace, 'namespace'>;

function about(
  { snapshot, etag, confirmedAt }: StartingSnapshot,
  { url, environment, namespace }: Place,
  clock: Clock,
) {
  return {
    format: FORMAT,
    url,
    environment,
    etag,
    confirmedAt: confirmedAt === undefined ? undefined : dateOf(clock.date() - (clock.now() - confirmedAt)),
    semantics: snapshot.semantics,
    digest: snapshot.digest,
    namespace: { key: namespace },
  };
}

export async function snapshotText(confirmed: Confirmed, place: Place, clock: Clock): Promise<string> {
  const texts: string[] = [];
  await inTurns(confirmed.snapshot.flags.texts.values(), clock, (text) => {
    texts.push(text.toString());
  });
  const members = JSON.stringify(about(confirmed, place, clock)).slice(0, -1);
  return `${members},"flags":[${texts.join(',')}]}\n`;
}

export async function snapshotObject(
  confirmed: StartingSnapshot,
  place: Place,
  clock: Clock,
): Promise<object> {
  const flags: unknown[] = [];
  await inTurns(confirmed.snapshot.flags.texts, clock, ([key, text]) => {
    flags.push(plainFlag(key, text));
  });
  // Through JSON, so that no member is undefined.
  const members: unknown = JSON.parse(JSON.stringify(about(confirmed, place, clock)));
  return { ...(isRecord(members) ? members : {}), flags };
}

/** A flag that could not be written as JSON again, or would be read as another one, is only named. */
function plainFlag(key: string, text: Buffer): unknown {
  const flag = parsedJson(text.toString());
  const isPlain = isRecord(flag) && flag.key === key && writtenJson(flag) !== undefined;
  return isPlain ? flag : { key, type: 'UNREADABLE_FLAG_TYPE' };
}

function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Throws an error that says what is wrong. */
export async function readSnapshotText(
  text: string | Buffer,
  place: SnapshotPlace,
  clock: Clock,
): Promise<Confirmed> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  if (bytes.length > MOST_SNAPSHOT_BYTES)
    throw new InvalidBody(`it has more than ${MOST_SNAPSHOT_BYTES} bytes`);
  const format = BEGINNING.exec(bytes.toString('utf8', 0, 64))?.[1];
  if (format === undefined) throw new InvalidBody('it does not hold a snapshot');
  if (format !== String(FORMAT))
    throw new InvalidBody(`it has format ${format}, and this version of the package reads format ${FORMAT}`);
  const body = await cutBody(bytes, clock);
  const other = otherPlace(body.rest, place);
  if (other !== undefined) throw new InvalidBody(other);
  const etag = sendableEtag(body.rest.etag);
  const snapshot = await snapshotOf(body, place.namespace, etag, clock);
  return { snapshot, etag, confirmedAt: whenConfirmed(body.rest.confirmedAt, clock) };
}

/** Another machine may have written a date that is in the future here. */
export function whenConfirmed(date: string | undefined, clock: Clock): number {
  const ageMs = date === undefined ? 0 : clock.date() - Date.parse(date);
  return clock.now() - Math.max(0, ageMs);
}

/** Says to which other Flipt, namespace or environment a text belongs. */
function otherPlace(written: Body['rest'], place: SnapshotPlace): string | undefined {
  const named = { url: written.url, namespace: written.namespace?.key, environment: written.environment };
  const other = (['url', 'namespace', 'environment'] as const).find((name) => named[name] !== place[name]);
  return (
    other &&
    `it belongs to ${other} ${shown(named[other])}, and the option is ${shown(place[other])}; ` +
      'if both are in use, keep them in two places'
  );
}

/** For a file's beginning, which may hold no whole JSON. */
export function otherPlaceIn(beginning: string, place: SnapshotPlace): string | undefined {
  const start = beginning.split(',"flags":[', 1)[0] ?? '';
  const parsed = parsedJson(`${start},"flags":[]}`);
  const rest = v.safeParse(restSchema, parsed);
  return isSnapshotText(beginning) && rest.success ? otherPlace(rest.output, place) : undefined;
}

function shown(value: string | undefined): string {
  return value === undefined ? 'none' : quoted(beginningOf(value));
}
