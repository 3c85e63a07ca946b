/** One resolve, in ESM or CommonJS, whose request a mock of the network answers. `MOCK` names the mock. */
import { createRequire } from 'node:module';
import process from 'node:process';

const require = createRequire(import.meta.url);
const { MOCK, MODULES } = process.env;
const load = MODULES === 'cjs' ? (name) => Promise.resolve(require(name)) : (name) => import(name);
const url = 'http://flipt.test:8080';
const answer = {
  responses: [
    {
      type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
      booleanResponse: { enabled: true, reason: 'DEFAULT_EVALUATION_REASON' },
    },
  ],
};
let end = () => undefined;

const MOCKS = {
  async msw() {
    const { http, HttpResponse } = await load('msw');
    const { setupServer } = await load('msw/node');
    const server = setupServer(http.post(`${url}/evaluate/v1/batch`, () => HttpResponse.json(answer)));
    server.listen({ onUnhandledRequest: 'error' });
    end = () => server.close();
  },
  async nock() {
    await nocked('nock');
  },
  async nock13() {
    await nocked('nock13');
  },
  async undici() {
    const { MockAgent } = await load('undici');
    const agent = new MockAgent();
    agent.disableNetConnect();
    agent.get(url).intercept({ path: '/evaluate/v1/batch', method: 'POST' }).reply(200, answer).persist();
    return agent;
  },
};
async function nocked(name) {
  const module = await load(name);
  const nock = module.default ?? module;
  nock.disableNetConnect();
  nock(url).persist().post('/evaluate/v1/batch').reply(200, answer);
  end = () => nock.restore();
}

// Loaded before the mock, as an app may do.
const { FliptProvider } = await load('openfeature-flipt-provider');
const dispatcher = await MOCKS[MOCK]();
const provider = new FliptProvider({
  url,
  watch: false,
  deadlineMs: 60_000,
  initTimeoutMs: 60_000,
  http: { timeoutMs: 60_000, ...(dispatcher && { dispatcher }) },
});
await provider.initialize();
const { value, reason, errorMessage } = await provider.resolveBooleanEvaluation('on', false, {
  targetingKey: 'ada',
});
await provider.onClose();
end();
process.send({ value, reason, errorMessage });
process.exit();
