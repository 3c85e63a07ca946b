import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { FeaturesDocument } from './features-document.js';
import { checkDocument, type CheckedDocument } from './features-schema.js';
import { messageOf } from '../../text/describe.js';

/** Features that cannot be used. The message names the file, the document, the path in it and what was expected. */
export class FeaturesError extends Error {
  /** The error's name where it is printed. */
  override readonly name = 'FeaturesError';
  /** Identifies this error, whichever build of the package it comes from. */
  readonly code = 'ERR_FEATURES';
}

/**
 * Where features come from: a path, YAML (so also JSON) text, or documents as objects.
 * A string with a line break in it, or one that begins with `{`, is text; any other string is a path.
 */
export type FeaturesSource = string | URL | FeaturesDocument | readonly FeaturesDocument[];

/** A document that has the right shape, with the words by which complaints name it. */
export interface SourceDocument {
  readonly where: string;
  readonly content: CheckedDocument;
}

/** Reads and checks the documents' shape. Throws a {@link FeaturesError}. */
export async function readFeatures(source: FeaturesSource): Promise<readonly SourceDocument[]> {
  if (typeof source === 'string' && isText(source))
    return checkAll('features', parseText('features', source));
  if (typeof source === 'string' || source instanceof URL) {
    const name = String(source);
    return checkAll(name, parseText(name, await readText(name, source)));
  }
  const documents: readonly unknown[] = Array.isArray(source) ? source : [source];
  return checkAll('features', documents);
}

function isText(source: string): boolean {
  return /[\r\n]/.test(source) || source.trimStart().startsWith('{');
}

async function readText(name: string, path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new FeaturesError(`${name}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function parseText(name: string, text: string): readonly unknown[] {
  try {
    return parseAllDocuments(text).flatMap((document, index) => {
      const [error] = document.errors;
      if (error) throw new FeaturesError(`${name}: document ${index + 1}: ${firstLine(error.message)}`);
      const content: unknown = document.toJS();
      return content === null ? [] : [content];
    });
  } catch (error) {
    if (error instanceof FeaturesError) throw error;
    // Aliases that multiply without end, or nesting deeper than the parser can follow.
    throw new FeaturesError(`${name}: cannot be read as YAML: ${firstLine(messageOf(error))}`, {
      cause: error,
    });
  }
}

function checkAll(name: string, documents: readonly unknown[]): readonly SourceDocument[] {
  if (documents.length === 0) throw new FeaturesError(`${name}: expected at least one document, found none`);
  return documents.map((document, index) => {
    const where = `${name}: document ${index + 1}`;
    const content = checkDocument(document);
    if ('wrong' in content) throw new FeaturesError(`${where}: ${content.wrong}`);
    return { where, content };
  });
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.replace(/:$/, '') ?? message;
}
