import type * as v from 'valibot';
import { providerRules, type FliptProviderOptions } from './provider-options.js';

/**
 * Throws a TypeError if `reference` is set together with options that need the newest revision, or if the provider
 * evaluates in-process and no option could give it a snapshot.
 */
export function checkSnapshotUse(options: v.InferOutput<typeof providerRules.shape>): void {
  const { evaluation, reference, watch, snapshot } = options;
  const { file, store, initial } = snapshot;
  const wrong = (message: string) => new TypeError(`${providerRules.owner}: ${message}`);
  const kept = file ?? store;
  if (reference !== undefined && kept !== undefined) {
    throw wrong('snapshot.file and snapshot.store keep the newest revision only: leave out reference');
  }
  if (evaluation === 'remote') return;
  const needs = "evaluation: 'in-process' needs";
  if (reference !== undefined)
    throw wrong("evaluation: 'in-process' uses the newest revision only: leave out reference");
  if (watch === undefined && (kept ?? initial) === undefined) {
    throw wrong(
      `${needs} a snapshot: with watch: false, set snapshot.initial, snapshot.file or snapshot.store`,
    );
  }
}

/**
 * Logs a warning if the user turns on `watch` together with `reference`, because the provider does not watch a
 * reference for changes.
 */
export function warnOfUnusedWatch(
  watch: FliptProviderOptions['watch'] = false,
  logger: { readonly warn: (message: string) => void },
): void {
  const names = typeof watch === 'object' ? Object.keys(watch) : [];
  if (watch === true || names.length > 0) logger.warn(NEWEST_ONLY);
}

const NEWEST_ONLY =
  "FliptProvider: with a reference, nothing is watched, because Flipt's snapshot has the newest revision only: leave out watch";
