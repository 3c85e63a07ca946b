import type { ParseArgsConfig } from 'node:util';

export type CommandOptions = NonNullable<ParseArgsConfig['options']>;

/** The values that the arguments give to a command's options; `undefined` for an option that is not given. */
export type OptionValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined;
};

type ValueOf<Option> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly multiple: true }
    ? readonly string[]
    : string;
