import { fencesOf, textOf, type Fence } from '../pages.fixture.js';

/*
 * The convention for code in pages. A fence marked ts or js is a sample, and each is compiled against the packed
 * tarball:
 *
 *     ```ts             a whole module: it is also run, against the embedded service, and must end by itself
 *     ```ts no-run      a whole module that is only compiled: it needs what is not there
 *     ```ts continued   goes on where the sample before it ends, in a block of its own, as part of the same module
 *
 * The ts fences below `@example` in doc comments of src are samples, too. They are compiled only, and those in the types
 * of the client may take a `client` for granted.
 *
 * Other languages are not looked at. While it is run, http://localhost:8080 stands for the embedded service, with
 * the features file of docs/local.md.
 */
export interface Sample {
  readonly name: string;
  /**
   * The code of the sample. Each line has the same number as in the page. Imports of a continued sample move to the
   * first line.
   */
  readonly code: string;
  readonly isRun: boolean;
}

const LANGUAGES = new Set(['ts', 'js', 'typescript', 'javascript']);
const KNOWN = new Set(['no-run', 'continued']);

export function samplesOf(page: string, text: string): readonly Sample[] {
  const chains: Fence[][] = [];
  for (const fence of fencesOf(text).filter(({ language }) => LANGUAGES.has(language))) {
    const unknown = fence.marks.find((mark) => !KNOWN.has(mark));
    if (unknown !== undefined) throw new Error(`${page}:${fence.line}: unknown mark ${unknown}`);
    if (!fence.marks.includes('continued')) chains.push([fence]);
    else if (chains.length === 0) throw new Error(`${page}:${fence.line}: continues nothing`);
    else chains.at(-1)?.push(fence);
  }
  return chains.map((chain) => ({
    name: `${page}:${String(chain[0]?.line)}`,
    code: moduleOf(chain),
    isRun: !chain.some(({ marks }) => marks.includes('no-run')),
  }));
}

const IMPORT = /^import .*$/gm;

/** Joins samples to one module. A continued sample is in a block, so that it may use the same names again. */
function moduleOf([first, ...others]: readonly Fence[]): string {
  const lines: string[] = [];
  const put = (line: number, code: string) => {
    for (const [at, text] of code.split('\n').entries()) lines[line - 1 + at] = text;
  };
  const imports = others.flatMap(({ code }) => [...code.matchAll(IMPORT)].map(([text]) => text));
  put(1, [...new Set(imports)].join(' '));
  if (first !== undefined) put(first.line, first.code);
  for (const { line, code } of others) {
    put(line - 1, `{\n${code.replace(IMPORT, '').replace(/^export /gm, '')}}`);
  }
  return Array.from({ length: lines.length }, (_, at) => lines[at] ?? '').join('\n');
}

/** Returns the text below each `@example` of a source file. Each line keeps its number, as in a page. */
function examplesIn(source: string): string {
  let within = false;
  const lines = source.split('\n').map((line) => {
    const comment = /^\s*\*(?!\/) ?(.*)$/.exec(line)?.[1];
    if (comment === undefined || comment.startsWith('@')) within = comment?.startsWith('@example') ?? false;
    // Comments write a decorator with a backslash, because it would be a tag without one.
    return within && comment !== undefined ? comment.replaceAll('\\@', '@').replace(/^@example/, '') : '';
  });
  return lines.join('\n');
}

const CLIENT = "declare const client: import('openfeature-flipt-provider/client').FliptClient;";

/** Returns the samples in the doc comments of a source file. Throws if an example has no sample. */
export function exampleSamples(file: string, source: string): readonly Sample[] {
  const samples = samplesOf(file, examplesIn(source));
  const examples = source.match(/^\s*\* @example/gm) ?? [];
  if (samples.length !== examples.length) throw new Error(`${file}: expected one ts fence in each @example`);
  return samples.map(({ name, code }) => {
    const needsClient = code.includes('client.') && !code.includes('const client');
    return { name, code: needsClient ? CLIENT + code : code, isRun: false };
  });
}

/** Returns the features file for all samples. */
export function pagesFeatures(): string {
  const [file] = fencesOf(textOf('docs/local.md')).filter(({ language }) => language === 'yaml');
  if (file === undefined) throw new Error('docs/local.md shows no features file');
  return file.code;
}
