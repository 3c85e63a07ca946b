import type { Version } from '../../../src/features/flipt-refuses.js';
import { lint, type LintSettings } from '../../../src/features/lint/lint.js';
import type { Finding } from '../../../src/features/problem.js';
import { readText } from '../../../src/features/read-features.js';

/** Lints a text, or the file at a path. */
export async function lintFile(
  source: string,
  version: Version | 'v2',
  settings: Partial<LintSettings> = {},
): Promise<readonly Finding[]> {
  const isText = /[\r\n]/.test(source) || source.startsWith('{');
  const written = isText ? { file: 'features', text: source } : await readText(source);
  return lint(written, { version: version === 'v2' ? 'v2.11' : version, ...settings });
}
