import type { Hash } from 'node:crypto';
import { nodeModules } from '../base/node-modules.js';
import * as v from 'valibot';
import { withPauses, type Steps, nextTurn } from '../base/time/pausable-steps.js';
import type { Clock } from '../base/time/clock.js';
import { MOST_SNAPSHOT_BYTES } from './stores/snapshot-size.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import type { TextBeginning } from './stores/file-store.js';
import { messageOf, beginningOf, quoted } from '../base/text/describe.js';
import { sendableEtag } from '../base/text/header.js';
import { parsedJson } from '../base/text/json.js';
import { SLICE_LENGTH, slicesOf } from '../base/text/slices.js';
import { tooLargeMessage } from '../base/files/durable-file.js';
import { parseSnapshot } from './body/parse-snapshot.js';
import { bodyText } from './body/write-body.js';
import type { Known } from './fetch-snapshot.js';
import { snapshotOf } from './snapshot.js';

/**
 * A snapshot of the service, and the time at which the service last confirmed the snapshot, in milliseconds of
 * `clock.now()`.
 */
export interface ConfirmedSnapshot extends Known {
  readonly confirmedAt: number;
  /**
   * The version of the record that belongs to this snapshot in a shared store. The member `record` is missing if the
   * store is not shared, or if an older version of this package has written the text.
   */
  readonly record?: string | undefined;
}

/** `wrong` is the reason why a store's text cannot be used. */
export interface Unusable {
  readonly wrong: string;
}

/**
 * Reads the snapshot in a store's text, in several turns of the event loop. If the text cannot be used, the promise
 * resolves with the reason.
 */
export async function readKept(
  text: string | Buffer,
  place: SnapshotPlace,
  clock: Clock,
): Promise<ConfirmedSnapshot | Unusable> {
  // The length of a string counts characters, and the length of a buffer counts bytes. A string that is refused here
  // has too many bytes as well, because a text has at least as many bytes as characters.
  if (text.length > MOST_SNAPSHOT_BYTES) return { wrong: tooLargeMessage(MOST_SNAPSHOT_BYTES) };
  const read = await withPauses(decodeKept(text, place), () => nextTurn(clock));
  if ('wrong' in read) return read;
  const { body, version, confirmedAt, ...about } = read;
  try {
    const parsed = await parseSnapshot(body, place.namespace, clock);
    // The stored date may be later than this machine's date, because another machine may have written it.
    const ageMs = Math.max(0, clock.date() - confirmedAt);
    const snapshot = await snapshotOf(parsed, clock, version);
    return { ...about, snapshot, confirmedAt: clock.now() - ageMs };
  } catch (error) {
    return { wrong: messageOf(error) };
  }
}

/**
 * Writes a snapshot as the text that a store keeps. Of a readable flag that has been parsed, the text contains only
 * what evaluation reads. Once `hasTime` returns `false`, each flag that has not been parsed yet is written in the form
 * in which Flipt sent it.
 */
export async function keptText(
  { snapshot, confirmedAt, ...about }: ConfirmedSnapshot,
  place: SnapshotPlace,
  clock: Clock,
  hasTime = () => true,
): Promise<string> {
  const date = clock.date() - (clock.now() - confirmedAt);
  const body = await bodyText(place.namespace, snapshot, clock, hasTime);
  const stored = { ...about, body, version: snapshot.version, confirmedAt: date };
  return withPauses(encodeKept(stored, place), () => nextTurn(clock));
}

/** A snapshot in the form in which a store keeps it. */
export interface KeptSnapshot<Body = string> extends Omit<ConfirmedSnapshot, 'snapshot'> {
  /** The body in the form in which the service serves it. */
  readonly body: Body;
  readonly version: string;
  /** The time at which the service last confirmed the snapshot, in milliseconds since the epoch. */
  readonly confirmedAt: number;
}

/**
 * The largest number of characters in the first line of a saved text. The first line usually has a few hundred
 * characters.
 */
const LONGEST_HEADER = 65_536;
/**
 * The format in which this version of the package writes a text. A text in a newer format is not read, because this
 * version of the package does not know the newer format.
 */
const FORMAT = 1;

/**
 * Writes a snapshot as two lines of text. The second line is the body of the snapshot, and the first line describes
 * that body. The checksum in the first line covers both lines, but not `record`, which older versions of this package
 * do not know. The function writes in steps, because the body may be long.
 */
export function* encodeKept(
  { body, version, etag, confirmedAt, record }: KeptSnapshot,
  origin: SnapshotPlace,
): Steps<string> {
  const { url, namespace, environment } = origin;
  const date = new Date(confirmedAt).toISOString();
  const about = { format: FORMAT, url, namespace, environment, version, etag, date };
  const hash = checksum(about);
  for (const [at, slice] of slicesOf(body)) {
    if (at > 0) yield;
    hash.update(slice);
  }
  return `${JSON.stringify({ ...about, record, sha256: hash.digest('hex') })}\n${body}\n`;
}

