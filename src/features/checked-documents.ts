import type { Semantics } from '../engine/features.js';
import { checkReferences, type GivenDocument } from './check-references.js';
import { checkDocument, type CheckedDocument } from './document-schema.js';
import type { FeaturesDocument } from './features-document.js';
import { FeaturesError, Mistakes } from './features-error.js';
import { recordedFeatures } from './recorded-features.js';
import { unseenStamp, type NamespaceRecord } from './records.js';

/**
 * A document as it was written (`given`) and with all defaults filled in (`content`). `content` is `undefined` if the
 * document has a wrong shape.
 */
export interface ReadDocument extends GivenDocument {
  readonly content: CheckedDocument | undefined;
}

/** The documents of a file, and the mistakes that were found in them. */
export interface ReadDocuments {
  readonly documents: readonly ReadDocument[];
  readonly mistakes: Mistakes;
  /** The text from which the documents were read, or `''` if the documents were given as objects. */
  readonly text: string;
}

/**
 * Returns the features of each namespace from documents that were given as objects. Unlike `readFeatures`, this
 * function does not load the YAML library. If the documents have mistakes, the function throws a {@link FeaturesError}
 * that names the mistakes.
 */
export function namespacesOfObjects(
  given: FeaturesDocument | readonly FeaturesDocument[],
  semantics: Semantics,
): ReadonlyMap<string, NamespaceRecord> {
  return namespacesOf(checkedObjects(given), semantics);
}

/**
 * Returns the features of each namespace. The result always contains the namespace `default`, even if no document is
 * about that namespace. If the documents have mistakes, the function throws a {@link FeaturesError} that names the
 * mistakes.
 */
export function namespacesOf(
  { documents, mistakes }: ReadDocuments,
  semantics: Semantics,
  stamp = unseenStamp(),
): ReadonlyMap<string, NamespaceRecord> {
  checkReferences(documents, semantics);
  mistakes.throwIfAny();
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  const read = documents.flatMap(({ content }) =>
    content ? recordedFeatures(content, semantics, stamp) : [],
  );
  return new Map([empty, ...read].map((namespace) => [namespace.key, namespace]));
}

/**
 * Checks the shape of documents that were given as objects, and collects the mistakes in them. Throws a
 * {@link FeaturesError} if there is no document.
 */
export function checkedObjects(given: FeaturesDocument | readonly FeaturesDocument[]): ReadDocuments {
  const mistakes = new Mistakes('features');
  const documents: readonly unknown[] = Array.isArray(given) ? given : [given];
  const asGiven = Array.from(documents, (document, index) => ({
    given: document,
    index,
    report: mistakes.of(index),
  }));
  return checkedDocuments(asGiven, mistakes);
}

/**
 * Checks the shape of documents, and collects the mistakes in them. Throws a {@link FeaturesError} if there is no
 * document.
 */
export function checkedDocuments(
  given: readonly GivenDocument[],
  mistakes: Mistakes,
  text = '',
): ReadDocuments {
  if (given.length === 0) {
    mistakes.throwIfAny();
    throw new FeaturesError(`${mistakes.file}: expected at least one document, found none`);
  }
  const documents = given.map((document) => ({
    ...document,
    content: checkDocument(document.given, document.report),
  }));
  return { documents, mistakes, text };
}
