import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { flagTypes, typedFile } from '../../src/command/types.js';
import type { Features, Flag, VariantFlag } from '../../src/engine/features.js';
import { namespacesOf, RECORDINGS } from '../engine/recordings.fixture.js';
import { compiled, packed, run, type Complaint } from '../package/packed.fixture.js';

/*
 * The written files are compiled as ES modules and as CommonJS, in one program, and then run. A client that uses the
 * flags is added to them.
 */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 240_000 });

/** Texts with which a flag's key or a variant's could end a string, a comment or a line, or steer an editor. */
const HOSTILE = [
  '"',
  "'",
  '`${process.exit(1)}`',
  '\\',
  '\\"; process.exit(1); //',
  '*/ process.exit(1); /*',
  '//',
  'a\nprocess.exit(1)',
  'a\r\n',
  '\u2028process.exit(1)\u2029',
  '\u202eabc\u2066',
  '\0\u0085\ufeff',
  '\ud800',
  '<!--',
  '</script>',
  '__proto__',
  'constructor',
  'toString',
  '1',
  '',
  'never',
  'ключ',
  '😀',
];

const hostileFlag = (key: string): VariantFlag => ({
  type: 'VARIANT_FLAG_TYPE',
  key,
  enabled: true,
  variants: new Map(
    HOSTILE.map((variant) => [variant, { key: variant, attachment: JSON.stringify({ [key]: 1, a: key }) }]),
  ),
  rules: [],
});

const hostile: Features = {
  flags: new Map(HOSTILE.map((key) => [key, hostileFlag(key)])),
  segments: new Map(),
};

const USE = `
export async function use(client: TypedClient, plain: Client): Promise<void> {
  const chosen: TypedClient = typed(plain);
  client.addHooks();
  for (const key of flagKeys) void (key satisfies FlagKey);
  await Promise.all([chosen, client]);
}
declare const client: TypedClient;
// @ts-expect-error -- A misspelt key.
export const misspelt = () => client.getBooleanValue('no such flag', false);
export const printed = JSON.stringify(flagKeys);
console.log(printed);
`;

const EXACT = `
declare const client: TypedClient;
export const checks = async () => {
  const on: boolean = await client.getBooleanValue('on', false, { targetingKey: 'u' });
  const colour: 'red' | 'blue' | 'none' = await client.getStringValue('colour', 'none');
  const size: number = (await client.getNumberDetails('size', 1)).value;
  const attached: { rgb: string } = await client.getObjectValue('colour', { rgb: 'f00' });
  const { value, variant } = await client.getStringDetails('size', '0');
  const same: '0' | '1' | '2' = value;
  // @ts-expect-error -- A variant that does not exist.
  const green: 'green' = await client.getStringValue('colour', 'red');
  // @ts-expect-error -- A variant flag whose variants are no booleans.
  await client.getBooleanValue('colour', false);
  // @ts-expect-error -- A boolean flag.
  await client.getStringValue('on', '');
  // @ts-expect-error -- A default of another type.
  await client.getNumberValue('size', '1');
  return [on, colour, size, attached, variant, same, green];
};
`;

const EXACT_FLAGS: Features = {
  flags: new Map<string, Flag>([
    ['on', { type: 'BOOLEAN_FLAG_TYPE', key: 'on', enabled: true, rollouts: [] }],
    ['colour', variantFlag('colour', { red: '{"rgb":"f00"}', blue: '{"rgb":"00f"}' })],
    ['size', variantFlag('size', { 1: '', 2: 'null' })],
  ]),
  segments: new Map(),
};

function variantFlag(key: string, attachments: Readonly<Record<string, string>>): VariantFlag {
  const variants = Object.entries(attachments).map(
    ([name, attachment]) => [name, { key: name, attachment }] as const,
  );
  return { type: 'VARIANT_FLAG_TYPE', key, enabled: true, variants: new Map(variants), rules: [] };
}

let folder: string;
let complaints: readonly Complaint[];
const written: { readonly name: string; readonly keys: readonly string[] }[] = [];

beforeAll(async () => {
  folder = await (await packed()).consumer('typed', false);
  const write = (name: string, features: Features, use: string, areAllVariants = true) => {
    const flags = flagTypes(features, areAllVariants);
    const text = typedFile(flags) + use;
    for (const ending of ['mts', 'cts']) writeFileSync(join(folder, `${name}.${ending}`), text);
    written.push({ name, keys: flags.map(({ key }) => key) });
  };
  for (const recording of RECORDINGS) {
    for (const [namespace, features] of await namespacesOf(recording)) {
      const name = `${recording.name}-${recording.semantics}-${namespace}`;
      write(name, features, USE);
      write(`${name}-from-service`, features, USE, false);
    }
  }
  write('hostile', hostile, USE);
  write('exact', EXACT_FLAGS, EXACT);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    skipLibCheck: true,
    outDir: 'out',
  };
  const files = written.flatMap(({ name }) => [`${name}.mts`, `${name}.cts`]);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  complaints = await compiled(folder);
});

describe('the types that are written', () => {
  it('of the recorded features, of hostile and of exact ones compile as ES modules and as CommonJS', () => {
    expect(written.length).toBeGreaterThan(8);
    expect(complaints).toEqual([]);
  });

  it.each(['mjs', 'cjs'])('only define what they name when they run as .%s', async (ending) => {
    const name = `out/hostile.${ending}`;
    const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(written.find((file) => file.name === 'hostile')?.keys);
  });

  it('hold text from outside only in strings of one line', () => {
    const text = readFileSync(join(folder, 'hostile.mts'), 'utf8');
    expect(text).not.toMatch(/[\0\r\u0085\u2028\u2029\u202e\u2066\ufeff]/);
    const rest = text.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
    expect(rest).not.toContain('process');
    expect(rest).not.toMatch(/ключ|😀|script/);
  });

  it('are the same for the same flags in any order', () => {
    const reversed = { ...hostile, flags: new Map([...hostile.flags].reverse()) };
    expect(typedFile(flagTypes(reversed, true))).toBe(typedFile(flagTypes(hostile, true)));
  });
});
