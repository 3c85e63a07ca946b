import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { useFolder } from '../local/folder.fixture.js';
import { manualClock } from '../clock.fixture.js';
import { refusedAddress, serving } from '../provider/open.fixture.js';
import { signal } from '../signal.fixture.js';
import { listening } from '../traffic/listening.fixture.js';
import { ran, withUnreadable } from './ran.fixture.js';

const at = useFolder();
const TOKEN = 'dummy-bootstrap';
const FEATURES = `namespace: shop
flags:
  - { key: banner, type: BOOLEAN_FLAG_TYPE, rollouts: [{ segment: { key: adults, value: true } }] }
segments:
  - key: adults
    constraints: [{ type: NUMBER_COMPARISON_TYPE, property: age, operator: gte, value: '18' }]
`;

const EXPLAINED = [
  'Flag "banner" in namespace "shop" for entity "u1"',
  'Answer: false, reason DEFAULT',
  "Decided by: no rollout applied, so the flag's own state counts",
  'Rollout 1 did not apply: its segment decides',
  '  Segment "adults" does not match: its constraint decides',
  '    number "age" gte "18": does not match, the value is "18 years", which is no number',
].join('\n');
const ASKED = ['--namespace', 'shop', '--flag', 'banner', '--entity', 'u1', '--context', 'age=18 years'];

let open: LocalService;
let closed: LocalService;
beforeAll(async () => {
  open = await startLocalService({ features: FEATURES });
  closed = await startLocalService({ features: FEATURES, bootstrapToken: TOKEN });
});
afterAll(async () => {
  await open.close();
  await closed.close();
});

async function file(): Promise<string> {
  const path = at('features.yml');
  await writeFile(path, FEATURES);
  return path;
}

describe('explain', () => {
  it('says why, from a file and from a running service', async () => {
    const expected = { code: 0, out: EXPLAINED, err: '' };
    expect(await ran(['explain', '--features', await file(), ...ASKED])).toEqual(expected);
    expect(await ran(['explain', '--url', open.url, ...ASKED])).toEqual(expected);
  });

  it('uses the rules of the release that runs there, and of the one that --semantics names', async () => {
    const features = `
flags:
  - key: banner
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: a }, { key: b }]
    rules: [{ segment: all, distributions: [{ variant: a, rollout: 1 }, { variant: b, rollout: 1 }] }]
segments: [{ key: all }]
`;
    const path = at('shares.yml');
    await writeFile(path, features);
    const asked = ['--flag', 'banner', '--entity', 'u1'];
    for (const semantics of ['v2.8', 'v2'] as const) {
      await using service = await startLocalService({ features, semantics });
      const expected = semantics === 'v2.8' ? 'leave the entity out' : 'chosen';
      expect((await ran(['explain', '--url', service.url, ...asked])).out).toContain(expected);
      const fromFile = ['explain', '--features', path, '--semantics', semantics, ...asked];
      expect((await ran(fromFile)).out).toContain(expected);
    }
  });

  it.each([
    ['of one', 'bad', 'no segment is left; Flipt 2.11 leaves out "bad"'],
    [
      'of two',
      '{ keys: [good, bad], operator: AND_SEGMENT_OPERATOR }',
      'decides; Flipt 2.11 leaves out "bad"',
    ],
  ])('says that Flipt 2.11 leaves out a segment %s', async (_, segment, expected) => {
    const path = at('left-out.yml');
    const constraint = (value: string) =>
      `{ type: NUMBER_COMPARISON_TYPE, property: age, operator: gte, value: '${value}' }`;
    await writeFile(
      path,
      `version: '1.6'
flags:
  - key: banner
    name: Banner
    enabled: true
    variants: [{ key: a }]
    rules: [{ segment: ${segment}, distributions: [{ variant: a, rollout: 100 }] }]
segments:
  - { key: good, name: Good, match_type: ALL_MATCH_TYPE, constraints: [${constraint('18')}] }
  - { key: bad, name: Bad, match_type: ALL_MATCH_TYPE, constraints: [${constraint('18px')}] }
`,
    );
    const asked = ['explain', '--features', path, '--flag', 'banner', '--context', 'age=20'];
    expect((await ran([...asked, '--semantics', 'v2'])).out).toContain(expected);
    expect((await ran([...asked, '--semantics', 'v2.8'])).out).not.toContain('leaves out');
  });

  it('asks for the version first, because it decides how the snapshot is read', async () => {
    const order: string[] = [];
    const { url } = await serving(
      () => undefined,
      (request, response) => {
        order.push('snapshot');
        return withUnreadable(request, response);
      },
      async (_, response) => {
        for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
        order.push('version');
        response.writeHead(404).end();
      },
    );
    await ran(['explain', '--url', url, '--flag', 'banner']);
    expect(order).toEqual(['version', 'snapshot']);
  });

  it('ends with 1 for a flag that only the service can evaluate, and says what cannot be read', async () => {
    const { url } = await serving(() => undefined, withUnreadable);
    const { code, out, err } = await ran(['explain', '--url', url, '--flag', 'list']);
    expect(code).toBe(1);
    expect(out).toMatch(/^Answer: known only to Flipt, .* cannot read type: .*, got "LIST_FLAG_TYPE"$/m);
    expect(err).toMatch(
      /^This version of the package cannot read the flag "list": type: .*; update the package$/,
    );
  });

  it('prints JSON', async () => {
    const { code, out } = await ran(['explain', '--url', open.url, ...ASKED, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      namespace: 'shop',
      flag: 'banner',
      decidedBy: { by: 'none' },
      steps: [{ segments: [{ constraints: [{ seen: '18 years', why: 'unreadable' }] }] }],
    });
  });

  it('ends with 2 for a flag that does not exist, and names the one that was meant', async () => {
    const missing = await ran(['explain', '--url', open.url, '--namespace', 'shop', '--flag', 'baner']);
    expect(missing.code).toBe(2);
    expect(missing.out).toContain('Answer: flag not found');
    expect(missing.err).toBe('There is no flag "baner" in namespace "shop"; did you mean "banner"?');
    // Flipt v1 answers about a missing namespace as it does about an empty one.
    const empty = await ran(['explain', '--url', open.url, '--namespace', 'gone', '--flag', 'banner']);
    expect(empty.code).toBe(2);
    expect(empty.err).toBe(
      'There is no flag "banner" in namespace "gone", which has no flags; choose another with --namespace',
    );
  });

  it('takes credentials from the environment', async () => {
    const argv = ['explain', '--url', closed.url, ...ASKED];
    expect(await ran(argv, { FLIPT_TOKEN: TOKEN })).toMatchObject({ code: 0, out: EXPLAINED });
    const { code, err } = await ran(argv, {});
    expect(code).toBe(1);
    expect(err).toMatch(/401: .*no credentials are configured \([^)]*FLIPT_TOKEN[^)]*\)$/);
    expect(err.match(/FLIPT_TOKEN\b/g)).toHaveLength(1);
    const rejected = await ran(argv, { FLIPT_TOKEN: 'dummy-other' });
    expect(rejected.code).toBe(1);
    expect(rejected.err).toMatch(/401: .*; check FLIPT_TOKEN$/);
    expect(rejected.err).not.toContain('dummy-other');
  });
});

