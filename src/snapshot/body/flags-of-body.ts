import { createHash } from 'node:crypto';
import type { FeatureLookup, Features, Flag, Segment, Semantics } from '../../engine/features.js';
import { repeatsRules, type V2Semantics } from '../../engine/version-differences.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { unlessItThrows } from '../../base/text/describe.js';
import { sharingTurns, type BusyClock } from '../../base/time/pausable-steps.js';
import { digestOf, flagContent, unreadableContent, type FlagChange } from '../flag-content.js';
import type { CutBody, Place } from './cut-body.js';
import { readFlag } from './read-flag.js';
import { checkText } from './text-limits.js';

/*
 * A body is cut into one piece of JSON text for each flag: the text of the flag. This text is parsed by JSON.parse and
 * checked only when its flag is first needed, or else in the background, one flag in each step. The flag is compiled
 * when it is first evaluated. Two snapshots are first compared text by text. Only if the texts of a flag differ are the
 * contents of the flag compared.
 *
 * Only the code in this folder handles these texts. All other code asks for flags.
 */

/**
 * A flag, or the reason why the flag cannot be read. One unreadable flag does not mean that other flags are unreadable.
 */
export type ReadFlag = Flag | UnreadableFlag;

/** What is known about a flag. */
interface Entry extends Place {
  /**
   * The flag, or `undefined` until somebody asks for the flag. Once this member is set, the flag's text is no longer
   * needed.
   */
  flag: ReadFlag | undefined;
  /**
   * A digest of the flag's text. The digest is computed before the text is dropped, and is `undefined` until it is
   * computed.
   */
  textDigest: string | undefined;
  /**
   * A digest of the parts of the flag that evaluation reads. The digest is `undefined` until the flag is first
   * compared.
   */
  content: string | undefined;
}

/** The flags of a snapshot. */
export class FlagsOfBody {
  /** Everything that evaluation needs. A flag is read when it is first looked up here. */
  readonly features: FeatureLookup = {
    flags: { get: (key) => this.readable(key) },
    segments: { get: (name) => this.segments.get(name) },
    unreadable: { get: (key) => this.unreadable(key) },
  };
  /** The unreadable flags that have been found so far. */
  readonly foundUnreadable = new Map<string, UnreadableFlag>();
  private readonly entries = new Map<string, Entry>();
  /** The segments of all flags that have been read so far, by the segments' names. */
  private readonly segments = new Map<string, Segment>();
  /** The number of flags that have not been read yet. */
  private unread = 0;
  private digested: Promise<string> | undefined;

  private constructor(
    /** The evaluation rules of the Flipt version that wrote the body. */
    readonly semantics: Semantics,
    /** The keys that occur more than once in the body. */
    readonly repeated: ReadonlySet<string>,
    /** The body that holds the texts of the flags, or `undefined` once all flags have been read. */
    private body: Buffer | undefined,
  ) {}

  static of(body: Buffer, { places, repeated }: CutBody, semantics: Semantics): FlagsOfBody {
    const flags = new FlagsOfBody(semantics, repeated, places.size > 0 ? body : undefined);
    for (const [key, { start, end }] of places)
      flags.entries.set(key, { start, end, flag: undefined, textDigest: undefined, content: undefined });
    flags.unread = places.size;
    return flags;
  }

  /** Returns the same flags, but to be evaluated by the rules `semantics` of Flipt v2. */
  byRules(semantics: V2Semantics): FlagsOfBody {
    const flags = new FlagsOfBody(semantics, this.repeated, this.body);
    for (const [key, entry] of this.entries) flags.entries.set(key, { ...entry, content: undefined });
    for (const [name, segment] of this.segments) flags.segments.set(name, segment);
    for (const [key, flag] of this.foundUnreadable) flags.foundUnreadable.set(key, flag);
    flags.unread = this.unread;
    return flags;
  }

  /** Returns the keys of all flags, in the order of the body. */
  keys(): Pick<ReadonlyMap<string, unknown>, 'has' | 'size' | 'keys'> {
    return this.entries;
  }

  get(key: string): ReadFlag | undefined {
    const entry = this.entries.get(key);
    return entry && (entry.flag ?? this.read(key, entry));
  }

  /** Returns the flag if the flag cannot be read. Returns `undefined` for any other flag. */
  unreadable(key: string): UnreadableFlag | undefined {
    const flag = this.get(key);
    return flag !== undefined && 'reason' in flag ? flag : undefined;
  }

  /** Yields all flags, in the order of the body. A flag that nobody has asked for before is read when it is yielded. */
  *all(): Generator<readonly [key: string, ReadFlag]> {
    for (const [key, entry] of this.entries) yield [key, entry.flag ?? this.read(key, entry)];
  }

  /** Returns all flags in the form that evaluation needs. */
  whole(): Required<Features> {
    const flags = new Map<string, Flag>();
    for (const [key, flag] of this.all()) if (!('reason' in flag)) flags.set(key, flag);
    return { flags, segments: this.segments, unreadable: this.foundUnreadable };
  }

