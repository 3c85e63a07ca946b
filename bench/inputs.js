/**
 * Measures how long one turn of the event loop takes for inputs that are as costly as an attacker, or a careless user,
 * can make them.
 *
 *   npm run build && node bench/inputs.js
 */
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';

const RUNS = Number(process.env.RUNS ?? 5);
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** The shortest of several runs, because other processes can make a turn longer but not shorter. */
async function leastMs(run) {
  const times = [];
  for (let count = 0; count < RUNS; count++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

/** Compares 60,000 characters with 300 constraints, in one flag and in 300 flags. */
async function longTexts() {
  const constraint = {
    type: 'STRING_CONSTRAINT_COMPARISON_TYPE',
    property: 'plan',
    operator: 'prefix',
    value: 'x',
  };
  const flag = (key, count) => ({
    key,
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [
      {
        type: 'SEGMENT_ROLLOUT_TYPE',
        segment: {
          value: true,
          segments: [
            {
              key: `${count}`,
              matchType: 'ANY_SEGMENT_MATCH_TYPE',
              constraints: Array.from({ length: count }, () => constraint),
            },
          ],
        },
      },
    ],
  });
  const initial = { flags: [flag('many', 300), ...Array.from({ length: 300 }, (_, at) => flag(`${at}`, 1))] };
  const provider = new FliptProvider({
    evaluation: 'in-process',
    watch: false,
    snapshot: { initial },
    logger: quiet,
  });
  await provider.initialize();
  const context = { targetingKey: 'u', plan: ' '.repeat(60_000) };
  const rows = {
    'an attribute of 60,000 spaces, a flag with 300 constraints': await leastMs(() =>
      provider.resolveBooleanEvaluation('many', false, context),
    ),
    'an attribute of 60,000 spaces, all of 301 flags': await leastMs(() => provider.evaluateAll(context)),
  };
  await provider.onClose();
  return rows;
}

/**
 * Resolves a flag with an attachment of 1 MB. The provider parses the attachment for an object, but not for a boolean.
 */
async function attachments() {
  const attachment = `[${'0,'.repeat(500_000)}0]`;
  const flag = {
    key: 'large',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    defaultVariant: { key: 'on', attachment },
  };
  const provider = new FliptProvider({
    evaluation: 'in-process',
    watch: false,
    snapshot: { initial: { flags: [flag] } },
    logger: quiet,
  });
  await provider.initialize();
  const rows = {
    'an attachment of 1 MB, asked for a boolean': await leastMs(() =>
      provider.resolveBooleanEvaluation('large', false, {}),
    ),
    'an attachment of 1 MB, asked for an object': await leastMs(() =>
      provider.resolveObjectEvaluation('large', {}, {}),
    ),
  };
  await provider.onClose();
  return rows;
}

/** Measures the whole command and not one turn. */
async function featuresFiles() {
  const members = Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join(',');
  const file = `{"flags":[{"key":"a","name":"A","variants":[{"key":"v","attachment":{${members}}}]}]}`;
  return {
    'a features file with a mapping of 60,000 members': await leastMs(async () => {
      const service = await startLocalService({ features: file, port: 0 });
      await service.close();
    }),
  };
}

const rows = { ...(await longTexts()), ...(await attachments()), ...(await featuresFiles()) };
console.table(Object.fromEntries(Object.entries(rows).map(([name, ms]) => [name, { ms: ms.toFixed(1) }])));
