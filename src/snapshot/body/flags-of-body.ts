import { nodeModules } from '../../base/node-modules.js';
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
 * The body of a snapshot is cut into the texts of its flags: one piece of JSON for each flag. The text of a flag is
 * parsed by JSON.parse and checked when the flag is first needed, or else by the search for unreadable flags, one flag
 * in each step. A flag is compiled when it is first evaluated. When two snapshots with the same evaluation rules are
 * compared, the texts of each flag are compared first, usually without ids and times. Only if the two texts of a flag
 * differ, or if the flag cannot be read, the parts of the flag that evaluation reads are compared, too.
 *
 * Only the code in this folder handles the texts of flags, and all other code gets parsed flags.
 */

/** A parsed flag, or the reason why the flag cannot be read. An unreadable flag does not affect other flags. */
export type ReadFlag = Flag | UnreadableFlag;

/** The place of a flag in the body, and what has been read from the flag's text so far. */
interface Entry extends Place {
  /**
   * The parsed flag, or `undefined` until the flag is first needed. Once `flag` is set, the text of the flag is no
   * longer needed.
   */
  flag: ReadFlag | undefined;
  /**
   * A digest of the flag's text, or `undefined` if it has not been computed yet. The digest is computed at the latest
   * when the flag is parsed, because the text of a parsed flag can be dropped.
   */
  textDigest: string | undefined;
  /** A digest of the parts of the flag that evaluation reads. The digest is `undefined` until it is first needed. */
  content: string | undefined;
}

/** The flags of a snapshot. Each flag is parsed when it is first needed. */
export class FlagsOfBody {
  /**
   * The flags and segments in the form that evaluation needs. A flag that is looked up in `features` for the first time
   * is parsed at that moment.
   */
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
    /** The rules by which the flags are evaluated, usually those of the Flipt version that wrote the body. */
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

  /** Returns a copy of these flags that is evaluated by the rules `semantics` of Flipt v2. */
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

  /**
   * Returns the flag and the reason why it cannot be read. Returns `undefined` if the flag can be read or does not
   * exist.
   */
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
   * Calls `look` for the flag of each key in `keys`, and lets other work run on the event loop in between. The method
   * stops as soon as `look` returns `false`. By default, `keys` are the keys of all flags.
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

  /** Returns a digest of everything that evaluation reads from the flags. */
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
   * and that are gone. If the text of a readable flag has not changed, and this snapshot has not parsed the flag yet,
   * this snapshot takes over the parsed flag of `before`.
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

  /**
   * Returns whether this snapshot has taken over the parsed flag of `before` and evaluates the flag by the same rules.
   */
  shares(key: string, before: FlagsOfBody): boolean {
    const flag = this.entries.get(key)?.flag;
    const isSame = flag !== undefined && flag === before.entries.get(key)?.flag;
    return isSame && this.semantics === before.semantics;
  }

  /**
   * Returns the text of a flag that has not been parsed yet. Returns `undefined` if the flag has been parsed or does
   * not exist.
   */
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
   * Returns whether the flag can be read and has the same text and evaluation rules as in the snapshot `before`. If the
   * text and the rules are the same, and this snapshot has not parsed the flag yet, this snapshot takes over the parsed
   * flag of `before`.
   */
  private takesOver(key: string, before: FlagsOfBody): boolean {
    const entry = this.entries.get(key);
    const known = before.entries.get(key);
    // Under other evaluation rules, the same text can mean a different flag.
    if (entry === undefined || known === undefined || this.semantics !== before.semantics) return false;
    if (this.textDigest(entry) !== before.textDigest(known)) return false;
    const flag = before.get(key);
    // The comparison of the texts leaves out ids and times, but ids and times may matter in a flag that cannot be read.
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
 * Matches the members whose values Flipt v2 makes anew for each body. In a flag that Flipt v2 wrote, evaluation does
 * not read these members.
 */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":\s*"[^"\\]*"/g;
/**
 * If the text of a flag has more bytes than this, ids and times stay in the text when it is compared, because searching
 * for them would take longer than a tenth of a second. A flag whose text is longer than this limit is never parsed, and
 * counts as changed in each new body of Flipt v2.
 */
const MOST_SEARCHED_BYTES = 8 * 1024 * 1024;

/**
 * Returns a digest of a flag's text. If two texts of readable flags have the same digest, parsing them gives the same
 * flag. If the Flipt that wrote the text repeats rules, the digest covers the whole text, because the ids of rules show
 * which rules are copies.
 */
function textDigest(text: Buffer, semantics: Semantics): string {
  const isWhole = repeatsRules(semantics) || text.length > MOST_SEARCHED_BYTES;
  return nodeModules.crypto
    .createHash('sha1')
    .update(isWhole ? text : text.toString('utf8').replace(NEW_IN_EACH_BODY, ''))
    .digest('binary');
}

/**
 * Returns a digest by which an unreadable flag is compared with the same flag in another snapshot. If the text of the
 * flag is too large, is no JSON or is nested too deep, the result contains the digest of the text itself.
 */
function ofUnreadable({ text }: UnreadableFlag, { textDigest }: Entry): string {
  const content = unlessItThrows(() => unreadableContent(JSON.parse(checkText(Buffer.from(text)))));
  return content ?? `unreadable ${textDigest ?? ''}`;
}

function segmentNames(flag: Flag): readonly string[] {
  const choices = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules;
  return choices.flatMap((choice) => ('segmentKeys' in choice ? choice.segmentKeys : []));
}
