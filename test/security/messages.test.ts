import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { runCommand } from '../../src/command/program.js';
import { readFeatures } from '../../src/features/read-features.js';
import { stateIn } from '../../src/local/store.js';
import { clientSettings } from '../../src/options/settings.js';
import { systemClock } from '../../src/base/time/clock.js';
import { savedText } from '../snapshot/saved-text.fixture.js';
import { flipt, recordingLogger, temporaryFolder } from '../provider/open.fixture.js';

/** Ends a line, colours the terminal, turns the direction of the text, hides itself. */
const HOSTILE = 'x\r\nforged\u001b[31m\u202e\u2066\u200b\u0085\u2028y';
const STEERING = /[^\n\P{Cc}]|[\p{Cf}\u2028\u2029]/u;

const thrown = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

const never = () => new Promise<never>(() => undefined);
const NOWHERE = 'http://127.0.0.1:1';

/** The failure of a start, and all that is logged meanwhile. */
async function started(options: FliptProviderOptions): Promise<string> {
  const logger = recordingLogger();
  const provider = flipt({ initTimeoutMs: 50, logger, url: NOWHERE, ...options });
  const message = await thrown(() => provider.initialize());
  const details = await provider.resolveStringEvaluation(HOSTILE, '', { [HOSTILE]: HOSTILE });
  await provider.onClose();
  const lines = Object.values(logger).flatMap(({ mock }) => mock.calls.map((words) => words.join(' ')));
  return [message, details.errorMessage, ...lines].join('\n');
}

const kept = (url: string) =>
  savedText({ flags: [] }, { etag: HOSTILE }, { url, namespace: 'default', environment: undefined });

it.each<[string, (folder: string) => Promise<string>]>([
  ['a url', () => started({ url: `${NOWHERE}/\u202e${encodeURIComponent('\r')}\u2066` })],
  ['a namespace and a flag key', () => started({ namespace: HOSTILE })],
  ['the name of a snapshot file', (folder) => started({ snapshot: { file: join(folder, HOSTILE, 'a') } })],
  [
    'the url of a saved snapshot',
    async (folder) => {
      const file = join(folder, 'kept');
      await writeFile(file, kept(HOSTILE));
      return started({ snapshot: { file } });
    },
  ],
  [
    'the error of a store',
    () =>
      started({
        snapshot: { store: { load: () => Promise.reject(new Error(HOSTILE)), save: async () => undefined } },
      }),
  ],
  ['the path of a token', () => started({ auth: { tokenFile: `/nowhere/${HOSTILE}` } })],
  [
    "the path of a pod's token",
    () => started({ auth: { kubernetes: { tokenPath: `/nowhere/${HOSTILE}` } } }),
  ],
  [
    'the name of an error of auth.headers',
    () =>
      started({
        auth: {
          headers: () => {
            throw Object.assign(new Error('a'), { name: HOSTILE });
          },
        },
      }),
  ],
  [
    'a features document as snapshot',
    () => started({ snapshot: { initial: { flags: [{ key: 'a', [HOSTILE]: 1 }] } } }),
  ],
  ['a YAML text', () => thrown(() => readFeatures('flags: [\u202e\u0007 {{{\n', 'v1'))],
  [
    'the name of a member',
    () => thrown(() => readFeatures({ flags: [], [HOSTILE]: 1 } as never, 'v2', { strict: true })),
  ],
  ['the name of a features file', () => thrown(() => readFeatures('/nowhere/\u202e\u001b[31m', 'v1'))],
  [
    'the name of a data file',
    async (folder) => {
      const path = join(folder, '\u202e\u001b[31m');
      await writeFile(path, 'hello');
      return thrown(() => stateIn(path));
    },
  ],
  [
    'the target of a link to a data file',
    async (folder) => {
      await writeFile(join(folder, '\u202e'), 'hello');
      await symlink(join(folder, '\u202e'), join(folder, 'link'));
      return thrown(() => stateIn(join(folder, 'link')));
    },
  ],
  ['an option', () => thrown(() => clientSettings({ [HOSTILE]: 1 } as never, {}))],
  ['a header', () => thrown(() => clientSettings({ headers: { [HOSTILE]: 'a' } }, {}))],
  [
    'the name of a variable',
    async () => clientSettings({}, { [`FLIPT_TOKEN${HOSTILE}`]: 'a' }).credentialsAdvice,
  ],
  ...['--port', '--namespace', '--features', `--${HOSTILE}`].map(
    (option): [string, () => Promise<string>] => [
      `the argument ${JSON.stringify(option)}`,
      async () => {
        const lines: string[] = [];
        const print = (line: string) => lines.push(line);
        const runtime = {
          env: {},
          version: '0',
          print,
          complain: print,
          clock: systemClock,
          interrupted: never,
        };
        await runCommand({ ...runtime, argv: ['serve', option, '\u202e\u001b[31m'] });
        return lines.join('\n');
      },
    ],
  ),
])('%s steers no terminal from a message, and begins no line', async (_, message) => {
  const words = await message(await temporaryFolder());
  expect(words).not.toBe('');
  expect(words).not.toMatch(STEERING);
  expect(words).not.toMatch(/^\W*forged/m);
});

it.each(['error', 'warn', 'info', 'debug'] as const)(
  'a log line (%s) is one line, whatever is in it',
  (level) => {
    const given = recordingLogger();
    const { logger } = clientSettings({ logger: given }, {});
    const cause = new Error(HOSTILE);
    logger[level](HOSTILE, cause);
    expect(given[level]).toHaveBeenCalledExactlyOnceWith(expect.not.stringMatching(STEERING), cause);
    expect(given[level].mock.calls[0]?.[0]).not.toMatch(/^forged/m);
  },
);
