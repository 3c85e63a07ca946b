/** A provider with 256 MB of heap: the parent's service answers with what should end it. Sends what it has logged. */
import { FliptProvider } from 'openfeature-flipt-provider';

const logs = [];
const log = (message) => logs.push(String(message));
const { URL_OF_FLIPT: url, SNAPSHOT, INIT_MS, FLAG } = process.env;
const provider = new FliptProvider({
  url,
  evaluation: 'in-process',
  initTimeoutMs: Number(INIT_MS ?? 60_000),
  deadlineMs: 60_000,
  http: { timeoutMs: 60_000 },
  logger: { error: log, warn: log, info: log, debug() {} },
  ...(SNAPSHOT && { snapshot: { file: SNAPSHOT } }),
});
await provider.initialize().catch((error) => log(error.message));
const { value, reason, errorMessage } = await provider.resolveBooleanEvaluation(FLAG ?? 'on', false, {
  targetingKey: 'ada',
});
if (errorMessage) log(errorMessage);
await provider.onClose();
process.send({ logs, value, reason });
process.disconnect();
