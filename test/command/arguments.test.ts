import { describe, expect, it } from 'vitest';
import { readExplain } from '../../src/command/explain-flag.js';
import { CREDENTIAL_VARIABLES } from '../../src/options/environment.js';
import { readLine as read } from './read-line.fixture.js';

const FILE = { kind: 'file', path: 'f.yml', namespace: undefined, semantics: 'v1' };
const SERVICE = {
  kind: 'service',
  url: 'http://flipt',
  namespace: 'default',
  environment: undefined,
  connection: {},
};

describe('the arguments of explain', () => {
  const EXPLAIN = { flag: 'a', entity: '', attributes: {}, isJson: false, source: FILE };
  it.each<[string, object]>([
    ['explain --flag a --features f.yml', {}],
    ['--flag a --features f.yml explain', {}],
    ['explain --flag a --features f.yml --entity e --json', { entity: 'e', isJson: true }],
    [
      'explain --flag a --features f.yml --context plan=pro --context q=a=b --context none=',
      { attributes: { plan: 'pro', q: 'a=b', none: '' } },
    ],
    [
      'explain --flag a --features f.yml --semantics v2 --namespace n',
      { source: { ...FILE, semantics: 'v2', namespace: 'n' } },
    ],
    ['explain --flag a --url http://flipt', { source: SERVICE }],
    [
      'explain --flag a --url http://flipt --environment production',
      { source: { ...SERVICE, environment: 'production' } },
    ],
  ])('%s', (line, explain) => {
    expect(read(line)).toEqual({ kind: 'explain', explain: { ...EXPLAIN, ...explain } });
  });

  it('take the namespace of the environment if they name none', () => {
    const env = { FLIPT_NAMESPACE: 'env' };
    expect(read('explain --flag a --features f.yml', env)).toMatchObject({
      explain: { source: { namespace: 'env' } },
    });
    expect(read('explain --flag a --features f.yml --namespace arg', env)).toMatchObject({
      explain: { source: { namespace: 'arg' } },
    });
  });

  it('may name an attribute __proto__', () => {
    const { attributes } = readExplain({ flag: 'a', features: 'f.yml', context: ['__proto__=x'] }, {});
    expect(Object.entries(attributes)).toEqual([['__proto__', 'x']]);
  });

  const SECRET =
    `credentials come from the environment only (${CREDENTIAL_VARIABLES}), ` +
    'because everybody on the machine can read the arguments of a process';
  it.each([
    ['explain --features f.yml', '--flag: missing; expected the key of a flag'],
    ['explain --flag a', '--features: missing; expected a file, or the address of Flipt as --url'],
    [
      'explain --flag a --features f.yml --url http://flipt',
      '--features and --url: expected only one of them',
    ],
    ['explain --flag a --features=', '--features: expected a file'],
    ['explain --flag a --features f.yml --namespace=', '--namespace: expected the key of a namespace'],
    ['explain --flag a --features f.yml --environment e', '--environment: has no effect without --url'],
    [
      'explain --flag a --url http://flipt --environment=',
      '--environment: expected the name of an environment',
    ],
    [
      'explain --flag a --url http://flipt --semantics v1',
      '--semantics: has no effect with --url; Flipt says whose rules apply',
    ],
    ['explain --flag a --features f.yml --semantics v3', '--semantics: expected v1, v2.8, v2, got v3'],
    ['explain --flag a --features f.yml --context plan', '--context: expected NAME=VALUE, got "plan"'],
    ['explain --flag a --features f.yml --context =pro', '--context: expected NAME=VALUE, got "=pro"'],
    ['explain --flag a --features f.yml --context a=1 --context a=2', '--context "a": is given twice'],
    [
      'explain --flag a --features f.yml --context targetingKey=u',
      '--context targetingKey: give it as --entity instead',
    ],
    ['explain --fetures f.yml', `Unknown option '--fetures'; did you mean "--features"?`],
    ['explain --allow-host a', "Unknown option '--allow-host'"],
    ['explain --flag a --features f.yml --ca f.pem', '--ca: has no effect without --url'],
    ['types --features f.yml --out f.ts --header a:b', '--header: has no effect without --url'],
    [
      'explain --flag a --url http://flipt --header dummy-abcdef',
      '--header: expected NAME:VALUE, got text without a colon',
    ],
    [
      'explain --flag a --url http://flipt --header :dummy-abcdef',
      '--header: expected NAME:VALUE, got text without a name',
    ],
    [
      'explain --flag a --url http://flipt --header :',
      '--header: expected NAME:VALUE, got text without a name',
    ],
    ['explain --flag a --url http://flipt --header x-api-key:dummy', `--header "x-api-key": ${SECRET}`],
    [
      'explain --flag a --url http://flipt --header token-dummy',
      '--header: expected NAME:VALUE, got text without a colon',
    ],
    [
      'explain --flag a --url http://flipt --proxy http://me:dummy@proxy',
      '--proxy: expected an address without user and password, because everybody on the machine can read the arguments of a process: leave out --proxy, and set HTTPS_PROXY, or HTTP_PROXY for an http: Flipt, to this address',
    ],
    [
      'explain --flag a --url http://flipt --namespace ..',
      '--namespace: expected the key of a namespace without "." or ".." as a part',
    ],
    ['types --headers a:b', `Unknown option '--headers'; did you mean "--header"?`],
    ['explain --flag a --features f.yml more', 'unexpected argument more'],
    [
      'explian',
      'expected the command serve, explain, types, lint or snapshot, got explian; did you mean "explain"?',
    ],
    ['explain --token=dummy', `--token: ${SECRET}`],
    ['explain --auth required', `--auth: ${SECRET}`],
    ['types -H dummy', `-H: ${SECRET}`],
  ])('%j is wrong', (line, message) => {
    expect(read(line)).toMatchObject({ kind: 'wrong', message });
  });
});

