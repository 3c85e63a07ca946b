import type { Semantics } from '../engine/features.js';
import { takesPlainAttachments } from '../engine/version-differences.js';
import { goJson } from './normal-forms.js';
import { checkConstraint } from './check-constraint.js';
import { listOf, memberOf, textOf } from './document-parts.js';
import type { PositionOf, Report } from './features-error.js';
import type { Wrong } from './mistake-kinds.js';

/** A document as it was written, together with the function that reports mistakes in this document. */
export interface GivenDocument {
  readonly given: unknown;
  /** The position of the document in the file, counted from 0. Empty documents are counted, too. */
  readonly index: number;
  readonly report: Report;
  /**
   * Returns the line and the column of a part of the document. The function is `undefined` if the document was given as
   * an object.
   */
  readonly positionOf?: PositionOf;
}

/**
 * Reports mistakes that the schema does not find, for example a rule that names a missing segment, a key that occurs
 * twice, or a constraint with a wrong operator. The function reads the documents as they were written, because a part
 * of the wrong shape must not hide other mistakes.
 */
export function checkReferences(documents: readonly GivenDocument[], semantics: Semantics): void {
  const namespaces = new Set<string>();
  for (const { given, report } of documents) {
    checkDocument(given, semantics, report);
    const key = namespaceKey(given);
    if (key === undefined) continue;
    if (namespaces.has(key)) report(['namespace'], { kind: 'repeated-namespace', key });
    namespaces.add(key);
  }
}

/** Returns the key of the document's namespace, or `undefined` if the key cannot be read. */
export function namespaceKey(given: unknown): string | undefined {
  if (typeof given !== 'object') return undefined;
  const namespace = memberOf(given, 'namespace') ?? 'default';
  return typeof namespace === 'string' ? namespace : textOf(namespace, 'key');
}

function checkDocument(given: unknown, semantics: Semantics, report: Report): void {
  const rules = { semantics, version: memberOf(given, 'version') };
  const segmentKeys = distinctKeys(given, 'segments', report);
  for (const [segment, inSegment] of partsOf(given, 'segments', report)) {
    for (const [constraint, inConstraint] of partsOf(segment, 'constraints', inSegment)) {
      checkConstraint(constraint, rules, inConstraint);
    }
  }
  distinctKeys(given, 'flags', report);
  for (const [flag, inFlag] of partsOf(given, 'flags', report))
    checkFlag(flag, segmentKeys, semantics, inFlag);
}

/** The keys of the items in a list, or `undefined` if the document has something else in place of the list. */
type Keys = ReadonlySet<unknown> | undefined;

function checkFlag(flag: unknown, segments: Keys, semantics: Semantics, report: Report): void {
  const variants = distinctKeys(flag, 'variants', report);
  for (const [variant, inVariant] of partsOf(flag, 'variants', report)) {
    const wrong = wrongAttachment(memberOf(variant, 'attachment'), semantics);
    if (wrong !== undefined) inVariant(['attachment'], wrong);
  }
  for (const [rule, inRule] of partsOf(flag, 'rules', report)) {
    checkChoice(rule, segments, inRule);
    for (const [distribution, inDistribution] of partsOf(rule, 'distributions', inRule)) {
      const key = textOf(distribution, 'variant');
      if (key === undefined || variants?.has(key) !== false) continue;
      inDistribution(['variant'], { kind: 'unknown-key', part: 'variant', key });
    }
  }

  const type = memberOf(flag, 'type') ?? 'VARIANT_FLAG_TYPE';
  for (const [rollout, inRollout] of partsOf(flag, 'rollouts', report)) {
    if (type === 'BOOLEAN_FLAG_TYPE') checkChoice(rollout, segments, inRollout);
  }
  if (type !== 'VARIANT_FLAG_TYPE') return;
  if (listOf(flag, 'rollouts').length > 0) report(['rollouts'], { kind: 'rollouts-of-variant-flag' });
  if (listOf(flag, 'variants').filter((variant) => memberOf(variant, 'default') === true).length > 1) {
    report(['variants'], { kind: 'several-defaults' });
  }
}

/** Checks the segments that a rule or a rollout names. */
function checkChoice(of: unknown, segments: Keys, report: Report): void {
  const choice = memberOf(of, 'segment');
  for (const key of [choice, memberOf(choice, 'key'), ...listOf(choice, 'keys')]) {
    if (typeof key !== 'string' || segments?.has(key) !== false) continue;
    report(['segment'], { kind: 'unknown-key', part: 'segment', key });
  }
}

/**
 * Yields the items of a list, including empty items. Each item comes with a function that reports mistakes in the item;
 * the paths for this function begin at the item.
 */
function* partsOf(of: unknown, name: string, report: Report): Iterable<readonly [unknown, Report]> {
  for (const [index, item] of listOf(of, name).entries()) {
    const inItem: Report = (path, wrong) => {
      report([name, index, ...path], wrong);
    };
    yield [item, inItem];
  }
}

/**
 * Returns the keys of a list's items, and reports each key that occurs twice. If a key is written as a number without
 * quotes, the result contains the key as a text, because other parts of the document refer to the key with a text.
 */
function distinctKeys(of: unknown, name: string, report: Report): Keys {
  const list = memberOf(of, name) ?? [];
  if (!Array.isArray(list)) return undefined;
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    const key = memberOf(item, 'key');
    if (typeof key === 'string' && seen.has(key)) report([name, index, 'key'], { kind: 'repeated-key', key });
    seen.add(key);
  }
  return new Set(Array.from(seen, (key) => (typeof key === 'number' ? String(key) : key)));
}

function wrongAttachment(value: unknown, semantics: Semantics): Wrong | undefined {
  if (value === undefined || value === null) return undefined;
  if (!takesPlainAttachments(semantics) && typeof value !== 'object') {
    return { kind: 'wrong-type', expected: 'a mapping or a list, because Flipt v2 takes nothing else' };
  }
  if (goJson(value, semantics) !== undefined) return undefined;
  return { kind: 'wrong-value', expected: 'a value that JSON can hold' };
}
