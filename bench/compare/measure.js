/** Takes one measurement of one provider, in a process of its own. The parent asks and changes the service. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CONTENDERS } from './contenders.js';
import { FLAGS, KNOWN, NEW } from './users.js';

const { CONTENDER, MEASUREMENT, FLIPT_URL, QUESTIONS, SNAPSHOT_FILE } = process.env;
const { OpenFeature } = await import('@openfeature/server-sdk');
const DEFAULT = 'the default';

const provider = await CONTENDERS[CONTENDER](FLIPT_URL);
await OpenFeature.setProviderAndWait(provider).catch(() => {});
const client = OpenFeature.getClient();
const told = () => new Promise((resolve) => process.once('message', resolve));
/**
 * Waits one second. By then, all requests of a start have ended. One of them is the first poll, which in remote mode
 * comes after the first answers.
 */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1_000));
const page = (user) => Promise.all(FLAGS.map((key) => client.getStringValue(key, DEFAULT, user)));

const MEASUREMENTS = {
  async firstAnswer() {
    const value = await client.getStringValue(FLAGS[0], DEFAULT, KNOWN[0]);
    return { ms: performance.now(), isRight: value !== DEFAULT };
  },
  /** Lives until the provider has kept its snapshot, if it keeps one. */
  async keep() {
    const value = await client.getStringValue(FLAGS[0], DEFAULT, KNOWN[0]);
    while (provider.getStatus && !existsSync(SNAPSHOT_FILE)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { isRight: value !== DEFAULT };
  },
  /** Evaluates ten flags for each of 20 users, who come five times: 1,000 evaluations. */
  async thousand() {
    for (let visit = 0; visit < 5; visit++) await Promise.all(KNOWN.map(page));
    await rest();
    return {};
  },
  async cost() {
    await OpenFeature.setProviderAndWait('constant', await CONTENDERS.constant());
    const constant = OpenFeature.getClient('constant');
    const count = CONTENDER.startsWith('this') || CONTENDER === 'flipt-client-js' ? 2_000 : 200;
    const microseconds = async (asked) => {
      const start = process.cpuUsage();
      for (let n = 0; n < count; n++) await asked.getStringValue(FLAGS[0], DEFAULT, KNOWN[n % KNOWN.length]);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / count;
    };
    const ratios = [];
    for (let round = 0; round < 25; round++)
      ratios.push((await microseconds(client)) / (await microseconds(constant)));
    return { ratio: median(ratios.slice(5)) };
  },
  /**
   * Counts, for known and for new users in an outage, how many of their flags have the value that Flipt would have
   * given.
   */
  async outage() {
    await Promise.all(KNOWN.map(page));
    await rest();
    process.send({ isReady: true });
    const { expected } = await told();
    const counted = { longestMs: 0 };
    for (const [name, users] of Object.entries({ known: KNOWN, new: NEW })) {
      let right = 0;
      for (const [at, user] of users.entries()) {
        const start = performance.now();
        const values = await page(user);
        counted.longestMs = Math.max(counted.longestMs, performance.now() - start);
        right += values.filter((value, flag) => value === expected[name][at][flag]).length;
      }
      counted[name] = right / (users.length * FLAGS.length);
    }
    return counted;
  },
  async change() {
    const before = await client.getStringValue(FLAGS[0], DEFAULT, KNOWN[0]);
    await rest();
    process.send({ isReady: true, before });
    await told();
    const start = performance.now();
    while ((await client.getStringValue(FLAGS[0], DEFAULT, KNOWN[0])) === before) {
      if (performance.now() - start > 200_000) return { ms: undefined };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { ms: performance.now() - start };
  },
  /** Compares the answers to recorded questions with those of a real Flipt. */
  async exact() {
    const lines = (await readFile(QUESTIONS, 'utf8')).trim().split('\n');
    const cases = lines
      .map((line) => JSON.parse(line))
      .filter(({ request }) => request.namespaceKey === 'default');
    let [asked, wrong] = [0, 0];
    for (const { request, response } of cases) {
      if (response.type === 'ERROR_EVALUATION_RESPONSE_TYPE') continue;
      asked += 1;
      if (!(await isExact(request, response))) wrong += 1;
    }
    return { asked, wrong };
  },
};

async function isExact({ flagKey, entityId, context }, { enabled, variantKey, reason }) {
  const user = { ...context, targetingKey: entityId };
  if (enabled !== undefined) {
    // Each question is asked with both defaults, so that a default cannot be right by chance.
    const values = await Promise.all(
      [true, false].map((value) => client.getBooleanValue(flagKey, value, user)),
    );
    return values.every((value) => value === enabled);
  }
  // If Flipt has no variant, or the flag is switched off, some providers give the default and others do not. Both count
  // as right.
  const mayBeDefault = variantKey === '' || reason === 'FLAG_DISABLED_EVALUATION_REASON';
  const value = await client.getStringValue(flagKey, DEFAULT, user);
  return value === variantKey || (mayBeDefault && value === DEFAULT);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

process.send({ result: await MEASUREMENTS[MEASUREMENT]() });
await OpenFeature.close();
process.exit();
