/** Returns numbers from 0 to 1 that are the same in each run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A part that is repeated until the body has its size. */
type Part = (n: number) => string;

const constraint = (value: string) =>
  `{"type":"STRING_CONSTRAINT_COMPARISON_TYPE","property":"p","operator":"isoneof","value":${JSON.stringify(value)}}`;
const one: Part = () => '';
/** The longest list that is read. */
const LONG_LIST = constraint(`[${Array.from({ length: 99_000 }, (_, at) => `"${at}"`).join()}]`);

/** The kinds of bodies by name: what is repeated, and what stands around it. */
const KINDS: Readonly<Record<string, readonly [before: string, part: Part, after: string]>> = {
  ...Object.fromEntries(
    ['0', 'null', '""', '[]', '{}', 'true', '-1e9', '{"key":""}', '{"key":5}'].map((junk) => [
      `flags ${junk}`,
      ['{"flags":[', () => junk, ']}'],
    ]),
  ),
  'one junk flag after good ones': ['{"flags":[{"key":"a"},{"key":"b"},', () => '[[[[]]]]', ']}'],
  'variant flags': ['{"flags":[', (n) => `{"key":"${n}"}`, ']}'],
  'boolean flags': ['{"flags":[', (n) => `{"key":"${n}","type":"BOOLEAN_FLAG_TYPE"}`, ']}'],
  'unreadable flags': ['{"flags":[', (n) => `{"key":"${n}","type":"NEW","x":[{},[],"",0]}`, ']}'],
  'flags with a name': ['{"flags":[', (n) => `{"key":"${n}","name":"${'x'.repeat(100)}"}`, ']}'],
  'flags with a segment': [
    '{"flags":[',
    (n) => `{"key":"${n}","rules":[{"segments":[{"key":"${n}","constraints":[${constraint(`["${n}"]`)}]}]}]}`,
    ']}',
  ],
  'flags with a long list': [
    '{"flags":[',
    (n) =>
      `{"key":"${n}","enabled":true,"rules":[{"segments":[{"key":"s${n}","constraints":[${LONG_LIST}]}]}]}`,
    ']}',
  ],
  'flags with a long text': ['{"flags":[', (n) => `{"key":"${n}","name":"${'x'.repeat(8_000_000)}"}`, ']}'],
  'unreadable flags with a long text': [
    '{"flags":[{"key":"a"},',
    (n) => `{"key":"${n}","type":"NEW","x":"${'x'.repeat(8_000_000)}"}`,
    ']}',
  ],
  'texts of an unreadable flag': [
    '{"flags":[{"key":"a","type":"NEW","x":[',
    (n) => `"${'x'.repeat(4_000)}${n}"`,
    ']}]}',
  ],
  'segments of an unreadable flag': [
    '{"flags":[{"key":"a","type":"NEW","rules":[{"segments":[',
    (n) => `{"key":"${n}"}`,
    ']}]}]}',
  ],
  attachments: [
    '{"flags":[{"key":"a","rules":[{"distributions":[',
    (n) => `{"variantKey":"a","variantAttachment":"${n}${'x'.repeat(2_000)}"}`,
    ']}]}]}',
  ],
  'equal flags': ['{"flags":[', () => '{"key":"a"}', ']}'],
  rules: ['{"flags":[{"key":"a","rules":[', () => '{}', ']}]}'],
  'rules with ids': ['{"flags":[{"key":"a","rules":[', (n) => `{"id":"${n}"}`, ']}]}'],
  distributions: ['{"flags":[{"key":"a","rules":[{"distributions":[', () => '{}', ']}]}]}'],
  shares: [
    '{"flags":[{"key":"a","rules":[{"distributions":[',
    (n) => `{"rollout":1,"variantKey":"${n}"}`,
    ']}]}]}',
  ],
  segments: ['{"flags":[{"key":"a","rules":[{"segments":[', (n) => `{"key":"${n}"}`, ']}]}]}'],
  constraints: [
    '{"flags":[{"key":"a","enabled":true,"rules":[{"segments":[{"key":"s","constraints":[',
    (n) => constraint(`["${n}"]`),
    ']}]}]}]}',
  ],
  rollouts: [
    '{"flags":[{"key":"a","type":"BOOLEAN_FLAG_TYPE","rollouts":[',
    () => '{"type":"THRESHOLD_ROLLOUT_TYPE","threshold":{}}',
    ']}]}',
  ],
  'a list of strings': [
    '{"flags":[{"key":"a","enabled":true,"rules":[{"segments":[{"key":"s","constraints":[{"type":"STRING_CONSTRAINT_COMPARISON_TYPE","operator":"isoneof","value":"[0',
    () => '\\"\\"',
    ']"}]}]}]}]}',
  ],
  'members of a flag': ['{"flags":[{"key":"a",', (n) => `"m${n}":0`, '}]}'],
  'members of rules': ['{"flags":[{"key":"a","rules":[{', (n) => `"m${n}":0`, '}]}]}'],
  'members beside the flags': ['{', (n) => `"m${n}":0`, ',"flags":[]}'],
  'members after the flags': ['{"flags":[],', (n) => `"m${n}":0`, '}'],
  'a namespace': ['{"namespace":{"key":"default","x":[', () => '{}', ']},"flags":[]}'],
  'no flags': ['[', () => '0', ']'],
  'flags that are no list': ['{"flags":{', (n) => `"${n}":0`, '}}'],
  'flags twice': ['{"flags":[],"flags":[', (n) => `{"key":"${n}"}`, ']}'],
};
/** In these bodies, no commas stand between the parts. */
const RUNS: typeof KINDS = {
  'levels of lists': ['{"flags":[{"key":"a","x":', () => '[', ''],
  'levels of objects': ['{"flags":[{"key":"a","x":', () => '{"x":', ''],
  'levels instead of a body': ['', () => '[', ''],
  'a long text': ['{"flags":[{"key":"a","name":"', () => 'x', '"}]}'],
  'a text of escapes': ['{"flags":[{"key":"a","name":"', () => '\\u0041', '"}]}'],
  'a text of quotes': ['{"flags":[{"key":"a","name":"', () => '\\"', '"}]}'],
  'a long number': ['{"flags":[{"key":"a","x":', () => '1', '}]}'],
  'a long key': ['{"flags":[{"key":"', () => 'x', '"}]}'],
  'a long name of a member': ['{"flags":[{"key":"a","', () => 'x', '":0}]}'],
  'a long name beside the flags': ['{"', () => 'x', '":0,"flags":[]}'],
  'white space': ['{"flags":[{"key":"a"}', () => ' ', ']}'],
  'white space at the start': ['', () => '\n', '{"flags":[]}'],
  'a text that does not end': ['{"flags":[{"key":"a","name":"', () => 'x', ''],
  'an attachment': ['{"flags":[{"key":"a","defaultVariant":{"key":"v","attachment":"', () => '[', '"}}]}'],
};

export const NAMES = [...Object.keys(KINDS), ...Object.keys(RUNS)];

/** Makes a body of about this many bytes. `random` may cut it, or change a byte. */
export function hostileBody(name: string, bytes: number, random: () => number = one as never): Buffer {
  const [before, part, after] = KINDS[name] ?? RUNS[name] ?? ['', one, ''];
  const between = name in KINDS ? ',' : '';
  const body = Buffer.from(before + repeated(part, between, bytes) + after);
  const dice = random();
  if (dice < 0.1) return body.subarray(0, Math.floor(random() * body.length));
  if (dice < 0.2) body[Math.floor(random() * body.length)] = Math.floor(random() * 256);
  return body;
}

function repeated(part: Part, between: string, bytes: number): string {
  const first = part(0);
  if (part(1) === first) {
    return first + `${between}${first}`.repeat(Math.floor(bytes / (first.length + between.length)));
  }
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const next = part(n);
    parts.push(next);
    length += next.length + between.length;
  }
  return parts.join(between);
}
