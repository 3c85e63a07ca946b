import { afterAll, describe, expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { casesOf, comparable, featuresOf, RECORDINGS, type Recording } from '../engine/recordings.fixture.js';
import { settings } from './settings.fixture.js';

// Against a running service: FLIPT_URL is its address, FLIPT_RECORDING names the recorded features that it holds, as
// bravo.v2 (default alpha.v1), and FLIPT_TOKEN is a token, where it requires one. Nothing there is changed.
const {
  FLIPT_URL: runningUrl,
  FLIPT_RECORDING: held = 'alpha.v1',
  FLIPT_TOKEN: token,
} = settings(['FLIPT_URL', 'FLIPT_RECORDING']);
const asked = runningUrl ?? 'the embedded service';

const BATCH = 100;
const played =
  runningUrl === undefined
    ? RECORDINGS
    : RECORDINGS.filter(({ name, semantics }) => `${name}.${semantics}` === held);

let compared = 0;
afterAll(() => {
  console.log(`${asked}: ${compared} answers are as recorded`);
});

describe(`${asked} answers questions as Flipt did`, () => {
  it('has a recording to play', () => {
    expect(played, `FLIPT_RECORDING=${held}`).not.toEqual([]);
  });

  it.each(played)('$name, $semantics: 1,500 of 1,500', async (recording) => {
    if (runningUrl !== undefined) return expectRecordedAnswers(runningUrl, recording);
    const service = await startLocalService({
      features: featuresOf(recording),
      semantics: recording.semantics,
    });
    try {
      await expectRecordedAnswers(service.url, recording);
      expect(service.requests).toBe(1500 / BATCH);
    } finally {
      await service.close();
    }
  });
});

async function expectRecordedAnswers(url: string, recording: Recording): Promise<void> {
  const cases = casesOf(recording);
  expect(cases).toHaveLength(1500);
  for (let start = 0; start < cases.length; start += BATCH) {
    const batch = cases.slice(start, start + BATCH);
    const answers = await ask(
      url,
      batch.map(({ request }) => request),
    );
    expect(answers.map(inRecordedForm)).toEqual(batch.map(({ response }) => comparable(response)));
  }
  compared += cases.length;
}

async function ask(url: string, requests: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(`${url}/evaluate/v1/batch`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ requests }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { responses: Record<string, unknown>[] }).responses;
}

/** The one member that is present, without what differs from run to run. */
function inRecordedForm({ type, ...members }: Record<string, unknown>): unknown {
  const entries = Object.values(members).flatMap((member) => Object.entries(member as object));
  const transient = ['requestId', 'requestDurationMillis', 'timestamp'];
  return comparable({
    type,
    ...Object.fromEntries(entries.filter(([name]) => !transient.includes(name))),
  });
}
