import { resolve } from 'node:path';
import type { Environment } from '../../options/environment.js';
import type { OptionValues } from '../command-options.js';
import { readSource } from '../features-source/file-or-flipt.js';
import { WrongArgument } from '../command-error.js';

export type TypesArguments = ReturnType<typeof readTypes>;

const DECLARATIONS = /\.d\.[cm]?ts$/;

/** Throws a {@link WrongArgument}. */
export function readTypes(values: OptionValues, env: Environment) {
  const { out, augment, check = false } = values;
  if (out === undefined) throw new WrongArgument('--out: missing; expected a .ts file');
  if (!/\.[cm]?ts$/.test(out) || DECLARATIONS.test(out)) {
    throw new WrongArgument(`--out: expected a .ts file (no .d.ts: it holds code, too), got ${out}`);
  }
  if (augment !== undefined && !DECLARATIONS.test(augment)) {
    throw new WrongArgument(`--augment: expected a .d.ts file, got ${augment}`);
  }
  if (augment !== undefined && withoutEnding(augment) === withoutEnding(out)) {
    throw new WrongArgument(
      `--augment: expected another name than that of --out (TypeScript does not read ${augment} beside ${out})`,
    );
  }
  return {
    /** The path of the file to write. */
    out,
    /** Path of the file with the types of `@openfeature/core`'s keys; `undefined` if it is not wanted. */
    augment,
    /** Compares the files and writes nothing. */
    isCheck: check,
    source: readSource(values, env),
  };
}

/** TypeScript takes a declaration file to be the output of the .ts file with the same name. */
function withoutEnding(path: string): string {
  return resolve(path).replace(/(?:\.d)?\.[cm]?ts$/, '');
}