describe('the arguments of snapshot', () => {
  const OF_SOCKET = { ...SERVICE, url: 'http://localhost', connection: { socket: 'f.sock' } };
  const SNAPSHOT = { out: 'f.json', source: SERVICE };
  it.each<[string, object, Record<string, string>?]>([
    ['snapshot --url http://flipt --out f.json', {}],
    ['snapshot --socket f.sock --out f.json', { source: OF_SOCKET }],
    [
      'snapshot --socket f.sock --out f.json',
      { source: { ...OF_SOCKET, url: 'http://flipt' } },
      { FLIPT_URL: 'http://flipt' },
    ],
    ['snapshot --out f.json', {}, { FLIPT_URL: 'http://flipt\n' }],
    [
      'snapshot --url http://flipt --out f.json --namespace n --environment e',
      { source: { ...SERVICE, namespace: 'n', environment: 'e' } },
    ],
  ])('%s', (line, snapshot, env) => {
    expect(read(line, env)).toEqual({ kind: 'snapshot', snapshot: { ...SNAPSHOT, ...snapshot } });
  });

  it.each([
    ['snapshot --out f.json', '--url: missing; expected the address of Flipt, or FLIPT_URL, or --socket'],
    ['snapshot --url http://flipt', '--out: missing; expected a file'],
    ['snapshot --url http://flipt --out f --namespace=', '--namespace: expected the key of a namespace'],
    [
      'snapshot --url http://flipt --out f --environment=',
      '--environment: expected the name of an environment',
    ],
    ['snapshot --features f.yml --out f.json', "Unknown option '--features'"],
    [
      'snapshot --token=dummy',
      '--token: credentials come from the environment only (FLIPT_TOKEN, FLIPT_JWT, FLIPT_TOKEN_FILE or ' +
        'FLIPT_AUTH), because everybody on the machine can read the arguments of a process',
    ],
  ])('%j is wrong', (line, message) => {
    expect(read(line)).toMatchObject({ kind: 'wrong', message });
  });
});

describe('the arguments of types', () => {
  const TYPES = { out: 'flags.ts', augment: undefined, isCheck: false, source: FILE };
  it.each<[string, object]>([
    ['types --features f.yml --out flags.ts', {}],
    ['types --features f.yml --out flags.ts --check', { isCheck: true }],
    ['types --features f.yml --out flags.ts --augment keys.d.ts', { augment: 'keys.d.ts' }],
    ['types --url http://flipt --out flags.mts', { out: 'flags.mts', source: SERVICE }],
  ])('%s', (line, types) => {
    expect(read(line)).toEqual({ kind: 'types', types: { ...TYPES, ...types } });
  });

  it.each([
    ['types --features f.yml', '--out: missing; expected a .ts file'],
    [
      'types --features f.yml --out flags.d.ts',
      '--out: expected a .ts file (not .d.ts, because it also contains code), got flags.d.ts',
    ],
    [
      'types --features f.yml --out flags.js',
      '--out: expected a .ts file (not .d.ts, because it also contains code), got flags.js',
    ],
    [
      'types --features f.yml --out src/flags.ts --augment ./src/flags.d.ts',
      '--augment: expected another name than --out has (TypeScript does not read ./src/flags.d.ts beside src/flags.ts)',
    ],
    [
      'types --features f.yml --out flags.ts --augment keys.ts',
      '--augment: expected a .d.ts file, got keys.ts',
    ],
    ['types --out flags.ts --flag a', "Unknown option '--flag'"],
  ])('%j is wrong', (line, message) => {
    expect(read(line)).toMatchObject({ kind: 'wrong', message });
  });
});
