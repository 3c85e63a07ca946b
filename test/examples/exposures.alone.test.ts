import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { TrackingEvent } from '../../src/index.js';
import { node } from './running.fixture.js';

type Receiver = (client: unknown) => (events: readonly TrackingEvent[]) => unknown;
const path = '../../examples/exposures/receivers.js';
const receivers = (await import(path)) as Record<
  'toPostHog' | 'toSegment' | 'toLogs' | 'toFile' | 'toPostgres',
  Receiver
>;

const time = '2024-01-01T00:00:00.000Z';
const EVENTS: readonly TrackingEvent[] = [
  {
    kind: 'exposure',
    id: 'id-1',
    time,
    attributes: {},
    targetingKey: 'ada',
    flagKey: 'checkout',
    variant: 'one-page',
    valueType: 'string',
    reason: 'SPLIT',
    namespace: 'default',
    version: 'abc',
  },
  {
    kind: 'track',
    id: 'id-2',
    time,
    attributes: {},
    targetingKey: 'ada',
    name: 'bought',
    details: { value: 20 },
  },
];
const OF_NOBODY: TrackingEvent = {
  kind: 'track',
  id: 'id-3',
  time,
  attributes: {},
  name: 'bought',
  details: {},
};

it('prints users and conversions of each variant, from events alone, and ends by itself', async () => {
  const { code, output } = await node(['examples/exposures/main.js']).ended;
  expect(output.replace(/ +/g, ' ')).toBe(
    `flag variant users conversions
------------- -------- ----- -----------
checkout classic 491 57 (12 %)
checkout one-page 509 122 (24 %)
free-shipping false 713 108 (15 %)
free-shipping true 287 71 (25 %)
`,
  );
  expect(code).toBe(0);
});

it('speaks to PostHog, of users only', () => {
  const capture = vi.fn();
  void receivers.toPostHog({ capture })([...EVENTS, OF_NOBODY]);
  expect(capture.mock.calls.flat()).toEqual([
    {
      uuid: 'id-1',
      distinctId: 'ada',
      timestamp: new Date(time),
      event: '$feature_flag_called',
      properties: { $feature_flag: 'checkout', $feature_flag_response: 'one-page' },
    },
    {
      uuid: 'id-2',
      distinctId: 'ada',
      timestamp: new Date(time),
      event: 'bought',
      properties: { value: 20 },
    },
  ]);
});

it('speaks to Segment, of users only', () => {
  const track = vi.fn();
  void receivers.toSegment({ track })([...EVENTS, OF_NOBODY]);
  expect(track.mock.calls.flat()).toMatchObject([
    {
      messageId: 'id-1',
      userId: 'ada',
      event: 'Experiment Viewed',
      properties: { variation_name: 'one-page' },
    },
    { messageId: 'id-2', userId: 'ada', event: 'bought', properties: { value: 20 } },
  ]);
});

it("speaks to OpenTelemetry's logs, in OpenFeature's names", () => {
  const emit = vi.fn();
  void receivers.toLogs({ emit })(EVENTS);
  expect(emit.mock.calls).toEqual([
    [
      {
        eventName: 'feature_flag.evaluation',
        timestamp: new Date(time),
        attributes: {
          'feature_flag.key': 'checkout',
          'feature_flag.result.variant': 'one-page',
          'feature_flag.result.reason': 'split',
          'feature_flag.context.id': 'ada',
          'feature_flag.set.id': 'default',
          'feature_flag.version': 'abc',
        },
      },
    ],
  ]);
});

it('writes a file of JSON lines', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'events-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'events');
  await receivers.toFile(file)(EVENTS);
  await receivers.toFile(file)(EVENTS.slice(1));
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as TrackingEvent).id)).toEqual(['id-1', 'id-2', 'id-2']);
});

it('asks Postgres once for a call, and not twice for an event', async () => {
  const query = vi.fn();
  await receivers.toPostgres({ query })(EVENTS);
  const [[text, [rows]]] = query.mock.calls as unknown as [[string, [string]]];
  expect(text).toContain('on conflict (id) do nothing');
  expect(JSON.parse(rows)).toEqual(EVENTS);
});
