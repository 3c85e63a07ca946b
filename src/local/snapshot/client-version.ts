/** What a client can read in a v1 snapshot. It depends on the server version that the client was made for. */
export interface ClientAbilities {
  readonly entityIds: boolean;
  readonly defaultVariants: boolean;
}

export const EVERY_ABILITY: ClientAbilities = { entityIds: true, defaultVariants: true };

const ENTITY_IDS_SINCE = [1, 38];
const DEFAULT_VARIANTS_SINCE = [1, 47];

/** Reads the header X-Flipt-Accept-Server-Version. Without a version, a client counts as old: the service's rule. */
export function clientAbilities(header: string | undefined): ClientAbilities {
  const version = /^v?(\d{1,9})\.(\d{1,9})(?:\.|$)/.exec(header?.trim() ?? '');
  const accepts = ([major = 0, minor = 0]: readonly number[]): boolean =>
    version !== null && (Number(version[1]) - major || Number(version[2]) - minor) >= 0;
  return { entityIds: accepts(ENTITY_IDS_SINCE), defaultVariants: accepts(DEFAULT_VARIANTS_SINCE) };
}