  /**
   * Calls `look` for the flag of each key in `keys`, and lets other work run on the event loop in between. Stops as
   * soon as `look` returns `false`. Default of `keys`: the keys of all flags.
   */
  async each(
    clock: BusyClock,
    look: (key: string, flag: ReadFlag | undefined) => unknown,
    keys: Iterable<string> = this.entries.keys(),
  ): Promise<void> {
    const pause = sharingTurns(clock);
    for (const key of keys) {
      if (look(key, this.get(key)) === false) return;
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }

  /** Returns a digest of everything that evaluation reads of the flags. */
  digest(clock: BusyClock): Promise<string> {
    const digested = async () => {
      const contents = new Map<string, string | undefined>();
      await this.each(clock, (key) => void contents.set(key, this.content(key)));
      return digestOf(contents);
    };
    return (this.digested ??= digested());
  }

  /**
   * Returns the differences to the earlier snapshot `before`, sorted by key: the flags that have changed, that are new,
   * and that are gone. If the text of a flag has not changed, the flag is not read again, but the flag's object is
   * taken from `before`.
   */
  async changesSince(before: FlagsOfBody, clock: BusyClock): Promise<readonly FlagChange[]> {
    const changes: FlagChange[] = [];
    const pause = sharingTurns(clock);
    for (const key of new Set([...before.entries.keys(), ...this.entries.keys()])) {
      if (!this.takesOver(key, before)) {
        const change = { key, before: before.content(key), after: this.content(key) };
        if (change.before !== change.after) changes.push(change);
      }
      const turn = pause();
      if (turn !== undefined) await turn;
    }
    return changes.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Returns whether both snapshots share the object of this flag and evaluate the flag by the same rules. */
  shares(key: string, before: FlagsOfBody): boolean {
    const flag = this.entries.get(key)?.flag;
    const isSame = flag !== undefined && flag === before.entries.get(key)?.flag;
    return isSame && this.semantics === before.semantics;
  }

  /** Returns the text of a flag that nobody has asked for. Returns `undefined` for any other flag. */
  unreadText(key: string): string | undefined {
    const entry = this.entries.get(key);
    return entry === undefined || entry.flag !== undefined ? undefined : this.text(entry).toString();
  }

  private readable(key: string): Flag | undefined {
    const flag = this.get(key);
    return flag === undefined || 'reason' in flag ? undefined : flag;
  }

  private text({ start, end }: Place): Buffer {
    return this.body?.subarray(start, end) ?? Buffer.alloc(0);
  }

  private read(key: string, entry: Entry): ReadFlag {
    this.textDigest(entry);
    const flag = readFlag(this.text(entry), key, this.semantics, this.segments);
    this.setRead(key, entry, flag);
    return flag;
  }

  private setRead(key: string, entry: Entry, flag: ReadFlag): void {
    entry.flag = flag;
    if ('reason' in flag) this.foundUnreadable.set(key, flag);
    this.unread--;
    if (this.unread === 0) this.body = undefined;
  }

  /** Returns a digest of the flag's content, or `undefined` if there is no such flag. */
  private content(key: string): string | undefined {
    const flag = this.get(key);
    const entry = this.entries.get(key);
    if (flag === undefined || entry === undefined) return undefined;
    return (entry.content ??=
      'reason' in flag ? ofUnreadable(flag, entry) : flagContent(flag, this.semantics));
  }

  private textDigest(entry: Entry): string {
    return (entry.textDigest ??= textDigest(this.text(entry), this.semantics));
  }

  /**
   * Returns whether the flag has the same text as in the snapshot `before`. If the texts are the same, this snapshot
   * takes over the flag's object.
   */
  private takesOver(key: string, before: FlagsOfBody): boolean {
    const entry = this.entries.get(key);
    const known = before.entries.get(key);
    // By other evaluation rules, the same text may be read as a different flag.
    if (entry === undefined || known === undefined || this.semantics !== before.semantics) return false;
    if (this.textDigest(entry) !== before.textDigest(known)) return false;
    const flag = before.get(key);
    // The texts were compared without ids and times. In a flag that cannot be read, ids and times may matter.
    if (flag === undefined || 'reason' in flag) return false;
    if (entry.flag !== undefined) return true;
    for (const name of segmentNames(flag)) {
      const segment = before.segments.get(name);
      if (segment !== undefined) this.segments.set(name, segment);
    }
    entry.content = known.content;
    this.setRead(key, entry, flag);
    return true;
  }
}

/**
 * Flipt v2 writes new values of these members into each body. In flags that Flipt v2 wrote, evaluation does not read
 * these members.
 */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":\s*"[^"\\]*"/g;
/**
 * If the text of a flag is longer than this, the members that are new in each body are not removed from the text,
 * because searching for them would take longer than a tenth of a second. A flag whose text is that long is never
 * parsed, and counts as changed in each new body of Flipt v2.
 */
const MOST_SEARCHED_BYTES = 8 * 1024 * 1024;

/**
 * Returns a digest of a flag's text. Two texts with the same digest give the same flag. If this version of Flipt
 * repeats rules, the digest covers the whole text, because the ids of the rules show which rules are copies.
 */
function textDigest(text: Buffer, semantics: Semantics): string {
  const isWhole = repeatsRules(semantics) || text.length > MOST_SEARCHED_BYTES;
  return createHash('sha1')
    .update(isWhole ? text : text.toString('utf8').replace(NEW_IN_EACH_BODY, ''))
    .digest('binary');
}

/**
 * Returns what stands for the content of an unreadable flag in comparisons. If the text of the flag is too large, is no
 * JSON or is nested too deep, the text itself is compared.
 */
function ofUnreadable({ text }: UnreadableFlag, { textDigest }: Entry): string {
  const content = unlessItThrows(() => unreadableContent(JSON.parse(checkText(Buffer.from(text)))));
  return content ?? `unreadable ${textDigest ?? ''}`;
}

function segmentNames(flag: Flag): readonly string[] {
  const choices = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules;
  return choices.flatMap((choice) => ('segmentKeys' in choice ? choice.segmentKeys : []));
}
