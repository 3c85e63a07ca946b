import { quoted } from '../base/text/describe.js';
import type { ProviderSettings } from '../options/settings.js';

/** More providers of one namespace are hardly meant: each has a cache, a poll and connections of its own. */
const MANY = 10;

/** How many providers are in use for each place. */
const living = new Map<string, number>();

/** Counts a provider as one that is in use. Call the result when it is closed. */
export function alive(settings: ProviderSettings): () => void {
  const { url, namespace, logger } = settings;
  const place = placeOf(settings);
  const count = (living.get(place) ?? 0) + 1;
  living.set(place, count);
  if (count === MANY)
    logger.warn(
      `${MANY} Flipt providers are in use for ${url} and the namespace ${quoted(namespace)}: ` +
        'create one when the app starts, and not one for each request, or close those that are no longer used',
    );
  return () => {
    const left = (living.get(place) ?? 1) - 1;
    if (left > 0) living.set(place, left);
    else living.delete(place);
  };
}

export function isReplaced(settings: ProviderSettings): boolean {
  return living.has(placeOf(settings));
}

function placeOf({ url, namespace, environment, reference }: ProviderSettings): string {
  return JSON.stringify([url, namespace, environment, reference]);
}
