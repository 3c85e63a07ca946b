import type { Semantics } from '../../engine/features.js';
import { byKey, type DocumentImport, report } from './document-import.js';
import type { Source } from './features-file.js';
import type { CheckedDocument } from './features-schema.js';
import { importFlag } from './import-flag.js';
import { importSegment } from './import-segment.js';
import type { NamespaceRecord, Stamp } from '../state/records.js';

/** Makes records of the documents; there is always a namespace `default`. Throws a {@link FeaturesError}. */
export function importFeatures(
  { documents, mistakes }: Source,
  semantics: Semantics,
  stamp: Stamp,
): ReadonlyMap<string, NamespaceRecord> {
  const imported = new Map<string, NamespaceRecord>();
  for (const { where, content } of documents) {
    const document: DocumentImport = { where, semantics, stamp, mistakes };
    const namespace = importNamespace(document, content);
    if (imported.has(namespace.key)) {
      report(document, 'namespace', `"${namespace.key}" has a document already`);
    }
    imported.set(namespace.key, namespace);
  }
  mistakes.throwIfAny();
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  return new Map([['default', empty], ...imported]);
}

function importNamespace(document: DocumentImport, content: CheckedDocument): NamespaceRecord {
  const { namespace } = content;
  const about =
    typeof namespace === 'string' ? { key: namespace, name: namespace, description: '' } : namespace;
  const segments = byKey(document, 'segments', content.segments, (segment, path) =>
    importSegment(document, path, segment),
  );
  const flags = byKey(document, 'flags', content.flags, (flag, path) =>
    importFlag(document, path, flag, segments),
  );
  const version = segments.size + flags.size > 0 ? document.stamp.id() : undefined;
  return { ...about, name: about.name || about.key, version, segments, flags };
}
