import type { JsonValue } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FliptProvider } from '../../src/index.js';
import {
  bucketOf,
  flagdValue,
  fliptText,
  launchDarklyValue,
  OWN_VALUES,
  type User,
} from './vendors.fixture.js';

interface Variant {
  readonly key: string;
  readonly attachment?: JsonValue;
}
interface Features {
  readonly flags: readonly {
    readonly key: string;
    readonly variants: readonly Variant[];
    readonly rules: readonly { readonly distributions: readonly { readonly variant: string }[] }[];
  }[];
}
const features = parse(fliptText) as Features;

const users: readonly User[] = Array.from({ length: 1_000 }, (_, n) => ({
  targetingKey: `user-${n}`,
  plan: ['free', 'pro', 'team', 'trial'][n % 4] ?? '',
}));
const isPaying = ({ plan }: User) => plan === 'pro' || plan === 'team';
const isFriend = ({ targetingKey }: User) => targetingKey === 'user-7';

type Type = 'string' | 'number' | 'object';
interface Vendor {
  readonly flag: keyof typeof OWN_VALUES;
  readonly ownType: Type;
  /** Whether a target or rule decides, and not the percentages. */
  readonly isDecided: (user: User) => boolean;
  readonly valueOf: (type: Type, user: User, values: readonly JsonValue[]) => JsonValue;
}
const VENDORS: Readonly<Record<string, Vendor>> = {
  LaunchDarkly: {
    flag: 'banner',
    ownType: 'string',
    isDecided: (user) => isFriend(user) || isPaying(user),
    valueOf: (_, user, values) => launchDarklyValue(user, values),
  },
  flagd: { flag: 'limits', ownType: 'object', isDecided: isPaying, valueOf: flagdValue },
};

const textOf = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Values that a vendor's flag may have in place of those on the page, and the variant of each as the page says. */
const KINDS: Readonly<
  Record<string, { type: Type; values: readonly JsonValue[]; variantOf: (value: JsonValue) => Variant }>
> = {
  text: { type: 'string', values: ['a', 'b c', '3'], variantOf: (value) => ({ key: textOf(value) }) },
  'numbers as keys': {
    type: 'number',
    values: [1, 2.5, -3],
    variantOf: (value) => ({ key: textOf(value) }),
  },
  'numbers as attachments': {
    type: 'number',
    values: [1, 2.5, -3],
    variantOf: (attachment) => ({ key: `of ${textOf(attachment)}`, attachment }),
  },
  JSON: {
    type: 'object',
    values: [{ a: 1 }, { a: [null, 'b'] }, [1, { c: true }]],
    variantOf: (attachment) => ({ key: textOf(attachment), attachment }),
  },
};

/** The features of the page with these variants, in the order of those of the flag. */
function withVariants(flagKey: string, variants: readonly Variant[]): Features {
  const flags = features.flags.map((flag) => {
    if (flag.key !== flagKey) return flag;
    const keys = new Map(flag.variants.map(({ key }, at) => [key, variants[at]?.key ?? key]));
    const rules = flag.rules.map((rule) => ({
      ...rule,
      distributions: rule.distributions.map((one) => ({ ...one, variant: keys.get(one.variant) ?? '' })),
    }));
    return { ...flag, variants, rules };
  });
  return { ...features, flags };
}

/** What the users get from Flipt, by in-process evaluation. */
async function fliptValues(flag: string, type: Type, initial: Features): Promise<readonly JsonValue[]> {
  const provider = new FliptProvider({ evaluation: 'in-process', watch: false, snapshot: { initial } });
  await provider.initialize();
  const values = users.map(async (user): Promise<JsonValue> => {
    if (type === 'string') return (await provider.resolveStringEvaluation(flag, 'none', user)).value;
    if (type === 'number') return (await provider.resolveNumberEvaluation(flag, 0, user)).value;
    return (await provider.resolveObjectEvaluation<JsonValue>(flag, 'none', user)).value;
  });
  const all = await Promise.all(values);
  await provider.onClose();
  return all;
}

const countsOf = (values: readonly JsonValue[]) => {
  const texts = values.map((value) => JSON.stringify(value));
  return new Map([...new Set(texts)].map((text) => [text, texts.filter((other) => other === text).length]));
};

/** The same value for each user whom a rule decides; for all others the same shares, but among other users. */
function expectConverted(vendor: Vendor, there: readonly JsonValue[], here: readonly JsonValue[]): void {
  const ofUsers = (values: readonly JsonValue[], decided: boolean) =>
    values.filter((_, at) => users.some((user, own) => own === at && vendor.isDecided(user) === decided));
  expect(ofUsers(here, true)).toEqual(ofUsers(there, true));
  const [splitThere, splitHere] = [ofUsers(there, false), ofUsers(here, false)];
  expect(splitHere).not.toEqual(splitThere);
  for (const split of [splitThere, splitHere]) {
    const [few = 0, many = 0, ...others] = [...countsOf(split).values()].sort((a, b) => a - b);
    expect(others).toEqual([]);
    expect(many / (few + many)).toBeCloseTo(0.7, 1);
  }
  expect(new Set(countsOf(splitHere).keys())).toEqual(new Set(countsOf(splitThere).keys()));
}

it("buckets users as the tests of LaunchDarkly's SDKs do", () => {
  const buckets = ['userKeyA', 'userKeyB', 'userKeyC'].map((id) => bucketOf('hashKey', 'saltyA', id));
  expect(buckets.map((bucket) => bucket.toFixed(6))).toEqual(['0.421576', '0.670848', '0.103431']);
});

describe.each(Object.entries(VENDORS))('the flag of %s in docs/migrating.md', (_, vendor) => {
  const { flag, ownType, valueOf } = vendor;
  const thereWith = (type: Type, values: readonly JsonValue[]) =>
    users.map((user) => valueOf(type, user, values));

  it('gives 1,000 users the same in Flipt', async () => {
    const there = thereWith(ownType, OWN_VALUES[flag]);
    expectConverted(vendor, there, await fliptValues(flag, ownType, features));
  });

  it.each(Object.entries(KINDS))('gives 1,000 users the same in Flipt, with %s', async (_of, kind) => {
    const { type, variantOf } = kind;
    const values = kind.values.slice(0, OWN_VALUES[flag].length);
    const here = await fliptValues(flag, type, withVariants(flag, values.map(variantOf)));
    expectConverted(vendor, thereWith(type, values), here);
  });
});
