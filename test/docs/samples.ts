import { fencesOf, type Fence } from './pages.js';

/*
 * The convention for code in pages. A fence marked ts or js is a sample, and each is compiled against the packed
 * tarball:
 *
 *     ```ts             a whole module: it is also run, against the embedded service, and must end by itself
 *     ```ts no-run      a whole module that is only compiled: it listens, or shows a part of an app
 *     ```ts continued   goes on where the sample before it ends, in a block of its own: it sees all its names
 *
 * Other languages are not looked at. While it is run, http://localhost:8080 stands for the embedded service.
 */
export interface Sample {
  readonly name: string;
  readonly code: string;
  readonly isRun: boolean;
}

const KNOWN = new Set(['no-run', 'continued']);

export function samplesOf(page: string, text: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const fence of fencesOf(text)) {
    if (!['ts', 'js', 'typescript', 'javascript'].includes(fence.language)) continue;
    const name = `${page}:${fence.line}`;
    const unknown = fence.marks.find((mark) => !KNOWN.has(mark));
    if (unknown !== undefined) throw new Error(`${name}: unknown mark ${unknown}`);
    const before = samples.at(-1);
    if (!fence.marks.includes('continued')) {
      samples.push({ name, code: fence.code, isRun: !fence.marks.includes('no-run') });
    } else if (before === undefined) {
      throw new Error(`${name}: continues nothing`);
    } else {
      samples.push({ name, code: continuing(before.code, fence), isRun: false });
    }
  }
  return samples;
}

/** Imports stay at the top; the rest is in a block, so that samples may use the same names again. */
function continuing(before: string, { code }: Fence): string {
  const imports = [...code.matchAll(/^import .*\n/gm)].map(([line]) => line).join('');
  return `${imports}${before}\n{\n${code.replace(/^import .*\n/gm, '').replace(/^export /gm, '')}}\n`;
}
