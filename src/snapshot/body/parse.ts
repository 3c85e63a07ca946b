import { quoted } from '../../text/quote.js';
import { pausing, type Clock } from '../../clock.js';
import type { Features, Flag, Semantics } from '../../engine/features.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import { sameFlag } from '../../engine/flag-parts.js';
import { withPauses, type Steps } from '../../engine/stepwise.js';
import { keyedSchema, restSchema } from './body-schema.js';
import { checked, parsed } from './check.js';
import { digest, flagContent, type Contents } from '../changed-flags.js';
import { flagPieces, type Piece } from './flag-pieces.js';
import { InvalidBody } from './invalid-body.js';
import { readFlag } from './read-flag.js';
import { segmentTable, type SegmentTable } from './segment-table.js';
import { unreadableContent, unreadableFlag } from './unreadable-text.js';

/** The content of a body: everything from which the flags of a namespace are evaluated, and what cannot be read. */
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
/** A step of reading a flag takes as long as so many bytes of an ordinary flag, however short its own text is. */
const BYTES_OF_STEP = 64;

/**
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop. An unchanged part of the `previous`
 * snapshot is the same object again, so it stays compiled. A flag that cannot be read is kept aside, because it says
 * nothing about the others. Rejects with {@link InvalidBody} if the body is no snapshot, or if none of several flags can
 * be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: Clock,
  previous?: ParsedBody,
): Promise<ParsedBody> {
  const pause = pausing(BYTES_PER_TURN, clock);
  const step = () => pause(BYTES_OF_STEP);
  const { pieces, rest } = await cut(body, pause);
  const { digest: version, namespace: named } = checked(parsed(rest, 'the body'), restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const semantics: Semantics = version === '' ? 'v1' : 'v2';
  const flags = new Map<string, Flag>();
  const unreadable = new Map<string, UnreadableFlag>();
  const contents = new Map<string, string>();
  const segments = segmentTable(previous?.features.segments);
  const features: Features = { flags, segments: segments.byKey, unreadable };
  for (const [at, [start, end]] of pieces.entries()) {
    const place = `flags[${at}]`;
    const text = body.toString('utf8', start, end);
    const json = parsed(text, place);
    const { key } = checked(json, keyedSchema, place);
    if (contents.has(key)) throw new InvalidBody(`${place}.key: ${quoted(key)} is there twice`);
    const reading = withPauses(readOrReason(json, semantics, segments), step);
    const read = reading instanceof Promise ? await reading : reading;
    if (typeof read === 'string') {
      unreadable.set(key, unreadableFlag(text, read));
      contents.set(key, digest(unreadableContent(json, text)));
    } else {
      const { flag, content } = read;
      contents.set(key, content);
      flags.set(key, (previous?.contents.get(key) === content && previous.features.flags.get(key)) || flag);
      if (previous && !sameFlag(key, previous.features, features)) flags.set(key, flag);
    }
    await pause(end - start);
  }
  const [first] = unreadable;
  if (first !== undefined && unreadable.size > 1 && flags.size === 0) {
    throw new InvalidBody(
      `none of ${unreadable.size} flags can be read; ${quoted(first[0])}: ${first[1].reason}`,
    );
  }
  return { features, semantics, contents, digest: version || undefined };
}

/** The flag and its content, or why it cannot be read. */
function* readOrReason(
  json: unknown,
  semantics: Semantics,
  { keyOf, contentOf }: SegmentTable,
): Steps<{ readonly flag: Flag; readonly content: string } | string> {
  try {
    const flag = yield* readFlag(json, semantics, keyOf);
    return { flag, content: yield* flagContent(flag, contentOf, semantics) };
  } catch (error) {
    if (error instanceof InvalidBody) return error.message;
    throw error;
  }
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
