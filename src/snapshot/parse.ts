import { quoted } from '../text/quote.js';
import type { Clock } from '../clock.js';
import type { Features, Flag, Segment, Semantics } from '../engine/features.js';
import { flagSchema, restSchema } from './body-schema.js';
import { checked } from './check.js';
import { flagContent, segmentContent, type Contents } from './contents.js';
import { flagPieces, type Piece } from './flag-pieces.js';
import { InvalidBody } from './invalid-body.js';
import { readFlag } from './read-flag.js';

/** What a body says: all that the flags of a namespace are evaluated from. */
export interface ParsedBody {
  readonly features: Features;
  /** The version that wrote the body, by whose rules it is evaluated. */
  readonly semantics: Semantics;
  readonly contents: Contents;
  /** Of v2 only. */
  readonly digest: string | undefined;
}

/** Bytes that are looked at before others get a turn of the event loop: one or two milliseconds of parsing. */
const BYTES_PER_TURN = 32 * 1024;

/**
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop.
 * Rejects with {@link InvalidBody} as soon as anything cannot be read: half a snapshot would be a wrong one.
 */
export async function parseSnapshot(body: Buffer, namespace: string, clock: Clock): Promise<ParsedBody> {
  const pause = pauses(clock);
  const { pieces, rest } = await cut(body, pause);
  const { digest, namespace: named } = checked(rest, restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const semantics: Semantics = digest === '' ? 'v1' : 'v2';
  const flags = new Map<string, Flag>();
  const contents = new Map<string, string>();
  const segments = segmentTable();
  for (const [at, [start, end]] of pieces.entries()) {
    const place = `flags[${at}]`;
    const flag = readFlag(
      checked(body.toString('utf8', start, end), flagSchema, place),
      semantics,
      segments.keyOf,
    );
    if (flags.has(flag.key)) throw new InvalidBody(`${place}.key: ${quoted(flag.key)} is there twice`);
    flags.set(flag.key, flag);
    contents.set(flag.key, flagContent(flag, segments.contentOf, semantics));
    await pause(end - start);
  }
  return { features: { flags, segments: segments.byKey }, semantics, contents, digest: digest || undefined };
}

/** Lets others have a turn after each so many bytes. */
type Pause = (bytes: number) => Promise<void> | undefined;

function pauses(clock: Clock): Pause {
  let bytesOfTurn = 0;
  return (bytes) => {
    bytesOfTurn += bytes;
    if (bytesOfTurn < BYTES_PER_TURN) return undefined;
    bytesOfTurn = 0;
    return new Promise((resolve) => {
      clock.endOfTurn(resolve);
    });
  };
}

async function cut(
  body: Buffer,
  pause: Pause,
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

/**
 * The segments of all rules. A snapshot repeats a segment in each rule, and two copies may differ: v1 reads them one
 * by one while somebody edits them. Each content has a key of its own, so that no rule gets another's segment.
 */
function segmentTable(): {
  readonly byKey: ReadonlyMap<string, Segment>;
  readonly keyOf: (segment: Segment) => string;
  readonly contentOf: (key: string) => string;
} {
  const byKey = new Map<string, Segment>();
  const contents = new Map<string, string>();
  return {
    byKey,
    keyOf(segment) {
      const content = segmentContent(segment);
      let key = segment.key;
      while (byKey.has(key) && contents.get(key) !== content) key += '\0';
      if (!byKey.has(key)) {
        byKey.set(key, segment);
        contents.set(key, content);
      }
      return key;
    },
    contentOf: (key) => contents.get(key) ?? '',
  };
}
