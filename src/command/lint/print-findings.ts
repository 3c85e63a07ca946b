import { findingText, lintFile } from '../../lint/lint.js';
import type { CommandRuntime } from '../command-runtime.js';
import { printableJson } from '../printable-json.js';
import type { LintArguments } from './lint-arguments.js';

/** Prints what is probably a mistake in a features file; resolves with the exit code. */
export async function printFindings({ path, semantics, isJson }: LintArguments, { print }: CommandRuntime) {
  const findings = await lintFile(path, semantics);
  if (isJson) print(printableJson({ findings }));
  else for (const finding of findings) print(findingText(finding));
  return findings.length === 0 ? 0 : 1;
}
