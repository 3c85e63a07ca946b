import { createHash } from 'node:crypto';
import { FlagdCore } from '@openfeature/flagd-core';
import type { FlagValueType, JsonValue } from '@openfeature/server-sdk';
import { fencesOf, textOf } from './pages.fixture.js';

/** The flags that docs/migrating.md converts, in the order of the page: LaunchDarkly's, flagd's, and both in Flipt. */
export const [launchDarklyText = '', flagdText = '', fliptText = ''] = fencesOf(textOf('docs/migrating.md'))
  .filter(({ language }) => ['json', 'yaml'].includes(language))
  .map(({ code }) => code);

export type User = Readonly<Record<'targetingKey' | 'plan', string>>;

/** The part of a flag of LaunchDarkly's SDKs that the page uses. */
interface LaunchDarklyFlag {
  readonly key: string;
  readonly salt: string;
  readonly variations: readonly JsonValue[];
  readonly targets: readonly { readonly variation: number; readonly values: readonly string[] }[];
  readonly rules: readonly {
    readonly clauses: readonly { readonly attribute: string; readonly values: readonly string[] }[];
    readonly variation: number;
  }[];
  readonly fallthrough: {
    readonly rollout: {
      readonly variations: readonly { readonly variation: number; readonly weight: number }[];
    };
  };
}
const launchDarkly = JSON.parse(launchDarklyText) as LaunchDarklyFlag;

/**
 * Evaluates by the rules that LaunchDarkly publishes: a target decides, then the first rule that matches, then the
 * bucket.
 */
export function launchDarklyValue(user: User, variations: readonly JsonValue[]): JsonValue {
  const { targets, rules } = launchDarkly;
  const attributes = new Map<string, string>(Object.entries(user));
  const target = targets.find(({ values }) => values.includes(user.targetingKey));
  const rule = rules.find(({ clauses }) =>
    clauses.every(({ attribute, values }) => values.includes(attributes.get(attribute) ?? '')),
  );
  return variations[(target ?? rule)?.variation ?? bucketed(launchDarkly, user)] ?? null;
}

/** Returns a number from 0 to 1, which is made of the first 15 digits of a hash. */
export function bucketOf(flagKey: string, salt: string, id: string): number {
  const hash = createHash('sha1').update(`${flagKey}.${salt}.${id}`).digest('hex').slice(0, 15);
  return Number.parseInt(hash, 16) / (16 ** 15 - 1);
}

function bucketed({ key, salt, fallthrough }: LaunchDarklyFlag, { targetingKey }: User): number {
  const bucket = bucketOf(key, salt, targetingKey);
  let sum = 0;
  const { variations } = fallthrough.rollout;
  const [found] = variations.filter(({ weight }) => bucket < (sum += weight / 100_000));
  return found?.variation ?? -1;
}

interface FlagdFlags {
  readonly flags: { readonly limits: { readonly variants: Readonly<Record<string, JsonValue>> } };
}
const { flags } = JSON.parse(flagdText) as FlagdFlags;

/** Evaluates with flagd's own package. */
export function flagdValue(type: FlagValueType, user: User, values: readonly JsonValue[]): JsonValue {
  const names = Object.keys(flags.limits.variants);
  const variants = Object.fromEntries(names.map((name, at) => [name, values[at] ?? null]));
  const core = new FlagdCore();
  core.setConfigurations(JSON.stringify({ flags: { limits: { ...flags.limits, variants } } }));
  return core.resolve<JsonValue & object>(type, 'limits', {}, { ...user }).value;
}

export const OWN_VALUES = {
  banner: launchDarkly.variations,
  limits: Object.values(flags.limits.variants),
};
