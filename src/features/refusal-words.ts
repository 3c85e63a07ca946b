import type { Semantics } from '../engine/features.js';
import { FeaturesError, pathText } from './features-error.js';
import { refusalsIn } from './find-refusals.js';
import type { ReadDocuments } from './checked-documents.js';

/** The largest number of refused parts that the message of one error lists. */
const MOST = 20;

/**
 * Throws a {@link FeaturesError} if the chosen version of Flipt refuses something in the documents. The error lists up
 * to 20 of the refused parts.
 */
export function throwIfRefused(read: ReadDocuments, semantics: Semantics): void {
  const lines = refusalLines(read, semantics);
  const more = lines.length - MOST;
  if (lines.length === 0) return;
  throw new FeaturesError([...lines.slice(0, MOST), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
}

/**
 * Returns sentences about the first part of the documents that the chosen version of Flipt refuses, and about the
 * number of other refused parts. Returns `undefined` if this version refuses nothing.
 */
export function refusalSummary(read: ReadDocuments, semantics: Semantics): string | undefined {
  const [first, ...others] = refusalLines(read, semantics);
  if (first === undefined) return undefined;
  const more =
    others.length === 0 ? '' : ` Run openfeature-flipt-provider lint to see ${others.length} more.`;
  return first + more;
}

function refusalLines({ documents, mistakes }: ReadDocuments, semantics: Semantics): readonly string[] {
  const refused = refusalsIn(
    documents.map(({ given }) => given),
    semantics,
  );
  return documents.flatMap(({ positionOf }, at) =>
    (refused[at] ?? []).flatMap(({ path, problem, effect, fix, isCertain }) => {
      if (!isCertain) return [];
      const position = positionOf?.(path);
      const place = position
        ? `${position.line}:${position.column}`
        : ` document ${at + 1}: ${pathText(path)}`;
      return `${mistakes.file}:${place}: ${problem} ${effect} ${fix}`;
    }),
  );
}
