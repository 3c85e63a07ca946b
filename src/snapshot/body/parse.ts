import { quoted } from '../../text/quote.js';
import { pausing, type Clock } from '../../clock.js';
import type { Features, Flag, Semantics } from '../../engine/features.js';
import { sameFlag } from '../../engine/flag-parts.js';
import { flagSchema, restSchema } from './body-schema.js';
import { checked } from './check.js';
import { flagContent, type Contents } from '../changed-flags.js';
import { flagPieces, type Piece } from './flag-pieces.js';
import { InvalidBody } from './invalid-body.js';
import { readFlag } from './read-flag.js';
import { segmentTable } from './segment-table.js';

/** The content of a body: everything from which the flags of a namespace are evaluated. */
export interface ParsedBody {
  readonly features: Features;
  /** Which version of Flipt wrote the body. Its rules apply. */
  readonly semantics: Semantics;
  readonly contents: Contents;
  /** Only v2 has one. */
  readonly digest: string | undefined;
}

/** Bytes that are read before other work gets a turn of the event loop: one or two milliseconds of parsing. */
const BYTES_PER_TURN = 32 * 1024;

/**
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop. An unchanged part of the `previous`
 * snapshot is the same object again, so it stays compiled. Rejects with {@link InvalidBody} as soon as anything cannot
 * be read, because half a snapshot would be a wrong one.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: Clock,
  previous?: ParsedBody,
): Promise<ParsedBody> {
  const pause = pausing(BYTES_PER_TURN, clock);
  const { pieces, rest } = await cut(body, pause);
  const { digest, namespace: named } = checked(rest, restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const semantics: Semantics = digest === '' ? 'v1' : 'v2';
  const flags = new Map<string, Flag>();
  const contents = new Map<string, string>();
  const segments = segmentTable(previous?.features.segments);
  const features: Features = { flags, segments: segments.byKey };
  for (const [at, [start, end]] of pieces.entries()) {
    const place = `flags[${at}]`;
    const wire = checked(body.toString('utf8', start, end), flagSchema, place);
    const { key } = wire;
    if (flags.has(key)) throw new InvalidBody(`${place}.key: ${quoted(key)} is there twice`);
    const flag = readFlag(wire, semantics, segments.keyOf);
    const content = flagContent(flag, segments.contentOf, semantics);
    contents.set(key, content);
    flags.set(key, (previous?.contents.get(key) === content && previous.features.flags.get(key)) || flag);
    if (previous && !sameFlag(key, previous.features, features)) flags.set(key, flag);
    await pause(end - start);
  }
  return { features, semantics, contents, digest: digest || undefined };
}

async function cut(
  body: Buffer,
  pause: ReturnType<typeof pausing>,
): Promise<{ readonly pieces: readonly Piece[]; readonly rest: string }> {
  const pieces: Piece[] = [];
  const cutting = flagPieces(body);
  for (;;) {
    const { done, value } = cutting.next();
    if (done) return { pieces, rest: value };
    pieces.push(value);
    await pause(value[1] - value[0]);
  }
}
