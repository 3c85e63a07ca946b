import * as provider from './provider-steps.mjs';

/** Milliseconds for one step. */
const MOST_MS = 30_000;

const MODES = { remote: {}, 'in-process': { evaluation: 'in-process' } };

/** The steps that need only a service, each with its name as the table shows it. */
export function providerSteps() {
  const inModes = Object.entries(MODES).flatMap(([name, mode]) =>
    Object.entries(provider.resolves).map(([step, run]) => [
      `${name}: ${step}`,
      ({ url }) => run({ url, mode }),
    ]),
  );
  return [...inModes, ...Object.entries(provider.steps)];
}

/** Runs a step. Resolves with `undefined`, or with why it failed. */
export async function failureOf(run, given) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${MOST_MS} ms`)), MOST_MS);
  });
  try {
    await Promise.race([Promise.resolve().then(() => run(given)), late]);
    return undefined;
  } catch (error) {
    return String(error?.stack ?? error);
  } finally {
    clearTimeout(timer);
  }
}
