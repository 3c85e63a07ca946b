import type * as v from 'valibot';
import { variable, type Environment } from './environment.js';
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
 * Throws a TypeError if the user combines `watch: { background: false }` with remote evaluation or with a reference.
 * With `watch: { background: false }`, the provider evaluates flags in-process, from the newest snapshot, and asks
 * Flipt to evaluate a flag only if the snapshot cannot give a value.
 */
export function checkWithoutBackground(options: FliptProviderOptions, env: Environment): void {
  const ways = [
    ["evaluation: 'remote'", options.evaluation === 'remote'],
    ['FLIPT_EVALUATION=remote', !options.evaluation && variable(env, 'FLIPT_EVALUATION') === 'remote'],
    ['a reference', (options.reference ?? variable(env, 'FLIPT_REFERENCE')) !== undefined],
  ] as const;
  const [way] = ways.find(([, isGiven]) => isGiven) ?? [];
  if (way === undefined) return;
  throw new TypeError(
    `${providerRules.owner}: watch: { background: false } evaluates flags in-process, from the newest snapshot: leave out ${way}`,
  );
}

/**
 * Logs a warning if the user turns on `watch` together with `reference`, because the provider does not watch a
 * reference for changes. If the user sets only the member `background` of `watch`, there is no warning, because
 * `background` does not ask the provider to watch for changes.
 */
export function warnOfUnusedWatch(
  watch: FliptProviderOptions['watch'] = false,
  logger: { readonly warn: (message: string) => void },
): void {
  const names = typeof watch === 'object' ? Object.keys(watch) : [];
  if (watch === true || names.some((name) => name !== 'background')) logger.warn(NEWEST_ONLY);
}

const NEWEST_ONLY =
  "FliptProvider: with a reference, nothing is watched, because Flipt's snapshot has the newest revision only: leave out watch";
