import { isRecord, kindOf, quoted, beginningOf, unsteered, unsteeredLines } from '../base/text/describe.js';

/** Such as `['flags', 0, 'key']`; empty for the whole document. */
export type Path = readonly (string | number)[];

export type Level = 'error' | 'warning' | 'info';

export interface Problem {
  readonly path: Path;
  readonly rule: string;
  readonly level: Level;
  /** What is written, and what Flipt does because of it. */
  readonly problem: string;
  /** What to write instead. */
  readonly fix?: string;
}

/** What keeps a file from being read; all other rules belong to `lint` alone. */
export const YAML = 'yaml';
/** This package cannot read it. */
export const INVALID = 'invalid';
/** Flipt refuses it, but this package reads it. */
export const REFUSED = 'refused';
/** Flipt takes it, and reads something else than was probably meant. */
export const IGNORED = 'ignored';

/** Counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export type PositionOf = (path: Path) => TextPosition | undefined;

export interface Finding extends Omit<Problem, 'path'>, Partial<TextPosition> {
  /** The path of the file, or `features` for a text or objects. */
  readonly file: string;
  /** Counted from 1; the documents of a file describe one namespace each. */
  readonly document: number;
  /** Empty if the key of the namespace cannot be read. */
  readonly namespace: string;
  /** Such as `flags[0].rules[1]`; empty for the whole document. */
  readonly path: string;
}

/** Editors and CI systems recognise the position. */
export function findingText(finding: Finding): string {
  const { line, column, file, level, rule } = finding;
  const place = line === undefined ? file : `${file}:${line}:${String(column)}`;
  return `${place}: ${level}: ${rule}: ${problemText(finding)}`;
}

export function problemText({ path, problem, fix }: Finding): string {
  return `${path === '' ? '' : `${path}: `}${problem}${fix === undefined ? '' : ` ${fix}`}`;
}

export function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${unsteered(part)}`))
    .join('')
    .replace(/^\./, '');
}

const MOST_REPORTED = 20;

/** The message has a line for each of the first 20 mistakes. */
export class FeaturesError extends Error {
  override readonly name = 'FeaturesError';
  /** Check this instead of `instanceof`: ES modules and CommonJS have a class each. */
  readonly code = 'ERR_FEATURES';

  constructor(message: string, options?: ErrorOptions) {
    super(unsteeredLines(message), options);
  }

  static of(findings: readonly Finding[]): FeaturesError {
    const lines = findings.slice(0, MOST_REPORTED).map(lineOf);
    const more = findings.length - lines.length;
    return new FeaturesError([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

function lineOf(finding: Finding): string {
  const { file, document, line, column } = finding;
  const place = line === undefined ? `document ${document}` : `${line}:${String(column)}`;
  return unsteered(`${file}:${line === undefined ? ' ' : ''}${place}: ${problemText(finding)}`);
}

export function summaryOf(findings: readonly Finding[]): string | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  const more = findings.length - 1;
  return lineOf(first) + (more === 0 ? '' : ` Run openfeature-flipt-provider lint to see ${more} more.`);
}

export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isRecord(value)) return 'a mapping';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (typeof value !== 'string') return kindOf(value);
  const text = beginningOf(value);
  // Easier to read around a JSON array.
  return text.includes('"') && !/['\\]/.test(text) ? `'${unsteered(text)}'` : quoted(text);
}

export function memberOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}
