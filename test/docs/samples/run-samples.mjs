/*
 * Run in a consumer: runs the modules whose paths it gets as messages, one after another. A module has ended when
 * nothing of it is left to do, as would end a process of its own; a NUL then follows what it wrote to each output. Each
 * module finds OpenFeature and the environment, which are one for the process, as they are at the start.
 */
import { DefaultLogger, NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature } from '@openfeature/server-sdk';

const environment = { ...process.env };

/** Resolves when nothing is left to do. */
function idle() {
  // From here on, the messages keep the process alive no longer.
  process.channel.unref();
  return new Promise((resolve) => {
    process.once('beforeExit', () => {
      process.channel.ref();
      resolve();
    });
  });
}

async function reset() {
  await OpenFeature.clearProviders();
  OpenFeature.clearHooks();
  OpenFeature.clearHandlers();
  OpenFeature.setContext({});
  OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
  OpenFeature.setLogger(new DefaultLogger());
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}

process.on('message', async (path) => {
  let isLoaded = false;
  const loading = import(path).then(() => {
    isLoaded = true;
  });
  await idle();
  if (!isLoaded) throw new Error(`${String(path)} awaits what never comes`);
  await loading;
  if (process.exitCode !== undefined) process.exit();
  await reset();
  process.stdout.write('\0');
  process.stderr.write('\0');
});
