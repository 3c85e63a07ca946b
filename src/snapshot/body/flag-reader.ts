import type { Flag, Semantics } from '../../engine/features.js';
import { atOnce, counted, type CountedSteps } from '../../base/time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { quoted } from '../../base/text/describe.js';
import { keyedSchema } from './body-schema.js';
import { textDigest, textDigests, unchangedFlags, type Place, type ReadFlags } from './flags-of-body.js';
import { checked, InvalidBody } from './invalid-body.js';
import { readFlagAlone } from './read-flag.js';
import { jsonInSteps } from './scan-json.js';

/** As many bytes of a flag are read in a millisecond, or in half of one. */
export const BYTES_PER_MS = 16 * 1024;
/** A step of parsing a long text of JSON takes as long as reading so many bytes. */
const BYTES_OF_JSON = 32 * 1024;
/** A step of reading a flag takes as long as so many bytes, however short its own text is. */
const BYTES_OF_STEP = 64;
/** In a long flag, few steps may read all of its text. */
const FEW_STEPS = 200;
/** Parsing JSON and hashing texts is so many times as fast as reading flags. */
const READ_PER_PARSED = 8;
/** A longer flag takes more than a millisecond or two, for which no question should have to wait. */
const LONG_FLAG = 32 * 1024;

/**
 * Reads the flags of a body, each when it is first needed. Steps yield what they took, in bytes. A flag that cannot be
 * read is kept aside, because it says nothing about the others. One with the same text in the `previous` snapshot is not
 * read again.
 */
export function flagReader(body: Buffer, count: number, semantics: Semantics, previous?: ReadFlags) {
  const flags = new Map<string, Flag>();
  const unreadable = new Map<string, UnreadableFlag>();
  const contents = new Map<string, string>();
  const texts = textDigests(count);
  /** The flags that have not been read. */
  const unread = new Map<string, Place>();
  /** Not kept when all have been read. */
  const repeated = new Set<string>();
  let sources: Sources | undefined = { body, added: new Map(), ...unchangedFlags(previous, semantics) };
  /** In the order of the body. Flags that are not read at once may be read in another one. */
  let keys: ReturnType<ReadFlags['keys']> = contents;
  const features = { flags, segments: sources.segments.byName, unreadable };

  const read = (key: string) => {
    if (unread.size > 0) atOnce(readOne(key));
  };
  function* readOne(key: string): CountedSteps {
    const place = unread.get(key);
    if (place !== undefined && sources !== undefined)
      yield* readJson(yield* jsonAt(place, key, sources), key, place, sources);
  }
  function* readJson(json: unknown, key: string, place: Place, from: Sources): CountedSteps {
    const { start, end } = place;
    const text = () => from.body.toString('utf8', start, end);
    const each = Math.max(BYTES_OF_STEP, (end - start) / FEW_STEPS);
    const { flag, content } = yield* counted(readFlagAlone(json, text, semantics, from.segments), each);
    contents.set(key, content);
    if ('reason' in flag) unreadable.set(key, flag);
    else {
      flags.set(key, flag);
      if (!isLong(place)) texts.set(textDigest(from.body, place, semantics), place);
    }
    unread.delete(key);
    yield end - start;
  }

  return {
    semantics,
    features,
    contents,
    texts,
    repeated,
    keys: () => keys,
    /** Adds the next flag. It is read at once if it is long or `isEager`. Throws {@link InvalidBody}. */
    *add(place: Place, isEager: boolean): CountedSteps {
      if (sources === undefined) return;
      const from = sources;
      const { added } = from;
      yield (place.end - place.start) / READ_PER_PARSED;
      const same = isLong(place) ? undefined : yield* from.find(from.body, place);
      // A second flag with this key is read.
      if (same !== undefined && !added.has(same.flag.key)) {
        const known = { ...place, position: added.size };
        added.set(same.flag.key, known.position);
        flags.set(same.flag.key, same.flag);
        contents.set(same.flag.key, same.content);
        texts.set(same.text, known);
        return;
      }
      const name = `flags[${place.position}]`;
      const json = yield* jsonAt(place, name, from);
      const { key } = checked(json, keyedSchema, name);
      const own = { ...place, position: added.get(key) ?? added.size };
      if (added.has(key)) {
        // Flipt evaluates by the last one.
        repeated.add(key);
        keys = added;
        for (const earlier of [flags, unreadable, contents, unread]) earlier.delete(key);
      }
      added.set(key, own.position);
      if (isEager || isLong(place)) yield* readJson(json, key, own, from);
      else {
        keys = added;
        unread.set(key, own);
      }
    },
    /** Finds out whether any flag can be read. If none of several can, this throws {@link InvalidBody}. */
    *findReadable(): CountedSteps {
      for (const key of unread.keys()) {
        if (flags.size > 0) return;
        yield* readOne(key);
      }
      const [first] = unreadable;
      // Of a single one, that says nothing about the body.
      if (flags.size > 0 || first === undefined || unreadable.size === 1) return;
      const [key, { reason }] = first;
      throw new InvalidBody(`none of ${unreadable.size} flags can be read; ${quoted(key)}: ${reason}`);
    },
    read,
    unreadable: (key: string) => {
      read(key);
      return unreadable.get(key);
    },
    *readRest(): CountedSteps {
      for (const key of unread.keys()) yield* readOne(key);
      sources = undefined;
    },
    /** Bytes of this flag that have not been read. */
    unreadBytes: (key: string) => {
      const { start, end } = unread.get(key) ?? { start: 0, end: 0 };
      return end - start;
    },
    unreadBody: () => sources?.body,
  };
}

/** From what flags are read. */
interface Sources extends ReturnType<typeof unchangedFlags> {
  readonly body: Buffer;
  /** The positions of all keys until now. A key that comes again keeps its first one. */
  readonly added: Map<string, number>;
}

function jsonAt({ start, end }: Place, name: string, { body }: Sources): CountedSteps<unknown> {
  return counted(jsonInSteps(body, start, end, name), BYTES_OF_JSON);
}

function isLong({ start, end }: Place): boolean {
  return end - start > LONG_FLAG;
}
