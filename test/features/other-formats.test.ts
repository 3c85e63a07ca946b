import { describe, expect, it } from 'vitest';
import { complaintAbout } from './loading.fixture.js';

describe('a file of another service', () => {
  it.each([
    ['flagd', { flags: { banner: { state: 'ENABLED', variants: { red: 'r' }, defaultVariant: 'red' } } }],
    ['flagd', { $schema: 'https://flagd.dev/schema/v0/flags.json', flags: { a: { defaultVariant: 'on' } } }],
    ['LaunchDarkly', { flagValues: { banner: 'red' } }],
    ['LaunchDarkly', { flags: { banner: { on: true, fallthrough: { variation: 0 } } }, segments: {} }],
  ])('is recognised: %s, %j', async (service, document) => {
    expect(await complaintAbout(JSON.stringify(document))).toBe(
      `features:1:1: a file of ${service}, not of Flipt: flags are a list here (docs/migrating.md compares the two)`,
    );
  });

  it('is not seen where flags are a mapping of something else', async () => {
    expect(await complaintAbout('{"flags":{"banner":{"key":"banner"}}}')).toMatch(
      /flags: expected a list, got a mapping/,
    );
  });
});

it('a text with a colon is to be put in quotes', async () => {
  expect(await complaintAbout('flags:\n  - key: a\n    name: A: b\n')).toMatch(
    /^features:3:\d+: .*\(put a text with a colon in quotes\)$/,
  );
});
