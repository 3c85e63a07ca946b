import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { inTurns, type BusyClock } from '../base/time/turns.js';
import { boundsOf, BUCKETS } from '../engine/buckets.js';
import type { FeatureLookup, Features, Flag, Segment, Semantics } from '../engine/features.js';
import { sharesIn, variantOf } from '../engine/effective-rules.js';
import { repeatsRules, writtenAttachment } from '../engine/version-differences.js';
import type { UnreadableFlag } from '../model/answer.js';
import { readFlag, type ReadFlag } from './read-flag.js';

/** The flags of a snapshot as Flipt wrote them. Each is parsed when it is first asked for. */
export class Flags {
  readonly segments = new Map<string, Segment>();
  /** Those that have been asked for. */
  readonly foundUnreadable = new Map<string, UnreadableFlag>();
  readonly features: FeatureLookup = {
    flags: { get: (key) => readableOnly(this.get(key)) },
    segments: this.segments,
    unreadable: { get: (key) => this.unreadable(key) },
  };
  private readonly read = new Map<string, ReadFlag>();
  private hash: Promise<string> | undefined;

  constructor(
    readonly texts: ReadonlyMap<string, Buffer>,
    readonly semantics: Semantics,
    readonly repeated: ReadonlySet<string>,
  ) {}

  keys(): Pick<ReadonlyMap<string, unknown>, 'has' | 'size' | 'keys'> {
    return this.texts;
  }

  get(key: string): ReadFlag | undefined {
    const known = this.read.get(key);
    const text = this.texts.get(key);
    if (known !== undefined || text === undefined) return known;
    const flag = readFlag(text, key, this.semantics, this.segments);
    this.read.set(key, flag);
    if ('reason' in flag) this.foundUnreadable.set(key, flag);
    return flag;
  }

  unreadable(key: string): UnreadableFlag | undefined {
    const flag = this.get(key);
    return flag !== undefined && 'reason' in flag ? flag : undefined;
  }

  whole(): Required<Features> {
    const flags = new Map<string, Flag>();
    for (const key of this.texts.keys()) {
      const flag = readableOnly(this.get(key));
      if (flag !== undefined) flags.set(key, flag);
    }
    return { flags, segments: this.segments, unreadable: this.foundUnreadable };
  }

  /** In short steps, until `look` returns `false`. */
  each(clock: BusyClock, look: (key: string, flag: ReadFlag | undefined) => unknown): Promise<void> {
    return inTurns(this.texts.keys(), clock, (key) => look(key, this.get(key)));
  }

  /** Of the texts, and of the rules by which they are read. */
  digest(clock: BusyClock): Promise<string> {
    const digested = async () => {
      const hash = createHash('sha1').update(this.semantics);
      await inTurns(this.texts, clock, ([key, text]) => {
        hash.update(`${key}\0`).update(text);
      });
      return hash.digest('hex');
    };
    return (this.hash ??= digested());
  }
}

/** The keys of the flags that an evaluation might answer differently, in order. */
export async function changedKeys(before: Flags, after: Flags, clock: BusyClock): Promise<readonly string[]> {
  const changed: string[] = [];
  await inTurns(new Set([...before.texts.keys(), ...after.texts.keys()]), clock, (key) => {
    if (!isSameFlag(before, after, key)) changed.push(key);
  });
  return changed.sort();
}

function isSameFlag(before: Flags, after: Flags, key: string): boolean {
  const [old, text] = [before.texts.get(key), after.texts.get(key)];
  if (old === undefined || text === undefined) return false;
  const isReadAlike = before.semantics === after.semantics;
  if (isReadAlike && (old.equals(text) || hasSameWords(old, text, after.semantics))) return true;
  const [one, other] = [before.get(key), after.get(key)];
  if (one === undefined || other === undefined) return false;
  if ('reason' in one || 'reason' in other) return old.equals(text) && 'reason' in one === 'reason' in other;
  return isDeepStrictEqual(comparable(one, before.semantics), comparable(other, after.semantics));
}

const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":\s*"[^"\\]*"/g;

/** Flipt v2 makes new ids and times for each body. In v1, the ids of rules mark their copies, and count. */
function hasSameWords(one: Buffer, other: Buffer, semantics: Semantics): boolean {
  if (repeatsRules(semantics)) return false;
  const words = (text: Buffer) => text.toString().replace(NEW_IN_EACH_BODY, '');
  return words(one) === words(other);
}

/** Flipt v1 lists the segments of a rule in another order in each body, and two versions may share out alike. */
function comparable(flag: Flag, semantics: Semantics): unknown {
  const { type, enabled } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout) =>
      rollout.kind === 'segment' ? { ...rollout, segmentKeys: rollout.segmentKeys.toSorted() } : rollout,
    );
    return [type, enabled, rollouts];
  }
  const variant = (id: string | undefined) => {
    const found = variantOf(flag, id);
    return found && [found.key, writtenAttachment(found.attachment, semantics)];
  };
  const rules = flag.rules.map(({ segmentKeys, segmentOperator, distributions }) => {
    const bounds = boundsOf(sharesIn(distributions), semantics).map((bound) => Math.min(bound, BUCKETS));
    const shares = distributions.map(({ variantId, rollout }) => [variant(variantId), rollout]);
    return [segmentKeys.toSorted(), segmentOperator, shares, bounds];
  });
  return [type, enabled, variant(flag.defaultVariantId), rules];
}

function readableOnly(flag: ReadFlag | undefined): Flag | undefined {
  return flag === undefined || 'reason' in flag ? undefined : flag;
}
