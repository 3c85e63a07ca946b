import { request as send } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../eventually.fixture.js';
import { hurryBackground } from '../../../in-process/hurry.fixture.js';
import { localService, open } from '../../../provider/open.fixture.js';
import { listening } from '../../../traffic/listening.fixture.js';
import { FEATURES, KEYS } from '../features.fixture.js';
import { ask, hosted, HOSTS, type Host } from '../hosts.fixture.js';
import { follow } from './events.fixture.js';

const STREAM = '/ofrep/v1/evaluate/flags';
const [[, host]] = HOSTS;

/** Sends each request to the next of these apps. */
async function roundRobin(apps: readonly string[]): Promise<string> {
  let requests = 0;
  const proxy = await listening((request, response) => {
    const { method, headers, url = '' } = request;
    const app = apps[requests++ % apps.length] ?? '';
    const passed = send(app + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  onTestFinished(proxy.close);
  return proxy.url;
}

async function instance(url: string, pollMs: number, handler: Host = host) {
  const { provider } = await open({ url, evaluation: 'in-process', watch: { pollMs } });
  return { provider, app: await hosted(handler, { provider, flags: KEYS, push: true }) };
}

describe('two instances behind round robin', () => {
  it('both have a change when a browser asks after the last event of its stream', async () => {
    const service = await localService({ features: FEATURES });
    hurryBackground(400);
    const quick = await instance(service.url, 400);
    const slow = await instance(service.url, 400);
    const address = await roundRobin([quick.app, slow.app]);
    const events = await follow(address + STREAM);
    await events.count(1);
    service.set('on', false);
    // Only the one with the stream is told. The other one finds out by its own poll.
    quick.provider.invalidate();
    await events.count(2);
    await events.count(3);
    // The repetition waits for 1.2 intervals; on a busy machine, the other one's poll may take longer.
    await eventually(() => slow.provider.getStatus().watch?.changedFlags === 1);
    const answers = [await ask(address, 'on'), await ask(address, 'on')];
    expect(answers).toMatchObject([{ body: { value: false } }, { body: { value: false } }]);
  });
});
