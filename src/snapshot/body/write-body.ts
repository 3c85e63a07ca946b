import * as Evaluated from '../../engine/features.js';
import { variantOf } from '../../engine/parts-in-force.js';
import { sharingTurns, type BusyClock } from '../../base/time/pausable-steps.js';
import { isRecord } from '../../base/text/describe.js';
import { parsedJson, writtenJson } from '../../base/text/json.js';
import type { ReadFlag } from './flags-of-body.js';
import type { ParsedBody } from './parse-snapshot.js';

/** The members that a written body has beside its flags. */
interface WrittenRest {
  readonly semantics: Evaluated.Semantics;
  readonly digest: string | undefined;
}

/**
 * Writes features as plain JSON values, in the form of a snapshot that Flipt serves. The flags are written without the
 * members that evaluation does not read. Reading the written features again gives features that are evaluated in the
 * same way. Each rule and each distribution is written once, although Flipt v1 repeats them.
 */
export function writeFeatures(
  namespace: string,
  { flags, segments }: Evaluated.Features,
  rest: WrittenRest,
): object {
  return written(namespace, flags, segments, rest);
}

/**
 * Writes a snapshot in the form that {@link writeFeatures} describes. A flag that cannot be read is usually written in
 * the form in which Flipt sent it.
 */
export function writeBody(namespace: string, { flags, digest }: ParsedBody): object {
  return written(namespace, flags.all(), flags.features.segments, { semantics: flags.semantics, digest });
}

function written(
  namespace: string,
  flags: Iterable<readonly [key: string, ReadFlag]>,
  segments: Segments,
  { semantics, digest }: WrittenRest,
): object {
  const segmentsOf = segmentWriter(segments);
  const list = Array.from(flags, ([key, flag]) =>
    'reason' in flag ? asItCame(key, flag.text) : writtenFlag(flag, segmentsOf),
  );
  // Only Flipt v2 sends a digest. Older versions of this package recognise a snapshot of Flipt v2 by the digest, and
  // ignore `semantics`.
  return { namespace: { key: namespace }, flags: list, semantics, ...(digest !== undefined && { digest }) };
}

/**
 * Writes a snapshot as JSON text, in several turns of the event loop, because writing 10,000 flags at once would block
 * the event loop for a third of a second. Once `hasTime` returns `false`, each flag that has not been parsed yet is
 * written in the form in which Flipt sent it.
 */
export async function bodyText(
  namespace: string,
  { flags, digest }: ParsedBody,
  clock: BusyClock,
  hasTime = () => true,
): Promise<string> {
  await flags.each(clock, hasTime);
  const segmentsOf = segmentWriter(flags.features.segments);
  const texts: string[] = [];
  const pause = sharingTurns(clock);
  for (const key of flags.keys().keys()) {
    const text = flags.unreadText(key);
    const flag = text === undefined ? flags.get(key) : { text };
    if (flag !== undefined)
      texts.push('text' in flag ? inOneLine(flag.text) : JSON.stringify(writtenFlag(flag, segmentsOf)));
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  const end = JSON.stringify({ semantics: flags.semantics, digest }).slice(1);
  return `{"namespace":${JSON.stringify({ key: namespace })},"flags":[${texts.join(',')}],${end}`;
}

/**
 * Returns an unreadable flag in the form in which Flipt sent it. If the text is no JSON, has another key or is nested
 * too deep, the result is a flag of an unknown type, so that the flag remains unreadable.
 */
function asItCame(key: string, text: string): object {
  const value = parsedJson(text);
  const isLike = isRecord(value) && value.key === key && writtenJson(value) !== undefined;
  return isLike ? value : { key, type: 'UNREADABLE_FLAG_TYPE' };
}

/**
 * Replaces line breaks by spaces, because a saved text holds the body of a snapshot in one line. Replacing line breaks
 * does not change what valid JSON means, because a string in JSON cannot contain a line break.
 */
function inOneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

/** A flag in the form in which Flipt writes it. The key of a written flag comes first, as in Flipt. */
type WrittenFlag = Pick<Evaluated.Flag, 'type' | 'key' | 'enabled'> & {
  readonly defaultVariant?: object;
} & ({ readonly rules: readonly object[] } | { readonly rollouts: readonly object[] });

function writtenFlag(flag: Evaluated.Flag, segmentsOf: WrittenSegments): WrittenFlag {
  const { type, key, enabled } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout) => writtenRollout(rollout, segmentsOf));
    return { key, type, enabled, rollouts };
  }
  const rules = flag.rules.map((rule) => writtenRule(rule, flag, segmentsOf));
  const defaultVariant = variantOf(flag, flag.defaultVariantId);
  return { key, type, enabled, ...(defaultVariant && { defaultVariant }), rules };
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

type Segments = Evaluated.FeatureLookup['segments'];

/** Returns the JSON values of the segments with these names. */
type WrittenSegments = (names: readonly string[]) => readonly object[];

/**
 * Makes a function that writes segments. The function makes the JSON values of each segment only once, although a
 * snapshot repeats a segment in all rules that use the segment.
 */
function segmentWriter(segments: Segments): WrittenSegments {
  const written = new Map<string, object>();
  const write = (name: string) => {
    const segment = segments.get(name);
    if (segment === undefined) return [];
    const { key, matchType, constraints } = segment;
    // Members of a segment that have their default value are left out, because short segments would take several times
    // as much space with these members.
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

/**
 * Writes a constraint. The object lists each member by name, because copying the members by a spread would take several
 * times as long, and a snapshot has many constraints.
 */
function writtenConstraint({ type, property, operator, value }: Evaluated.Constraint): object {
  return { type: Evaluated.wireComparisonType(type), property, operator, value };
}
