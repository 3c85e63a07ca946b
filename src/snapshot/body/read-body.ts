import { quoted } from '../../text/quote.js';
import type { Clock } from '../../time/clock.js';
import { nextTurn, pausing } from '../../time/turns.js';
import type { Features, Flag, Segment, Semantics } from '../../engine/features.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import { NEWEST_V2 } from '../../engine/rules-of-version.js';
import { withPauses } from '../../engine/pausable-steps.js';
import { keyedSchema, restSchema } from './body-schema.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { segmentContent, type Contents } from '../changed-flags.js';
import { distinctNames } from './distinct-names.js';
import { jsonInSteps } from './json-in-steps.js';
import { splitBody } from './split-body.js';
import { readFlagAlone } from './read-flag.js';
import { unreadableContent, unreadableFlag } from './unreadable-text.js';

/** The content of a body: everything from which the flags of a namespace are evaluated, and what cannot be read. */
export interface ParsedBody {
  readonly features: Features;
  /** The rules of the Flipt that wrote the body apply. */
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
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop. A flag that cannot be read is kept aside,
 * because it says nothing about the others. `ofV2`: the rules of evaluation, if the body does not name them and a Flipt
 * v2 wrote it; the newest by default. Rejects with {@link InvalidBody} if the body is no snapshot, or if none of several
 * flags can be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: Pick<Clock, 'endOfTurn'>,
  ofV2 = () => NEWEST_V2,
): Promise<ParsedBody> {
  const pause = pausing(BYTES_PER_TURN, clock);
  const step = () => pause(BYTES_OF_STEP);
  const { bounds, rest } = await withPauses(splitBody(body), () => nextTurn(clock));
  const {
    digest: version,
    namespace: named,
    semantics: stated,
  } = checked(parsed(rest, 'the body'), restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const semantics = stated ?? (version === '' ? 'v1' : ofV2());
  const flags = new Map<string, Flag>();
  const unreadable = new Map<string, UnreadableFlag>();
  const contents = new Map<string, string>();
  // A snapshot repeats a segment in each rule. Two copies may differ, because v1 reads them one by one while somebody may
  // edit them: then no rule gets another rule's copy.
  const segments = distinctNames<Segment>(segmentContent);
  const features: Features = { flags, segments: segments.byName, unreadable };
  for (let at = 0; at < bounds.length; at += 2) {
    const place = `flags[${at / 2}]`;
    const [start = 0, end = 0] = bounds.slice(at, at + 2);
    const json = await withPauses(jsonInSteps(body, start, end, place), () => pause(BYTES_PER_TURN));
    const { key } = checked(json, keyedSchema, place);
    if (contents.has(key)) throw new InvalidBody(`${place}.key: ${quoted(key)} is there twice`);
    const reading = withPauses(readFlagAlone(json, semantics, segments), step);
    const read = reading instanceof Promise ? await reading : reading;
    if (typeof read === 'string') {
      unreadable.set(key, unreadableFlag(body.toString('utf8', start, end), read));
      contents.set(key, await withPauses(unreadableContent(json), step));
    } else {
      const { flag, content } = read;
      contents.set(key, content);
      flags.set(key, flag);
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
