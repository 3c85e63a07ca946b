import type { Features, Flag, Segment, Semantics } from '../../engine/features.js';
import { atOnce, counted, type CountedSteps } from '../../time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import { quoted } from '../../text/describe.js';
import { segmentContent } from '../flag-content.js';
import { keyedSchema } from './body-schema.js';
import { distinctNames } from './distinct-names.js';
import {
  textDigest,
  textDigests,
  unchangedFlags,
  type FlagKeys,
  type Place,
  type ReadFlags,
} from './flags-of-body.js';
import { checked, InvalidBody } from './invalid-body.js';
import { readFlagAlone } from './read-flag.js';
import { jsonInSteps } from './scan-json.js';
import { unreadableContent, unreadableFlag } from './unreadable-text.js';

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
  let sources: Sources | undefined = sourcesOf(body, semantics, previous);
  const features: Features = { flags, segments: sources.segments.byName, unreadable };
  /** In the order of the body. Flags that are not read at once may be read in another one. */
  let keys: FlagKeys = contents;

  const read = (key: string) => {
    if (unread.size > 0) atOnce(readOne(key));
  };
  const into: ReadParts = { semantics, flags, unreadable, contents, texts };

  function* readOne(key: string): CountedSteps {
    const place = unread.get(key);
    if (place === undefined || sources === undefined) return;
    const from = sources;
    const json = yield* counted(jsonInSteps(from.body, place.start, place.end, key), BYTES_OF_JSON);
    yield* readInto(into, json, key, from, place);
    unread.delete(key);
    yield place.end - place.start;
  }

  return {
    semantics,
    features,
    contents,
    texts,
    keys: () => keys,
    /** Adds the next flag. It is read at once if it is long or `isEager`. Throws {@link InvalidBody}. */
    *add(place: Place, isEager: boolean): CountedSteps {
      const from = sources;
      if (from === undefined) return;
      const { body, keys: added } = from;
      const { start, end } = place;
      yield (end - start) / READ_PER_PARSED;
      if (!isLong(place) && (yield* takeUnchanged(into, place, from))) return;
      const name = `flags[${added.size}]`;
      const json = yield* counted(jsonInSteps(body, start, end, name), BYTES_OF_JSON);
      const { key } = checked(json, keyedSchema, name);
      if (added.has(key)) throw new InvalidBody(`${name}.key: ${quoted(key)} is there twice`);
      added.add(key);
      if (isEager || isLong(place)) {
        yield* readInto(into, json, key, from, place);
        yield end - start;
      } else {
        keys = added;
        unread.set(key, place);
      }
    },
    /** Finds out whether any flag can be read. If none of several can, this throws {@link InvalidBody}. */
    *findReadable(): CountedSteps {
      for (const key of unread.keys()) {
        if (flags.size > 0) return;
        yield* readOne(key);
      }
      if (flags.size === 0) checkUnreadable(unreadable);
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
      const place = unread.get(key);
      return place === undefined ? 0 : place.end - place.start;
    },
    unreadBody: () => sources?.body,
  };
}

/** None can be read: of a single one, that says nothing about the body. */
function checkUnreadable(unreadable: ReadonlyMap<string, UnreadableFlag>): void {
  const [first] = unreadable;
  if (first === undefined || unreadable.size === 1) return;
  throw new InvalidBody(
    `none of ${unreadable.size} flags can be read; ${quoted(first[0])}: ${first[1].reason}`,
  );
}

/** What has been read. */
interface ReadParts {
  readonly semantics: Semantics;
  readonly flags: Map<string, Flag>;
  readonly unreadable: Map<string, UnreadableFlag>;
  readonly contents: Map<string, string>;
  readonly texts: ReturnType<typeof textDigests>;
}

/** Reads one flag. */
function* readInto(
  { semantics, flags, unreadable, contents, texts }: ReadParts,
  json: unknown,
  key: string,
  { body, segments }: Sources,
  place: Place,
): CountedSteps {
  const { start, end } = place;
  const each = Math.max(BYTES_OF_STEP, (end - start) / FEW_STEPS);
  const read = yield* counted(readFlagAlone(json, semantics, segments), each);
  if (typeof read === 'string') {
    const content = yield* counted(unreadableContent(json), each);
    yield each;
    unreadable.set(key, unreadableFlag(body.toString('utf8', start, end), read));
    contents.set(key, content);
  } else {
    flags.set(key, read.flag);
    contents.set(key, read.content);
    if (!isLong(place)) texts.set(textDigest(body, place, semantics), place);
  }
}

/** Whether the text of a flag has not changed; then it is taken over. */
function* takeUnchanged(
  { flags, contents, texts }: ReadParts,
  place: Place,
  { body, unchanged, keys, segments }: Sources,
): CountedSteps<boolean> {
  const same = yield* unchanged.find(body, place);
  // A second flag with this key is read, which says that it is there twice.
  if (same === undefined || keys.has(same.flag.key)) return false;
  const { flag, content, text } = same;
  keys.add(flag.key);
  flags.set(flag.key, flag);
  contents.set(flag.key, content);
  texts.set(text, place);
  const choices = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules;
  for (const choice of choices) if ('segmentKeys' in choice) choice.segmentKeys.forEach(segments.keep);
  return true;
}

function isLong({ start, end }: Place): boolean {
  return end - start > LONG_FLAG;
}

/** From what flags are read. Not kept when all have been read. */
type Sources = ReturnType<typeof sourcesOf>;

function sourcesOf(body: Buffer, semantics: Semantics, previous: ReadFlags | undefined) {
  const unchanged = unchangedFlags(previous, semantics);
  // A snapshot repeats a segment in each rule. Two copies may differ, because v1 reads them one by one while somebody may
  // edit them: then no rule gets another rule's copy.
  const segments = distinctNames<Segment>(segmentContent, unchanged.segments);
  return { body, unchanged, keys: new Set<string>(), segments };
}
