import type { Semantics } from '../engine/features.js';

/**
 * The parts and releases of Flipt that read features files ("readers"), from the oldest to the newest. A release is
 * listed only if it refuses other things than the release before it. The readers are the import of v1; the file storage
 * of v1 (local, Git or object); the releases 2.0 to 2.9 (`2.9`); the release 2.10; the release 2.11; and `next`, which
 * is the newest commit after 2.11.
 */
export type FileReader = 'v1 import' | 'v1 files' | '2.9' | '2.10' | '2.11' | 'next';

/**
 * The versions of Flipt for which `lint` can check a file, from the oldest to the newest. Flipt 2.9 and 2.10 evaluate
 * flags in the same way as newer versions, but they refuse other things in features files.
 */
export const LINTED_VERSIONS = ['v1', 'v2.8', 'v2.9', 'v2.10', 'v2'] as const;
export type LintedVersion = (typeof LINTED_VERSIONS)[number];

/** Returns the semantics of a version of Flipt, which are the rules by which the version evaluates flags. */
export function semanticsOfVersion(version: LintedVersion): Semantics {
  return version === 'v2.9' || version === 'v2.10' ? 'v2' : version;
}

const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6'];

/**
 * For each reader, the newest version of the file format that the reader supports. If a document has no `version`, the
 * reader reads the document by the rules of this version.
 */
const NEWEST: Readonly<Record<FileReader, string>> = {
  'v1 import': '1.4',
  'v1 files': '1.4',
  '2.9': '1.5',
  '2.10': '1.5',
  '2.11': '1.6',
  next: '1.6',
};

/**
 * Returns the version of the file format by whose rules a reader reads a document. `given` is the member `version` of
 * the document, as it was written.
 */
export function versionFor(reader: FileReader, given: unknown): string {
  const written = typeof given === 'number' || typeof given === 'string' ? String(given) : '';
  if (written === '') return NEWEST[reader];
  return reader === 'v1 import' ? shortVersion(written) : written;
}

/**
 * Returns a version of the file format in its usual spelling, such as `1.0`. The import of Flipt v1 also accepts the
 * spellings `v1`, `1.0.0` and `1` for `1.0`.
 */
function shortVersion(text: string): string {
  const parts = text.trim().replace(/^v/, '').split('.');
  if (parts.length > 3 || !parts.every((part) => /^\d+$/.test(part))) return text;
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return patch === 0 ? `${major}.${minor}` : text;
}

/** Returns whether a reader supports a version of the file format. */
export function isKnownFormat(version: string, reader: FileReader): boolean {
  return VERSIONS.slice(0, VERSIONS.indexOf(NEWEST[reader]) + 1).includes(version);
}

/**
 * Returns whether `version` is a version of the file format that is older than `first`. Returns `false` for a version
 * that the file format never had.
 */
export function isFormatBefore(version: string, first: string): boolean {
  return VERSIONS.includes(version) && VERSIONS.indexOf(version) < VERSIONS.indexOf(first);
}
