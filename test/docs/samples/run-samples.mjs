/*
 * Run in a consumer: runs the modules whose paths it gets as messages, one after another. A module has ended when
 * nothing of it is left to do, as would end a process of its own; a NUL then follows what it wrote to each output. Each
 * module finds OpenFeature, which is one for the process, as it is at the start.
 */
import { NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature } from '@openfeature/server-sdk';

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
