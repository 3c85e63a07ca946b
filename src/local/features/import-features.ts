import type { Semantics } from '../../engine/features.js';
import { quoted } from '../../text/quote.js';
import type { NamespaceRecord, Stamp } from '../state/records.js';
import { checkReferences } from './check-references.js';
import { memberOf, textOf } from './document-parts.js';
import type { DocumentPath } from './features-error.js';
import type { Source, SourceDocument } from './features-file.js';
import type { CheckedDocument } from './features-schema.js';
import { importFlag } from './import-flag.js';
import { importSegment } from './import-segment.js';

/**
 * Makes records of the documents. The result always has a namespace `default`. Throws a {@link FeaturesError} that
 * reports all mistakes.
 */
export function importFeatures(
  source: Source,
  semantics: Semantics,
  stamp: Stamp,
): ReadonlyMap<string, NamespaceRecord> {
  const { documents, mistakes } = source;
  checkTogether(documents, semantics, ({ name }, path, wrong) => {
    mistakes.add(name, path, wrong);
  });
  mistakes.throwIfAny();
  const imported = documents
    .flatMap(({ content }) => content ?? [])
    .map((content) => importNamespace(content, semantics, stamp));
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  return new Map([empty, ...imported].map((namespace) => [namespace.key, namespace]));
}

/** Reports mistakes between the parts of a document, and between documents. */
export function checkTogether(
  documents: readonly SourceDocument[],
  semantics: Semantics,
  report: (document: SourceDocument, path: DocumentPath, wrong: string) => void,
): void {
  const namespaces = new Set<string>();
  for (const document of documents) {
    checkReferences(document.given, semantics, (path, wrong) => {
      report(document, path, wrong);
    });
    const key = namespaceKey(document.given);
    if (key === undefined) continue;
    if (namespaces.has(key)) report(document, ['namespace'], `${quoted(key)} has a document already`);
    namespaces.add(key);
  }
}

/** `undefined` if it cannot be read. */
function namespaceKey(given: unknown): string | undefined {
  if (typeof given !== 'object') return undefined;
  const namespace = memberOf(given, 'namespace') ?? 'default';
  return typeof namespace === 'string' ? namespace : textOf(namespace, 'key');
}

function importNamespace(content: CheckedDocument, semantics: Semantics, stamp: Stamp): NamespaceRecord {
  const { namespace } = content;
  const about =
    typeof namespace === 'string' ? { key: namespace, name: namespace, description: '' } : namespace;
  const segments = content.segments.map((segment) => importSegment(segment, stamp));
  const flags = content.flags.map((flag) => importFlag(flag, semantics, stamp));
  const version = segments.length + flags.length > 0 ? stamp.id() : undefined;
  return { ...about, name: about.name || about.key, version, segments: byKey(segments), flags: byKey(flags) };
}

function byKey<Keyed extends { readonly key: string }>(
  records: readonly Keyed[],
): ReadonlyMap<string, Keyed> {
  return new Map(records.map((record) => [record.key, record]));
}
