import {
  COMPARISON_TYPES,
  type Constraint,
  type Features,
  type Flag,
  type Rollout,
  type Rule,
  type VariantFlag,
} from '../../engine/features.js';
import { pausing, type Clock } from '../../clock.js';
import type { ParsedBody } from './parse.js';

/** A snapshot as Flipt serves it, in plain JSON values, but only with what evaluation reads. */
export interface SnapshotBody {
  readonly namespace: { readonly key: string };
  readonly flags: readonly object[];
  /** Only v2 sends one. A reader recognises v2 by it. */
  readonly digest?: string;
}

/**
 * Writes a snapshot; reading it gives the same features. Nothing is repeated, not even what v1 repeats. A flag that
 * cannot be read is written as it came.
 */
export function writeBody(
  namespace: string,
  { features, digest }: Omit<ParsedBody, 'contents'>,
): SnapshotBody {
  const segmentOf = segmentWriter(features);
  const flags = Array.from(features.flags.values(), (flag) => writtenFlag(flag, segmentOf));
  for (const { text } of features.unreadable?.values() ?? []) flags.push(JSON.parse(text) as object);
  return { namespace: { key: namespace }, flags, ...(digest !== undefined && { digest }) };
}

/** Characters that are written before other work gets a turn of the event loop: a few milliseconds. */
const LENGTH_PER_TURN = 64 * 1024;
/** A flag takes as long as so many characters more. */
const LENGTH_OF_FLAG = 256;

/** The same as JSON text, in several turns: 10,000 flags at once would block the event loop for a third of a second. */
export async function bodyText(
  namespace: string,
  { features, digest }: Omit<ParsedBody, 'contents'>,
  clock: Pick<Clock, 'endOfTurn'>,
): Promise<string> {
  const pause = pausing(LENGTH_PER_TURN, clock);
  const segmentOf = segmentWriter(features);
  const flags: string[] = [];
  for (const flag of features.flags.values()) {
    const text = JSON.stringify(writtenFlag(flag, segmentOf));
    flags.push(text);
    await pause(LENGTH_OF_FLAG + text.length);
  }
  for (const { text } of features.unreadable?.values() ?? []) flags.push(text);
  const end = digest === undefined ? '' : `,"digest":${JSON.stringify(digest)}`;
  return `{"namespace":${JSON.stringify({ key: namespace })},"flags":[${flags.join(',')}]${end}}`;
}

function writtenFlag(flag: Flag, segmentOf: WrittenSegment): object {
  const { type, key, enabled } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout) => writtenRollout(rollout, segmentOf));
    return { type, key, enabled, rollouts };
  }
  const rules = flag.rules.map((rule) => writtenRule(rule, flag, segmentOf));
  const defaultVariant = variantOf(flag, flag.defaultVariantId);
  return { type, key, enabled, rules, ...(defaultVariant && { defaultVariant }) };
}

function writtenRollout(rollout: Rollout, segmentOf: WrittenSegment): object {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    return { type: 'THRESHOLD_ROLLOUT_TYPE', threshold: { percentage: rollout.percentage, value } };
  }
  const { segmentOperator, segmentKeys } = rollout;
  const segment = { value, segmentOperator, segments: writtenSegments(segmentKeys, segmentOf) };
  return { type: 'SEGMENT_ROLLOUT_TYPE', segment };
}

function writtenRule(rule: Rule, flag: VariantFlag, segmentOf: WrittenSegment): object {
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const variant = variantOf(flag, variantId);
    return { variantKey: variant?.key ?? '', variantAttachment: variant?.attachment ?? '', rollout };
  });
  const { segmentOperator, segmentKeys } = rule;
  return { segmentOperator, segments: writtenSegments(segmentKeys, segmentOf), distributions };
}

function variantOf(flag: VariantFlag, id: string | undefined) {
  return id === undefined ? undefined : flag.variants.get(id);
}

function writtenSegments(names: readonly string[], segmentOf: WrittenSegment): readonly object[] {
  return names.map(segmentOf).filter((segment) => segment !== undefined);
}

/** The written segment of a name; `undefined` if there is none. */
type WrittenSegment = (name: string) => object | undefined;

/** Writes each segment only once, although a snapshot repeats it in all rules that use it. */
function segmentWriter({ segments }: Features): WrittenSegment {
  const written = new Map<string, object>();
  return (name) => {
    const before = written.get(name);
    const segment = segments.get(name);
    if (before !== undefined || segment === undefined) return before;
    const { key, matchType, constraints } = segment;
    const after = { key, matchType: wireWord(matchType), constraints: constraints.map(writtenConstraint) };
    written.set(name, after);
    return after;
  };
}

/** Names each member: a snapshot has so many constraints that copying the rest would take several times as long. */
function writtenConstraint({ type, property, operator, value }: Constraint): object {
  return { type: WIRE_TYPES.get(type), property, operator, value };
}

const WIRE_TYPES: ReadonlyMap<string, string> = new Map(
  COMPARISON_TYPES.map((type) => [type, type.replace('COMPARISON', 'CONSTRAINT_COMPARISON')]),
);

/** A number of the enum that has no word stays a number. */
function wireWord(matchType: string | number): string | number {
  return typeof matchType === 'number' ? matchType : matchType.replace('MATCH', 'SEGMENT_MATCH');
}
