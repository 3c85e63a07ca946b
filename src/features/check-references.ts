import type { Semantics } from '../engine/features.js';
import { isV2 } from '../engine/rules-of-version.js';
import { quoted } from '../text/describe.js';
import { goJson } from './stored-values.js';
import { checkConstraint } from './check-constraint.js';
import { listOf, memberOf, textOf } from './document-parts.js';
import type { DocumentPath, Report } from './features-error.js';
import type { ReadDocument } from './read-documents.js';

/**
 * Reports mistakes between documents, and between the parts of one, such as a rule that names a missing segment. It
 * reads documents as they were given, because a part of the wrong shape must not hide other mistakes.
 */
export function checkReferences(
  documents: readonly ReadDocument[],
  semantics: Semantics,
  reportOf: (document: ReadDocument) => Report,
): void {
  const namespaces = new Set<string>();
  for (const document of documents) {
    const report = reportOf(document);
    checkDocument(document.given, semantics, report);
    const key = namespaceKey(document.given);
    if (key === undefined) continue;
    if (namespaces.has(key)) report(['namespace'], `${quoted(key)} has a document already`);
    namespaces.add(key);
  }
}

/** `undefined` if it cannot be read. */
function namespaceKey(given: unknown): string | undefined {
  if (typeof given !== 'object') return undefined;
  const namespace = memberOf(given, 'namespace') ?? 'default';
  return typeof namespace === 'string' ? namespace : textOf(namespace, 'key');
}

function checkDocument(given: unknown, semantics: Semantics, report: Report): void {
  const rules = { semantics, version: memberOf(given, 'version') };
  reportTwice(given, 'segments', report);
  for (const [index, segment] of listOf(given, 'segments').entries()) {
    for (const [at, constraint] of listOf(segment, 'constraints').entries()) {
      checkConstraint(constraint, rules, within(['segments', index, 'constraints', at], report));
    }
  }
  reportTwice(given, 'flags', report);
  const known = keysAt(given, 'segments');
  for (const [index, flag] of listOf(given, 'flags').entries()) {
    checkFlag(flag, known, semantics, within(['flags', index], report));
  }
}

/** `undefined` if the keys cannot be read. */
type Keys = ReadonlySet<unknown> | undefined;

function checkFlag(flag: unknown, segments: Keys, semantics: Semantics, report: Report): void {
  const variants = listOf(flag, 'variants');
  reportTwice(flag, 'variants', report);
  for (const [at, variant] of variants.entries()) {
    const wrong = wrongAttachment(memberOf(variant, 'attachment'), semantics);
    if (wrong !== undefined) report(['variants', at, 'attachment'], wrong);
  }
  checkRules(flag, segments, report);

  const type = memberOf(flag, 'type') ?? 'VARIANT_FLAG_TYPE';
  if (type === 'BOOLEAN_FLAG_TYPE') {
    for (const [at, rollout] of listOf(flag, 'rollouts').entries()) {
      checkChoice(rollout, segments, within(['rollouts', at], report));
    }
  }
  if (type !== 'VARIANT_FLAG_TYPE') return;
  if (listOf(flag, 'rollouts').length > 0) report(['rollouts'], 'only a BOOLEAN_FLAG_TYPE has rollouts');
  if (variants.filter((variant) => memberOf(variant, 'default') === true).length > 1) {
    report(['variants'], 'expected at most one default variant');
  }
}

function checkRules(flag: unknown, segments: Keys, report: Report): void {
  const variants = keysAt(flag, 'variants');
  for (const [index, rule] of listOf(flag, 'rules').entries()) {
    checkChoice(rule, segments, within(['rules', index], report));
    for (const [at, distribution] of listOf(rule, 'distributions').entries()) {
      const key = textOf(distribution, 'variant');
      if (key === undefined || variants?.has(key) !== false) continue;
      const path = ['rules', index, 'distributions', at, 'variant'];
      report(path, `expected the key of a variant of this flag, got ${quoted(key)}`);
    }
  }
}

/** Checks the segments that a rule or a rollout names. */
function checkChoice(of: unknown, segments: Keys, report: Report): void {
  const choice = memberOf(of, 'segment');
  for (const key of [choice, memberOf(choice, 'key'), ...listOf(choice, 'keys')]) {
    if (typeof key !== 'string' || segments?.has(key) !== false) continue;
    report(['segment'], `expected the key of a segment of this document, got ${quoted(key)}`);
  }
}

/** Reports a part of a document by its path from there. */
function within(part: DocumentPath, report: Report): Report {
  return (path, wrong) => {
    report([...part, ...path], wrong);
  };
}

function reportTwice(of: unknown, name: string, report: Report): void {
  const seen = new Set<string>();
  for (const [index, item] of listOf(of, name).entries()) {
    const key = textOf(item, 'key');
    if (key === undefined) continue;
    if (seen.has(key)) report([name, index, 'key'], `${quoted(key)} occurs twice`);
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
  if (isV2(semantics) && typeof value !== 'object') {
    return 'expected a mapping or a list, because Flipt v2 takes nothing else';
  }
  return goJson(value, semantics) === undefined ? 'expected a value that JSON can hold' : undefined;
}
