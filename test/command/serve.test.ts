import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { runCommand } from '../../src/command/program.js';
import { startLocalService } from '../../src/local/index.js';
import { useFolder } from '../local/folder.fixture.js';
import { ask, evaluate } from '../local/requests.fixture.js';

const at = useFolder();

const features = (enabled: boolean): string =>
  `flags:\n  - {key: new, type: BOOLEAN_FLAG_TYPE, enabled: ${enabled}}\n`;

/** Runs the command in this process. Tests can wait for its lines. */
function run(
  argv: readonly string[],
  env: Record<string, string> = {},
): {
  readonly code: Promise<number>;
  readonly line: (pattern: RegExp) => Promise<string>;
  /** Every line so far. */
  readonly all: readonly string[];
  readonly end: () => void;
} {
  const lines: string[] = [];
  const all: string[] = [];
  const waiting = new Set<() => void>();
  const put = (line: string): void => {
    lines.push(line);
    all.push(line);
    for (const look of waiting) look();
  };
  const ending = new AbortController();
  const code = runCommand({
    argv,
    env,
    version: '1.2.3',
    print: (line) => {
      put(`out: ${line}`);
    },
    complain: (line) => {
      put(`err: ${line}`);
    },
    interrupted: async () => ending.signal.aborted || once(ending.signal, 'abort'),
    clock: systemClock,
  });
  return {
    code,
    all,
    end: () => {
      ending.abort();
    },
    line: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const index = lines.findIndex((line) => pattern.test(line));
          if (index < 0) return;
          waiting.delete(look);
          resolve(lines.splice(index, 1)[0] ?? '');
        };
        waiting.add(look);
        look();
      }),
  };
}

const urlIn = (line: string): string => /http:\S+/.exec(line)?.[0] ?? '';

