import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { createApp } from './app.js';
import { existingProvider } from './existing.js';
import { resolveFlags } from './flags.js';
import { startFlipt } from './flipt.js';
import { requestsSent } from './requests.js';
import { table } from './table.js';

const USERS = [
  { targetingKey: 'ada', plan: 'free' },
  { targetingKey: 'grace', plan: 'pro' },
  { targetingKey: 'linus', plan: 'free' },
];
const OPTIONS = ['--once'];
const unknown = process.argv.slice(2).find((option) => !OPTIONS.includes(option));
if (unknown !== undefined) {
  console.error(`${unknown}: unknown option, expected one of ${OPTIONS.join(', ')}`);
  process.exit(1);
}
const isOnce = process.argv.includes('--once');

const port = process.env.PORT || '3000';
if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
  console.error(`PORT: expected a number from 0 to 65535, got ${port}`);
  process.exit(1);
}

// The app uses the Flipt that FLIPT_URL names. Otherwise it runs a stand-in in this process.
const flipt = process.env.FLIPT_URL ? undefined : await startFlipt();

// These times are shorter than the defaults, because somebody who looks at the page wants to see changes and outages
// soon.
const POLL_MS = 400;
const impatient = {
  watch: { pollMs: POLL_MS },
  breaker: { failures: 1, openForMs: 500, maxOpenForMs: 1000 },
};
// This makes the output the same on a busy computer. In an app, keep the defaults.
const patient = { deadlineMs: 5000, http: { timeoutMs: 5000 } };
// The app waits for a Flipt of your own only as long as somebody may want to look at a silent screen.
const options = {
  ...patient,
  ...(flipt ? { url: flipt.url, ...(isOnce ? {} : impatient) } : { initTimeoutMs: 3000 }),
};

const provider = new FliptProvider({ ...options, logger: logOf('remote') });
// The app starts even if the provider is not ready, and gets defaults until Flipt answers. The provider has already
// logged why.
await OpenFeature.setProviderAndWait(provider).catch(() => {
  console.error('Flipt is not ready, so the app gets defaults for now.');
});

await printTable();
if (isOnce) await close();
else await serve();

async function printTable() {
  const client = OpenFeature.getClient();
  const before = requestsSent();
  const resolved = await Promise.all(USERS.map((user) => resolveFlags(client, user)));
  const requests = requestsSent() - before;
  const rows = resolved.flatMap((flags, index) =>
    Object.values(flags).map(({ flagKey, value, variant = '', reason }) => {
      const { targetingKey, plan } = USERS[index];
      return [targetingKey, plan, flagKey, JSON.stringify(value), variant, reason];
    }),
  );
  const shown = table(['user', 'plan', 'flag', 'value', 'variant', 'reason'], rows);
  const unanswered = rows.filter((row) => row.at(-1) === 'ERROR').length;
  const summary =
    unanswered === 0
      ? `${rows.length} flags resolved with ${requests} HTTP request${requests === 1 ? '' : 's'}.`
      : `${unanswered} of ${rows.length} flags have their default: Flipt has not answered.`;
  console.log(isOnce ? `${shown}\n\n${summary}` : `\n${summary}\n\n${shown}`);
}

async function serve() {
  const here = new FliptProvider({ ...options, evaluation: 'in-process', logger: logOf('in-process') });
  await OpenFeature.setProviderAndWait('in-process', here).catch(() => {});
  const existing = existingProvider(flipt?.url ?? process.env.FLIPT_URL);
  await OpenFeature.setProviderAndWait('existing', existing.provider).catch(() => {});
  const pollMs = flipt ? POLL_MS : undefined;
  const ours = [
    { name: 'remote', title: 'Remote', domain: undefined, provider, pollMs },
    { name: 'in-process', title: 'In-process', domain: 'in-process', provider: here, pollMs },
  ];
  const theirs = { name: 'existing', title: 'Existing', domain: 'existing', ...existing };
  // The providers notice changes by themselves, within seconds. Code that makes a change itself need not wait for that.
  flipt?.onChange(({ flags }) => {
    if (flags) for (const mode of ours) mode.provider.invalidate();
  });
  const server = createApp({ modes: [...ours, theirs], flipt }).listen(Number(port), 'localhost');
  server.once('listening', () => {
    const app = `http://localhost:${server.address().port}`;
    console.log(`\nThe app     ${app}/   open it, press a switch, stop Flipt`);
    console.log(`            ${app}/?user=grace&plan=pro shows another user's page`);
    console.log(`${flipt ? 'Flipt, here' : 'Flipt      '} ${flipt ? flipt.url : process.env.FLIPT_URL}/`);
    console.log('Ctrl-C ends it.');
  });
  server.once('error', async (error) => {
    const inUse = error.code === 'EADDRINUSE';
    console.error(inUse ? `Port ${error.port} is in use already; choose another with PORT=…` : error.message);
    process.exitCode = 1;
    await close();
  });
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      server.close(close);
      // Pages that follow changes have responses that never end by themselves.
      server.closeAllConnections();
    });
}

/** The logger of one of the providers, which adds the provider's name. */
function logOf(name) {
  const log = (level) => (message) => console[level](`${name}: ${message}`);
  return { error: log('error'), warn: log('warn'), info: () => {}, debug: () => {} };
}

async function close() {
  await OpenFeature.close();
  await flipt?.close();
}
