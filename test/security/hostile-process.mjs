/** A provider with little heap: the parent's service answers with what should end it. Sends what it has logged. */
import { FliptProvider } from 'openfeature-flipt-provider';

const logs = [];
const log = (message) => logs.push(String(message));
const { URL_OF_FLIPT: url, SNAPSHOT, INIT_MS, FLAG, DRIP } = process.env;
// Node's own HTTP joins small chunks; a dispatcher of the user need not.
const dispatcher = {
  async request({ method, path, body }) {
    const response = await fetch(`${url}${path}`, { method, body });
    const drips = path.includes('snapshot') ? Number(DRIP) : 0;
    async function* chunks() {
      for (let at = 0; at < drips; at++) yield Buffer.from(' ');
      yield Buffer.from(await response.arrayBuffer());
    }
    return {
      statusCode: drips > 0 ? 200 : response.status,
      headers: { 'content-type': 'application/json' },
      body: chunks(),
    };
  },
};
const provider = new FliptProvider({
  url,
  evaluation: 'in-process',
  initTimeoutMs: Number(INIT_MS ?? 60_000),
  deadlineMs: 60_000,
  http: { timeoutMs: 60_000, ...(DRIP && { dispatcher }) },
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
