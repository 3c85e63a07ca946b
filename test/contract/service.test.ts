import { afterAll, describe, expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import {
  BASE_FEATURES,
  conversation,
  play,
  RECORDED_BOOTSTRAP_TOKEN,
  type Step,
} from './conversation.fixture.js';
import { settings } from './settings.fixture.js';

// Against a real server: FLIPT_TEST_URL is the address of a fresh Flipt v1 that holds base.features.yml and requires
// tokens, FLIPT_TEST_TOKEN its bootstrap token. What is played changes what the server holds; in this order no
// conversation is disturbed by the one before.
const { FLIPT_TEST_URL: realUrl, FLIPT_TEST_TOKEN: realToken = '' } = settings([
  'FLIPT_TEST_URL',
  'FLIPT_TEST_TOKEN',
]);
const asked = realUrl ?? 'the embedded service';

const CONVERSATIONS = [
  { name: 'batch', steps: 22 },
  { name: 'flags', steps: 17 },
  { name: 'variants', steps: 24 },
  { name: 'segments', steps: 52 },
  { name: 'rules', steps: 31 },
  { name: 'tokens', steps: 33 },
  { name: 'malformed', steps: 29 },
];

let compared = 0;
afterAll(() => {
  console.log(`${asked}: ${compared} steps of conversations are as recorded`);
});

describe(`${asked} answers as Flipt v1 did`, () => {
  it.each(CONVERSATIONS)('$name: $steps of $steps steps', async ({ name, steps }) => {
    const played = realUrl === undefined ? await playEmbedded(name) : await playReal(realUrl, name);
    expect(played).toHaveLength(steps);
    for (const { title, expected, answered } of played) expect(answered, title).toEqual(expected);
    compared += played.length;
  });
});

async function playEmbedded(name: string): ReturnType<typeof play> {
  const service = await startLocalService({
    features: BASE_FEATURES,
    ...(name === 'tokens' && { bootstrapToken: RECORDED_BOOTSTRAP_TOKEN }),
  });
  try {
    return await play(service.url, conversation(name).map(asJson));
  } finally {
    await service.close();
  }
}

/**
 * Flipt ignores the Content-Type. The embedded service requires JSON for changes, so that no web page can send them. So
 * steps that were recorded with another type are sent as JSON.
 */
function asJson(step: Step): Step {
  const headers = Object.entries(step.headers ?? {}).filter(
    ([name]) => name.toLowerCase() !== 'content-type',
  );
  return step.path.startsWith('/evaluate/') ? step : { ...step, headers: Object.fromEntries(headers) };
}

function playReal(url: string, name: string): ReturnType<typeof play> {
  const token = name === 'tokens' ? undefined : realToken;
  return play(url, conversation(name), { bootstrapToken: realToken, token });
}
