import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';

const FOLDER = new URL('../recordings/features/', import.meta.url);

/** What a real Flipt served and answered after it had read the file. */
const RECORDED = [
  { file: 'scalars.v1.yml', shows: 'scalars as go-yaml reads them, ranks, no names, single precision' },
  { file: 'export.v1.json', shows: 'what flipt export --all-namespaces -o all.json wrote of them' },
  { file: 'empty.v1.yml', shows: 'constraints whose value is empty or missing' },
  { file: 'empty.v2.yml', shows: 'the same with v2, which takes no empty list' },
  { file: 'lists.v2.yml', shows: 'lists, ranks, which v2 ignores, and scalars' },
  { file: 'saved.v2.yml', shows: 'what v2.11 made of that file when it saved it' },
] as const;

describe.each(RECORDED)('the features file $file: $shows', ({ file }) => {
  const semantics = file.includes('.v1.') ? 'v1' : 'v2';
  const recorded = JSON.parse(
    readFileSync(new URL(`${file.replace(/\.\w+$/, '')}.recorded.json`, FOLDER), 'utf8'),
  ) as Recorded;

  it('is served with the snapshots of a real Flipt, and evaluated alike', async () => {
    await using service = await startLocalService({ features: new URL(file, FOLDER), semantics });
    for (const [namespace, expected] of Object.entries(recorded.snapshots)) {
      const response = await fetch(`${service.url}/internal/v1/evaluation/snapshot/namespace/${namespace}`, {
        headers: { 'x-flipt-accept-server-version': '1.61.1' },
      });
      expect(comparable(await response.json(), semantics)).toEqual(comparable(expected, semantics));
    }
    const response = await fetch(`${service.url}/evaluate/v1/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: recorded.answers.map(({ question }) => question) }),
    });
    const { responses } = (await response.json()) as { responses: readonly unknown[] };
    expect(recorded.answers.length).toBe(80);
    for (const [index, { question, answer }] of recorded.answers.entries()) {
      expect(comparable(responses[index], semantics), JSON.stringify(question)).toEqual(
        comparable(answer, semantics),
      );
    }
  });
});

interface Recorded {
  readonly snapshots: Readonly<Record<string, unknown>>;
  readonly answers: readonly { readonly question: unknown; readonly answer: unknown }[];
}

const DIFFERS = new Set(
  'id ruleId variantId createdAt updatedAt timestamp requestId requestDurationMillis digest'.split(' '),
);
const SETS = new Set(['flags', 'segments', 'constraints', 'segmentKeys']);

/** Without what differs between two runs, and sorted where the order means nothing. */
function comparable(value: unknown, semantics: 'v1' | 'v2', name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, semantics));
    return SETS.has(name)
      ? items.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : items;
  }
  // v2 writes spaces into attachments.
  const attachment = name === 'variantAttachment' || name === 'attachment';
  if (attachment && semantics === 'v2' && value !== '') return JSON.stringify(JSON.parse(String(value)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([key]) => !DIFFERS.has(key) && key !== 'requestDurationMillis',
  );
  return Object.fromEntries(
    members
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, comparable(member, semantics, key)]),
  );
}
