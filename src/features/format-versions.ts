import type { Semantics } from '../engine/features.js';

/**
 * The parts and releases of Flipt that read a features file, from the oldest to the newest. A release is listed only if
 * it refuses other things than the release before it. The readers are the import of v1; the file storage of v1 (local,
 * Git or object); releases 2.0 to 2.9; 2.10; 2.11; and `next`, which is the newest commit after 2.11.
 */
export type FileReader = 'v1 import' | 'v1 files' | '2.9' | '2.10' | '2.11' | 'next';

/**
 * The versions of Flipt that `lint` can check a file for, from the oldest to the newest. Flipt 2.9 and 2.10 evaluate as
 * newer versions do, but they refuse other things in files.
 */
export const LINTED_VERSIONS = ['v1', 'v2.8', 'v2.9', 'v2.10', 'v2'] as const;
export type LintedVersion = (typeof LINTED_VERSIONS)[number];

/** Returns the rules by which a version of Flipt evaluates flags. */
export function semanticsOfVersion(version: LintedVersion): Semantics {
  return version === 'v2.9' || version === 'v2.10' ? 'v2' : version;
}

const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6'];

/**
 * The newest version of the format that a reader knows. A reader treats a document without a version as a document of
 * this version.
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
 * Returns the version of the format by whose rules a reader reads a document. `given` is the version in the document,
 * as it was written.
 */
export function versionFor(reader: FileReader, given: unknown): string {
  const written = typeof given === 'number' || typeof given === 'string' ? String(given) : '';
  if (written === '') return NEWEST[reader];
  return reader === 'v1 import' ? shortVersion(written) : written;
}

/**
 * Returns a version in its usual spelling. The import of v1 also accepts longer and shorter spellings: `v1`, `1.0.0`
 * and `1` all mean `1.0`.
 */
function shortVersion(text: string): string {
  const parts = text.trim().replace(/^v/, '').split('.');
  if (parts.length > 3 || !parts.every((part) => /^\d+$/.test(part))) return text;
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return patch === 0 ? `${major}.${minor}` : text;
}

/** Whether a reader knows a version of the format. */
export function isKnownFormat(version: string, reader: FileReader): boolean {
  return VERSIONS.slice(0, VERSIONS.indexOf(NEWEST[reader]) + 1).includes(version);
}

/** Whether `version` is a known version of the format, and older than `first`. */
export function isFormatBefore(version: string, first: string): boolean {
  return VERSIONS.includes(version) && VERSIONS.indexOf(version) < VERSIONS.indexOf(first);
}
