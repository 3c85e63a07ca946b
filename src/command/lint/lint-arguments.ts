import type { Semantics } from '../../engine/features.js';
import type { OptionValues } from '../option-values.js';
import { semanticsOf } from '../source/source-arguments.js';
import { WrongArgument } from '../wrong-argument.js';

export interface LintArguments {
  readonly path: string;
  readonly semantics: Semantics;
  readonly isJson: boolean;
}

export const LINT_OPTIONS = {
  features: { type: 'string' },
  semantics: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Throws a {@link WrongArgument}. */
export function readLint({
  features,
  semantics,
  json = false,
}: OptionValues<typeof LINT_OPTIONS>): LintArguments {
  if (!features) throw new WrongArgument('--features: missing; expected a file');
  return { path: features, semantics: semanticsOf(semantics), isJson: json };
}
