import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { parseSnapshot } from '../../src/snapshot/body/parse-snapshot.js';
import { bodyText, writeBody } from '../../src/snapshot/body/write-body.js';
import { BODIES, changedKeys, readWhole, recordedBody, type ReadBody } from './bodies.fixture.js';

const contentOf = ({ features, semantics, digest }: ReadBody) => ({ features, semantics, digest });

describe.each(BODIES)('$file, written again', ({ file, namespace }) => {
  const parse = async (body: Buffer) => readWhole(await parseSnapshot(body, namespace, systemClock));

  it('is read as the same features', async () => {
    const recorded = await parse(recordedBody(file));
    const written = JSON.stringify(writeBody(namespace, recorded));
    const again = await parse(Buffer.from(written));
    expect(contentOf(again)).toEqual(contentOf(recorded));
    expect(await changedKeys(recorded, again)).toEqual([]);
  });

  it('is no larger than what the service sent', async () => {
    const recorded = recordedBody(file);
    const written = JSON.stringify(writeBody(namespace, await parse(recorded)));
    expect(written.length).toBeLessThan(recorded.length);
  });

  it('is the same as text', async () => {
    const recorded = await parse(recordedBody(file));
    expect(await bodyText(namespace, recorded, systemClock)).toBe(
      JSON.stringify(writeBody(namespace, recorded)),
    );
  });
});

it('writes segments no longer than the service does, and reads them as the same', async () => {
  const type = 'STRING_CONSTRAINT_COMPARISON_TYPE';
  const segments = [
    ...Array.from({ length: 1_000 }, (_, at) => ({ key: `${at}` })),
    { key: 'any', matchType: 'ANY_SEGMENT_MATCH_TYPE' },
    { key: 'newer', matchType: 7, constraints: [{ type, property: 'plan', operator: 'eq', value: 'x' }] },
  ];
  const flags = [{ key: 'one', type: 'VARIANT_FLAG_TYPE', enabled: true, rules: [{ segments }] }];
  const body = JSON.stringify({ namespace: { key: 'default' }, flags });
  const parse = async (text: string) =>
    readWhole(await parseSnapshot(Buffer.from(text), 'default', systemClock));
  const parsed = await parse(body);
  const text = await bodyText('default', parsed, systemClock);
  expect(text.length).toBeLessThan(body.length + 100);
  expect(contentOf(await parse(text))).toEqual(contentOf(parsed));
});

it('writes the text of many flags in several turns of the event loop', async () => {
  const flags = Array.from({ length: 1_000 }, (_, at) => ({ key: `f${at}`, type: 'BOOLEAN_FLAG_TYPE' }));
  const body = Buffer.from(JSON.stringify({ flags }));
  const parsed = await parseSnapshot(body, 'default', systemClock);
  const endOfTurn = vi.fn((run: () => void) => {
    systemClock.endOfTurn(run);
  });
  let looks = 0;
  const text = await bodyText('default', parsed, { endOfTurn, now: () => ++looks });
  expect(text).toBe(JSON.stringify(writeBody('default', parsed)));
  expect(endOfTurn.mock.calls.length).toBeGreaterThan(3);
});
