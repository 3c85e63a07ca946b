import type { Semantics } from '../../engine/features.js';
import { commentsIn } from '../features/yaml/comments.js';
import { pathText, type TextPosition } from '../features/features-error.js';
import { readFeatures, type Source, type SourceDocument } from '../features/features-file.js';
import type { CheckedDocument } from '../features/features-schema.js';
import { checkTogether } from '../features/import-features.js';
import { importSegment } from '../features/import-segment.js';
import type { Finding, LintedDocument, LintProblem } from './finding.js';
import { readLintComments } from './lint-comments.js';
import { LINT_RULES } from './lint-rules.js';
import { segmentReach } from './reach.js';

/** The rule about comments that name no rule. It reads no document. */
const COMMENTS = 'unknown-rule';
/** The names of all rules. */
export const RULE_NAMES: readonly string[] = [...LINT_RULES.keys(), COMMENTS];

/**
 * Finds what is probably a mistake in a features file, although the file can be read; in the order of the file. Rejects
 * with a {@link FeaturesError} if it cannot be read.
 */
export async function lintFile(file: string, semantics: Semantics): Promise<readonly Finding[]> {
  const source = await readFeatures(file, semantics);
  source.mistakes.throwIfAny();
  const { isOff, problems } = readLintComments(commentsIn(source.text ?? ''), RULE_NAMES);
  const isOn = ({ rule, line }: Finding): boolean => !isOff(rule, line);
  const found = source.documents.map((document) => findingsIn(file, document, semantics).filter(isOn));
  throwOthers(source, found, semantics);
  const ofComments = problems.map((said) => ({ file, rule: COMMENTS, namespace: '', path: '', ...said }));
  return [...ofComments.filter(isOn), ...found.flat()].sort(
    (one, other) => one.line - other.line || one.column - other.column,
  );
}

/** Throws what makes the file unusable. What a finding says already must not hide the other findings. */
function throwOthers(
  { documents, mistakes }: Source,
  found: readonly (readonly Finding[])[],
  semantics: Semantics,
): void {
  const paths = new Map(
    documents.map((document, at) => [document, new Set(found[at]?.map(({ path }) => path))]),
  );
  checkTogether(documents, semantics, (document, path, wrong) => {
    if (paths.get(document)?.has(pathText(path)) !== true) mistakes.add(document.name, path, wrong);
  });
  mistakes.throwIfAny();
}

function findingsIn(
  file: string,
  { name, given, content }: SourceDocument,
  semantics: Semantics,
): readonly Finding[] {
  if (content === undefined) return [];
  const { namespace } = content;
  const segments = segmentsOf(content);
  const reaches = new Map(Array.from(segments, ([key, segment]) => [key, segmentReach(segment)]));
  const document: LintedDocument = { given, content, semantics, segments, reaches };
  return Array.from(LINT_RULES, ([rule, find]) =>
    find(document).map(({ path, ...words }: LintProblem) => ({
      file,
      ...(name.positionOf?.(path) ?? UNKNOWN),
      rule,
      namespace: typeof namespace === 'string' ? namespace : namespace.key,
      path: pathText(path),
      ...words,
    })),
  ).flat();
}

const UNKNOWN: TextPosition = { line: 1, column: 1 };

function segmentsOf({ segments }: CheckedDocument): LintedDocument['segments'] {
  const stamp = { date: () => 0, id: () => '' };
  return new Map(segments.map((segment) => [segment.key, importSegment(segment, stamp)]));
}

/** A finding in one line, as editors and CI systems read it. */
export function findingText({ file, line, column, rule, problem, effect, fix }: Finding): string {
  return `${file}:${line}:${column}: ${rule}: ${problem} ${effect} ${fix}`;
}
