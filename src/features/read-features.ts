import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Semantics } from '../engine/features.js';
import { bytesIfThere } from '../base/file.js';
import { messageOf } from '../base/text/describe.js';
import {
  checkDocuments,
  featuresOf,
  featuresOfObjects,
  type CheckedFile,
  type ReadFeatures,
  type ReadingOptions,
} from './check-documents.js';
import type { FeaturesDocument } from './document.js';
import { semanticsOf, versionOf, type Version } from './flipt-refuses.js';
import { FeaturesError } from './problem.js';
import { readYaml } from './read-yaml.js';

/**
 * The path of a file (or its `file:` URL as a `URL` object), text in YAML or JSON, or documents as objects. A string
 * that contains a line break or `: `, or begins with `{` or `[`, is text; any other string is a path.
 */
export type FeaturesSource = string | URL | FeaturesDocument | readonly FeaturesDocument[];

export interface Written {
  /** For messages; `features` for a text without a file. */
  readonly file: string;
  readonly text: string;
}

/** Rejects with a {@link FeaturesError}. */
export async function readFeatures(
  source: FeaturesSource,
  semantics: Semantics,
  options: ReadingOptions = {},
): Promise<ReadFeatures> {
  if (!isWritten(source)) return featuresOfObjects(source, semantics, options);
  const isText = typeof source === 'string' && /^\s*[{[]|[\r\n]|: /.test(source);
  const written = isText ? { file: 'features', text: source } : await readText(source);
  return featuresOf(checkText(written, versionOf(semantics)), options);
}

export function isWritten(source: FeaturesSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL;
}

export function checkText({ file, text }: Written, version: Version): CheckedFile {
  const rules = { semantics: semanticsOf(version), json: isJson(file), converts: version === 'v1' };
  return checkDocuments(file, readYaml(text, rules), version);
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Follows links, because Kubernetes mounts files as links. A path is a path, whatever it looks like. */
export async function readText(path: string | URL): Promise<Written> {
  const file = path instanceof URL ? shortPath(fileURLToPath(path)) : path;
  const bytes = await bytesIfThere(file, MOST_BYTES).catch((error: unknown) => {
    throw unreadable(file, messageOf(error), error);
  });
  if (bytes === undefined) throw unreadable(file, 'ENOENT: no such file');
  try {
    // Go's JSON reader replaces bytes that are not UTF-8.
    return { file, text: new TextDecoder('utf-8', { fatal: !isJson(file), ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    throw unreadable(file, 'it is not UTF-8, but Flipt reads only that', error);
  }
}

/** A link of somebody else, such as the author of a pull request, could lead to any file of the machine. */
export async function readUnlinkedText(path: string): Promise<Written> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) throw unreadable(path, 'it is a link; expected a regular file');
  return readText(path);
}

function unreadable(file: string, why: string, cause?: unknown): FeaturesError {
  return new FeaturesError(`${file}: cannot be read: ${why}`, { cause });
}

function shortPath(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') ? path : short;
}

const isJson = (file: string) => file.endsWith('.json');
