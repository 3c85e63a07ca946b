import type { Semantics } from '../../engine/features.js';
import { quoted } from '../../text/quote.js';
import { goJson } from './go-json.js';
import { checkConstraint } from './check-constraint.js';
import { listOf, memberOf, textOf } from './document-parts.js';
import type { DocumentPath, Report } from './features-error.js';

/**
 * Reports mistakes between the parts of a document, such as a rule that names a missing segment. It reads the document
 * as it was given, because a part of the wrong shape must not hide other mistakes.
 */
export function checkReferences(given: unknown, semantics: Semantics, report: Report): void {
  const rules = { semantics, version: memberOf(given, 'version') };
  const segments = listOf(given, 'segments');
  reportTwice(segments, ['segments'], report);
  for (const [index, segment] of segments.entries()) {
    for (const [at, constraint] of listOf(segment, 'constraints').entries()) {
      checkConstraint(constraint, ['segments', index, 'constraints', at], report, rules);
    }
  }
  const flags = listOf(given, 'flags');
  reportTwice(flags, ['flags'], report);
  const known = keysAt(given, 'segments');
  for (const [index, flag] of flags.entries()) {
    checkFlag(flag, ['flags', index], known, semantics, report);
  }
}

/** `undefined` if the keys cannot be read. */
type Keys = ReadonlySet<unknown> | undefined;

function checkFlag(
  flag: unknown,
  path: DocumentPath,
  segments: Keys,
  semantics: Semantics,
  report: Report,
): void {
  const variants = listOf(flag, 'variants');
  reportTwice(variants, [...path, 'variants'], report);
  for (const [at, variant] of variants.entries()) {
    const wrong = wrongAttachment(memberOf(variant, 'attachment'), semantics);
    if (wrong !== undefined) report([...path, 'variants', at, 'attachment'], wrong);
  }
  checkRules(flag, path, segments, report);

  const type = memberOf(flag, 'type') ?? 'VARIANT_FLAG_TYPE';
  if (type === 'BOOLEAN_FLAG_TYPE') {
    for (const [at, rollout] of listOf(flag, 'rollouts').entries()) {
      checkChoice(rollout, [...path, 'rollouts', at], segments, report);
    }
  }
  if (type !== 'VARIANT_FLAG_TYPE') return;
  if (listOf(flag, 'rollouts').length > 0) {
    report([...path, 'rollouts'], 'only a BOOLEAN_FLAG_TYPE has rollouts');
  }
  if (variants.filter((variant) => memberOf(variant, 'default') === true).length > 1) {
    report([...path, 'variants'], 'expected at most one default variant');
  }
}

function checkRules(flag: unknown, path: DocumentPath, segments: Keys, report: Report): void {
  const variants = keysAt(flag, 'variants');
  for (const [index, rule] of listOf(flag, 'rules').entries()) {
    const at = [...path, 'rules', index];
    checkChoice(rule, at, segments, report);
    for (const [position, distribution] of listOf(rule, 'distributions').entries()) {
      const key = textOf(distribution, 'variant');
      if (key === undefined || variants?.has(key) !== false) continue;
      const where = [...at, 'distributions', position, 'variant'];
      report(where, `expected the key of a variant of this flag, got ${quoted(key)}`);
    }
  }
}

/** Checks the segments that a rule or a rollout names. */
function checkChoice(of: unknown, path: DocumentPath, segments: Keys, report: Report): void {
  const choice = memberOf(of, 'segment');
  const named = [choice, memberOf(choice, 'key'), ...listOf(choice, 'keys')];
  for (const key of named) {
    if (typeof key !== 'string' || segments?.has(key) !== false) continue;
    report([...path, 'segment'], `expected the key of a segment of this document, got ${quoted(key)}`);
  }
}

function reportTwice(list: readonly unknown[], path: DocumentPath, report: Report): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = textOf(item, 'key');
    if (key === undefined) continue;
    if (seen.has(key)) report([...path, index, 'key'], `${quoted(key)} occurs twice`);
    seen.add(key);
  }
}

/** The keys of a list's items, including keys that are not text, such as a number without quotes. */
function keysAt(value: unknown, name: string): Keys {
  const list = memberOf(value, name) ?? [];
  if (!Array.isArray(list)) return undefined;
  return new Set(
    list.map((item) => memberOf(item, 'key')).map((key) => (typeof key === 'number' ? String(key) : key)),
  );
}

function wrongAttachment(value: unknown, semantics: Semantics): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (semantics === 'v2' && typeof value !== 'object') {
    return 'expected a mapping or a list, because Flipt v2 takes nothing else';
  }
  return goJson(value, semantics) === undefined ? 'expected a value that JSON can hold' : undefined;
}
