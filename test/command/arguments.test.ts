import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';

const at = useFolder();
let file: string;
beforeAll(async () => {
  file = at('features.yml');
  await writeFile(file, 'flags: [{ key: a, type: BOOLEAN_FLAG_TYPE }]\n');
});
const words = (line: string) =>
  line === '' ? [] : line.split(' ').map((word) => word.replace('FILE', file));

describe('the help', () => {
  it('lists the commands', async () => {
    const { code, out } = await ran(['--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('Usage: openfeature-flipt-provider COMMAND')]);
    for (const command of ['serve', 'explain', 'types', 'lint', 'snapshot'])
      expect(out).toContain(`\n  ${command} [options]`);
    expect(await ran([])).toEqual({ code: 1, out: '', err: out });
  });

  it.each(['serve', 'explain', 'types', 'lint', 'snapshot'])('of %s is its own', async (command) => {
    const { code, out } = await ran([command, '--help']);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`Usage: openfeature-flipt-provider ${command} `),
    ]);
  });
});

it('prints its version', async () => {
  expect(await ran(['--version'])).toEqual({ code: 0, out: '1.2.3', err: '' });
});

describe('wrong arguments', () => {
  it.each([
    ['start', "unknown command 'start'"],
    ['explian', "unknown command 'explian'\n(Did you mean explain?)"],
    ['serve f.yml', 'Expected 0 arguments but got 1. Name a features file with --features.'],
    ['serve --fetures f.yml', "unknown option '--fetures'\n(Did you mean --features?)"],
    ['serve', 'expected a features file as --features, or a file of changes as --data'],
    ['serve --features=', "option '--features <file>' argument '' is invalid"],
    ['serve --data=', "option '--data <file>' argument '' is invalid"],
    ['serve --features FILE --port 80a', 'Expected a number from 0 to 65535'],
    ['serve --features FILE --port=-1', 'Expected a number from 0 to 65535'],
    ['serve --features FILE --port 65536', 'Expected a number from 0 to 65535'],
    ['serve --features FILE --host=', "option '--host <address>' argument '' is invalid"],
    ['serve --features FILE --semantics v3', 'Allowed choices are v1, v2.8, v2.'],
    ['serve --features FILE --bootstrap-token=', "option '--bootstrap-token <token>' argument '' is invalid"],
    ['explain --features FILE', "required option '--flag <key>' not specified"],
    ['explain --flag a', 'expected a features file as --features, or the address of Flipt as --url'],
    [
      'explain --flag a --features FILE --url http://flipt',
      "'--features <file>' cannot be used with option '--url <url>'",
    ],
    ['explain --flag a --features FILE --namespace=', '--namespace: expected the key of a namespace'],
    [
      'explain --flag a --url http://flipt --namespace ..',
      '--namespace: expected the key of a namespace, without "." or ".."',
    ],
    [
      'explain --flag a --features FILE --environment e',
      "'--environment <name>' cannot be used with option '--features <file>'",
    ],
    [
      'explain --flag a --url http://flipt --semantics v1',
      "'--semantics <version>' cannot be used with option '--url <url>'",
    ],
    ['explain --flag a --features FILE --context plan', 'Expected NAME=VALUE.'],
    ['explain --flag a --features FILE --context =pro', 'Expected NAME=VALUE.'],
    ['explain --flag a --features FILE --context a=1 --context a=2', '"a" is given twice.'],
    ['explain --flag a --features FILE --context targetingKey=u', 'Give the targetingKey as --entity.'],
    ['types --features FILE', "required option '--out <file.ts>' not specified"],
    ['types --features FILE --out flags.d.ts', 'Expected a .ts file (not .d.ts'],
    ['types --features FILE --out flags.js', 'Expected a .ts file (not .d.ts'],
    ['snapshot --out f.json', 'expected the address of Flipt as --url, or in FLIPT_URL'],
    ['snapshot --url http://flipt', "required option '--out <file.json>' not specified"],
    ['snapshot --features FILE --out f.json', "unknown option '--features'"],
  ])('%s ends with 1', async (line, message) => {
    const { code, out, err } = await ran(words(line));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: /);
    expect(err).toContain(message);
  });

  it.each([
    ['lint', "missing required argument 'file'"],
    ['lint FILE --jsn', "unknown option '--jsn'"],
    ['lint FILE --port 1', "unknown option '--port'"],
    ['lint FILE --semantics v3', 'Allowed choices are v1, v1-files, v2.8, v2.9'],
    ['lint FILE --format xml', 'Allowed choices are text, json, github.'],
    ['lint FILE --rule refused', 'Expected NAME=LEVEL with off, info, warning or error.'],
    ['lint FILE --rule refused=on', 'Expected NAME=LEVEL with off, info, warning or error.'],
    ['lint FILE --rule refusd=off', 'There is no rule "refusd"; did you mean "refused"?'],
    ['lint FILE --from v1', 'expected both --from and --to'],
    ['lint FILE --from v2 --to v2.8', '--from: expected an older version than --to, got v2 and v2.8'],
    ['lint FILE --from v1 --to v1', '--from: expected an older version than --to, got v1 and v1'],
    ['lint FILE --from v0 --to v1', "'--from <version>' argument 'v0' is invalid"],
    [
      'lint FILE --from v1 --to v2 --semantics v1',
      "'--semantics <version>' cannot be used with option '--from <version>'",
    ],
    ['lint nowhere.yml', 'nowhere.yml: cannot be read'],
  ])('%s ends with 2', async (line, message) => {
    const { code, out, err } = await ran(words(line));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it('are named without a value that may be a secret', async () => {
    const { err } = await ran(['explain', '--flag', 'a', '--token=never-to-be-shown']);
    expect(err).toContain("unknown option '--token'");
    expect(err).not.toContain('never');
  });

  it('control no terminal', async () => {
    expect((await ran(['\u001b[31mred'])).err).toContain("unknown command '\\u{1b}[31mred'");
  });
});

it('an attribute may be named __proto__, and its value may hold =', async () => {
  const { out } = await ran(
    words('explain --flag a --features FILE --json --context __proto__=x --context q=a=b'),
  );
  expect(JSON.parse(out)).toMatchObject({ flag: 'a', answer: { enabled: false } });
});
