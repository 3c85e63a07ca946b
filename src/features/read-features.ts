import { readFile } from 'node:fs/promises';
import type { Semantics } from '../engine/features.js';
import { messageOf } from '../text/describe.js';
import { checkReferences, type GivenDocument } from './check-references.js';
import { checkDocument, type CheckedDocument } from './document-schema.js';
import type { FeaturesDocument } from './features-document.js';
import { FeaturesError, Mistakes } from './features-error.js';
import { recordedFeatures } from './recorded-features.js';
import { unseenStamp, type NamespaceRecord } from './records.js';
import { documentsIn } from './yaml/documents-in-text.js';

/**
 * The features of each namespace in the documents. There is always a namespace `default`. Rejects with a
 * {@link FeaturesError} that reports all mistakes.
 */
export async function readFeatures(
  source: FeaturesSource,
  semantics: Semantics,
  stamp = unseenStamp(),
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return namespacesOf(await readDocuments(source, semantics), semantics, stamp);
}

/** The features of documents that have been read. Throws a {@link FeaturesError}. */
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

/** Whether features are a file or its text, and not objects that were made in code. */
export function isWritten(source: FeaturesSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL;
}

/**
 * Where features come from: a path, YAML (so also JSON) text, or documents as objects.
 * A string with a line break in it, or one that begins with `{`, is text; any other string is a path.
 */
export type FeaturesSource = string | URL | FeaturesDocument | readonly FeaturesDocument[];

/** A document as it was given, and with defaults filled in if its shape is right. */
export interface ReadDocument extends GivenDocument {
  readonly content: CheckedDocument | undefined;
}

/** What has been read of a features file. */
export interface ReadDocuments {
  readonly documents: readonly ReadDocument[];
  /** What is wrong in them so far. */
  readonly mistakes: Mistakes;
  /** `''` if the documents were given as objects. */
  readonly text: string;
}

/**
 * Reads documents as this version of Flipt does, and collects the mistakes in their shape. Throws a
 * {@link FeaturesError} if they cannot be read at all.
 */
export async function readDocuments(source: FeaturesSource, semantics: Semantics): Promise<ReadDocuments> {
  if (typeof source === 'string' && isText(source)) return readText('features', source, semantics);
  if (isWritten(source)) {
    const file = String(source);
    const text = await readFile(source, 'utf8').catch((error: unknown) => {
      throw new FeaturesError(`${file}: cannot be read: ${messageOf(error)}`, { cause: error });
    });
    return readText(file, text, semantics);
  }
  const mistakes = new Mistakes('features');
  const documents: readonly unknown[] = Array.isArray(source) ? source : [source];
  const asGiven = Array.from(documents, (given, at) => ({ given, report: mistakes.of(at) }));
  return checkedDocuments(asGiven, mistakes);
}

function isText(source: string): boolean {
  return /[\r\n]/.test(source) || source.trimStart().startsWith('{');
}

function readText(file: string, text: string, semantics: Semantics): ReadDocuments {
  const mistakes = new Mistakes(file);
  try {
    const documents = documentsIn(text, { semantics, json: file.endsWith('.json') });
    const given = documents.map(({ read, positionOf }, at) => {
      const report = mistakes.of(at, positionOf);
      return { given: read(report), report, positionOf };
    });
    const filled = given.filter((document) => document.given !== null);
    return checkedDocuments(filled, mistakes, text);
  } catch (error) {
    if (error instanceof FeaturesError) throw error;
    // Aliases that repeat too much, or nesting deeper than the parser can follow.
    throw new FeaturesError(`${file}: cannot be read as YAML: ${messageOf(error)}`, { cause: error });
  }
}

/** There is no text if the documents were given as objects. */
function checkedDocuments(given: readonly GivenDocument[], mistakes: Mistakes, text = ''): ReadDocuments {
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
