/** A features file that somebody wrote to keep its reader busy. */
export interface HostileFile {
  readonly name: string;
  /** The text of the file. It has about 250 kB, unless a short text is worse. */
  readonly text: string;
  /** What the message of the refusal contains; `undefined` for a file that is read. */
  readonly refused?: string;
}

const REPEATS = 'too much is repeated by aliases';
const DOCUMENTS = 'it has more than 10000 documents';
const NESTS = 'it nests too deep';

const BYTES = 252_000;
const many = (part: string, bytes = BYTES): string => part.repeat(bytes / part.length);
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('');

/** Makes a file whose only attachment is this YAML. */
const attachment = (yaml: string): string =>
  `flags:\n- key: f\n  variants:\n  - key: v\n    attachment: ${yaml}\n`;

export const HOSTILE_FILES: readonly HostileFile[] = [
  {
    name: 'mappings that merge a list of the one before three times',
    text: `flags:\n- &m0 {key: a}\n${lines(20, (at) => `- &m${at + 1} {<<: [*m${at}, *m${at}, *m${at}]}`)}`,
    refused: REPEATS,
  },
  {
    name: 'a merge of lists of lists',
    text: `flags:\n- &m0 [{key: a}]\n${lines(30, (at) => `- &m${at + 1} [*m${at}, *m${at}]`)}- {<<: *m30}\n`,
    refused: REPEATS,
  },
  {
    name: 'a chain of 800 mappings that merge the one before',
    text: `flags:\n- &m0 {k: a}\n${lines(800, (at) => `- &m${at + 1} {<<: *m${at}, k${at}: 1}`)}`,
    refused: REPEATS,
  },
  {
    name: 'a chain of mappings as long as the file',
    text: `flags:\n- &m0 {k: a}\n${lines(6_500, (at) => `- &m${at + 1}\n  <<: *m${at}\n  some-key: 1`)}`,
    refused: NESTS,
  },
  {
    name: 'a large mapping that is merged many times',
    text: `flags:\n- &m0\n${lines(2_500, (at) => `  long-key-${at}: 1`)}${many('- <<: *m0 # again\n', 125_000)}`,
    refused: REPEATS,
  },
  {
    name: 'lists that repeat the one before ten times',
    text: `a: &m0 [x]\n${lines(20, (at) => `a${at}: &m${at + 1} [${many(`*m${at},`, 50)}]`)}`,
    refused: REPEATS,
  },
  { name: 'aliases and nothing else', text: attachment(`[&a b,${many('*a,')}]`) },
  { name: 'anchors', text: attachment(`[${lines(14_000, (at) => `      &a${at} b,`)}    ]`) },
  { name: 'nested dashes', text: `\n${many('- ', 200_000)}`, refused: NESTS },
  { name: 'nested brackets', text: `\n${many('[', 200_000)}`, refused: NESTS },
  // At this depth, the process could end without an error.
  { name: 'brackets that may end the stack', text: `${'['.repeat(1500)}${']'.repeat(1500)}`, refused: NESTS },
  { name: 'nested indentation', text: lines(1400, (at) => `${' '.repeat(at)}a:`), refused: NESTS },
  {
    name: 'aliases that nest deeper than the text',
    text: `flags:\n- &m0 [a]\n${lines(2_000, (at) => `- &m${at + 1} [[[[*m${at}]]]]`)}`,
    refused: NESTS,
  },
  {
    name: 'long values, deeply nested',
    text: attachment(`${'['.repeat(150)}${many('123, ')}${']'.repeat(150)}`),
  },
  {
    name: 'a value of all digits',
    text: attachment(many('9')),
  },
  { name: 'a value of digits and underscores', text: attachment(many('1_')) },
  { name: 'a fraction of zeros', text: attachment(`2024-01-01T00:00:00.${many('0')}1`) },
  { name: 'a long text in quotes', text: attachment(`"${many('\\n')}"`) },
  { name: 'a long text of many lines', text: attachment(`|\n${many('      a\n')}`) },
  { name: 'a long base64 text', text: attachment(`!!binary ${many('aGk')}`) },
  { name: 'a long name', text: attachment(`{? "${many('k')}" : 1}`) },
  { name: 'documents without anything', text: many('---\n'), refused: DOCUMENTS },
  { name: 'many documents', text: lines(12_000, (at) => `namespace: n${at}\n---`), refused: DOCUMENTS },
  { name: 'many JSON documents', text: many('{}\n'), refused: DOCUMENTS },
  { name: 'the ends of JSON documents', text: `{${many('}\n')}`, refused: 'Unexpected' },
  { name: 'many keys', text: attachment(`\n${lines(12_500, (at) => `      key-${at}: 1`)}`) },
  {
    name: 'the same key again and again',
    text: many('the-same-key: 1\n'),
    refused: 'Map keys must be unique',
  },
  { name: 'many flags', text: `flags:\n${lines(15_000, (at) => `- key: f${at}`)}` },
  {
    name: 'many wrong flags',
    text: `flags:\n${many('- keyy: a flag of ours\n')}`,
    refused: 'did you mean "key"?',
  },
  { name: 'mistakes and nothing else', text: `\n${many('} ')}`, refused: 'Unexpected' },
  { name: 'ampersands', text: `\n${many('& ')}`, refused: 'anchor' },
  { name: 'unknown tags', text: `[${many('!!foo abcd, ')}]\n`, refused: 'Unresolved tag' },
  { name: 'directives', text: many('%YAML 1.1\n---\n'), refused: DOCUMENTS },
  { name: 'commas', text: `[${many(',')}]\n`, refused: 'Unexpected ,' },
  { name: 'comments', text: many('# a\n'), refused: 'expected at least one document' },
  { name: 'empty lines', text: many('\n'), refused: 'expected at least one document' },
  { name: 'lines that end with U+0085', text: attachment(`"${many('\u0085 ')}"`) },
];
