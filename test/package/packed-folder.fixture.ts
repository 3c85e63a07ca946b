import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The first test that needs the packed package puts it into this folder, for all other tests. */
    packedFolder: string;
  }
}

/** Vitest calls this once in a run, before all files. */
export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  provide('packedFolder', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
