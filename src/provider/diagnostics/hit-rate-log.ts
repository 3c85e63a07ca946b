// The module is imported as a whole; the file engine/crc32.ts says why.
import * as zlib from 'node:zlib';
import type { Diagnostics, Log } from '../../model/events/reporter.js';
import { quoted } from '../../base/text/describe.js';

const LOOK_UPS = 1_000;
const FEWEST_HITS = 50;
/**
 * At most this many attributes are counted, because a context of thousands of attributes must not make the counting
 * expensive.
 */
const MAX_NAMES = 100;

/**
 * Counts the first thousand look-ups in the cache, and warns once if hardly any of them found an answer. After that,
 * the log stops listening.
 */
export function logHitRate({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn'>): void {
  let lookUps = 0;
  let hits = 0;
  // These sets hold checksums, because a thousand long values would fill the memory.
  const entities = new Set<number>();
  const values: Values = new Map();

  const lookedUp = () => {
    if (++lookUps < LOOK_UPS) return;
    for (const end of ends) end();
    const problem = hits < FEWEST_HITS ? lowHitRate(hits, entities, values) : undefined;
    if (problem !== undefined) logger.warn(problem);
  };
  const hit = () => {
    hits++;
    lookedUp();
  };

  const ends = [
    listen('hit', hit),
    listen('stale-hit', hit),
    listen('joined', hit),
    listen('miss', ({ question: { entity, attributes } }) => {
      entities.add(zlib.crc32(entity));
      for (const name in attributes) {
        if (!values.has(name) && values.size < MAX_NAMES) values.set(name, new Set());
        values.get(name)?.add(zlib.crc32(attributes[name] ?? ''));
      }
      lookedUp();
    }),
  ];
}

/** The checksums of the values of each attribute. */
type Values = Map<string, Set<number>>;

function lowHitRate(hits: number, entities: ReadonlySet<number>, values: Values): string | undefined {
  const found = `only ${hits} of the first ${LOOK_UPS} look-ups were answered from the cache`;
  let name = 'targetingKey';
  let largest = 0;
  for (const [attribute, { size }] of values) {
    if (size > largest) [name, largest] = [attribute, size];
  }
  // The context was always the same, so that the look-ups were about different flags. The provider has to ask for each
  // of these flags.
  if (largest <= 1 && entities.size <= 1) return undefined;
  // If the users differ more often than any attribute does, no attribute is the cause of the low hit rate.
  if (largest < entities.size) {
    return `${found}: nearly each look-up had another targetingKey (${entities.size}), as with many new users`;
  }
  return (
    `${found}: the context attribute ${quoted(name)} differs most often (${largest} values). ` +
    `Unless a flag depends on this attribute, leave it out with attributes: { except: [${quoted(name)}] }`
  );
}
