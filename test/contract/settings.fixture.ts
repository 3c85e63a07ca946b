/** The environment variables of the contract tests. */
export const VARIABLES = [
  'FLIPT_CONTRACT',
  'FLIPT_URL',
  'FLIPT_RECORDING',
  'FLIPT_TOKEN',
  'FLIPT_TEST_URL',
  'FLIPT_TEST_TOKEN',
] as const;

type Variable = (typeof VARIABLES)[number];
export type Settings = { readonly [Name in Variable]?: string };

/**
 * Returns the variables that are set. If none names a server, the embedded service is tested instead. With
 * FLIPT_CONTRACT=real, all `needed` variables must be set, because otherwise a mistake in a workflow would go
 * unnoticed.
 */
export function settings(
  needed: readonly Variable[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settings {
  const set: Settings = Object.fromEntries(
    VARIABLES.filter((name) => environment[name]).map((name) => [name, environment[name]]),
  );
  const { FLIPT_CONTRACT: asked } = set;
  if (asked === undefined) return set;
  if (asked !== 'real') throw new Error(`FLIPT_CONTRACT: expected real or nothing, got ${asked}`);
  const missing = needed.filter((name) => set[name] === undefined);
  if (missing.length > 0) throw new Error(`FLIPT_CONTRACT=real needs ${missing.join(', ')} too`);
  return set;
}
