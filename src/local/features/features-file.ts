import { readFile } from 'node:fs/promises';
import type { FeaturesDocument } from './features-document.js';
import { checkDocument, type CheckedDocument } from './features-schema.js';
import { FeaturesError, Mistakes, type DocumentName } from './features-error.js';
import { documentsIn } from './yaml/documents-in-text.js';
import { messageOf } from '../../text/describe.js';
import type { Semantics } from '../../engine/features.js';

/**
 * Where features come from: a path, YAML (so also JSON) text, or documents as objects.
 * A string with a line break in it, or one that begins with `{`, is text; any other string is a path.
 */
export type FeaturesSource = string | URL | FeaturesDocument | readonly FeaturesDocument[];

/** A document as it was given, and with defaults filled in if its shape is right. */
export interface SourceDocument {
  readonly name: DocumentName;
  readonly given: unknown;
  readonly content: CheckedDocument | undefined;
}

/** The documents, and the mistakes in their shape. */
export interface Source {
  readonly documents: readonly SourceDocument[];
  readonly mistakes: Mistakes;
  /** `undefined` if the documents were given as objects. */
  readonly text?: string;
}

/**
 * Reads documents as this version of Flipt does, and checks their shape. Throws a {@link FeaturesError} if they cannot
 * be read at all.
 */
export async function readFeatures(source: FeaturesSource, semantics: Semantics): Promise<Source> {
  if (typeof source === 'string' && isText(source)) return readText('features', source, semantics);
  if (typeof source === 'string' || source instanceof URL) {
    const name = String(source);
    return readText(name, await fileText(name, source), semantics);
  }
  const documents: readonly unknown[] = Array.isArray(source) ? source : [source];
  return checkAll('features', numbered('features', documents));
}

function isText(source: string): boolean {
  return /[\r\n]/.test(source) || source.trimStart().startsWith('{');
}

async function fileText(name: string, path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new FeaturesError(`${name}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function readText(name: string, text: string, semantics: Semantics): Source {
  const mistakes = new Mistakes();
  try {
    const documents = documentsIn(text, { semantics, json: name.endsWith('.json') }).map(
      ({ read, positionOf }, index): Given => {
        const where = { where: `${name}: document ${index + 1}`, positionOf };
        return {
          name: where,
          given: read((path, wrong) => {
            mistakes.add(where, path, wrong);
          }),
        };
      },
    );
    const given = documents.filter((document) => document.given !== null);
    return { ...checkAll(name, given, mistakes), text };
  } catch (error) {
    if (error instanceof FeaturesError) throw error;
    // Aliases that repeat too much, or nesting deeper than the parser can follow.
    throw new FeaturesError(`${name}: cannot be read as YAML: ${messageOf(error)}`, { cause: error });
  }
}

interface Given<Content = unknown> {
  readonly name: DocumentName;
  readonly given: Content;
}

function numbered<Content>(name: string, contents: readonly Content[]): readonly Given<Content>[] {
  return contents.map((given, index) => ({ name: { where: `${name}: document ${index + 1}` }, given }));
}

function checkAll(source: string, given: readonly Given[], mistakes = new Mistakes()): Source {
  if (given.length === 0) {
    mistakes.throwIfAny();
    throw new FeaturesError(`${source}: expected at least one document, found none`);
  }
  const documents = given.map(({ name, given: document }) => ({
    name,
    given: document,
    content: checkDocument(document, (path, wrong) => {
      mistakes.add(name, path, wrong);
    }),
  }));
  return { documents, mistakes };
}