describe('explain ends with 1 and says what to do', () => {
  const namespace = ['--namespace', 'gone', '--flag', 'banner'];
  it('if the file has no such namespace', async () => {
    const { code, err } = await ran(['explain', '--features', await file(), ...namespace]);
    expect(code).toBe(1);
    expect(err).toMatch(/features\.yml has no namespace "gone"; it has "default", "shop"$/);
  });

  it('if the file is wrong or missing', async () => {
    const { code, err } = await ran(['explain', '--features', at('nowhere.yml'), '--flag', 'a']);
    expect(code).toBe(1);
    expect(err).toMatch(/nowhere\.yml: cannot be read: ENOENT/);
  });

  it('if nobody listens', async () => {
    const { code, err } = await ran(['explain', '--url', await refusedAddress(), '--flag', 'a']);
    expect(code).toBe(1);
    expect(err).toMatch(/ECONNREFUSED.*; is Flipt running there\? Set its address with --url$/);
  });

  it('if the service offers no snapshots', async () => {
    const { url } = await serving(() => ({ status: 404, body: 'no' }));
    const { code, err } = await ran(['explain', '--url', url, '--flag', 'a']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /404.* no snapshots, which explain needs; export the features, and pass the file with --features$/,
    );
  });

  it('if Flipt v2 does not know the namespace or the environment', async () => {
    const v2 = await startLocalService({ features: FEATURES, semantics: 'v2' });
    const unknown = await ran(['explain', '--url', v2.url, ...namespace]);
    const other = await ran(['explain', '--url', v2.url, ...ASKED, '--environment', 'other']);
    await v2.close();
    for (const { code, err } of [unknown, other]) {
      expect(code).toBe(1);
      expect(err).toMatch(
        /404: .*; set the right one with --namespace or --environment, or Flipt has not loaded its flags: .* lint the features file$/,
      );
    }
  });

  it.each([
    ['localhost:8080', 'explain: url: expected an address that begins with http: or https:'],
    ['http://me:dummy@flipt', 'explain: url: expected an address without user name and password'],
  ])('if the address is %s', async (url, message) => {
    const { code, err } = await ran(['explain', '--url', url, '--flag', 'a']);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).not.toContain('dummy');
  });
});

it('prints JSON that steers no terminal, and is the same', async () => {
  const entity = 'user\u009b31m\u202e\u{e0001}';
  const { out } = await ran([
    'explain',
    '--features',
    await file(),
    '--flag',
    'colour',
    '--entity',
    entity,
    '--json',
  ]);
  expect(out).not.toMatch(/[\u007f-\u009f]|\p{Cf}/u);
  expect(JSON.parse(out)).toMatchObject({ entity });
});

it('says what it waits for', async () => {
  const asked = signal();
  const silent = await listening(() => {
    asked.give();
  });
  const clock = manualClock();
  const running = ran(['explain', '--flag', 'a', '--url', silent.url], {}, clock);
  await asked.given;
  await clock.advance(2_000);
  await silent.close();
  const { code, err } = await running;
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`^Waiting for the snapshot of Flipt at ${silent.url}, for up to 60 s\n`));
});
