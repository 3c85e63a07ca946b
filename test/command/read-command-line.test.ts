import { describe, expect, it } from 'vitest';
import { HELP, HELPS } from '../../src/command/help.js';
import { readLine as read } from './read-line.fixture.js';

const DEFAULTS = {
  features: 'f.yml',
  port: 8080,
  host: '127.0.0.1',
  allowHosts: [],
  semantics: 'v1',
  strict: false,
  data: undefined,
  bootstrapToken: undefined,
};

describe('arguments', () => {
  it.each<[string, object]>([
    ['serve --features f.yml', {}],
    ['--features=f.yml serve', {}],
    ['serve --features f.yml --port 0', { port: 0 }],
    ['serve --features f.yml --strict', { strict: true }],
    ['serve --features f.yml --host 0.0.0.0 --semantics v2', { host: '0.0.0.0', semantics: 'v2' }],
    ['serve --features f.yml --allow-host a --allow-host b.test', { allowHosts: ['a', 'b.test'] }],
    ['serve --data d.json', { features: undefined, data: 'd.json' }],
    ['serve --features f.yml --auth required --bootstrap-token dummy', { bootstrapToken: 'dummy' }],
  ])('%s', (line, serve) => {
    expect(read(line)).toEqual({ kind: 'serve', serve: { ...DEFAULTS, ...serve } });
  });

  it('win over the environment for the first token', () => {
    const env = { FLIPT_BOOTSTRAP_TOKEN: 'dummy-env' };
    const line = 'serve --features f.yml';
    expect(read(line, env)).toMatchObject({
      message: 'FLIPT_BOOTSTRAP_TOKEN: has no effect without --auth required',
    });
    // Text from a file often ends with a line break.
    expect(read(`${line} --auth required`, { FLIPT_BOOTSTRAP_TOKEN: ' dummy-env\n' })).toMatchObject({
      serve: { bootstrapToken: 'dummy-env' },
    });
    expect(read(line, { FLIPT_BOOTSTRAP_TOKEN: '' })).toMatchObject({ serve: { bootstrapToken: undefined } });
    expect(read(`${line} --auth required`, env)).toMatchObject({ serve: { bootstrapToken: 'dummy-env' } });
    expect(read(`${line} --auth required --bootstrap-token dummy`, env)).toMatchObject({
      serve: { bootstrapToken: 'dummy' },
    });
  });

  it.each([
    ['--help', 'help'],
    ['-h', 'help'],
    ['--version', 'version'],
  ])('%s', (line, kind) => {
    expect(read(line)).toEqual({ kind });
  });

  it.each([
    ['', 'expected the command serve, explain, types, lint or snapshot, got none'],
    ['start', 'expected the command serve, explain, types, lint or snapshot, got start'],
    ['serve f.yml', 'unexpected argument f.yml; did you mean --features f.yml?'],
    ['start f.yml', 'expected the command serve, explain, types, lint or snapshot, got start'],
    ['serve --bogus', "Unknown option '--bogus'"],
    [
      'lint --features a.yml --features b.yml',
      '--features is given twice; write lint a.yml b.yml for several files',
    ],
    ['serve --features a.yml --features b.yml', '--features is given twice'],
    ['serve --port --host', "Option '--port' argument is ambiguous"],
    ['serve', '--features: missing; expected a file'],
    ['serve --features=', '--features: expected a file'],
    ['serve --data=', '--data: expected a file'],
    ['serve --features f.yml --port 80a', '--port: expected a number from 0 to 65535, got 80a'],
    ['serve --features f.yml --port=-1', '--port: expected a number from 0 to 65535, got -1'],
    ['serve --features f.yml --port 65536', '--port: expected a number from 0 to 65535, got 65536'],
    ['serve --features f.yml --host=', '--host: expected an address to listen on'],
    ['serve --features f.yml --semantics v3', '--semantics: expected v1, v2.8, v2, got v3'],
    ['serve --features f.yml --auth none', '--auth: expected required, got none'],
    [
      'serve --features f.yml --auth required',
      '--auth required: needs a first token, as --bootstrap-token or in FLIPT_BOOTSTRAP_TOKEN',
    ],
    ['serve --features f.yml --bootstrap-token=', '--bootstrap-token: has no effect without --auth required'],
    [
      'serve --features f.yml --bootstrap-token x',
      '--bootstrap-token: has no effect without --auth required',
    ],
  ])('%j is wrong', (line, message) => {
    expect(read(line)).toMatchObject({ kind: 'wrong', message });
  });

  it.each(['serve --nope', 'serve --port', 'serve --features f.yml --help=x'])('%j is wrong', (line) => {
    expect(read(line).kind).toBe('wrong');
  });
});

describe('the help', () => {
  it.each([
    'features',
    'port',
    'host',
    'allow-host',
    'semantics',
    'strict',
    'data',
    'auth',
    'bootstrap-token',
    'help',
    'version',
  ])('describes --%s', (option) => {
    expect(HELPS.serve + HELP).toContain(`  --${option} `);
  });

  it.each(['serve', 'explain', 'types', 'lint', 'snapshot'] as const)('of %s is its own', (command) => {
    expect(read(`${command} --help`)).toEqual({ kind: 'help', of: command });
    expect(HELPS[command]).toContain(`Usage: openfeature-flipt-provider ${command} `);
  });
});