/** Reads the snapshot in a text, in steps. If the text cannot be used, the function returns the reason. */
export function* decodeKept(
  text: string | Buffer,
  origin: SnapshotPlace,
): Steps<KeptSnapshot<Buffer> | Unusable> {
  const header = keptHeader(text, origin);
  if ('wrong' in header) return header;
  const { sha256, record, ...about } = header;
  const bytes = typeof text === 'string' ? yield* bytesOf(text) : text;
  const lineEnd = endOfLine(bytes, 0);
  const hash = checksum(about);
  const body = bytes.subarray(lineEnd + 1, endOfLine(bytes, lineEnd + 1));
  for (let at = 0; at < body.length; at += SLICE_LENGTH) {
    if (at > 0) yield;
    hash.update(body.subarray(at, at + SLICE_LENGTH));
  }
  if (sha256 !== hash.digest('hex')) return { wrong: 'it is damaged: its checksum does not match' };
  const { version, etag, date } = about;
  return { body, version, etag: sendableEtag(etag), confirmedAt: Date.parse(date), record };
}

/** Reads the first line of a saved text. The function does not look at the rest of the text, which may be damaged. */
export function keptHeader(text: string | Buffer, origin: SnapshotPlace): KeptHeader | Unusable {
  const beginning =
    typeof text === 'string' ? text.slice(0, LONGEST_HEADER) : text.toString('utf8', 0, LONGEST_HEADER);
  const header = v.safeParse(headerSchema, parsedJson(beginning.split('\n', 1)[0] ?? ''));
  if (!header.success) return { wrong: 'it does not hold a snapshot' };
  const { format } = header.output;
  if (format !== FORMAT)
    return { wrong: `it has format ${format}, and this version of the package reads format ${FORMAT}` };
  const other = differenceOf(header.output, origin);
  return other === undefined
    ? header.output
    : { wrong: `${other}; if both are in use, keep them in two places` };
}

const LINE_FEED = 0x0a;

/** Returns the position of the end of the line that contains the byte at `start`. */
function endOfLine(bytes: Buffer, start: number): number {
  const place = bytes.indexOf(LINE_FEED, start);
  return place < 0 ? bytes.length : place;
}

function* bytesOf(text: string): Steps<Buffer> {
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text));
  let end = 0;
  for (const [at, slice] of slicesOf(text)) {
    if (at > 0) yield;
    end += bytes.write(slice, end);
  }
  return bytes;
}

/**
 * Makes the functions that recognise the text of a stored snapshot by its beginning, whatever the text's format is. The
 * data file of the embedded service begins differently.
 */
export function keptBeginning(origin: SnapshotPlace): TextBeginning {
  return {
    isOurs: (beginning) => /^\{"format":\d+,"url":"/.test(beginning),
    otherPlace: (beginning) => {
      const header = v.safeParse(headerSchema, parsedJson(beginning.split('\n', 1)[0] ?? ''));
      return header.success ? differenceOf(header.output, origin) : undefined;
    },
  };
}

/**
 * Returns a message that names the place to which a stored snapshot belongs if that is not `origin`. Returns
 * `undefined` if the snapshot belongs to `origin`. A place is an address, a namespace and an environment.
 */
function differenceOf(about: Partial<SnapshotPlace>, origin: SnapshotPlace): string | undefined {
  const name = (['url', 'namespace', 'environment'] as const).find((name) => about[name] !== origin[name]);
  return name && `it belongs to ${name} ${shown(about[name])}, and the option is ${shown(origin[name])}`;
}

const headerSchema = v.object({
  format: v.number(),
  url: v.string(),
  namespace: v.string(),
  environment: v.optional(v.string()),
  version: v.string(),
  etag: v.optional(v.string()),
  date: v.pipe(v.string(), v.isoTimestamp()),
  record: v.fallback(v.optional(v.string()), undefined),
  sha256: v.string(),
});

type KeptHeader = v.InferOutput<typeof headerSchema>;

/**
 * Begins a checksum with the members of the header. The members are added in a fixed order, so that their order in the
 * text has no effect on the checksum. The caller adds the body to the checksum.
 */
function checksum(about: Omit<KeptHeader, 'sha256' | 'record'>): Hash {
  const { format, url, namespace, environment, version, etag, date } = about;
  const header = JSON.stringify([format, url, namespace, environment, version, etag, date]);
  return nodeModules.crypto.createHash('sha256').update(header);
}

function shown(value: string | undefined): string {
  return value === undefined ? 'none' : quoted(beginningOf(value));
}
