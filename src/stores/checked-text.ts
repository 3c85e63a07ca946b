import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { SnapshotPlace } from '../options/snapshot-options.js';
import { sendableEtag } from '../text/header.js';
import { quoted } from '../text/quote.js';

/** A snapshot as a store keeps it. */
export interface KeptSnapshot {
  /** As the service serves it. */
  readonly body: string;
  readonly version: string;
  /**
   * The ETag, with which the next request asks whether the snapshot is still current; `undefined` if it came without
   * one.
   */
  readonly etag: string | undefined;
  /** Milliseconds since the epoch when the service last confirmed it. */
  readonly confirmedAt: number;
  /** Milliseconds that the service took for it; 0 if nobody has measured it. */
  readonly fullBodyMs: number;
  /** In a shared store: the version in the record that was written with it. Opaque. */
  readonly record?: string | undefined;
}

/** A text in a newer format is not read, because its meaning is unknown here. */
const FORMAT = 1;

/**
 * The first line describes the second one, which is the snapshot. The checksum in the first line covers both, but not
 * `fullBodyMs` and `record`, which older versions of this package do not know.
 */
export function writeKept(
  { body, version, etag, confirmedAt, fullBodyMs, record }: KeptSnapshot,
  origin: SnapshotPlace,
): string {
  const { url, namespace, environment } = origin;
  const date = new Date(confirmedAt).toISOString();
  const about = { format: FORMAT, url, namespace, environment, version, etag, date };
  return `${JSON.stringify({ ...about, fullBodyMs, record, sha256: checksum(about, body) })}\n${body}\n`;
}

/** The snapshot in a text, or a message that says why it cannot be used. */
export function readKept(text: string, origin: SnapshotPlace): KeptSnapshot | { readonly wrong: string } {
  const [line = '', body = ''] = text.split('\n', 2);
  const header = v.safeParse(headerSchema, parsed(line));
  if (!header.success) return { wrong: 'it does not hold a snapshot' };
  const { sha256, fullBodyMs, record, ...about } = header.output;
  if (about.format !== FORMAT) {
    return { wrong: `it has format ${about.format}, and this version of the package reads format ${FORMAT}` };
  }
  if (sha256 !== checksum(about, body)) return { wrong: 'it is damaged: its checksum does not match' };
  for (const name of ['url', 'namespace', 'environment'] as const) {
    if (about[name] === origin[name]) continue;
    return { wrong: `it belongs to ${name} ${shown(about[name])}, and the option is ${shown(origin[name])}` };
  }
  const { version, etag, date } = about;
  return { body, version, etag: sendableEtag(etag), confirmedAt: Date.parse(date), fullBodyMs, record };
}

const headerSchema = v.object({
  format: v.number(),
  url: v.string(),
  namespace: v.string(),
  environment: v.optional(v.string()),
  version: v.string(),
  etag: v.optional(v.string()),
  date: v.pipe(v.string(), v.isoTimestamp()),
  fullBodyMs: v.fallback(v.pipe(v.number(), v.finite(), v.minValue(0)), 0),
  record: v.fallback(v.optional(v.string()), undefined),
  sha256: v.string(),
});

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** In a fixed order, so that the order in the text does not matter. */
function checksum(
  about: Omit<v.InferOutput<typeof headerSchema>, 'sha256' | 'fullBodyMs' | 'record'>,
  body: string,
): string {
  const { format, url, namespace, environment, version, etag, date } = about;
  const header = JSON.stringify([format, url, namespace, environment, version, etag, date]);
  return createHash('sha256').update(header).update(body).digest('hex');
}

function shown(value: string | undefined): string {
  return value === undefined ? 'none' : quoted(value.slice(0, 300));
}
