import { findingText, lintFile } from '../lint/lint.js';
import { WrongArgument, type CommandRuntime, type OptionValues } from './command.js';
import { semanticsOf } from './features-source.js';
import { printableJson } from './printable-json.js';

/** Prints what is probably a mistake in a features file; resolves with the exit code. */
export async function printFindings(values: OptionValues, { print }: CommandRuntime): Promise<number> {
  const { features, semantics, json = false } = values;
  if (!features) throw new WrongArgument('--features: missing; expected a file');
  const findings = await lintFile(features, semanticsOf(semantics));
  if (json) print(printableJson({ findings }));
  else for (const finding of findings) print(findingText(finding));
  return findings.some(({ level }) => level !== 'info') ? 1 : 0;
}
