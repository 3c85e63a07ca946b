import { nodeModules } from '../../base/node-modules.js';
import type { Subject } from '../../model/answer.js';
import type { Log } from '../../model/events/reporter.js';
import { quoted } from '../../base/text/describe.js';

const LOOK_UPS = 1_000;
const FEWEST_HITS = 50;
/**
 * `logHitRate` counts the values of at most this many attributes, because counting the values of thousands of
 * attributes would be expensive.
 */
const MAX_NAMES = 100;

/** Counts the first thousand look-ups in the cache, and warns if hardly any of them found an answer. */
export function logHitRate(logger: Log<'warn'>): (hasFound: boolean, subject: Subject) => void {
  let lookUps = 0;
  let hits = 0;
  // These sets contain checksums instead of the values, because a thousand long values would need much memory.
  const entities = new Set<number>();
  const values: Values = new Map();

  return (hasFound, { entity, names, texts }) => {
    if (lookUps === LOOK_UPS) return;
    if (hasFound) hits++;
    else {
      entities.add(nodeModules.zlib.crc32(entity));
      names.forEach((name, at) => {
        if (!values.has(name) && values.size < MAX_NAMES) values.set(name, new Set());
        values.get(name)?.add(nodeModules.zlib.crc32(texts[at] ?? ''));
      });
    }
    if (++lookUps < LOOK_UPS) return;
    const problem = hits < FEWEST_HITS ? lowHitRate(hits, entities, values) : undefined;
    entities.clear();
    values.clear();
    if (problem !== undefined) logger.warn(problem);
  };
}

/** For each attribute's name, the checksums of its values. */
type Values = Map<string, Set<number>>;

function lowHitRate(hits: number, entities: ReadonlySet<number>, values: Values): string | undefined {
  const found = `only ${hits} of the first ${LOOK_UPS} look-ups were answered from the cache`;
  let name = 'targetingKey';
  let largest = 0;
  for (const [attribute, { size }] of values) {
    if (size > largest) [name, largest] = [attribute, size];
  }
  // If the context was always the same, the low hit rate comes from the number of flags, because the cache cannot
  // answer the first look-up of a flag.
  if (largest <= 1 && entities.size <= 1) return undefined;
  // If there were more targetingKeys than values of any attribute, the targetingKeys are the likely cause of the low
  // hit rate.
  if (largest < entities.size) {
    return `${found}: nearly each look-up had another targetingKey (${entities.size}), as with many new users`;
  }
  return (
    `${found}: the context attribute ${quoted(name)} differs most often (${largest} values). ` +
    `Unless a flag depends on this attribute, leave it out with attributes: { except: [${quoted(name)}] }`
  );
}
