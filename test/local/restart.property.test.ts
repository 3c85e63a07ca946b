import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type FeaturesDocument, type LocalService, startLocalService } from '../../src/local/index.js';
import { useFolder } from './folder.fixture.js';
import { type Answer, ask, BASE_FEATURES, type Asked } from './requests.fixture.js';

const at = useFolder();
/** Read once: the test starts hundreds of services. */
const features = parseAllDocuments(readFileSync(BASE_FEATURES, 'utf8')).map(
  (document) => document.toJS() as FeaturesDocument,
);
const TOKEN = 'dummy-bootstrap';
const namespaceKey = fc.constantFrom('default', 'team', 'gone');
const flagKey = fc.constantFrom('banner', 'open', 'bare', 'gone');
const segmentKey = fc.constantFrom('beta', 'staff', 'all', 'vip', 'a b');
const text = fc.constantFrom('', 'x', 'é🎈\u2028', '__proto__');
const number = fc.nat();

/** Ids differ from run to run, so an operation names them by their position among the answered ones. */
type Operation = (seen: Seen) => readonly [where: string, asked: Asked];

class Seen {
  readonly ids: string[] = ['none'];
  readonly tokens: string[] = [TOKEN];
  readonly pages: string[] = ['none'];

  /** The answer without what differs from run to run, which is kept in the order of the answers. */
  take({ status, body }: Answer): unknown {
    const replaced = JSON.stringify(body, (name, value: unknown) => {
      if (typeof value !== 'string') return name === 'requestDurationMillis' ? 0 : value;
      if (name === 'timestamp' || name === 'createdAt' || name === 'updatedAt') return 'date';
      if (name === 'clientToken') return this.placeholder(this.tokens, value);
      if (name === 'nextPageToken' && value !== '') this.pages.push(value);
      const isId = name === 'id' || name.endsWith('Id') || (name === 'requestId' && value !== '');
      return isId ? this.placeholder(this.ids, value) : value;
    });
    return { status, body: JSON.parse(replaced) as unknown };
  }

  private placeholder(known: string[], value: string): string {
    if (!known.includes(value)) known.push(value);
    return `#${known.indexOf(value)}`;
  }
}

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';
const segmentsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/segments`;
const flagOf = (namespace: string, flag: string): string => `/api/v1/namespaces/${namespace}/flags/${flag}`;

const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .record({ namespaceKey, query: fc.constantFrom('', '?limit=1', '?limit=2&offset=1', '?limit=-1') })
    .map((each): Operation => () => [`GET ${segmentsOf(each.namespaceKey)}${each.query}`, {}]),
  fc.record({ namespaceKey, page: number }).map((each): Operation => (seen) => [
    `GET ${segmentsOf(each.namespaceKey)}?limit=1&pageToken=${pick(seen.pages, each.page)}`,
    {},
  ]),
  fc.record({ namespaceKey, key: segmentKey }).map((each): Operation => () => [
    `GET ${segmentsOf(each.namespaceKey)}/${encodeURIComponent(each.key)}`,
    {},
  ]),
  fc
    .record({
      namespaceKey,
      key: segmentKey,
      name: text,
      matchType: fc.constantFrom('ANY_MATCH_TYPE', 0, 7, 'no'),
    })
    .map(({ namespaceKey: namespace, ...body }): Operation => () => [
      `POST ${segmentsOf(namespace)}`,
      { body },
    ]),
  fc
    .record({ namespaceKey, key: segmentKey, name: text, description: text })
    .map(({ namespaceKey: namespace, key, ...body }): Operation => () => [
      `PUT ${segmentsOf(namespace)}/${encodeURIComponent(key)}`,
      { body },
    ]),
  fc.record({ namespaceKey, flagKey }).map((each): Operation => () => [
    `GET ${flagOf(each.namespaceKey, each.flagKey)}/rules`,
    {},
  ]),
  fc
    .record({
      namespaceKey,
      flagKey,
      segmentKeys: fc.array(segmentKey, { maxLength: 3 }),
      segmentOperator: fc.constantFrom('AND_SEGMENT_OPERATOR', 0, 9),
      rank: fc.integer({ min: -1, max: 4 }),
    })
    .map(({ namespaceKey: namespace, flagKey: flag, ...body }): Operation => () => [
      `POST ${flagOf(namespace, flag)}/rules`,
      { body },
    ]),
  fc
    .record({ namespaceKey, flagKey, id: number, key: text, name: text, attachment: fc.json() })
    .map(({ namespaceKey: namespace, flagKey: flag, id, ...body }): Operation => (seen) => [
      `PUT ${flagOf(namespace, flag)}/variants/${pick(seen.ids, id)}`,
      { body },
    ]),
  fc
    .record({
      name: text,
      namespaceKey: fc.constantFrom('', 'team'),
      expiresAt: fc.constantFrom(null, '2020-01-01T00:00:00Z', '2999-01-01T00:00:00.5Z', 'never'),
      metadata: fc.dictionary(text, text),
    })
    .map((body): Operation => () => ['POST /auth/v1/method/token', { body }]),
  number.map((id): Operation => (seen) => [`GET /auth/v1/tokens/${pick(seen.ids, id)}`, {}]),
  fc
    .array(
      fc.record({ namespaceKey, flagKey, entityId: text, context: fc.dictionary(fc.constant('plan'), text) }),
    )
    .map((requests): Operation => () => ['POST /evaluate/v1/batch', { body: { requests } }]),
);

/** Which token each step is sent with: mostly the first one, which may do everything. */
const steps = fc.array(
  fc.record({
    operation: operations,
    token: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, number),
    restart: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25 },
);

let files = 0;

describe('any sequence of operations', () => {
  it(
    'has the same answers with and without restarts from the data file in between',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const data = at(`${++files}.json`);
          const start = (): Promise<LocalService> =>
            startLocalService({ features, data, bootstrapToken: TOKEN });
          const steady = await startLocalService({ features, bootstrapToken: TOKEN });
          let restarted = await start();
          const [left, right] = [new Seen(), new Seen()];
          for (const { operation, token, restart } of sequence) {
            if (restart) {
              await restarted.close();
              restarted = await start();
            }
            const [expected, answered] = await Promise.all([
              perform(steady, operation, token, left),
              perform(restarted, operation, token, right),
            ]);
            expect(right.take(answered)).toEqual(left.take(expected));
          }
          await Promise.all([steady.close(), restarted.close()]);
        }),
        { numRuns: 40 },
      );
    },
  );
});

function perform(service: LocalService, operation: Operation, token: number, seen: Seen): Promise<Answer> {
  const [where, asked] = operation(seen);
  return ask(service.url, where, { ...asked, token: pick(seen.tokens, token) });
}
