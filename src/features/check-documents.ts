import type { Semantics } from '../engine/features.js';
import type { FeaturesDocument } from './document.js';
import { refusalsIn, semanticsOf, versionOf, type Version } from './flipt-refuses.js';
import {
  recordedFeatures,
  unseenStamp,
  withDocument,
  type NamespaceRecord,
  type Stamp,
} from './normalize.js';
import {
  FeaturesError,
  INVALID,
  pathText,
  REFUSED,
  YAML,
  type Finding,
  type PositionOf,
  type Problem,
  type TextPosition,
} from './problem.js';
import { checkReferences, namespaceKey } from './references.js';
import { checkShape, type CheckedDocument } from './schema.js';

/** As it was written. */
export interface GivenDocument {
  readonly given: unknown;
  readonly problems?: readonly (Problem & Partial<TextPosition>)[];
  readonly positionOf?: PositionOf;
}

/** `content` is missing if it cannot be used. */
export interface CheckedFileDocument extends GivenDocument {
  readonly content: CheckedDocument | undefined;
  readonly problems: readonly (Problem & Partial<TextPosition>)[];
  /** Counted from 1; empty documents count. */
  readonly number: number;
}

export interface CheckedFile {
  readonly file: string;
  readonly version: Version;
  readonly documents: readonly CheckedFileDocument[];
  readonly findings: readonly Finding[];
}

export function checkDocuments(file: string, given: readonly GivenDocument[], version: Version): CheckedFile {
  const numbered = given.map((document, at) => ({ problems: [], ...document, number: at + 1 }));
  const filled = numbered.filter((document) => document.given !== null || document.problems.length > 0);
  const shaped = filled.map((document) => {
    const isRead = document.given !== null;
    const shape = isRead ? checkShape(document.given, version) : { content: undefined, problems: [] };
    return { ...document, content: shape.content, problems: [...document.problems, ...shape.problems] };
  });
  const refusals = refusalsIn(
    shaped.map((document) => document.given),
    version,
  );
  const references = checkReferences(shaped, version);
  const documents = shaped.map((document, at) => ({
    ...document,
    problems: onePerPlace([...document.problems, ...(refusals[at] ?? []), ...(references[at] ?? [])]),
  }));
  const findings = documents.flatMap((document) => placed(file, document, document.problems));
  if (documents.length > 0) return { file, version, documents, findings };
  const problem = 'expected at least one document, found none';
  const none = {
    file,
    document: 1,
    namespace: '',
    path: '',
    rule: INVALID,
    level: 'error',
    problem,
  } as const;
  return { file, version, documents, findings: [none] };
}

const ORDER = [YAML, INVALID, REFUSED];
const rankOf = ({ rule }: Problem): number => (ORDER.includes(rule) ? ORDER.indexOf(rule) : ORDER.length);

/** One problem says enough: unreadable here before refused by Flipt, refused before ignored. */
function onePerPlace<Each extends Problem>(problems: readonly Each[]): readonly Each[] {
  const best = new Map<string, number>();
  for (const problem of problems) {
    const place = problem.path.join('\n');
    best.set(place, Math.min(best.get(place) ?? Infinity, rankOf(problem)));
  }
  return problems.filter((problem) => rankOf(problem) === best.get(problem.path.join('\n')));
}

/** A part that aliases repeat is written once, so that what is wrong in it is one finding. */
export function placed(
  file: string,
  { given, number, positionOf }: CheckedFileDocument,
  problems: readonly (Problem & Partial<TextPosition>)[],
): readonly Finding[] {
  const namespace = namespaceKey(given) ?? '';
  const paths = new Map<string, string>();
  return problems.flatMap(({ path: parts, ...problem }) => {
    const path = pathText(parts);
    const place = positionOf?.(parts);
    if (place !== undefined) {
      const once = [place.line, place.column, problem.rule, parts.at(-1)].join(' ');
      const first = paths.get(once) ?? path;
      paths.set(once, first);
      if (first !== path) return [];
    }
    return { file, document: number, namespace, path, ...place, ...problem };
  });
}

export interface ReadFeatures {
  /** `default` is always there. */
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  /** What this package reads, but Flipt refuses, or reads in another way than it was meant. */
  readonly problems: readonly Finding[];
}

export interface ReadingOptions {
  /** Refuse what Flipt refuses, and nothing else. */
  readonly strict?: boolean;
  readonly stamp?: Stamp;
}

/** Throws a {@link FeaturesError}. */
export function featuresOf(
  { documents, findings, version }: CheckedFile,
  { strict = false, stamp = unseenStamp() }: ReadingOptions = {},
): ReadFeatures {
  const isRefused = ({ rule }: Finding): boolean =>
    rule === YAML || rule === INVALID || (strict && rule === REFUSED);
  if (findings.some(isRefused)) {
    const isMistake = (finding: Finding) => isRefused(finding) || finding.rule !== REFUSED;
    throw FeaturesError.of(findings.filter((finding) => finding.level === 'error' && isMistake(finding)));
  }
  const semantics = semanticsOf(version);
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  const namespaces = new Map<string, NamespaceRecord>([['default', empty]]);
  for (const { content } of documents) {
    if (content === undefined) continue;
    const added = recordedFeatures(content, semantics, stamp);
    const before = namespaces.get(added.key);
    namespaces.set(added.key, before === empty ? added : withDocument(before, added));
  }
  return { namespaces, problems: findings };
}

/**
 * Needs no YAML library. Flipt's refusals are left out: objects usually come from a test, and Flipt never reads them.
 */
export function featuresOfObjects(
  given: FeaturesDocument | readonly FeaturesDocument[],
  semantics: Semantics,
  options: ReadingOptions = {},
): ReadFeatures {
  const documents: readonly unknown[] = Array.isArray(given) ? given : [given];
  const checked = checkDocuments(
    'features',
    documents.map((document) => ({ given: document })),
    versionOf(semantics),
  );
  const { namespaces, problems } = featuresOf(checked, options);
  return { namespaces, problems: problems.filter(({ rule }) => rule !== REFUSED) };
}
