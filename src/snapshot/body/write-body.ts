import * as Evaluated from '../../engine/features.js';
import { variantOf } from '../../engine/parts-in-force.js';
import { withPauses, type CountedSteps, pausing, type Turns } from '../../base/time/pausable-steps.js';
import type { ParsedBody } from './parse-snapshot.js';

type WrittenBody = Pick<ParsedBody, 'keys' | 'semantics' | 'digest'> & {
  readonly features: Evaluated.Features;
};

/**
 * Writes a snapshot as Flipt serves it, in plain JSON values, but only with what evaluation reads; reading it gives the
 * same features. Nothing is repeated, not even what v1 repeats. A flag that cannot be read is written as it came.
 */
export function writeBody(namespace: string, body: WrittenBody) {
  const { semantics, digest } = body;
  const flags = Array.from(writtenFlags(body), (flag) =>
    typeof flag === 'string' ? (JSON.parse(flag) as object) : flag,
  );
  // Only v2 sends a digest. Older versions of this package recognise v2 by it, and ignore `semantics`.
  return { namespace: { key: namespace }, flags, semantics, ...(digest !== undefined && { digest }) };
}

/** The same as JSON text, in several turns: 10,000 flags at once would block the event loop for a third of a second. */
export async function bodyText(namespace: string, body: WrittenBody, clock: Turns): Promise<string> {
  return withPauses(bodySteps(namespace, body), pausing(LENGTH_PER_MS, clock));
}

/** Characters that are written in a millisecond, or in two. */
const LENGTH_PER_MS = 32 * 1024;
/** A flag takes as long as so many characters more. */
const LENGTH_OF_FLAG = 256;

/** Steps yield what they took, in characters. */
function* bodySteps(namespace: string, body: WrittenBody): CountedSteps<string> {
  const flags: string[] = [];
  for (const flag of writtenFlags(body)) {
    const parts: string[] = [];
    for (const part of typeof flag === 'string' ? [flag] : flagText(flag)) {
      parts.push(part);
      yield part.length;
    }
    flags.push(parts.join(''));
    yield LENGTH_OF_FLAG;
  }
  const { semantics, digest } = body;
  const end = JSON.stringify({ semantics, digest }).slice(1);
  return `{"namespace":${JSON.stringify({ key: namespace })},"flags":[${flags.join(',')}],${end}`;
}

/** The JSON text of a flag in parts: the list at its end may be long. */
function* flagText(flag: WrittenFlag): Generator<string> {
  const [name, list] =
    'rules' in flag ? (['rules', flag.rules] as const) : (['rollouts', flag.rollouts] as const);
  // Ends with an empty list.
  yield JSON.stringify({ ...flag, [name]: [] }).slice(0, -2);
  for (const [at, item] of list.entries()) yield `${at > 0 ? ',' : ''}${JSON.stringify(item)}`;
  yield ']}';
}

/** A body of which not all flags have been read: as it came, in one line, but that it says by whose rules it is read. */
export function unreadText(body: Buffer, semantics: Evaluated.Semantics): string {
  // Flipt writes no line breaks, for which megabytes would have to be searched.
  const hasBreaks = body.includes('\n') || body.includes('\r');
  const text = (hasBreaks ? body.toString().replace(/[\r\n]+/g, ' ') : body.toString()).trimEnd();
  return `${text.slice(0, -1)},"semantics":${JSON.stringify(semantics)}}`;
}

/** Its list is the last member. */
type WrittenFlag = Pick<Evaluated.Flag, 'type' | 'key' | 'enabled'> & {
  readonly defaultVariant?: object;
} & ({ readonly rules: readonly object[] } | { readonly rollouts: readonly object[] });

/** A flag that cannot be read is given as its text. */
function* writtenFlags({ features, keys }: WrittenBody): Generator<WrittenFlag | string> {
  const segmentsOf = segmentWriter(features);
  for (const key of keys().keys()) {
    const flag = features.flags.get(key);
    const unreadable = features.unreadable?.get(key);
    if (flag !== undefined) yield writtenFlag(flag, segmentsOf);
    else if (unreadable !== undefined) yield unreadable.text;
  }
}

function writtenFlag(flag: Evaluated.Flag, segmentsOf: WrittenSegments): WrittenFlag {
  const { type, key, enabled } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout) => writtenRollout(rollout, segmentsOf));
    return { type, key, enabled, rollouts };
  }
  const rules = flag.rules.map((rule) => writtenRule(rule, flag, segmentsOf));
  const defaultVariant = variantOf(flag, flag.defaultVariantId);
  return { type, key, enabled, ...(defaultVariant && { defaultVariant }), rules };
}

function writtenRollout(rollout: Evaluated.Rollout, segmentsOf: WrittenSegments): object {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    return { type: 'THRESHOLD_ROLLOUT_TYPE', threshold: { percentage: rollout.percentage, value } };
  }
  const { segmentOperator, segmentKeys } = rollout;
  const segment = { value, segmentOperator, segments: segmentsOf(segmentKeys) };
  return { type: 'SEGMENT_ROLLOUT_TYPE', segment };
}

function writtenRule(rule: Evaluated.Rule, flag: Evaluated.VariantFlag, segmentsOf: WrittenSegments): object {
  const { segmentOperator, segmentKeys } = rule;
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key: variantKey = '', attachment: variantAttachment = '' } = variantOf(flag, variantId) ?? {};
    return { variantKey, variantAttachment, rollout };
  });
  return { segmentOperator, segments: segmentsOf(segmentKeys), distributions };
}

/** The written segments of these names. */
type WrittenSegments = (names: readonly string[]) => readonly object[];

/** Writes each segment only once, although a snapshot repeats it in all rules that use it. */
function segmentWriter({ segments }: Evaluated.Features): WrittenSegments {
  const written = new Map<string, object>();
  const write = (name: string) => {
    const segment = segments.get(name);
    if (segment === undefined) return [];
    const { key, matchType, constraints } = segment;
    // Members with their default value may be missing. With them, short segments would take several times the space.
    const after = {
      key,
      ...(matchType !== Evaluated.MATCH_TYPES[0] && { matchType: Evaluated.wireMatchType(matchType) }),
      ...(constraints.length > 0 && { constraints: constraints.map(writtenConstraint) }),
    };
    written.set(name, after);
    return after;
  };
  return (names) => names.flatMap((name) => written.get(name) ?? write(name));
}

/** Names each member: a snapshot has so many constraints that copying the rest would take several times as long. */
function writtenConstraint({ type, property, operator, value }: Evaluated.Constraint): object {
  return { type: Evaluated.wireComparisonType(type), property, operator, value };
}
