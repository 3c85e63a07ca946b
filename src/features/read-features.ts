import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Semantics } from '../engine/features.js';
import { bytesIfThere, NotAFileError } from '../base/files/durable-file.js';
import { messageOf } from '../base/text/describe.js';
import { checkedDocuments, checkedObjects, namespacesOf, type ReadDocuments } from './checked-documents.js';
import type { FeaturesDocument } from './features-document.js';
import { FeaturesError, Mistakes } from './features-error.js';
import { unseenStamp, type NamespaceRecord } from './records.js';
import { documentsIn } from './yaml/documents-in-text.js';

/**
 * Reads documents, and returns the features of each namespace. The result always contains the namespace `default`, even
 * if no document is about that namespace. If the documents have mistakes or cannot be read, `readFeatures` rejects with
 * a {@link FeaturesError} that says why.
 */
export async function readFeatures(
  source: FeaturesSource,
  semantics: Semantics,
  stamp = unseenStamp(),
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return namespacesOf(await readDocuments(source, semantics), semantics, stamp);
}

/** Returns whether features are given as the path of a file or as a text, and not as objects. */
export function isWritten(source: FeaturesSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL;
}

/**
 * Where features come from: the path of a file (or its `file:` URL as a `URL` object), text in YAML or JSON, or
 * documents as objects. A string that contains a line break or `: `, or begins with `{` or `[`, is text; any other string
 * is a path.
 */
export type FeaturesSource = string | URL | FeaturesDocument | readonly FeaturesDocument[];

/**
 * Reads documents in the same way as the chosen version of Flipt, and collects the mistakes in the shape of the
 * documents. Rejects with a {@link FeaturesError} if the documents cannot be read at all, or if there are none.
 */
export async function readDocuments(source: FeaturesSource, semantics: Semantics): Promise<ReadDocuments> {
  if (typeof source === 'string' && isText(source)) return readText('features', source, semantics);
  return isWritten(source) ? readFile(source, semantics) : checkedObjects(source);
}

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file in the same way as {@link readDocuments}, whatever its name looks like. Links are followed, because
 * Kubernetes mounts files as links.
 */
export async function readFile(path: string | URL, semantics: Semantics): Promise<ReadDocuments> {
  const file = path instanceof URL ? shortPath(fileURLToPath(path)) : path;
  const bytes = await bytesIfThere(file, MOST_BYTES).catch((error: unknown) => {
    const why =
      error instanceof NotAFileError
        ? 'it is a folder, a pipe or a device; expected a features file'
        : messageOf(error);
    throw new FeaturesError(`${file}: cannot be read: ${why}`, { cause: error });
  });
  if (bytes === undefined) throw new FeaturesError(`${file}: cannot be read: ENOENT: no such file`);
  return readText(file, textOf(file, bytes), semantics);
}

function shortPath(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') ? path : short;
}

/**
 * Reads a file that somebody else may have put there, such as the author of a pull request: a link could lead to any
 * file of the machine.
 */
export async function readUnlinkedFile(path: string, semantics: Semantics): Promise<ReadDocuments> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink())
    throw new FeaturesError(`${path}: cannot be read: it is a link; expected a regular file`);
  return readFile(path, semantics);
}

function isText(source: string): boolean {
  return /^\s*[{[]|[\r\n]|: /.test(source);
}

/**
 * Decodes a file in the same way as Flipt. Go's YAML reader, which Flipt uses, refuses bytes that are not UTF-8, but
 * Go's JSON reader replaces bytes that are not UTF-8.
 */
function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isJson(file), ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new FeaturesError(`${file}: cannot be read: it is not UTF-8, but Flipt reads only that`, {
      cause: error,
    });
  }
}

const isJson = (file: string) => file.endsWith('.json');

function readText(file: string, text: string, semantics: Semantics): ReadDocuments {
  const mistakes = new Mistakes(file);
  try {
    const documents = documentsIn(text, { semantics, json: isJson(file) });
    const given = documents.map(({ read, positionOf }, index) => {
      const report = mistakes.of(index, positionOf);
      return { given: read(report), index, report, positionOf };
    });
    const filled = given.filter((document) => document.given !== null);
    return checkedDocuments(filled, mistakes, text);
  } catch (error) {
    if (error instanceof FeaturesError) throw error;
    // The YAML library throws, for example, if aliases repeat too much, or if parts are nested too deep for the
    // library.
    throw new FeaturesError(`${file}: cannot be read as YAML: ${messageOf(error)}`, { cause: error });
  }
}