/** Saves in one step, as an editor does. */
async function save(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

describe('serve', () => {
  it('serves, reloads an edited file, keeps the old features while the new ones are wrong, and ends', async () => {
    const path = at('edited.yml');
    await writeFile(path, features(true));
    const { line, code, end } = run(['serve', '--features', path, '--port', '0']);
    const served = await line(/Serving/);
    expect(served).toMatch(
      /^out: Serving .*edited\.yml at http:\/\/127\.0\.0\.1:\d+ \(Flipt v1 semantics\)$/,
    );
    expect(await line(/Ctrl-C/)).toBe(
      'out: Open the address in a browser to see and switch the flags. Ctrl-C ends it.',
    );
    const enabled = async (): Promise<unknown> =>
      (await evaluate(urlIn(served), [{ flagKey: 'new' }]))[0]?.enabled;
    expect(await enabled()).toBe(true);

    await save(path, 'flags: wrong\n');
    expect(await line(/keeps the old features/)).toMatch(
      /^err: .*edited\.yml:1:1: flags: .*\nThe service keeps the old features$/,
    );
    expect(await enabled()).toBe(true);

    await save(path, features(false));
    expect(await line(/Reloaded/)).toMatch(/^out: Reloaded .*edited\.yml$/);
    expect(await enabled()).toBe(false);

    end();
    expect(await code).toBe(0);
    await expect(fetch(urlIn(served))).rejects.toThrow();
  });

  it('keeps the old features, too, if Flipt would refuse the new ones and it is strict', async () => {
    const path = at('strict.yml');
    const good = `version: '1.4'\nflags:\n  - { key: new, name: New, type: BOOLEAN_FLAG_TYPE }\n`;
    await writeFile(path, good);
    const { line, code, end } = run([
      'serve',
      '--features',
      path,
      '--port',
      '0',
      '--strict',
      '--semantics',
      'v2',
    ]);
    await line(/Ctrl-C/);
    await save(path, good.replace('name: New, ', ''));
    expect(await line(/keeps the old features/)).toMatch(
      / Write a name\.\nThe service keeps the old features$/,
    );
    end();
    expect(await code).toBe(0);
  });

  it('warns of what is probably a mistake, and again if it comes back', async () => {
    const path = at('suspicious.yml');
    await writeFile(path, 'flags:\n  - key: old\n');
    const { line, all, code, end } = run(['serve', '--features', path, '--port', '0']);
    expect(await line(/Warning/)).toMatch(
      /^err: Warning: .*suspicious\.yml:2:5: warning: missing-type: flags\[0\]: Flag "old" has no type, .* Write type: /,
    );
    await save(path, 'flags:\n  - key: new\n  - key: old\n');
    expect(await line(/Warning/)).toMatch(/:2:5: warning: missing-type: flags\[0\]: Flag "new"/);
    await line(/Reloaded/);
    await save(path, features(true));
    await line(/Reloaded/);
    await save(path, 'flags:\n  - key: old\n');
    expect(await line(/Warning/)).toMatch(/:2:5: warning: missing-type: flags\[0\]: Flag "old"/);
    end();
    expect(await code).toBe(0);
    expect(all.filter((one) => one.includes('Warning'))).toHaveLength(3);
  });

  it('does not warn of a features file that it does not serve', async () => {
    const [path, data] = [at('warned.yml'), at('warned.json')];
    await writeFile(path, 'flags:\n  - key: old\n');
    const argv = ['serve', '--features', path, '--data', data, '--port', '0'];
    for (const warnings of [1, 0]) {
      const { line, all, code, end } = run(argv);
      await line(/Ctrl-C/);
      end();
      expect(await code).toBe(0);
      expect(all.filter((one) => one.includes('Warning'))).toHaveLength(warnings);
    }
  });

  it('ignores edits if changes are kept in a data file, and says so', async () => {
    const path = at('kept.yml');
    await writeFile(path, features(true));
    const data = at('kept.json');
    const { line, code, end } = run(['serve', '--features', path, '--data', data, '--port', '0']);
    const url = urlIn(await line(/Serving .*kept\.json/));
    await save(path, features(false));
    expect(await line(/is ignored/)).toMatch(
      /The edited .*kept\.yml is ignored, because the features come from .*kept\.json$/,
    );
    expect(await evaluate(url, [{ flagKey: 'new' }])).toMatchObject([{ enabled: true }]);
    end();
    expect(await code).toBe(0);
    const again = run(['serve', '--data', data, '--port', '0']);
    expect(await evaluate(urlIn(await again.line(/Serving/)), [{ flagKey: 'new' }])).toMatchObject([
      { enabled: true },
    ]);
    again.end();
    expect(await again.code).toBe(0);
  });

  it('warns if other machines may reach it and no token is required', async () => {
    const path = at('open.yml');
    await writeFile(path, features(true));
    const open = run(['serve', '--features', path, '--port', '0', '--host', '0.0.0.0']);
    expect(await open.line(/Warning/)).toMatch(
      /^err: Warning: 0\.0\.0\.0 may be reached from other machines/,
    );
    open.end();
    expect(await open.code).toBe(0);
  });

  it.each([['127.0.0.1'], ['localhost'], ['0.0.0.0', '--bootstrap-token', 'dummy-bootstrap']])(
    'does not warn with --host %s %s %s',
    async (host, ...auth) => {
      const path = at('closed.yml');
      await writeFile(path, features(true));
      const { line, code, end } = run(['serve', '--features', path, '--port', '0', '--host', host, ...auth]);
      const warned = line(/Warning/).then(() => 'warned');
      const url = urlIn(await line(/Serving/));
      expect(await ask(url, 'GET /health')).toMatchObject({ status: 200 });
      end();
      expect(await Promise.race([warned, code])).toBe(0);
    },
  );

  it('says that the port is in use', async () => {
    const path = at('port.yml');
    await writeFile(path, features(true));
    const other = await startLocalService({ features: path });
    const { port } = new URL(other.url);
    const { line, code } = run(['serve', '--features', path, '--port', port]);
    expect(await line(/./)).toBe(
      `err: error: port ${port} of 127.0.0.1 is in use already; choose another with --port`,
    );
    expect(await code).toBe(1);
    await other.close();
  });

  it('says any other reason why it cannot start', async () => {
    const path = at('good.yml');
    await writeFile(path, features(true));
    const nowhere = run(['serve', '--features', path, '--host', '192.0.2.1', '--port', '0']);
    expect(await nowhere.line(/./)).toMatch(/cannot listen on port 0 of 192\.0\.2\.1: .*EADDRNOTAVAIL/);
    expect(await nowhere.code).toBe(1);

    const missing = run(['serve', '--features', at('missing.yml')]);
    expect(await missing.line(/./)).toMatch(/missing\.yml: cannot be read: ENOENT/);
    expect(await missing.code).toBe(1);

    await writeFile(at('damaged.json'), 'x');
    const damaged = run(['serve', '--features', path, '--data', at('damaged.json')]);
    expect(await damaged.line(/./)).toMatch(
      /damaged\.json: it is damaged, or no data file of this service, and is not overwritten; move it away, or name another file$/,
    );
    expect(await damaged.code).toBe(1);
  });

  it.each([
    [[], { FLIPT_BOOTSTRAP_TOKEN: ' dummy-env\n' }, 'dummy-env'],
    [['--bootstrap-token', 'dummy'], { FLIPT_BOOTSTRAP_TOKEN: 'dummy-env' }, 'dummy'],
    [[], { FLIPT_BOOTSTRAP_TOKEN: '' }, undefined],
  ])('asks for the first token of %j and %j', async (more, env, token) => {
    const path = at('token.yml');
    await writeFile(path, features(true));
    const { line, code, end } = run(['serve', '--features', path, '--port', '0', ...more], env);
    const url = urlIn(await line(/Serving/));
    const statusWith = async (sent?: string) =>
      (await ask(url, 'POST /evaluate/v1/batch', { body: {}, ...(sent !== undefined && { token: sent }) }))
        .status;
    expect(await statusWith()).toBe(token === undefined ? 200 : 401);
    expect(await statusWith(token)).toBe(200);
    end();
    expect(await code).toBe(0);
  });

  it('ends at once on a signal before it has started', async () => {
    const path = at('brief.yml');
    await writeFile(path, features(true));
    const { code, end } = run(['serve', '--features', path, '--port', '0']);
    end();
    expect(await code).toBe(0);
  });
});
