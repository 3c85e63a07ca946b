import { WrongArgument } from '../command-error.js';
import type { OptionValues } from '../command-options.js';
import { semanticsOf } from '../features-source/file-or-flipt.js';

export type LintArguments = ReturnType<typeof readLint>;

/** Throws a {@link WrongArgument}. */
export function readLint({ features, semantics, json = false }: OptionValues) {
  if (!features) throw new WrongArgument('--features: missing; expected a file');
  return { path: features, semantics: semanticsOf(semantics), isJson: json };
}
