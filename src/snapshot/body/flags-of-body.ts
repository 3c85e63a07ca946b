import { createHash } from 'node:crypto';
import type { FeatureLookup, Features, Flag, Segment, Semantics } from '../../engine/features.js';
import { repeatsRules, type V2Semantics } from '../../engine/version-differences.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { unlessItThrows } from '../../base/text/describe.js';
import { sharingTurns, type BusyClock } from '../../base/time/pausable-steps.js';
import { digestOf, flagContent, unreadableContent, type FlagChange } from '../flag-content.js';
import { MOST_TEXT_BYTES, type CutBody, type Place } from './cut-body.js';
import { readFlag } from './read-flag.js';

/*
 * A body is cut into the texts of its flags. A text is parsed by JSON.parse and checked when its flag is first asked for,
 * and compiled when it is first evaluated; the others follow in the background, one flag a step. Two snapshots are
 * compared text by text first, and by content where texts differ.
 *
 * Only this folder knows that there are texts: all others ask for flags.
 */

/** A flag, or why it cannot be read: that says nothing about the others. */
export type ReadFlag = Flag | UnreadableFlag;

/** What is known of a flag. */
interface Entry extends Place {
  /** `undefined` until it is first asked for. From then on, its text is not needed. */
  flag: ReadFlag | undefined;
  /** Of its text. Set before the text goes. */
  textDigest: string | undefined;
  /** A digest of all that evaluation reads of it; made when it is first compared. */
  content: string | undefined;
}

/** The flags of a snapshot. */
export class FlagsOfBody {
  /** All that is evaluated. A flag is read when it is first asked for here. */
  readonly features: FeatureLookup = {
    flags: { get: (key) => this.readable(key) },
    segments: { get: (name) => this.segments.get(name) },
    unreadable: { get: (key) => this.unreadable(key) },
  };
  /** Those that were found until now. */
  readonly foundUnreadable = new Map<string, UnreadableFlag>();
  private readonly entries = new Map<string, Entry>();
  /** To which flags that were read refer, by their names. */
  private readonly segments = new Map<string, Segment>();
  /** How many flags have not been read. */
  private unread = 0;
  private digested: Promise<string> | undefined;

  private constructor(
    /** The rules of the Flipt that wrote the body apply. */
    readonly semantics: Semantics,
    /** Keys that are there more than once. */
    readonly repeated: ReadonlySet<string>,
    /** `undefined` once all flags have been read. */
    private body: Buffer | undefined,
  ) {}

  static of(body: Buffer, { places, repeated }: CutBody, semantics: Semantics): FlagsOfBody {
    const flags = new FlagsOfBody(semantics, repeated, places.size > 0 ? body : undefined);
    for (const [key, { start, end }] of places)
      flags.entries.set(key, { start, end, flag: undefined, textDigest: undefined, content: undefined });
    flags.unread = places.size;
    return flags;
  }

  /** The same flags, evaluated by other rules of v2. */
  byRules(semantics: V2Semantics): FlagsOfBody {
    const flags = new FlagsOfBody(semantics, this.repeated, this.body);
    for (const [key, entry] of this.entries) flags.entries.set(key, { ...entry, content: undefined });
    for (const [name, segment] of this.segments) flags.segments.set(name, segment);
    for (const [key, flag] of this.foundUnreadable) flags.foundUnreadable.set(key, flag);
    flags.unread = this.unread;
    return flags;
  }

  /** Of all flags, in the order of the body. */
  keys(): Pick<ReadonlyMap<string, unknown>, 'has' | 'size' | 'keys'> {
    return this.entries;
  }

  get(key: string): ReadFlag | undefined {
    const entry = this.entries.get(key);
    return entry && (entry.flag ?? this.read(key, entry));
  }

  /** The flag, if it cannot be read. */
  unreadable(key: string): UnreadableFlag | undefined {
    const flag = this.get(key);
    return flag !== undefined && 'reason' in flag ? flag : undefined;
  }

  /** All flags now, in the order of the body. */
  *all(): Generator<readonly [key: string, ReadFlag]> {
    for (const [key, entry] of this.entries) yield [key, entry.flag ?? this.read(key, entry)];
  }

  /** The same, as evaluation needs them. */
  whole(): Required<Features> {
    const flags = new Map<string, Flag>();
    for (const [key, flag] of this.all()) if (!('reason' in flag)) flags.set(key, flag);
    return { flags, segments: this.segments, unreadable: this.foundUnreadable };
  }

  /**
   * Looks at each of these flags, and lets others have their turns of the event loop in between. Ends early once `look`
   * gives `false`. Default: all flags.
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

  /** A digest of what evaluation reads of all flags. */
  digest(clock: BusyClock): Promise<string> {
    const digested = async () => {
      const contents = new Map<string, string | undefined>();
      await this.each(clock, (key) => void contents.set(key, this.content(key)));
      return digestOf(contents);
    };
    return (this.digested ??= digested());
  }

  /**
   * The flags that differ from those of another snapshot, are new, or are gone, sorted by key. What has the same text is
   * taken over as it was read `before`.
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

  /** Whether both have the very same flag, evaluated by the same rules. */
  shares(key: string, before: FlagsOfBody): boolean {
    const flag = this.entries.get(key)?.flag;
    const isSame = flag !== undefined && flag === before.entries.get(key)?.flag;
    return isSame && this.semantics === before.semantics;
  }

  /** The text of a flag that nobody has asked for; `undefined` for any other one. */
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

  /** A digest of the flag's content; `undefined` if there is no such flag. */
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

  /** Whether the flag has the same text as before. */
  private takesOver(key: string, before: FlagsOfBody): boolean {
    const entry = this.entries.get(key);
    const known = before.entries.get(key);
    // Other rules of evaluation may read the same text in another way.
    if (entry === undefined || known === undefined || this.semantics !== before.semantics) return false;
    if (this.textDigest(entry) !== before.textDigest(known)) return false;
    const flag = before.get(key);
    // Of a flag that cannot be read, ids and times may matter, without which the texts were compared.
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

/** What v2 makes new for each body. It reads no flag by it. */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":\s*"[^"\\]*"/g;

/**
 * If it is equal for two texts, nothing differs that evaluation reads. Where rules are repeated, all of the text counts:
 * their ids show which of them are copies.
 */
function textDigest(text: Buffer, semantics: Semantics): string {
  const isWhole = repeatsRules(semantics) || text.length > MOST_TEXT_BYTES;
  return createHash('sha1')
    .update(isWhole ? text : text.toString('utf8').replace(NEW_IN_EACH_BODY, ''))
    .digest('binary');
}

/** What is too long, is no JSON or is nested too deep is compared by its text alone. */
function ofUnreadable({ text }: UnreadableFlag, { textDigest }: Entry): string {
  const content =
    text.length > MOST_TEXT_BYTES ? undefined : unlessItThrows(() => unreadableContent(JSON.parse(text)));
  return content ?? `unreadable ${textDigest ?? ''}`;
}

function segmentNames(flag: Flag): readonly string[] {
  const choices = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules;
  return choices.flatMap((choice) => ('segmentKeys' in choice ? choice.segmentKeys : []));
}
