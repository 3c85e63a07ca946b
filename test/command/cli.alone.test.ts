import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startCommand } from './command-process.fixture.js';
import { useFolder } from '../local/folder.fixture.js';
import { ask, evaluate } from '../local/requests.fixture.js';

const at = useFolder();
const FEATURES = 'flags:\n  - {key: new, type: BOOLEAN_FLAG_TYPE, enabled: true}\n';

describe('the built command', () => {
  it.concurrent('prints its version and help', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await startCommand(['--version']).ended).toEqual({ code: 0, output: `${version}\n` });
    expect(await startCommand(['--help']).ended).toMatchObject({ code: 0 });
  });

  it.concurrent.each(['SIGINT', 'SIGTERM'] as const)(
    'serves until %s, reloads edits, and exits with 0',
    async (signal) => {
      const path = at(`${signal}.yml`);
      await writeFile(path, FEATURES);
      const command = startCommand(['serve', '--features', path, '--port', '0']);
      const url = await command.url;
      expect(await evaluate(url, [{ flagKey: 'new' }])).toMatchObject([{ enabled: true }]);
      await writeFile(path, FEATURES.replace('true', 'false'));
      await command.printed(/Reloaded/);
      expect(await evaluate(url, [{ flagKey: 'new' }])).toMatchObject([{ enabled: false }]);
      command.kill(signal);
      expect(await command.ended).toMatchObject({ code: 0 });
    },
  );

  it.concurrent.each(['SIGINT', 'SIGTERM'] as const)(
    'serve waits for a request after %s, but not after a second one',
    async (signal) => {
      const path = at(`twice-${signal}.yml`);
      await writeFile(path, FEATURES);
      const command = startCommand(['serve', '--features', path, '--port', '0']);
      const { hostname, port } = new URL(await command.url);
      const connection = async (head: string) => {
        const socket = connect(Number(port), hostname).setEncoding('utf8');
        socket.on('error', () => undefined).write(`${head}\r\nHost: ${hostname}\r\n\r\n`);
        return { socket, answer: String(await once(socket, 'data')) };
      };
      const body = 'Content-Length: 9\r\nExpect: 100-continue';
      const busy = await connection(`POST /evaluate/v1/batch HTTP/1.1\r\n${body}`);
      expect(busy.answer).toContain('100 Continue');
      const idle = await connection('GET /health HTTP/1.1');
      const closed = once(idle.socket, 'close');
      command.kill(signal);
      // It closes idle connections first.
      await closed;
      command.kill(signal);
      expect(await command.ended).toMatchObject({ code: null });
      busy.socket.destroy();
    },
  );

  it.concurrent('lint ends at once on SIGTERM, even while it is busy', async () => {
    const path = at('busy.yml');
    await writeFile(path, FEATURES);
    // The signal arrives in the middle of the work, as if reading took long.
    const busy = `const { decode } = TextDecoder.prototype;
      TextDecoder.prototype.decode = function (...given) {
        process.kill(process.pid, 'SIGTERM');
        return decode.apply(this, given);
      };`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(busy)}` };
    expect(await startCommand(['lint', path], env).ended).toEqual({ code: null, output: '' });
  });

  it.concurrent('reads a running Flipt, and ends with 0', async () => {
    const path = at('running.yml');
    await writeFile(path, FEATURES);
    const serving = startCommand(['serve', '--features', path, '--port', '0']);
    const url = await serving.url;
    for (const asked of [
      ['snapshot', '--out', at('running.json')],
      ['types', '--out', at('running.ts')],
      ['explain', '--flag', 'new'],
    ]) {
      expect(await startCommand([...asked, '--url', url]).ended).toMatchObject({ code: 0 });
    }
    serving.kill('SIGTERM');
    await serving.ended;
  });

  it.concurrent('requires the token of its environment, and prints it nowhere', async () => {
    const path = at('auth.yml');
    await writeFile(path, FEATURES);
    const token = 'dummy-bootstrap';
    const command = startCommand(['serve', '--features', path, '--port', '0'], {
      FLIPT_BOOTSTRAP_TOKEN: token,
    });
    const url = await command.url;
    expect(await ask(url, 'POST /evaluate/v1/batch', { body: {} })).toMatchObject({ status: 401 });
    expect(await ask(url, 'POST /evaluate/v1/batch', { body: {}, token })).toMatchObject({ status: 200 });
    command.kill('SIGTERM');
    const { code, output } = await command.ended;
    expect(code).toBe(0);
    expect(output).not.toContain(token);
  });

  it.concurrent.each([
    [['serve', '--features', 'nowhere.yml'], /^error: nowhere\.yml: cannot be read: ENOENT.*\n$/],
    [
      ['serve', '--port', 'x'],
      /^error: option '--port <port>' argument 'x' is invalid\. Expected a number from 0 to 65535\.\n/,
    ],
  ])('exits with 1, a message and no stack trace: %j', async (args, output) => {
    const ended = await startCommand(args).ended;
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(output);
  });
});
