import { expect, it, onTestFinished, vi } from 'vitest';
import { readFeatures } from '../../src/features/read-features.js';

const MEMBERS = 15_000;

/** How many items of lists `run` looks at, at most, to find one of them. */
async function itemsLookedAt(run: () => Promise<unknown>): Promise<number> {
  const searches = (['some', 'every', 'find', 'findIndex', 'includes', 'indexOf'] as const).map((name) =>
    vi.spyOn(Array.prototype, name),
  );
  onTestFinished(() => {
    for (const search of searches) search.mockRestore();
  });
  await run();
  const lists = searches.flatMap(({ mock }) => mock.contexts as unknown[][]);
  return lists.reduce((sum, list) => sum + list.length, 0);
}

const members = (line: (at: number) => string) => Array.from({ length: MEMBERS }, (_, at) => line(at));
const FLAG = ['flags:', '- key: a', '  name: A', '  variants:', '  - key: v', '    attachment:'];

it.each([
  ['YAML', [...FLAG, ...members((at) => `      k${at}: 1`)].join('\n')],
  [
    'JSON',
    `{"flags":[{"key":"a","name":"A","variants":[{"key":"v","attachment":{${members((at) => `"k${at}":1`).join()}}}]}]}`,
  ],
])(
  'an attachment of 15,000 members in %s is read in linear time',
  async (_, text) => {
    const looked = await itemsLookedAt(async () => {
      const { namespaces } = await readFeatures(text, 'v1');
      const [variant] = namespaces.get('default')?.flags.get('a')?.variants.values() ?? [];
      expect(Object.keys(JSON.parse(variant?.attachment ?? '{}') as object)).toHaveLength(MEMBERS);
    });
    expect(looked).toBeLessThan(50 * MEMBERS);
  },
  60_000,
);

it('each repeated key is a mistake, wherever it stands', async () => {
  const text = [
    'namespace: a',
    'flags:',
    '- key: b',
    '  ? key',
    '  : c',
    '- {name: d, "name": e}',
    'flags: 1',
  ];
  await expect(readFeatures(text.join('\n'), 'v1')).rejects.toThrow(
    [
      'features:4:5: Map keys must be unique',
      'features:6:13: Map keys must be unique',
      'features:7:1: Map keys must be unique',
    ].join('\n'),
  );
});
